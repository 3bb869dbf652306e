"""Word vectors as a matrix on disk, from which only the requested rows are read."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from closeread.errors import InputError, UsageError
from closeread.evidence.models import UsedModel
from closeread.evidence.vectors.files import StoredVectors, load_stored

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MIN_WORDS = 20  # distinct words; in a shorter text no word needs to have a vector
MEANINGLESS = 0.5  # with a larger share of words without a vector, results are unreliable


class WordVectors:
    """Words with their vectors; a word without one has no row, and no row is zero."""

    def __init__(self, source: StoredVectors) -> None:
        self._rows = source.rows
        self._row_of = source.row_of
        self.name = source.name
        self.dimensions = int(self._rows.shape[1])
        self.left_out = source.left_out
        self.models = (
            UsedModel(name=self.name, n_parameters=int(self._rows.size), sha256=source.sha256),
        )

    def __contains__(self, word: str) -> bool:
        return word in self._row_of

    def __iter__(self) -> Iterator[str]:
        return iter(self._row_of)

    def __len__(self) -> int:
        return len(self._row_of)

    def known(self, words: Iterable[str]) -> list[str]:
        """Return the words that have a vector, repeats kept."""
        return [word for word in words if word in self._row_of]

    def find_rows(self, words: Iterable[str]) -> list[int]:
        """Return the row numbers of the words that have a vector, repeats kept."""
        find = self._row_of.get
        return [row for row in map(find, words) if row is not None]

    def vectors_at(self, rows: "Sequence[int] | NDArray[Any]") -> "NDArray[Any]":
        """Return the vectors of row numbers in double precision, shape (places, dimensions)."""
        import numpy as np

        return self._rows[np.asarray(rows, dtype=np.intp)].astype(np.float64)

    def vectors_of(self, words: Sequence[str]) -> "NDArray[Any]":
        """Return the vectors of known words in double precision, shape (words, dimensions)."""
        return self.vectors_at([self._row_of[word] for word in words])

    def unknown_share(self, words: Iterable[str]) -> float:
        """Return the share (0 to 1) of distinct words without a vector; 0.0 for no words."""
        distinct = set(words)
        return (
            sum(word not in self._row_of for word in distinct) / len(distinct) if distinct else 0.0
        )

    def must_know(self, words: Iterable[str], where: str) -> None:
        """Reject texts with many words of which none has a vector.

        Args:
            words: The words of the text.
            where: The text, for messages.

        Raises:
            InputError: There are 20 or more distinct words, and none has a vector.
        """
        distinct = set(words)
        if len(distinct) >= _MIN_WORDS and not any(word in self._row_of for word in distinct):
            raise InputError(
                f"none of {len(distinct)} different words has a vector, for example "
                + ", ".join(sorted(distinct)[:3]),
                where=where,
                expected=f"texts in the language of {self.name}",
                cure="use vectors for this language, trained with the same word segmentation",
            )


def coverage_warning(vectors: WordVectors, words: Iterable[str]) -> str:
    """Return a warning if too few words have a vector for reliable results, else ""."""
    distinct = set(words)
    unknown_share = vectors.unknown_share(distinct)
    if unknown_share <= MEANINGLESS:
        return ""
    return (
        f"only {1 - unknown_share:.0%} of {len(distinct):,} different words have a vector in "
        f"{vectors.name}: evidence from word vectors is unreliable here"
    )


@lru_cache(maxsize=4)
def load(path: str) -> WordVectors:
    """Open word vectors: word2vec text or binary, or fastText; word2vec's also as .gz or .bz2.

    The first time, the file is converted into a matrix in the user's cache; later, only the words
    are read.

    Raises:
        UsageError: No path is given.
        InputError: The file is missing or broken, or contains values that are not finite.
        MissingExtraError: gensim is needed and not installed.
    """
    if not path:
        raise UsageError(
            "no word vectors are given",
            expected="-o vectors=PATH: word2vec text or binary, or fastText",
            cure="train them on passages with `closeread train` (docs/vgaokao.md)",
        )
    return WordVectors(load_stored(Path(path)))
