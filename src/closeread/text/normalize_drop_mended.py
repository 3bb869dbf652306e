"""DROP answers normalised with the official evaluator's surprises taken out, one name a mend."""

import re
from functools import lru_cache
from itertools import chain

from closeread.text import numbers
from closeread.text.normalize_drop import Normalized, drop, is_number, of_tokens

_SHORT = 64  # characters; as in normalize_drop
_DIGIT = re.compile("[0-9]")
_BARE_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_NUMBERS_WITHOUT_DIGITS = numbers.NUMBER_WORDS | {"nan", "inf", "infinity"}


def by_whitespace(raw: str) -> Normalized:
    """Normalise as the official evaluator does, with every white space a blank beforehand.

    So a number before a line break, a tab or a no-break space is a token, and read as a number.
    """
    if len(raw) <= _SHORT or raw.isprintable():
        return drop(plain_blanks(raw))
    return of_tokens(raw.replace("-", " ").split())  # the same, without joining it first


def plain_blanks(text: str) -> str:
    """Return the text with every white space a blank."""
    return text if text.isprintable() else " ".join(text.split())


def by_number(raw: str) -> Normalized:
    """Normalise with numbers found first, wherever they stand; all else as the evaluator does.

    Decimals, thousands, currency, percent, signs, ranges, full-width digits, the Unicode minus and
    number words are read by value (``closeread.text.numbers``), and no number arises where
    punctuation was taken out (``1/2`` is 1 and 2, not 12). Words that the evaluator would take for
    a number are marked by an apostrophe, so that they open no number gate: ``'nan``, ``'infinity``,
    and ``'31415`` for ``3.14.15``. Full-width forms, dashes and curly quotes are those of ASCII,
    and white space of every kind separates.
    """
    return _short(raw) if len(raw) <= _SHORT else _long(raw)


def first_line(text: str) -> str:
    """Return the first line that is not blank."""
    if "\n" not in text:
        return text
    return text.lstrip().partition("\n")[0].rstrip()


def _read(raw: str) -> Normalized:
    text = raw if raw.isascii() else numbers.plain(raw)
    if text.isascii() and "percent" not in text:
        # Nothing reaches beyond a blank then, and most tokens were seen before.
        tokens = list(chain.from_iterable(map(_token, text.split())))
        if numbers.NUMBER_WORDS.isdisjoint(tokens):
            return Normalized(" ".join(tokens), frozenset(tokens))
    words = numbers.spelled_out(_words(text))
    tokens = [word if isinstance(word, str) else str(word + 0.0) for word in words]
    return Normalized(" ".join(tokens), frozenset(tokens))


def _remembered(raw: str) -> Normalized:
    """Return the official evaluator's own object where it says the same: told apart at a glance."""
    official = drop(raw)
    if raw.isascii() and raw.isprintable():  # no blank but the blank
        if not _DIGIT.search(raw):
            if official.bag.isdisjoint(_NUMBERS_WITHOUT_DIGITS):
                return official
        elif _BARE_NUMBER.fullmatch(raw):
            return official
    found = _read(raw)
    return official if official == found else found


_short = lru_cache(maxsize=1 << 15)(_remembered)
_long = lru_cache(maxsize=4)(_read)


def _words(text: str) -> list[str | float]:
    """Return numbers, and the words of what lies between as the official evaluator has them."""
    found: list[str | float] = []
    for piece in numbers.pieces(text):
        if isinstance(piece, float):
            found.append(piece)
            continue
        for word in piece.replace("-", " ").split():
            for part in drop(word).text.split():
                found.append(_as_written(word) if is_number(part) else part)
    return found


@lru_cache(maxsize=1 << 16)
def _token(token: str) -> tuple[str, ...]:
    """The words of what stands between two blanks; numbers as the evaluator prints them."""
    return tuple(word if isinstance(word, str) else str(word + 0.0) for word in _words(token))


def _as_written(word: str) -> str:
    """The word behind a mark that no other word has, as ASCII punctuation was taken out of them."""
    return "'" + "".join(character for character in word.lower() if character.isalnum())
