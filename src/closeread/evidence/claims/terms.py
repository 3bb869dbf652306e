"""A text's terms: what two texts share when one bears on the other, in Chinese and English alike.

A unit is a Chinese character, a number, or a word cut to its stem; a term is a unit or a pair of
neighbours. Units keep their places in the text as it stands. Composed and decomposed letters
(``é``) are one, and so are ligatures (``ﬁ``) and the letters that they stand for.
"""

import unicodedata
from itertools import pairwise
from typing import NamedTuple

from closeread.text.function_words import CHINESE, ENGLISH, ENGLISH_COMMON
from closeread.text.memo import TextCache, WordCache
from closeread.text.segment import is_character, tokens, words
from closeread.text.traditional import SIMPLIFIED

# What a stem says of its options is no content of theirs.
_OF_STEMS = "according passage following statement true false"
_FUNCTION = ENGLISH | ENGLISH_COMMON | frozenset(_OF_STEMS.split()) | CHINESE
_ENDINGS = ("ingly", "edly", "ings", "ing", "ed", "es", "ly", "s")


class Unit(NamedTuple):
    """One unit in the form in which it is compared, and its place: ``[start, end)``."""

    form: str
    is_word: bool
    is_function: bool
    start: int
    end: int


class _Folded(dict[int, str]):
    """Maps each character to one: half-width, lower case, simplified where there is such one."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        folded = unicodedata.normalize("NFKC", character).lower()
        folded = folded if len(folded) == 1 else character
        self[code] = SIMPLIFIED.get(folded, folded)
        return self[code]


_FOLDED = _Folded()


def fold(text: str) -> str:
    """Make full-width characters half-width, letters small, and Traditional characters simplified.

    No character moves: one whose plain form is longer than one (``㎏``) stays as it is, and a
    Traditional character has one simplified one, whatever stands beside it. That is enough to
    compare two texts.
    """
    return text.lower() if text.isascii() else text.translate(_FOLDED)


def units(text: str) -> tuple[Unit, ...]:
    """Return a text's units in order; punctuation, white space and emoji are in none."""
    return _UNITS(text)


def _split_units(text: str) -> tuple[Unit, ...]:
    folded = fold(text)
    return tuple(
        Unit(*_FORMS[folded[span.start : span.end]], span.start, span.end)
        for span in tokens(folded)
    )


def terms_of_folded(text: str) -> set[str]:
    """Return the terms of a folded text, without their places."""
    forms = [_FORMS[word][0] for word in words(text)]
    return {*forms, *map(" ".join, pairwise(forms))}


def terms(text: str) -> list[str]:
    """Return a text's terms, each once, in order: function words out, but in pairs."""
    found: dict[str, None] = {}
    before = ""
    for word in words(fold(text)):
        form, _, is_function = _FORMS[word]
        if before:
            found[f"{before} {form}"] = None
        if not is_function:
            found[form] = None
        before = form
    return list(found)


def _form(word: str) -> tuple[str, bool, bool]:
    """Return the form, whether it is a word of letters or digits, and whether it is function."""
    if not word.isascii():
        word = unicodedata.normalize("NFKC", word)
    return stem(word), not is_character(word), word in _FUNCTION


def stem(word: str) -> str:
    """Cut the commonest English endings, crudely: both sides of a comparison are cut alike.

    So ``carries``, ``carried`` and ``carry`` are one, and ``stopped``, ``stops`` and ``stopping``.
    """
    if not word.endswith("ss"):
        for ending in _ENDINGS:
            if word.endswith(ending) and len(word) - len(ending) >= 3:
                word = word[: -len(ending)]
                break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] in "bdgmnprt":
        word = word[:-1]
    if len(word) > 3 and word[-1] == "e":
        word = word[:-1]
    return word[:-1] + "i" if len(word) > 3 and word[-1] == "y" else word


_FORMS = WordCache(_form)
# A claim is asked for in several ways at a time, and a passage by several questions.
_UNITS = TextCache(_split_units, most=32, characters=40_000)
