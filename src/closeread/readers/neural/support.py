"""Reads support off the classes of a pair head: which class says it, and by how much.

A head of two classes tells supported from not (Zhang et al. 2021), one of three entailment from
neutral and contradiction, one of a single number is that number. ``fold`` makes the second the
first.
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
    """Return what the classes are called in the checkpoint's configuration, in lower case."""
    named: dict[Any, str] = checkpoint.model.config.id2label
    return [named[place].strip().lower() for place in sorted(named)]


def supported_class(
    checkpoint: Checkpoint, label: str = "", cure: str = "name it with -o label=NAME"
) -> int:
    """Return the place of the class that says "supported".

    Args:
        checkpoint: With a pair head.
        label: What the class is called; empty finds it: the class named so (supported, entailment,
            ...), the only number, or the second of two nameless ones (the authors' program).
        cure: What the user can do where no name tells.

    Raises:
        UsageError: There is no class of that name.
        InputError: The classes have no names that tell.
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
    fitting = [place for place, name in enumerate(names) if name in _SUPPORTED]
    if len(fitting) == 1:
        return fitting[0]
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

    Its sigmoid is the softmax probability of the class. A single number is taken as log-odds.
    """
    if logits.shape[1] == 1:
        return logits[:, 0]
    others = [place for place in range(logits.shape[1]) if place != supported]
    return logits[:, supported] - torch.logsumexp(logits[:, others], dim=1)


def name_classes(checkpoint: Checkpoint, names: Sequence[str]) -> None:
    """Write what the classes of a head that was made are called into its configuration."""
    config = checkpoint.model.config
    config.id2label = dict(enumerate(names))
    config.label2id = {name: place for place, name in enumerate(names)}


def fold_nli_head(checkpoint: Checkpoint) -> None:
    """Make a head of three classes (natural language inference) one of two, in place.

    "Supported" keeps the weights of entailment. "Not supported" gets the mean of the others'
    weights and biases, and log 2 on its bias. The new log-odds are the old ones plus
    ``log cosh((neutral - contradiction) / 2)``: the same where the two are equally likely, else
    higher.

    Raises:
        InputError: The head has not three classes, one of which is entailment, or its last layer
            cannot be found.
    """
    names = class_names(checkpoint)
    entailment = supported_class(checkpoint, cure=CURE_FOR_TRAINING)
    if len(names) != 3:
        raise InputError(
            f"the model's head has {len(names)} classes: {', '.join(names)}",
            where=checkpoint.name,
            expected="the three classes of natural language inference",
        )
    owner, attribute, last = _last_layer(checkpoint)
    others = [place for place in range(3) if place != entailment]
    folded = torch.nn.Linear(last.in_features, 2).to(last.weight.device, last.weight.dtype)
    with torch.no_grad():
        folded.weight[0] = last.weight[others].mean(dim=0)
        folded.weight[1] = last.weight[entailment]
        folded.bias[0] = last.bias[others].mean() + math.log(2)
        folded.bias[1] = last.bias[entailment]
    setattr(owner, attribute, folded)
    _two_classes(checkpoint)


def reset_head(checkpoint: Checkpoint) -> None:
    """Put a head of two classes with random weights in the place of the one that is there.

    Raises:
        InputError: Its last layer cannot be found.
    """
    owner, attribute, last = _last_layer(checkpoint)
    fresh = torch.nn.Linear(last.in_features, 2)
    spread = getattr(checkpoint.model.config, "initializer_range", 0.02)
    torch.nn.init.normal_(fresh.weight, std=spread)
    torch.nn.init.zeros_(fresh.bias)
    setattr(owner, attribute, fresh.to(last.weight.device, last.weight.dtype))
    _two_classes(checkpoint)


def _two_classes(checkpoint: Checkpoint) -> None:
    checkpoint.model.num_labels = 2
    name_classes(checkpoint, LABELS)


def _last_layer(checkpoint: Checkpoint) -> tuple[torch.nn.Module, str, torch.nn.Linear]:
    """Return the layer that gives the classes, with the module that holds it and its name there."""
    n_classes = checkpoint.model.config.num_labels
    fitting = [
        name
        for name, layer in checkpoint.model.named_modules()
        if isinstance(layer, torch.nn.Linear)
        and layer.out_features == n_classes
        and layer.bias is not None  # a new one would not be found again in a saved model
    ]
    if not fitting:
        raise InputError(
            "the model's head does not end in a linear layer with a bias",
            where=checkpoint.name,
            expected="an encoder like BERT or RoBERTa",
        )
    holder, _, attribute = fitting[-1].rpartition(".")
    owner = checkpoint.model.get_submodule(holder)
    last = getattr(owner, attribute)
    assert isinstance(last, torch.nn.Linear)
    return owner, attribute, last
