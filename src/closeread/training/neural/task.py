"""The interface of neural training: what a reader must provide so that its model can be trained.

A task turns questions with gold into features, one a training step's unit, and judges what the
model made of a batch of them. Everything else (batches, mixing, resuming, checkpoints) is the same
for all.
"""

from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import Any, NamedTuple, Protocol, runtime_checkable

import torch

from closeread.protocols import Reader
from closeread.readers.neural.checkpoint import Checkpoint, Head
from closeread.readers.windows import Encoded
from closeread.types import Dataset, PassageQuestion, Question

NO_TARGET = -100  # fills targets up to a common width


class Feature(NamedTuple):
    """One unit of training.

    Attributes:
        sequences: What the model is given: one sequence for a span or a pair, one an option for
            questions with options.
        target: Whole numbers that the task's loss understands.
        beside: Whether it is of the second task.
    """

    sequences: tuple[Encoded, ...]
    target: tuple[int, ...]
    beside: bool = False

    @property
    def length(self) -> int:
        """Tokens of the longest sequence, by which batches are sorted."""
        return max(len(one.ids) for one in self.sequences)


class Task(Protocol):
    """What one head learns."""

    @property
    def head(self) -> Head:
        """Which head the model has."""
        ...

    @property
    def n_classes(self) -> int | None:
        """Classes of a ``pair`` head, else None."""
        ...

    @property
    def metric(self) -> str:
        """The value of ``reader``'s answers, higher is better, that chooses the best checkpoint."""
        ...

    def features(
        self, checkpoint: Checkpoint, items: Iterable[PassageQuestion], rng: Random
    ) -> Iterator[Feature]:
        """Yield features; questions that cannot be learned from give none."""
        ...

    def loss(self, outputs: Any, targets: torch.Tensor, sizes: Sequence[int]) -> torch.Tensor:
        """Return the mean loss over a batch's features.

        Args:
            outputs: The model's, of all sequences of the batch one after the other.
            targets: Shape (features, widest target), filled up with ``NO_TARGET``.
            sizes: How many sequences each feature has.
        """
        ...

    def answers(self, question: Question) -> bool:
        """Whether ``reader`` has an answer to a question of this kind."""
        ...

    def reader(self, checkpoint: Checkpoint) -> Reader:
        """Return the reader that answers with the model as it is now, for the dev metric."""
        ...


@runtime_checkable
class PreparesModel(Protocol):
    """A task that changes the model before it learns, such as its head's classes."""

    def prepare(self, checkpoint: Checkpoint) -> None:
        """Make the model, just opened, what is to be trained."""
        ...


@runtime_checkable
class GathersItems(Protocol):
    """A task that learns from something else of a data set than its questions."""

    @property
    def gathers(self) -> str:
        """What it learns from, in the plural, such as ``passages``."""
        ...

    def items(self, dataset: Dataset) -> Iterable[PassageQuestion]:
        """Yield a passage and a question for each of them."""
        ...


@runtime_checkable
class HasTeachers(Protocol):
    """A task that learns what other models say."""

    def teachers(self, model: str) -> tuple[str, ...]:
        """Return their folders or hub names, where training begins with a model; maybe none."""
        ...


def collate(features: Sequence[Feature], pad_id: int) -> dict[str, torch.Tensor]:
    """Return a batch: its sequences padded to the longest, and what the loss needs.

    Returns:
        ``input_ids``, ``attention_mask``, ``token_type_ids`` of shape (sequences, tokens),
        ``targets`` of shape (features, widest target), ``sizes`` of shape (features,), and
        ``beside``, of shape (1,): whether all are of the second task.
    """
    sequences = [one for feature in features for one in feature.sequences]
    width = max(len(one.ids) for one in sequences)
    ids = torch.full((len(sequences), width), pad_id)
    types = torch.zeros_like(ids)
    mask = torch.zeros_like(ids)
    for row, one in enumerate(sequences):
        ids[row, : len(one.ids)] = torch.tensor(one.ids)
        types[row, : len(one.types)] = torch.tensor(one.types)
        mask[row, : len(one.ids)] = 1
    widest = max(len(feature.target) for feature in features)
    targets = torch.full((len(features), widest), NO_TARGET)
    for row, feature in enumerate(features):
        targets[row, : len(feature.target)] = torch.tensor(feature.target)
    return {
        "input_ids": ids,
        "attention_mask": mask,
        "token_type_ids": types,
        "targets": targets,
        "sizes": torch.tensor([len(feature.sequences) for feature in features]),
        "beside": torch.tensor([features[0].beside]),
    }
