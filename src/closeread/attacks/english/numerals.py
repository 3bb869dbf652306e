"""Numbers and times as English texts write them: read, written otherwise, and moved."""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from closeread.attacks.borrowed.similarity import FUNCTION
from closeread.attacks.english.wordlists import NUMBER, entries, listed
from closeread.types import Span

Unit = Literal["number", "year", "decade", "century"]

_FIRST_YEAR, _LAST_YEAR = 1000, 2100  # between them four digits are as often a year
_SPELLED = entries("spelled")
_ROUGHLY = re.compile(rf"(?:{listed('roughly')}|[$£€–<>≤≥~≈±+-])\s*$", re.IGNORECASE)
_NAMED = re.compile(r"(?:(?P<within>(?<=\s))|^\W*)(?P<name>[A-Z][\w'’-]*) $")
_NUMBERS = re.compile(
    rf"(?<![\w.,:/'’$£€<>≤≥~≈±+–-])(?P<number>(?i:{NUMBER}))(?= ?(?P<of>%|[a-z]{{3,}}|a\.m|p\.m))"
)
_NO_NOUN = re.compile(listed("uncounted"), re.IGNORECASE)
_YEARS = re.compile(r"(?<![\w.,$£€-])(?P<year>1[1-9]\d\d|20[0-4]\d)(?![\w%,–-]|\.\d)")
_DECADES = re.compile(r"(?<![\w.,$£€-])(?P<decade>1[5-9]\d0|20[0-2]0)(?=['’]?s\b)")
_CENTURIES = re.compile(r"(?<![\w-])(?P<century>\d{1,2})(?=(?:st|nd|rd|th)[ -]century)")
_IN = re.compile(
    r"\b(?:in|of|year|early|late|mid|the|[A-Z][a-z]+(?: \d{1,2},?)?|\d{1,2}(?:st|nd|rd|th)?,?)[ -]$"
)
# What holds since or until a time holds since an earlier one, too.
_BOUND = re.compile(
    r"\b(?:since|as of|until|till|by|before|after|from|to|between|and|as early as|as late as|ever)"
    r"(?: the)?(?: (?:early|late|mid|end of|year|[A-Z][a-z]+(?: \d{1,2},?)?))?[ -]?(?:the )?$",
    re.IGNORECASE,
)


class NumberMention(NamedTuple):
    """A number that a text tells: where it stands, of what, and what it is."""

    span: Span
    unit: Unit
    number: int
    of: str


def numbers(text: str) -> Iterator[NumberMention]:
    """Yield the whole numbers from two on of things that a text counts exactly."""
    for match in _NUMBERS.finditer(text):
        number = value(match["number"])
        if number is None or _NO_NOUN.match(match["of"]):
            continue
        yield NumberMention(Span(*match.span("number")), "number", number, match["of"].lower())


def exact(text: str, mention: NumberMention) -> bool:
    """Whether a number is told as it is: not roughly, at least, or as a name's."""
    return not (_ROUGHLY.search(text[: mention.span.start]) or labels(text, mention))


def labels(text: str, mention: NumberMention) -> bool:
    """Whether a number belongs to a name: ``Patient 6``, but not ``These 6``."""
    named = _NAMED.search(text[: mention.span.start])
    return named is not None and (
        named["within"] is not None or named["name"].lower() not in FUNCTION
    )


def times(text: str) -> Iterator[NumberMention]:
    """Yield the years, decades and centuries of a text."""
    for unit, pattern in (("year", _YEARS), ("decade", _DECADES), ("century", _CENTURIES)):
        for match in pattern.finditer(text):
            before = text[: match.start()]
            if unit != "year" or _IN.search(before) or _BOUND.search(before):
                number = int(match[unit])
                yield NumberMention(Span(*match.span(unit)), unit, number, unit)  # type: ignore[arg-type]


def bounds(text: str, mention: NumberMention) -> bool:
    """Whether a time tells since or until when."""
    return bool(_BOUND.search(text[: mention.span.start]))


def value(number: str) -> int | None:
    """Return a whole number from two on as written; None for others, and for long spelled ones."""
    if number[0].isdigit():
        plain = number.rstrip(".,")
        digits = re.fullmatch(r"\d{1,3}(?:,\d{3})+|\d{1,4}", plain)
        found = int(plain.replace(",", "")) if digits else 0
        is_year = "," not in plain and _FIRST_YEAR < found < _LAST_YEAR
        return found if found > 1 and not is_year else None
    word = number.lower()
    return _SPELLED.index(word) + 2 if word in _SPELLED else None


def moved(mention: NumberMention) -> list[int]:
    """Return what a number could be mistaken for: near, and written alike."""
    number = mention.number
    if mention.unit == "year":
        return [
            number + step for step in (-8, -5, -3, 3, 5, 8) if number + step < 2020 or number > 2020
        ]
    if mention.unit == "decade":
        return [number + step for step in (-20, -10, 10, 20) if number + step < 2020]
    if mention.unit == "century":
        return [one for one in (number - 2, number - 1, number + 1) if 4 <= one <= 20]
    if number < 13:
        return [one for one in range(number - 2, number + 3) if one != number and one > 1]
    step = 10 ** (len(str(number)) - 1)
    if number == 100:  # as often all of it
        return []
    if number < 100:
        return [one for one in (number - 7, number + 5, number + 12) if 12 < one < 100]
    return [one for one in (number + step, number - step, number + 2 * step) if one >= step]


def written(number: int, was: str) -> str:
    """Return another number, written as one was."""
    if was[0].isdigit():
        return f"{number:,}" if "," in was.rstrip(",") else str(number)
    return spelled(number) or str(number)


def spelled(number: int) -> str:
    """Return the word for a number from 2 to 20; empty for others."""
    return _SPELLED[number - 2] if 2 <= number <= 20 else ""
