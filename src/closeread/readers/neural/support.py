"""Reads support off the classes of a pair head: which class says it, and by how much.

A head of two classes tells supported from not (Zhang et al. 2021), one of three entailment from
neutral and contradiction, one of a single number is that number.
"""

from typing import Any

import torch

from closeread.errors import InputError, UsageError
from closeread.readers.neural.checkpoint import Checkpoint

LABELS = ("not supported", "supported")
_SUPPORTED = frozenset(
    {"supported", "supports", "support", "entailment", "entailed", "entails", "true"}
)


def class_names(checkpoint: Checkpoint) -> list[str]:
    """Return what the classes are called in the checkpoint's configuration, in lower case."""
    named: dict[Any, str] = checkpoint.model.config.id2label
    return [named[place].strip().lower() for place in sorted(named)]


def supported_class(checkpoint: Checkpoint, label: str = "") -> int:
    """Return the place of the class that says "supported".

    Args:
        checkpoint: With a pair head.
        label: What the class is called; empty finds it: the class named so (supported, entailment,
            ...), the only number, or the second of two nameless ones (the authors' program).

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
        f"its classes are called {', '.join(names)}: none of them says that a text is supported",
        where=checkpoint.name,
        expected="a class named supported or entailment, or two nameless classes",
        cure="name it: -o label=NAME",
    )


def log_odds(logits: torch.Tensor, supported: int) -> torch.Tensor:
    """Return the log-odds of "supported" against all other classes, shape (sequences,).

    Its sigmoid is the softmax probability of the class. A single number is taken as log-odds.
    """
    if logits.shape[1] == 1:
        return logits[:, 0]
    others = [place for place in range(logits.shape[1]) if place != supported]
    return logits[:, supported] - torch.logsumexp(logits[:, others], dim=1)
