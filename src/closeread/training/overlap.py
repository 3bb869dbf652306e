"""Which questions must not be learned from, because they stand in a set that will be read.

Two questions overlap where their passages share a tenth of their text in runs of 12 characters,
where an option of 8 characters or more is the same, or where the options share a tenth in such
runs; white space, punctuation, case and width do not count.
"""

import re
import unicodedata
from collections.abc import Iterable, Set
from functools import lru_cache

from closeread.types import Passage, Question

Item = tuple[Passage, Question]
_RUN = 12
_SHARE = 0.1
_LONG = 8
_OTHER = re.compile(r"[\W_]+")


class Overlap:
    """Remembers the passages and options of some questions and finds others that share them."""

    def __init__(self, items: Iterable[Item]) -> None:
        self._passages: set[int] = set()
        self._options: set[str] = set()
        self._option_runs: set[int] = set()
        seen: set[str] = set()
        for passage, question in items:
            if passage.text not in seen:
                seen.add(passage.text)
                self._passages |= runs(passage.text)
            for option in question.options:
                plain = bare(option.text)
                if len(plain) >= _LONG:
                    self._options.add(plain)
                self._option_runs |= runs(option.text)

    def holds(self, passage: Passage, question: Question) -> bool:
        """Whether a question overlaps one of those remembered."""
        if any(bare(option.text) in self._options for option in question.options):
            return True
        said = frozenset().union(*(runs(option.text) for option in question.options))
        return (
            _share(runs(passage.text), self._passages) > _SHARE
            or _share(said, self._option_runs) > _SHARE
        )


def bare(text: str) -> str:
    """Return a text's letters and digits alone, in one width and case."""
    return _OTHER.sub("", unicodedata.normalize("NFKC", text).lower())


@lru_cache(maxsize=16)
def runs(text: str) -> frozenset[int]:
    """Return the hashes of all runs of 12 characters; none for a shorter text."""
    plain = bare(text)
    return frozenset(hash(plain[start : start + _RUN]) for start in range(len(plain) - _RUN + 1))


def _share(own: Set[int], others: Set[int]) -> float:
    return len(own & others) / len(own) if own else 0.0
