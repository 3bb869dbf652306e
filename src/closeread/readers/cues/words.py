"""Cue words: the small words by which an examiner changes a statement, in categories.

The lists stand in ``words.toml`` beside this file; a word may be in several categories.
"""

import re
import tomllib
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from closeread.evidence.claims.terms import fold


class Cue(NamedTuple):
    """A cue word found in a text, with its categories and its place ``[start, end)``."""

    word: str
    categories: tuple[str, ...]
    start: int
    end: int


class Lexicon:
    """The cue words of one language.

    Args:
        lists: Category -> words, separated by white space.
        spaced: Whether the language puts spaces between words, so that a cue is a whole word.
    """

    def __init__(self, lists: dict[str, str], spaced: bool) -> None:
        of: dict[str, tuple[str, ...]] = {}
        for category, words in lists.items():
            for word in words.split():
                if category not in of.get(word, ()):
                    of[word] = (*of.get(word, ()), category)
        self.categories = of
        longest_first = sorted(of, key=lambda word: (-len(word), word))
        pattern = "|".join(map(re.escape, longest_first))
        self._pattern = re.compile(rf"\b(?:{pattern})\b" if spaced else pattern)

    def find(self, text: str) -> list[Cue]:
        """Return the cues of a text in order; of words that overlap the longest of the first."""
        return [
            Cue(found.group(), self.categories[found.group()], found.start(), found.end())
            for found in self._pattern.finditer(fold(text))
        ]


@lru_cache(maxsize=4)
def lexicon(language: str) -> Lexicon:
    """Return the cue words of ``zh`` or ``en``; a language without a list has no cues."""
    raw = files(__package__).joinpath("words.toml").read_text("utf-8")
    lists = tomllib.loads(raw)
    if language not in lists:
        return Lexicon({"": "\0"}, spaced=False)
    return Lexicon(lists[language], spaced=language != "zh")
