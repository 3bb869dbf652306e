"""Finds training questions that overlap evaluation sets and must not be learned from.

Two questions overlap where their passages share a tenth of their text in long runs of characters
(or, where they are too short for one run, are the same), where a long option is the same, or where
the options share a tenth in such runs; white space, punctuation, case, width and Traditional
characters do not count. In Chinese a run is 12 characters and a long option has 8; where letters
spell words, 48 and 32, or any two texts would share the commonest phrases: by 12, 36 % of 21,272
English questions overlapped the sets that ``recipes/train/span-minilm.toml`` leaves out, by 48
0.2 %.
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
        held: Passages with their questions, as data sets yield them; one that nothing is asked
            about is remembered too.
    """

    def __init__(self, held: Iterable[tuple[Passage, Sequence[Question]]]) -> None:
        self._short: set[str] = set()
        self._options: set[str] = set()
        of_passages, of_options = _RunHashes(), _RunHashes()
        seen: set[str] = set()
        for passage, questions in held:
            if passage.text not in seen:
                seen.add(passage.text)
                own = run_hashes(passage.text)
                of_passages.add(own)
                if not own:
                    self._short.add(normalize_text(passage.text))
            for option in (option for question in questions for option in question.options):
                plain = normalize_text(option.text)
                if _is_long(plain):
                    self._options.add(plain)
                of_options.add(run_hashes(option.text))
        self._passages, self._option_runs = of_passages.sorted(), of_options.sorted()

    def overlaps(self, passage: Passage, question: Question) -> bool:
        """Whether a question overlaps one of the indexed questions."""
        if any(normalize_text(option.text) in self._options for option in question.options):
            return True
        own = run_hashes(passage.text)
        # a passage without a run has no share that could be the same, only all of it
        if not own and (plain := normalize_text(passage.text)) and plain in self._short:
            return True
        said = frozenset().union(*(run_hashes(option.text) for option in question.options))
        return (
            _shared_fraction(own, self._passages) > _MAX_SHARED
            or _shared_fraction(said, self._option_runs) > _MAX_SHARED
        )


def clusters(items: Sequence[PassageQuestion]) -> list[int]:
    """Return a cluster number for each question; questions of a cluster belong in one fold.

    A cluster holds questions with the same passage, with passages of which one shares a tenth of
    its runs with the other, or with the same option. What is learned from one is known of the
    others, so different folds would overestimate what is measured. Numbers count from 0 in the
    order of the questions.
    """
    root = list(range(len(items)))

    def find(place: int) -> int:
        while root[place] != place:
            root[place] = root[root[place]]
            place = root[place]
        return place

    first: dict[str, int] = {}
    holding: dict[int, list[int]] = {}
    sizes: dict[int, int] = {}
    for place, (passage, question) in enumerate(items):
        plain = [normalize_text(option.text) for option in question.options]
        text = "passage " + normalize_text(passage.text)
        if text not in first:
            own = run_hashes(passage.text)
            sizes[place] = len(own)
            shared = Counter(other for run in own for other in holding.get(run, ()))
            for other, many in shared.items():
                if many > _MAX_SHARED * min(len(own), sizes[other]):
                    root[find(place)] = find(other)
            for run in own:
                holding.setdefault(run, []).append(place)
        for key in (text, *("option " + one for one in plain if _is_long(one))):
            root[find(place)] = find(first.setdefault(key, place))
    # Which question stands for its group hangs on hashes, which no two processes share.
    numbers: dict[int, int] = {}
    return [numbers.setdefault(find(place), len(numbers)) for place in range(len(items))]


def normalize_text(text: str) -> str:
    """Return only a text's letters and digits, in Simplified Chinese, one width and one case."""
    return fold(_NOT_ALPHANUMERIC.sub("", unicodedata.normalize("NFKC", text)))


@lru_cache(maxsize=16)
def run_hashes(text: str) -> frozenset[int]:
    """Return the hashes of all runs of characters; none for a text shorter than one run."""
    plain = normalize_text(text)
    run = _RUN_LENGTH_ALPHABETIC if _is_alphabetic(plain) else _RUN_LENGTH
    return frozenset(hash(plain[start : start + run]) for start in range(len(plain) - run + 1))


def _is_long(plain: str) -> bool:
    return len(plain) >= (_LONG_OPTION_ALPHABETIC if _is_alphabetic(plain) else _LONG_OPTION)


def _is_alphabetic(plain: str) -> bool:
    """Whether a text is alphabetic: less than a fifth of it is East Asian characters.

    Figures, formulas and names occur in Chinese texts too, and do not make their runs longer.
    """
    return 5 * sum(one >= "\u2e80" for one in plain) < len(plain)


class _RunHashes:
    """Runs as they come: 8 bytes each, where a set of Python's numbers takes 70."""

    def __init__(self) -> None:
        self._found = array("q")

    def add(self, own: Set[int]) -> None:
        self._found.extend(own)

    def sorted(self) -> "NDArray[np.int64]":
        import numpy as np

        found = np.frombuffer(self._found, np.int64) if self._found else np.empty(0, np.int64)
        found.sort()  # where they are: the array is writable, and nobody else has it
        return found


def _shared_fraction(own: Set[int], others: "NDArray[np.int64]") -> float:
    """Return the share of runs that occur among others, which are sorted."""
    import numpy as np

    if not own or not len(others):
        return 0.0
    # In order, since what is near is then asked together.
    asked = np.sort(np.fromiter(own, np.int64, len(own)))
    places = np.searchsorted(others, asked)
    places[places == len(others)] = 0
    return np.count_nonzero(others[places] == asked) / len(own)
