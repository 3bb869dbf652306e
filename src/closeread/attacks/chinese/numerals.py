"""Times as Chinese texts write them: read, written otherwise, and moved."""

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


class Time(NamedTuple):
    """A number that tells a time: where it stands, what it counts, how it is written."""

    span: Span
    unit: Unit
    number: int
    arabic: bool

    @property
    def key(self) -> tuple[Unit, int]:
        """What makes two ways of writing it one time."""
        return self.unit, self.number


def times(text: str) -> Iterator[Time]:
    """Yield the centuries, decades, years and months of a text; the spans hold the numbers alone.

    A number before ``年`` is a year where it has four digits; ``1500年`` as long a time is written
    ``1500多年`` or stands after a word that says so, and none is read where one does.
    """
    for match in _TIMES.finditer(text):
        unit = cast("Unit", match.lastgroup)
        span = Span(*match.span(unit))
        if unit == "year" and _lasts(text, span):
            continue
        number = span.of(text)
        yield Time(span, unit, value(number), number[0].isascii())


def value(number: str) -> int:
    """Return a number as written in a time: ``19``, ``十九``, ``一九七八``."""
    if number[0].isascii():
        return int(number)
    number = number.replace("○", "〇").replace("零", "〇")
    if "十" not in number:
        return int("".join(str(_DIGITS.index(digit)) for digit in number))
    tens, ones = number.split("十")
    return 10 * (_DIGITS.index(tens) if tens else 1) + (_DIGITS.index(ones) if ones else 0)


def written(number: int, unit: Unit, *, arabic: bool) -> str:
    """Return a number as it is written in a time of a unit."""
    if arabic:
        return str(number)
    if unit == "year":
        return "".join(_DIGITS[int(digit)] for digit in str(number))
    tens, ones = divmod(number, 10)
    head = "" if tens == 0 else "十" if tens == 1 else _DIGITS[tens] + "十"
    return head + (_DIGITS[ones] if ones or not tens else "")


def moved(time: Time) -> Iterator[int]:
    """Yield the numbers that a time could plausibly be mistaken for, the nearest first."""
    number = time.number
    if time.unit == "century":
        yield from (one for one in (number - 1, number + 1) if 1 <= one <= 21)
    elif time.unit == "decade":
        yield from (one for one in (number - 10, number + 10) if 10 <= one <= 90)
    elif time.unit == "year":
        yield from (one for one in (number - 10, number + 10, number - 3) if one <= 2020)
    else:
        yield from (one for one in (number + 3, number - 3) if 1 <= one <= 12)


_LONG = re.compile(r"(?:[约近历达前的有了过来长用]|大约|将近|超过|长达|历时|距今|存在|[余多])$")
_DATED = re.compile(r"(?:公元前?|[在自从到至于]|截至)$")


def _lasts(text: str, span: Span) -> bool:
    """Whether a number of years tells how long: ``近1500年``, ``3000年前``, ``1000年历史``."""
    before, after = text[max(0, span.start - 2) : span.start], text[span.end + 1 : span.end + 2]
    if _LONG.search(before):
        return True
    round_number = value(span.of(text)) % 100 == 0
    dated = after.isdigit() or _DATED.search(before) is not None
    return (round_number and not dated) or after in _BEHIND


_BEHIND = frozenset("前来间历左以")
