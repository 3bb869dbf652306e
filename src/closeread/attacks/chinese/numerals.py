"""Read, format and change the numbers of times in Chinese texts."""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple, cast

from closeread.types import Span

Unit = Literal["century", "decade", "year", "month"]

_DIGITS = "〇一二三四五六七八九"

_SMALL = "[一二三四五六七八九十]"
_TIMES = re.compile(
    rf"(?P<century>(?<![\d.])\d{{1,2}}|(?<!{_SMALL})(?:[一二]?十[一二三四五六七八九]?|[一二三四五六七八九]))世纪"
    rf"|(?P<decade>(?<!\d)[1-9]0|(?<!{_SMALL})[二三四五六七八九]十)年代"
    r"|(?P<year>(?<![\d.])[12]\d{3}|(?<![〇○零一二三四五六七八九])[一二][〇○零一二三四五六七八九]{3})(?=年(?!代))"
    rf"|(?<=年)(?P<month>1[0-2]|[1-9]|十[一二]|{_SMALL})月"
)


class TimeMention(NamedTuple):
    """A number that gives a time: its span, unit, value, and whether it is in Arabic digits."""

    span: Span
    unit: Unit
    number: int
    arabic: bool

    @property
    def key(self) -> tuple[Unit, int]:
        """Return what identifies the time, however it is written."""
        return self.unit, self.number


def find_times(text: str) -> Iterator[TimeMention]:
    """Yield the centuries, decades, years and months of a text; the spans cover only the numbers.

    A number of four digits before ``年`` is a year, unless the context makes it a duration, such
    as ``近1500年``.
    """
    for match in _TIMES.finditer(text):
        unit = cast("Unit", match.lastgroup)
        span = Span(*match.span(unit))
        if unit == "year" and _is_duration(text, span):
            continue
        number = span.of(text)
        yield TimeMention(span, unit, parse_number(number), number[0].isascii())


def parse_number(number: str) -> int:
    """Return the value of a number in a time, such as ``19``, ``十九`` or ``一九七八``."""
    if number[0].isascii():
        return int(number)
    number = number.replace("○", "〇").replace("零", "〇")
    if "十" not in number:
        return int("".join(str(_DIGITS.index(digit)) for digit in number))
    tens, ones = number.split("十")
    return 10 * (_DIGITS.index(tens) if tens else 1) + (_DIGITS.index(ones) if ones else 0)


def format_number(number: int, unit: Unit, *, arabic: bool) -> str:
    """Return a number in the form that times of a unit have."""
    if arabic:
        return str(number)
    if unit == "year":
        return "".join(_DIGITS[int(digit)] for digit in str(number))
    tens, ones = divmod(number, 10)
    head = "" if tens == 0 else "十" if tens == 1 else _DIGITS[tens] + "十"
    return head + (_DIGITS[ones] if ones or not tens else "")


def nearby_numbers(time: TimeMention) -> Iterator[int]:
    """Yield plausible wrong numbers for a time, the nearest first."""
    number = time.number
    if time.unit == "century":
        yield from (candidate for candidate in (number - 1, number + 1) if 1 <= candidate <= 21)
    elif time.unit == "decade":
        yield from (candidate for candidate in (number - 10, number + 10) if 10 <= candidate <= 90)
    elif time.unit == "year":
        yield from (
            candidate for candidate in (number - 10, number + 10, number - 3) if candidate <= 2020
        )
    else:
        yield from (candidate for candidate in (number + 3, number - 3) if 1 <= candidate <= 12)


_DURATION_BEFORE = re.compile(
    r"(?:[约近历达前的有了过来长用]|大约|将近|超过|长达|历时|距今|存在|[余多])$"
)
_DATE_BEFORE = re.compile(r"(?:公元前?|[在自从到至于]|截至)$")


def _is_duration(text: str, span: Span) -> bool:
    """Whether a number of years is a duration: ``近1500年``, ``3000年前``, ``1000年历史``."""
    before, after = text[max(0, span.start - 2) : span.start], text[span.end + 1 : span.end + 2]
    if _DURATION_BEFORE.search(before):
        return True
    round_number = parse_number(span.of(text)) % 100 == 0
    dated = after.isdigit() or _DATE_BEFORE.search(before) is not None
    return (round_number and not dated) or after in _DURATION_AFTER


_DURATION_AFTER = frozenset("前来间历左以")
