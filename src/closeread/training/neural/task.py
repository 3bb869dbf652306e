"""The interface of neural training tasks: what a reader must provide to be trainable.

A task turns questions with gold into features and computes the loss of a batch of them. Everything
else (batching, mixing data sets, resuming, checkpoints) is shared by all tasks.
"""

from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import Any, NamedTuple, Protocol, runtime_checkable

import torch

from closeread.protocols import Reader
from closeread.readers.neural.checkpoint import Checkpoint, Head
from closeread.readers.windows import Encoded
from closeread.types import Dataset, PassageQuestion, Question

NO_TARGET = -100  # pads targets to a common width


class Feature(NamedTuple):
    """One training example; the batch size counts features.

    Attributes:
        sequences: The model's input: one sequence for a span or a pair, one for each option of
            questions with options.
        target: Integers for the task's loss.
        beside: Whether the feature is of the second task.
    """

    sequences: tuple[Encoded, ...]
    target: tuple[int, ...]
    beside: bool = False

    @property
    def length(self) -> int:
        """Tokens of the longest sequence, by which batches are sorted."""
        return max(len(sequence.ids) for sequence in self.sequences)


class Task(Protocol):
    """A training task for one head."""

    @property
    def head(self) -> Head:
        """The head of the model."""
        ...

    @property
    def n_classes(self) -> int | None:
        """The number of classes of a ``pair`` head, else None."""
        ...

    @property
    def metric(self) -> str:
        """The default dev metric, which chooses the best state; higher is better."""
        ...

    def features(
        self, checkpoint: Checkpoint, items: Iterable[PassageQuestion], rng: Random
    ) -> Iterator[Feature]:
        """Yield features; questions that cannot be learned from yield none."""
        ...

    def loss(self, outputs: Any, targets: torch.Tensor, sizes: Sequence[int]) -> torch.Tensor:
        """Return the mean loss over a batch's features.

        Args:
            outputs: The model's outputs for all sequences of the batch, feature by feature.
            targets: Shape (features, widest target), padded with ``NO_TARGET``.
            sizes: The number of sequences of each feature.
        """
        ...

    def answers(self, question: Question) -> bool:
        """Return whether ``reader`` answers questions of this kind."""
        ...

    def reader(self, checkpoint: Checkpoint) -> Reader:
        """Return a reader with the model in its current state, for the dev metric."""
        ...


@runtime_checkable
class PreparesModel(Protocol):
    """A task that changes the model before training, such as the classes of its head."""

    def prepare(self, checkpoint: Checkpoint) -> None:
        """Change a model that was just opened."""
        ...


@runtime_checkable
class GathersItems(Protocol):
    """A task that learns from other items of a data set than its questions."""

    @property
    def gathers(self) -> str:
        """The plural noun for these items, such as ``passages``."""
        ...

    def items(self, dataset: Dataset) -> Iterable[PassageQuestion]:
        """Yield a passage and a question for each item."""
        ...


@runtime_checkable
class HasTeachers(Protocol):
    """A task that learns from the predictions of other models."""

    def teachers(self, model: str) -> tuple[str, ...]:
        """Return the teachers' folders or hub names if training starts from ``model``; or ()."""
        ...


def collate(features: Sequence[Feature], pad_id: int) -> dict[str, torch.Tensor]:
    """Return features as a batch, with the sequences padded to the longest.

    Returns:
        ``input_ids``, ``attention_mask``, ``token_type_ids`` of shape (sequences, tokens),
        ``targets`` of shape (features, widest target), ``sizes`` of shape (features,), and
        ``beside``, of shape (1,): whether the features are of the second task.
    """
    sequences = [sequence for feature in features for sequence in feature.sequences]
    width = max(len(sequence.ids) for sequence in sequences)
    ids = torch.full((len(sequences), width), pad_id)
    types = torch.zeros_like(ids)
    mask = torch.zeros_like(ids)
    for row, sequence in enumerate(sequences):
        ids[row, : len(sequence.ids)] = torch.tensor(sequence.ids)
        types[row, : len(sequence.types)] = torch.tensor(sequence.types)
        mask[row, : len(sequence.ids)] = 1
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
