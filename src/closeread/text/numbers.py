"""Numbers in running text, read as people write them."""

import re
from collections.abc import Iterator, Sequence

# Full-width forms, every dash and minus, and curly quotes to what ASCII has.
_PLAIN = (
    {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
    | dict.fromkeys((0x2010, 0x2011, 0x2012, 0x2013, 0x2014, 0x2015, 0x2212, 0xFE63), 0x2D)
    | {0x2018: 0x27, 0x2019: 0x27, 0x201C: 0x22, 0x201D: 0x22}
)
_GROUP = "[,_'\u202f\u2009\u00a0]"
_CURRENCY = "[$£€¥₩₹\uffe5\uffe1\uffe6]"
_NUMBER = re.compile(
    rf"(?<![\w.])(?P<sign>(?<![\w)%])(?<!\d{_CURRENCY})[-+])?(?:{_CURRENCY}(?P<inner>-)?)?"
    rf"(?P<body>(?>\d{{1,3}}(?:{_GROUP}\d{{3}})+(?!\d)|\d+)(?>\.\d+)?|\.\d+)"
    rf"(?P<power>[eE][-+]?\d+)?(?:\s?%|\s?percent\b|\s?{_CURRENCY}(?!\.?\d))?(?![^\W\d]|\d|\.\d)"
)
_UNGROUPED = re.compile(_GROUP)

_SMALL = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14,
    "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
}  # fmt: skip
_TENS = {
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70,
    "eighty": 80, "ninety": 90,
}  # fmt: skip
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
NUMBER_WORDS = frozenset((*_SMALL, *_TENS, "hundred", *_SCALES))


def plain(text: str) -> str:
    """Return the text with full-width forms, dashes, minus signs and quotes as ASCII has them."""
    return text if text.isascii() else text.translate(_PLAIN)


def pieces(text: str) -> Iterator[str | float]:
    """Yield what lies between numbers, as it stands, and the numbers.

    A number may have a sign (where no word or number touches it), a currency sign before or behind
    it, thousands in groups of three, a decimal part, an exponent, and ``%`` or ``percent`` behind
    it. Digits that touch letters (``5th``, ``49ers``) are no number, nor are several points
    (``3.14.15``).
    """
    at = 0
    for found in _NUMBER.finditer(text):
        yield text[at : found.start()]
        number = float(_UNGROUPED.sub("", found["body"]) + (found["power"] or ""))
        yield -number if (found["sign"] == "-") != bool(found["inner"]) else number
        at = found.end()
    yield text[at:]


def spelled_out(tokens: Sequence[str | float]) -> list[str | float]:
    """Replace number words by numbers: ``twenty five`` by 25, ``1.5 million`` by 1500000.

    ``and`` is passed over where it stands inside a number, after a hundred or a scale.
    """
    found: list[str | float] = []
    place = 0
    while place < len(tokens):
        number, after = _longest(tokens, place)
        if after == place:
            found.append(tokens[place])
            place += 1
        else:
            found.append(number)
            place = after
    return found


def _longest(tokens: Sequence[str | float], start: int) -> tuple[float, int]:
    """Return the number that begins at ``start``, and the place behind it (``start`` if none).

    A ``hundred`` or scale that does not go with the number begins or multiplies another one, whose
    words are given back: ``two million three million`` begins with 2,000,000, not with 2,000,003.
    """
    total, current, room, scale = 0.0, 0.0, 1000.0, 10.0**15
    place, end = start, start
    sure: dict[str, tuple[float, int]] = {}  # what to fall back on where a word does not go with it
    while place < len(tokens):
        token = tokens[place]
        if isinstance(token, float):
            if place > start:
                break
            current, room = token, 0
        elif (value := _SMALL.get(token, _TENS.get(token))) is not None:
            if not _fits(value, room):
                break
            current += value
            room = 10 if value >= 20 else 0
        elif token == "hundred" and (0 < current < 100 or place == start):
            current, room = (current or 1) * 100, 100
            sure["hundred"] = total + current, place + 1
        elif token in _SCALES and _SCALES[token] < scale and (current or place == start):
            scale = _SCALES[token]
            total, current, room = total + (current or 1) * scale, 0.0, 1000
            sure = dict.fromkeys(("hundred", *_SCALES), (total, place + 1))
        elif token == "and" and place > start and tokens[place - 1] in ("hundred", *_SCALES):
            place += 1
            continue
        else:
            return sure.get(token, (total + current, end))
        place += 1
        end = place
    return total + current, end


def _fits(value: int, room: float) -> bool:
    if room == 10:
        return 0 < value < 10
    return value < room
