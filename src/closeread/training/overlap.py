"""Finds training questions that overlap evaluation sets, so that they can be excluded.

Two questions overlap if their passages share a tenth of their runs of characters (or are equal,
if too short for a run), if they share a long option, or if their options share a tenth of their
runs. White space, punctuation, case, width and Traditional characters are normalised away. In
Chinese a run is 12 characters long and a long option has 8 or more; in alphabetic scripts 48 and
32, because any two texts share short common phrases: with runs of 12, 36 % of 21,272 English
questions overlapped the sets that ``recipes/train/span-minilm.toml`` excludes, with 48 0.2 %.
"""

import re
import unicodedata
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence, Set
from functools import lru_cache
from typing import TYPE_CHECKING

from closeread.evidence.claims.terms import fold
from closeread.types import Passage, PassageQuestion, Question

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_RUN_LENGTH, _LONG_OPTION = 12, 8
_RUN_LENGTH_ALPHABETIC, _LONG_OPTION_ALPHABETIC = 48, 32
_MAX_SHARED = 0.1
_NOT_ALPHANUMERIC = re.compile(r"[\W_]+")


class Overlap:
    """Index of the passages and options of some sets; finds questions that share them.

    Args:
        held: Passages with their questions, as data sets yield them; passages without questions
            are indexed too.
    """

    def __init__(self, held_out: Iterable[tuple[Passage, Sequence[Question]]]) -> None:
        self._short: set[str] = set()
        self._options: set[str] = set()
        passage_hashes, option_hashes = _RunHashes(), _RunHashes()
        seen: set[str] = set()
        for passage, questions in held_out:
            if passage.text not in seen:
                seen.add(passage.text)
                hashes = run_hashes(passage.text)
                passage_hashes.add(hashes)
                if not hashes:
                    self._short.add(normalize_text(passage.text))
            for option in (option for question in questions for option in question.options):
                plain = normalize_text(option.text)
                if _is_long(plain):
                    self._options.add(plain)
                option_hashes.add(run_hashes(option.text))
        self._passages, self._option_runs = passage_hashes.sorted(), option_hashes.sorted()

    def overlaps(self, passage: Passage, question: Question) -> bool:
        """Return whether a question overlaps one of the indexed questions."""
        if any(normalize_text(option.text) in self._options for option in question.options):
            return True
        passage_hashes = run_hashes(passage.text)
        # A passage shorter than a run has no runs to share, so it is compared as a whole.
        if not passage_hashes and (plain := normalize_text(passage.text)) and plain in self._short:
            return True
        option_hashes = frozenset().union(*(run_hashes(option.text) for option in question.options))
        return (
            _shared_fraction(passage_hashes, self._passages) > _MAX_SHARED
            or _shared_fraction(option_hashes, self._option_runs) > _MAX_SHARED
        )


def clusters(items: Sequence[PassageQuestion]) -> list[int]:
    """Return a cluster number for each question; questions of a cluster belong in one fold.

    A cluster contains questions with the same passage, with passages of which one shares a tenth
    of its runs with the other, or with the same long option. If they were split over folds, a
    model would be evaluated on text that it was trained on. Numbers start at 0, in the order of
    the questions.
    """
    root = list(range(len(items)))

    def find(index: int) -> int:
        while root[index] != index:
            root[index] = root[root[index]]
            index = root[index]
        return index

    first: dict[str, int] = {}
    places_of: dict[int, list[int]] = {}
    sizes: dict[int, int] = {}
    for index, (passage, question) in enumerate(items):
        options = [normalize_text(option.text) for option in question.options]
        text = "passage " + normalize_text(passage.text)
        if text not in first:
            hashes = run_hashes(passage.text)
            sizes[index] = len(hashes)
            shared = Counter(other for run in hashes for other in places_of.get(run, ()))
            for other, n_shared in shared.items():
                if n_shared > _MAX_SHARED * min(len(hashes), sizes[other]):
                    root[find(index)] = find(other)
            for run in hashes:
                places_of.setdefault(run, []).append(index)
        for key in (text, *("option " + option for option in options if _is_long(option))):
            root[find(index)] = find(first.setdefault(key, index))
    # Which question is the root depends on hashes, which differ between processes.
    numbers: dict[int, int] = {}
    return [numbers.setdefault(find(index), len(numbers)) for index in range(len(items))]


def normalize_text(text: str) -> str:
    """Return only a text's letters and digits, in Simplified Chinese, one width and one case."""
    return fold(_NOT_ALPHANUMERIC.sub("", unicodedata.normalize("NFKC", text)))


@lru_cache(maxsize=16)
def run_hashes(text: str) -> frozenset[int]:
    """Return the hashes of all runs of characters; empty for a text shorter than one run."""
    plain = normalize_text(text)
    run = _RUN_LENGTH_ALPHABETIC if _is_alphabetic(plain) else _RUN_LENGTH
    return frozenset(hash(plain[start : start + run]) for start in range(len(plain) - run + 1))


def _is_long(plain: str) -> bool:
    return len(plain) >= (_LONG_OPTION_ALPHABETIC if _is_alphabetic(plain) else _LONG_OPTION)


def _is_alphabetic(plain: str) -> bool:
    """Return whether less than a fifth of a text's characters are East Asian.

    The fifth leaves room for the figures, formulas and Latin names in Chinese texts.
    """
    return 5 * sum(character >= "\u2e80" for character in plain) < len(plain)


class _RunHashes:
    """Collects hashes of runs in an array: 8 bytes each, where a set of integers takes 70."""

    def __init__(self) -> None:
        self._hashes = array("q")

    def add(self, hashes: Set[int]) -> None:
        self._hashes.extend(hashes)

    def sorted(self) -> "NDArray[np.int64]":
        import numpy as np

        hashes = np.frombuffer(self._hashes, np.int64) if self._hashes else np.empty(0, np.int64)
        hashes.sort()  # in place: the buffer is writable and not shared
        return hashes


def _shared_fraction(hashes: Set[int], others: "NDArray[np.int64]") -> float:
    """Return the share, from 0 to 1, of run hashes that occur in a sorted array."""
    import numpy as np

    if not hashes or not len(others):
        return 0.0
    # Sorted queries make the binary searches hit nearby memory.
    queries = np.sort(np.fromiter(hashes, np.int64, len(hashes)))
    insertion_points = np.searchsorted(others, queries)
    insertion_points[insertion_points == len(others)] = 0
    return np.count_nonzero(others[insertion_points] == queries) / len(hashes)
