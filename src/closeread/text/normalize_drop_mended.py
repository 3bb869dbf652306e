"""Corrected variants of DROP's official normalisation, one name for each correction."""

import re
from functools import lru_cache
from itertools import chain

from closeread.text import numbers
from closeread.text.normalize_drop import Normalized, drop, is_number, normalize_tokens

_MAX_CACHED_LENGTH = 64  # characters; as in normalize_drop
_DIGIT = re.compile("[0-9]")
_BARE_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_NUMBERS_WITHOUT_DIGITS = numbers.NUMBER_WORDS | {"nan", "inf", "infinity"}


def by_whitespace(raw: str) -> Normalized:
    """Normalise as the official evaluator does, after white space is replaced by blanks.

    So a number before a line break, a tab or a no-break space is a token, and parsed as a number.
    """
    if len(raw) <= _MAX_CACHED_LENGTH or raw.isprintable():
        return drop(collapse_whitespace(raw))
    return normalize_tokens(
        raw.replace("-", " ").split()
    )  # the same result, without joining the words first


def collapse_whitespace(text: str) -> str:
    """Return the text with every run of white space as one blank, unless all is printable."""
    return text if text.isprintable() else " ".join(text.split())


def by_number(raw: str) -> Normalized:
    """Normalise with all numbers parsed first; the rest as the evaluator does.

    Decimals, thousands, currency, percent, signs, ranges, full-width digits, the Unicode minus and
    number words are parsed (``closeread.text.numbers``), and removing punctuation makes no new
    number (``1/2`` is 1 and 2, not 12). Other words that the evaluator would parse as a number get
    an apostrophe, so that they do not count as numbers: ``'nan``, ``'infinity``, and ``'31415`` for
    ``3.14.15``. Full-width forms, dashes and curly quotes become those of ASCII, and white space of
    every kind separates words.
    """
    return _normalize_short(raw) if len(raw) <= _MAX_CACHED_LENGTH else _normalize_long(raw)


def first_line(text: str) -> str:
    """Return the first line that is not blank."""
    if "\n" not in text:
        return text
    return text.lstrip().partition("\n")[0].rstrip()


def _normalize(raw: str) -> Normalized:
    text = raw if raw.isascii() else numbers.to_ascii_marks(raw)
    if text.isascii() and "percent" not in text:
        # Then no number extends over a blank, and most tokens are cached.
        tokens = list(chain.from_iterable(map(_normalize_token, text.split())))
        if numbers.NUMBER_WORDS.isdisjoint(tokens):
            return Normalized(" ".join(tokens), frozenset(tokens))
    words = numbers.parse_number_words(_words(text))
    tokens = [word if isinstance(word, str) else str(word + 0.0) for word in words]
    return Normalized(" ".join(tokens), frozenset(tokens))


def _reuse_official(raw: str) -> Normalized:
    """Return the official evaluator's own object where both agree, for fast comparison."""
    official = drop(raw)
    if raw.isascii() and raw.isprintable():  # no white space but the blank
        if not _DIGIT.search(raw):
            if official.bag.isdisjoint(_NUMBERS_WITHOUT_DIGITS):
                return official
        elif _BARE_NUMBER.fullmatch(raw):
            return official
    normalized = _normalize(raw)
    return official if official == normalized else normalized


_normalize_short = lru_cache(maxsize=1 << 15)(_reuse_official)
_normalize_long = lru_cache(maxsize=4)(_normalize)


def _words(text: str) -> list[str | float]:
    """Return the numbers, and the words between them as the official evaluator normalises them."""
    tokens: list[str | float] = []
    for piece in numbers.split_numbers(text):
        if isinstance(piece, float):
            tokens.append(piece)
            continue
        for word in piece.replace("-", " ").split():
            for part in drop(word).text.split():
                tokens.append(_mark_word(word) if is_number(part) else part)
    return tokens


@lru_cache(maxsize=1 << 16)
def _normalize_token(token: str) -> tuple[str, ...]:
    """Return the words of a blank-separated token; numbers as the evaluator prints them."""
    return tuple(word if isinstance(word, str) else str(word + 0.0) for word in _words(token))


def _mark_word(word: str) -> str:
    """Return a word with an apostrophe before it, which no normalised word has."""
    return "'" + "".join(character for character in word.lower() if character.isalnum())
