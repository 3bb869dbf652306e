"""Stores features compactly: half a million of them must fit in memory beside the model.

All features of a data set share arrays with four bytes a token for its id and one for its segment;
lists of integers take 26.
"""

from array import array
from collections.abc import Iterable, Sequence
from typing import overload

from closeread.readers.windows import Encoded
from closeread.training.neural.task import Feature


class PackedFeatures(Sequence[Feature]):
    """The features of a data set; indexing builds a new ``Feature``.

    Args:
        features: The features to store; consumed one by one.

    Attributes:
        lengths: Tokens of each feature's longest sequence.
        beside: Whether the features are of the second task.
    """

    def __init__(self, features: Iterable[Feature] = ()) -> None:
        self.lengths = array("i")
        self.beside = False
        self._ids = array("i")
        self._types = array("B")
        self._targets = array("i")
        self._ends = array("q", [0])  # where each sequence ends, in tokens
        self._sequences = array("q", [0])  # where each feature ends, in sequences
        self._target_ends = array("q", [0])  # where each feature's target ends, in integers
        for feature in features:
            self._append(feature)

    def _append(self, feature: Feature) -> None:
        for sequence in feature.sequences:
            self._ids.extend(sequence.ids)
            self._types.extend(sequence.types)
            self._ends.append(len(self._ids))
        self._sequences.append(len(self._ends) - 1)
        self._targets.extend(feature.target)
        self._target_ends.append(len(self._targets))
        self.lengths.append(feature.length)
        self.beside = feature.beside

    @property
    def n_bytes(self) -> int:
        """The size of the arrays in bytes."""
        arrays = (
            self._ids, self._types, self._targets, self._ends, self._sequences,
            self._target_ends, self.lengths,
        )  # fmt: skip
        return sum(values.itemsize * len(values) for values in arrays)

    def share_of(self, token: int) -> float:
        """Return the share of a token id among all tokens, from 0 to 1."""
        return self._ids.count(token) / max(1, len(self._ids))

    def __len__(self) -> int:
        return len(self.lengths)

    @overload
    def __getitem__(self, index_or_slice: int) -> Feature: ...

    @overload
    def __getitem__(self, index_or_slice: slice) -> list[Feature]: ...

    def __getitem__(self, index_or_slice: int | slice) -> Feature | list[Feature]:
        if isinstance(index_or_slice, slice):
            return [self[index] for index in range(*index_or_slice.indices(len(self)))]
        index = range(len(self))[
            index_or_slice
        ]  # counts negative indices from the end, checks bounds
        sequences = []
        for number in range(self._sequences[index], self._sequences[index + 1]):
            tokens = slice(self._ends[number], self._ends[number + 1])
            sequences.append(Encoded(self._ids[tokens].tolist(), self._types[tokens].tolist()))
        target = self._targets[self._target_ends[index] : self._target_ends[index + 1]]
        return Feature(tuple(sequences), tuple(target), self.beside)
