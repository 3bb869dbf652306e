"""Computes support from the classes of a pair head.

A head has two classes, supported or not (Zhang et al. 2021), or three, entailment, neutral and
contradiction, or a single number. ``fold_nli_head`` turns three classes into two.
"""

import math
from collections.abc import Sequence
from typing import Any

import torch

from closeread.errors import InputError, UsageError
from closeread.readers.neural.checkpoint import Checkpoint

LABELS = ("not supported", "supported")
CURE_FOR_TRAINING = (
    "name its classes in config.json (id2label), or start from a model without a head"
)
_SUPPORTED = frozenset(
    {"supported", "supports", "support", "entailment", "entailed", "entails", "true"}
)


def class_names(checkpoint: Checkpoint) -> list[str]:
    """Return the names of the classes in the checkpoint's configuration, in lower case."""
    names: dict[Any, str] = checkpoint.model.config.id2label
    return [names[index].strip().lower() for index in sorted(names)]


def supported_class(
    checkpoint: Checkpoint, label: str = "", cure: str = "name it with -o label=NAME"
) -> int:
    """Return the index of the class that means "supported".

    Args:
        checkpoint: A checkpoint with a pair head.
        label: The name of the class; empty finds it: the class with such a name (supported,
            entailment, ...), the only number, or the second of two unnamed classes (as in the
            authors' program).
        cure: Advice for the message if no name shows it.

    Raises:
        UsageError: There is no class of that name.
        InputError: The names of the classes do not show which one it is.
    """
    names = class_names(checkpoint)
    if label:
        if label.strip().lower() not in names:
            raise UsageError(
                f"the model has no class {label!r}", expected="one of " + ", ".join(names)
            )
        return names.index(label.strip().lower())
    if len(names) == 1:
        return 0
    matching = [index for index, name in enumerate(names) if name in _SUPPORTED]
    if len(matching) == 1:
        return matching[0]
    if names == ["label_0", "label_1"]:
        return 1
    raise InputError(
        f"none of the model's classes means that a text is supported: {', '.join(names)}",
        where=checkpoint.name,
        expected="a class named supported or entailment, or two unnamed classes",
        cure=cure,
    )


def log_odds(logits: torch.Tensor, supported: int) -> torch.Tensor:
    """Return the log-odds of "supported" against all other classes, shape (sequences,).

    Its sigmoid is the softmax probability of the class. A single number counts as log-odds.

    Args:
        logits: Shape (sequences, classes).
        supported: The index of the class.
    """
    if logits.shape[1] == 1:
        return logits[:, 0]
    others = [index for index in range(logits.shape[1]) if index != supported]
    return logits[:, supported] - torch.logsumexp(logits[:, others], dim=1)


def name_classes(checkpoint: Checkpoint, names: Sequence[str]) -> None:
    """Write the names of a new head's classes into the model's configuration."""
    config = checkpoint.model.config
    config.id2label = dict(enumerate(names))
    config.label2id = {name: index for index, name in enumerate(names)}


def fold_nli_head(checkpoint: Checkpoint) -> None:
    """Turn a head of three classes (natural language inference) into one of two, in place.

    "Supported" keeps the weights of entailment. "Not supported" gets the mean of the others'
    weights and biases, plus log 2 in its bias. The new log-odds are the old ones plus
    ``log cosh((neutral - contradiction) / 2)``: equal if these two are equally likely, else higher.

    Raises:
        InputError: The head does not have three classes with entailment among them, or its last
            layer cannot be found.
    """
    names = class_names(checkpoint)
    entailment = supported_class(checkpoint, cure=CURE_FOR_TRAINING)
    if len(names) != 3:
        raise InputError(
            f"the model's head has {len(names)} classes: {', '.join(names)}",
            where=checkpoint.name,
            expected="the three classes of natural language inference",
        )
    owner, attribute, last = _find_classifier(checkpoint)
    others = [index for index in range(3) if index != entailment]
    folded = torch.nn.Linear(last.in_features, 2).to(last.weight.device, last.weight.dtype)
    with torch.no_grad():
        folded.weight[0] = last.weight[others].mean(dim=0)
        folded.weight[1] = last.weight[entailment]
        folded.bias[0] = last.bias[others].mean() + math.log(2)
        folded.bias[1] = last.bias[entailment]
    setattr(owner, attribute, folded)
    _set_two_classes(checkpoint)


def reset_head(checkpoint: Checkpoint) -> None:
    """Replace the head by one of two classes with random weights, in place.

    Raises:
        InputError: The head's last layer cannot be found.
    """
    owner, attribute, last = _find_classifier(checkpoint)
    new_layer = torch.nn.Linear(last.in_features, 2)
    std = getattr(checkpoint.model.config, "initializer_range", 0.02)
    torch.nn.init.normal_(new_layer.weight, std=std)
    torch.nn.init.zeros_(new_layer.bias)
    setattr(owner, attribute, new_layer.to(last.weight.device, last.weight.dtype))
    _set_two_classes(checkpoint)


def _set_two_classes(checkpoint: Checkpoint) -> None:
    checkpoint.model.num_labels = 2
    name_classes(checkpoint, LABELS)


def _find_classifier(checkpoint: Checkpoint) -> tuple[torch.nn.Module, str, torch.nn.Linear]:
    """Return the module with the classification layer, the layer's name there, and the layer."""
    n_classes = checkpoint.model.config.num_labels
    layer_names = [
        name
        for name, layer in checkpoint.model.named_modules()
        if isinstance(layer, torch.nn.Linear)
        and layer.out_features == n_classes
        and layer.bias is not None  # transformers would not load a bias that the architecture lacks
    ]
    if not layer_names:
        raise InputError(
            "the model's head does not end in a linear layer with a bias",
            where=checkpoint.name,
            expected="an encoder like BERT or RoBERTa",
        )
    holder, _, attribute = layer_names[-1].rpartition(".")
    owner = checkpoint.model.get_submodule(holder)
    last = getattr(owner, attribute)
    assert isinstance(last, torch.nn.Linear)
    return owner, attribute, last
