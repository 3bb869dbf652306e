"""Indexes a passage for the word-vector methods: the vectors of its sentences and words."""

from collections.abc import Callable, Hashable, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from closeread.evidence.vectors.matrix import WordVectors
from closeread.types import Span

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Sentence(NamedTuple):
    """The distinct words of a sentence that have a vector: their rows, and their vectors."""

    words: frozenset[Hashable]
    vectors: "NDArray[Any]"


class VectorIndex:
    """The sentences of a passage as vectors.

    Attributes:
        spans: The sentences.
        directions: Each sentence's mean vector, scaled to norm 1, shape (sentences, dimensions).
        unknown: The numbers of the sentences without a known word; their directions are zeros.
    """

    def __init__(
        self,
        text: str,
        spans: Sequence[Span],
        vectors: WordVectors,
        cut: Callable[[str], list[str]],
    ) -> None:
        """Look up the vectors of all words.

        Raises:
            InputError: The text has many words, and not one has a vector.
        """
        import numpy as np

        words_of = [cut(span.of(text)) for span in spans]
        self.spans = spans
        self._row_numbers = [vectors.find_rows(words) for words in words_of]
        lengths = np.fromiter(map(len, self._row_numbers), dtype=np.intp, count=len(spans))
        flat = np.fromiter(
            chain.from_iterable(self._row_numbers), np.intp, count=int(lengths.sum())
        )
        if not flat.size:
            vectors.must_know(
                chain.from_iterable(words_of), f"the passage that begins {text[:20]!r}"
            )
        distinct, local = np.unique(flat, return_inverse=True)
        self._rows = vectors.vectors_at(distinct)
        self._local = np.split(local, np.cumsum(lengths)[:-1]) if len(spans) else []
        sums = np.zeros((len(spans), vectors.dimensions))
        for number, words in enumerate(self._local):
            self._rows.take(words, axis=0).sum(axis=0, out=sums[number])
        norms = np.sqrt(np.einsum("ij,ij->i", sums, sums))
        self.unknown = np.flatnonzero(norms == 0)
        norms[self.unknown] = 1.0
        self.directions = sums / norms[:, np.newaxis]
        self._sentences: dict[int, Sentence] = {}

    def sentence(self, number: int) -> Sentence:
        """Return the distinct words of a sentence with their vectors."""
        import numpy as np

        if number not in self._sentences:
            rows = self._rows[np.unique(self._local[number])]
            self._sentences[number] = Sentence(frozenset(self._row_numbers[number]), rows)
        return self._sentences[number]
