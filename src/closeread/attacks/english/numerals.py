"""Read, format and change numbers and times in English texts."""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from closeread.attacks.borrowed.similarity import FUNCTION
from closeread.attacks.english.wordlists import NUMBER, any_of, list_entries
from closeread.types import Span

Unit = Literal["number", "year", "decade", "century"]

_FIRST_YEAR, _LAST_YEAR = 1000, 2100  # between them four digits are often a year
_SPELLED = list_entries("spelled")
_ROUGHLY = re.compile(rf"(?:{any_of('roughly')}|[$£€–<>≤≥~≈±+-])\s*$", re.IGNORECASE)
_NAMED = re.compile(r"(?:(?P<within>(?<=\s))|^\W*)(?P<name>[A-Z][\w'’-]*) $")
_NUMBERS = re.compile(
    rf"(?<![\w.,:/'’$£€<>≤≥~≈±+–-])(?P<number>(?i:{NUMBER}))(?= ?(?P<of>%|[a-z]{{3,}}|a\.m|p\.m))"
)
_NOT_COUNTED = re.compile(any_of("uncounted"), re.IGNORECASE)
_YEARS = re.compile(r"(?<![\w.,$£€-])(?P<year>1[1-9]\d\d|20[0-4]\d)(?![\w%,–-]|\.\d)")
_DECADES = re.compile(r"(?<![\w.,$£€-])(?P<decade>1[5-9]\d0|20[0-2]0)(?=['’]?s\b)")
_CENTURIES = re.compile(r"(?<![\w-])(?P<century>\d{1,2})(?=(?:st|nd|rd|th)[ -]century)")
_YEAR_BEFORE = re.compile(
    r"\b(?:in|of|year|early|late|mid|the|[A-Z][a-z]+(?: \d{1,2},?)?|\d{1,2}(?:st|nd|rd|th)?,?)[ -]$"
)
# After these a time is a boundary: a statement true since then is also true since a later time.
_BOUND = re.compile(
    r"\b(?:since|as of|until|till|by|before|after|from|to|between|and|as early as|as late as|ever)"
    r"(?: the)?(?: (?:early|late|mid|end of|year|[A-Z][a-z]+(?: \d{1,2},?)?))?[ -]?(?:the )?$",
    re.IGNORECASE,
)


class NumberMention(NamedTuple):
    """A number in a text: its span, its unit, its value, and the noun after it (or its unit)."""

    span: Span
    unit: Unit
    number: int
    noun: str


def find_numbers(text: str) -> Iterator[NumberMention]:
    """Yield the whole numbers from two on that a text gives with a noun after them."""
    for match in _NUMBERS.finditer(text):
        number = parse_number(match["number"])
        if number is None or _NOT_COUNTED.match(match["of"]):
            continue
        yield NumberMention(Span(*match.span("number")), "number", number, match["of"].lower())


def is_exact(text: str, mention: NumberMention) -> bool:
    """Whether a number is exact: no approximation, bound or part of a name."""
    return not (_ROUGHLY.search(text[: mention.span.start]) or belongs_to_name(text, mention))


def belongs_to_name(text: str, mention: NumberMention) -> bool:
    """Whether a number belongs to a name: ``Patient 6``, but not ``These 6``."""
    name_match = _NAMED.search(text[: mention.span.start])
    return name_match is not None and (
        name_match["within"] is not None or name_match["name"].lower() not in FUNCTION
    )


def find_times(text: str) -> Iterator[NumberMention]:
    """Yield the years, decades and centuries of a text."""
    for unit, pattern in (("year", _YEARS), ("decade", _DECADES), ("century", _CENTURIES)):
        for match in pattern.finditer(text):
            before = text[: match.start()]
            if unit != "year" or _YEAR_BEFORE.search(before) or _BOUND.search(before):
                number = int(match[unit])
                yield NumberMention(Span(*match.span(unit)), unit, number, unit)  # type: ignore[arg-type]


def is_boundary(text: str, mention: NumberMention) -> bool:
    """Whether a time is the start or the end of a period."""
    return bool(_BOUND.search(text[: mention.span.start]))


def parse_number(number: str) -> int | None:
    """Return the value of a whole number from two on; None for other numbers and for years."""
    if number[0].isdigit():
        unpunctuated = number.rstrip(".,")
        digits = re.fullmatch(r"\d{1,3}(?:,\d{3})+|\d{1,4}", unpunctuated)
        number_value = int(unpunctuated.replace(",", "")) if digits else 0
        is_year = "," not in unpunctuated and _FIRST_YEAR < number_value < _LAST_YEAR
        return number_value if number_value > 1 and not is_year else None
    word = number.lower()
    return _SPELLED.index(word) + 2 if word in _SPELLED else None


def nearby_numbers(mention: NumberMention) -> list[int]:
    """Return plausible wrong numbers near a number, in the same form."""
    number = mention.number
    if mention.unit == "year":
        return [
            number + step for step in (-8, -5, -3, 3, 5, 8) if number + step < 2020 or number > 2020
        ]
    if mention.unit == "decade":
        return [number + step for step in (-20, -10, 10, 20) if number + step < 2020]
    if mention.unit == "century":
        return [
            candidate for candidate in (number - 2, number - 1, number + 1) if 4 <= candidate <= 20
        ]
    if number < 13:
        return [
            candidate
            for candidate in range(number - 2, number + 3)
            if candidate != number and candidate > 1
        ]
    step = 10 ** (len(str(number)) - 1)
    if number == 100:  # often means all
        return []
    if number < 100:
        return [
            candidate for candidate in (number - 7, number + 5, number + 12) if 12 < candidate < 100
        ]
    return [
        candidate
        for candidate in (number + step, number - step, number + 2 * step)
        if candidate >= step
    ]


def format_like(number: int, original: str) -> str:
    """Return a number in the form of the original: in digits, with commas, or in letters."""
    if original[0].isdigit():
        return f"{number:,}" if "," in original.rstrip(",") else str(number)
    return spell_number(number) or str(number)


def spell_number(number: int) -> str:
    """Return the word for a number from 2 to 20; empty for others."""
    return _SPELLED[number - 2] if 2 <= number <= 20 else ""
