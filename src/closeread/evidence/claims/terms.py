"""Splits texts into the terms by which claims and sentences are compared, in any language.

A unit is a Chinese character, a number, or a word cut to its stem; a term is a unit or a pair of
adjacent ones. Units keep their offsets in the original text. Composed and decomposed letters
(``é``) are equal, and so are ligatures (``ﬁ``) and the letters that they stand for.
"""

import unicodedata
from itertools import pairwise
from typing import NamedTuple

from closeread.text.function_words import CHINESE, ENGLISH, ENGLISH_COMMON
from closeread.text.memo import TextCache, WordCache
from closeread.text.segment import is_character, tokens, words
from closeread.text.traditional import SIMPLIFIED

# Words by which a stem asks about its options; they are not content.
_OF_STEMS = "according passage following statement true false"
_FUNCTION = ENGLISH | ENGLISH_COMMON | frozenset(_OF_STEMS.split()) | CHINESE
_ENDINGS = ("ingly", "edly", "ings", "ing", "ed", "es", "ly", "s")


class Unit(NamedTuple):
    """A unit in its normalised form, with its span in the text: ``[start, end)``."""

    form: str
    is_word: bool
    is_function: bool
    start: int
    end: int


class _Folded(dict[int, str]):
    """Maps a character to its half-width, lower-case, simplified form if that is a single one."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        folded = unicodedata.normalize("NFKC", character).lower()
        folded = folded if len(folded) == 1 else character
        self[code] = SIMPLIFIED.get(folded, folded)
        return self[code]


_FOLDED = _Folded()


def fold(text: str) -> str:
    """Convert a text to half-width, lower case and Simplified Chinese, with the same length.

    Offsets stay valid: a character whose folded form is longer (``㎏``) is kept, and a Traditional
    character maps to one simplified character, whatever its context. That is enough to compare two
    texts.
    """
    return text.lower() if text.isascii() else text.translate(_FOLDED)


def units(text: str) -> tuple[Unit, ...]:
    """Return a text's units in order; punctuation, white space and emoji belong to none."""
    return _UNITS(text)


def _split_units(text: str) -> tuple[Unit, ...]:
    folded = fold(text)
    return tuple(
        Unit(*_FORMS[folded[span.start : span.end]], span.start, span.end)
        for span in tokens(folded)
    )


def terms_of_folded(text: str) -> set[str]:
    """Return the distinct terms of a folded text."""
    forms = [_FORMS[word][0] for word in words(text)]
    return {*forms, *map(" ".join, pairwise(forms))}


def terms(text: str) -> list[str]:
    """Return a text's distinct terms in order; function words occur only in pairs."""
    distinct: dict[str, None] = {}
    previous = ""
    for word in words(fold(text)):
        form, _, is_function = _FORMS[word]
        if previous:
            distinct[f"{previous} {form}"] = None
        if not is_function:
            distinct[form] = None
        previous = form
    return list(distinct)


def _form(word: str) -> tuple[str, bool, bool]:
    """Return a token's form, whether it is a word or number, and whether it is a function word."""
    if not word.isascii():
        word = unicodedata.normalize("NFKC", word)
    return stem(word), not is_character(word), word in _FUNCTION


def stem(word: str) -> str:
    """Return a crude English stem, without the commonest endings.

    Both sides of a comparison are stemmed alike, so that ``carries``, ``carried`` and ``carry`` are
    equal, and so are ``stopped``, ``stops`` and ``stopping``.
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
# Several functions split the same claim, and several questions the same passage.
_UNITS = TextCache(_split_units, max_results=32, max_characters=40_000)
