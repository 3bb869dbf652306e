"""Features kept small: half a million of them must fit beside the model.

Four bytes a token for its id and one for its segment, in arrays that all features of a data set
share, where lists of numbers take 26.
"""

from array import array
from collections.abc import Iterable, Sequence
from typing import overload

from closeread.readers.windows import Encoded
from closeread.training.neural.task import Feature


class PackedFeatures(Sequence[Feature]):
    """A data set's features; each is made anew when it is asked for.

    Args:
        features: Taken one by one, and not kept.

    Attributes:
        lengths: Tokens of each feature's longest sequence.
        beside: Whether they are of the second task.
    """

    def __init__(self, features: Iterable[Feature] = ()) -> None:
        self.lengths = array("i")
        self.beside = False
        self._ids = array("i")
        self._types = array("B")
        self._targets = array("i")
        self._ends = array("q", [0])  # of sequences, in tokens
        self._sequences = array("q", [0])  # of features, in sequences
        self._target_ends = array("q", [0])  # of features, in numbers
        for feature in features:
            self._append(feature)

    def _append(self, feature: Feature) -> None:
        for one in feature.sequences:
            self._ids.extend(one.ids)
            self._types.extend(one.types)
            self._ends.append(len(self._ids))
        self._sequences.append(len(self._ends) - 1)
        self._targets.extend(feature.target)
        self._target_ends.append(len(self._targets))
        self.lengths.append(feature.length)
        self.beside = feature.beside

    @property
    def n_bytes(self) -> int:
        """What the arrays take in memory."""
        kept = (self._ids, self._types, self._targets, self._ends, self._sequences)
        return sum(one.itemsize * len(one) for one in (*kept, self._target_ends, self.lengths))

    def share_of(self, token: int) -> float:
        """Return which part of all tokens is this one, from 0 to 1."""
        return self._ids.count(token) / max(1, len(self._ids))

    def __len__(self) -> int:
        return len(self.lengths)

    @overload
    def __getitem__(self, place: int) -> Feature: ...

    @overload
    def __getitem__(self, place: slice) -> list[Feature]: ...

    def __getitem__(self, place: int | slice) -> Feature | list[Feature]:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        at = range(len(self))[place]
        sequences = []
        for number in range(self._sequences[at], self._sequences[at + 1]):
            tokens = slice(self._ends[number], self._ends[number + 1])
            sequences.append(Encoded(self._ids[tokens].tolist(), self._types[tokens].tolist()))
        target = self._targets[self._target_ends[at] : self._target_ends[at + 1]]
        return Feature(tuple(sequences), tuple(target), self.beside)
