"""Trains a natural language inference model, as a stage before a verifier.

Zhang et al. (2021, section 3.4) fine-tune on OCNLI before VGaokao. Premise and hypothesis take the
places of evidence and statement. The classes are entailment, neutral and contradiction, as in any
such model; the next stage says how to convert the head to two classes (``nli_head`` in
``verifier``). Pairs without a majority label (``-``) are already left out by ``formats/nli.py``.
"""

from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import Any

import torch

from closeread.errors import InputError
from closeread.protocols import Reader
from closeread.readers.neural.checkpoint import Checkpoint, Head
from closeread.readers.neural.support import CURE_FOR_TRAINING, class_names, name_classes
from closeread.readers.neural.verifier import VerifierReader
from closeread.readers.verifier import make_retriever
from closeread.training.neural import train as neural
from closeread.training.neural.inference import CLASSES, class_loss, pair_features
from closeread.training.neural.task import Feature
from closeread.training.recipes.entailment import parse_options
from closeread.training.request import Request, Trained
from closeread.types import PassageQuestion


class EntailTask:
    """The task of a pair head, on premises and hypotheses.

    Args:
        max_length: Maximum tokens of premise and hypothesis together.
    """

    head: Head = "pair"
    n_classes = 3
    metric = "choice.accuracy"
    answers = staticmethod(VerifierReader.answers)

    def __init__(self, max_length: int = 128) -> None:
        self._max_length = max_length

    def prepare(self, checkpoint: Checkpoint) -> None:
        """Name the classes of a new head.

        Raises:
            InputError: The head has other classes.
        """
        names = class_names(checkpoint)
        if names == ["label_0", "label_1", "label_2"]:
            name_classes(checkpoint, CLASSES)
        elif sorted(names) != sorted(CLASSES):
            raise InputError(
                f"the model's classes are {', '.join(names)}",
                where=checkpoint.name,
                expected=", ".join(CLASSES) + ", or a model without a head",
                cure=CURE_FOR_TRAINING,
            )

    def features(
        self, checkpoint: Checkpoint, items: Iterable[PassageQuestion], rng: Random
    ) -> Iterator[Feature]:
        """Yield the pair of each premise and hypothesis; other questions yield none."""
        return pair_features(checkpoint, items, class_names(checkpoint), self._max_length)

    def loss(self, outputs: Any, targets: torch.Tensor, sizes: Sequence[int]) -> torch.Tensor:
        """Return the mean cross-entropy of a batch."""
        return class_loss(outputs, targets)

    def reader(self, checkpoint: Checkpoint) -> Reader:
        """Return the verifier, which answers by the classes and retrieves no evidence."""
        return VerifierReader(
            checkpoint, make_retriever("cover", "", {})[0], max_length=self._max_length
        )


def train(request: Request) -> Trained:
    """Train a natural language inference model, which the reader ``verifier`` can use."""
    return neural.train(request, EntailTask(parse_options(request).max_length))
