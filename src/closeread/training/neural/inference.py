"""Features and loss of natural language inference, as the only or as a second task."""

from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import Any

import torch
from torch.nn.functional import cross_entropy

from closeread.readers.neural.checkpoint import Checkpoint
from closeread.readers.statements import Statement, encode_statement
from closeread.training.neural.task import Feature
from closeread.types import Evidence, PassageQuestion, Question

CLASSES = ("entailment", "neutral", "contradiction")


def pair_features(
    checkpoint: Checkpoint,
    items: Iterable[PassageQuestion],
    classes: Sequence[str],
    max_length: int,
) -> Iterator[Feature]:
    """Yield the pair of each premise and hypothesis, with its class as target.

    Questions without a gold class of ``classes`` yield nothing.
    """
    max_tokens = min(max_length, checkpoint.max_length)
    for passage, question in items:
        label = label_of(question)
        if label not in classes:
            continue
        statement = Statement(Evidence(), passage.text, question.text)
        sequence = encode_statement(
            statement, lambda text: checkpoint.tokens(text).ids, checkpoint.template, max_tokens
        )
        yield Feature((sequence,), (classes.index(label),))


def class_loss(outputs: Any, targets: torch.Tensor) -> torch.Tensor:
    """Return the mean cross-entropy of a batch; ``targets`` has shape (pairs, 1)."""
    return cross_entropy(outputs.logits.float(), targets[:, 0])


class SecondInferenceTask:
    """Natural language inference as the second task of a model.

    Args:
        max_length: Maximum tokens of premise and hypothesis together.
    """

    n_classes = len(CLASSES)

    def __init__(self, max_length: int) -> None:
        self._max_length = max_length

    def features(
        self, checkpoint: Checkpoint, items: Iterable[PassageQuestion], rng: Random
    ) -> Iterator[Feature]:
        """Yield the pair of each premise and hypothesis, marked as of the second task."""
        for feature in pair_features(checkpoint, items, CLASSES, self._max_length):
            yield feature._replace(beside=True)

    def loss(self, outputs: Any, targets: torch.Tensor, sizes: Sequence[int]) -> torch.Tensor:
        """Return the mean cross-entropy of the classes."""
        return class_loss(outputs, targets)


def label_of(question: Question) -> str:
    """Return the gold class of a hypothesis; empty for other questions."""
    if question.kind != "entailment" or not question.answers:
        return ""
    return (question.answers[0].texts or ("",))[0].strip().lower()
