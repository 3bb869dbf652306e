"""Cue words: the small words with which an examiner changes a statement, in categories.

The lists are in ``words.toml`` beside this file; a word may be in several categories.
"""

import re
import tomllib
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from closeread.evidence.claims.terms import fold


class Cue(NamedTuple):
    """A cue word in a text, with its categories and character offsets ``[start, end)``."""

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
        categories: dict[str, tuple[str, ...]] = {}
        for category, words in lists.items():
            for word in words.split():
                if category not in categories.get(word, ()):
                    categories[word] = (*categories.get(word, ()), category)
        self.categories = categories
        longest_first = sorted(categories, key=lambda word: (-len(word), word))
        pattern = "|".join(map(re.escape, longest_first))
        self._pattern = re.compile(rf"\b(?:{pattern})\b" if spaced else pattern)

    def find(self, text: str) -> list[Cue]:
        """Return the cues of a text in order; at each position the longest cue word matches."""
        return [
            Cue(match.group(), self.categories[match.group()], match.start(), match.end())
            for match in self._pattern.finditer(fold(text))
        ]


@lru_cache(maxsize=4)
def lexicon(language: str) -> Lexicon:
    """Return the cue words of ``zh`` or ``en``; a language without a list has no cues."""
    raw = files(__package__).joinpath("words.toml").read_text("utf-8")
    lists = tomllib.loads(raw)
    if language not in lists:
        return Lexicon({"": "\0"}, spaced=False)
    return Lexicon(lists[language], spaced=language != "zh")
