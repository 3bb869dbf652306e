"""Parse the numbers in running text, in digits and in words."""

import re
from collections.abc import Iterator, Sequence

# Full-width forms, dashes, minus signs and curly quotes, with their ASCII equivalents.
_ASCII_MARKS = (
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
_GROUP_MARK = re.compile(_GROUP)

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


def to_ascii_marks(text: str) -> str:
    """Return the text with full-width forms, dashes, minus signs and quotes in ASCII."""
    return text if text.isascii() else text.translate(_ASCII_MARKS)


def split_numbers(text: str) -> Iterator[str | float]:
    """Yield the numbers of a text and the unchanged text between them, alternately.

    A number may have a sign (not directly after a word or number), a currency sign before or after
    it, thousands in groups of three, a decimal part, an exponent, and ``%`` or ``percent`` after
    it. Digits next to letters (``5th``, ``49ers``) or with several points (``3.14.15``) are no
    number.
    """
    position = 0
    for match in _NUMBER.finditer(text):
        yield text[position : match.start()]
        number = float(_GROUP_MARK.sub("", match["body"]) + (match["power"] or ""))
        yield -number if (match["sign"] == "-") != bool(match["inner"]) else number
        position = match.end()
    yield text[position:]


def parse_number_words(tokens: Sequence[str | float]) -> list[str | float]:
    """Return tokens with number words parsed: ``twenty five`` is 25, ``1.5 million`` is 1500000.

    ``and`` is skipped inside a number, after ``hundred`` or a scale such as ``thousand``.
    """
    result: list[str | float] = []
    position = 0
    while position < len(tokens):
        number, end = _parse_longest(tokens, position)
        if end == position:
            result.append(tokens[position])
            position += 1
        else:
            result.append(number)
            position = end
    return result


def _parse_longest(tokens: Sequence[str | float], start: int) -> tuple[float, int]:
    """Return the number that begins at ``start``, and the index after it (``start`` if none).

    A ``hundred`` or scale that cannot continue the number belongs to the next one, with the words
    before it: ``two million three million`` begins with 2,000,000, not with 2,000,003.
    """
    total, current, limit, scale = 0.0, 0.0, 1000.0, 10.0**15
    position, end = start, start
    fallbacks: dict[
        str, tuple[float, int]
    ] = {}  # the results if a later hundred or scale belongs to the next number
    while position < len(tokens):
        token = tokens[position]
        if isinstance(token, float):
            if position > start:
                break
            current, limit = token, 0
        elif (value := _SMALL.get(token, _TENS.get(token))) is not None:
            if not _can_add(value, limit):
                break
            current += value
            limit = 10 if value >= 20 else 0
        elif token == "hundred" and (0 < current < 100 or position == start):
            current, limit = (current or 1) * 100, 100
            fallbacks["hundred"] = total + current, position + 1
        elif token in _SCALES and _SCALES[token] < scale and (current or position == start):
            scale = _SCALES[token]
            total, current, limit = total + (current or 1) * scale, 0.0, 1000
            fallbacks = dict.fromkeys(("hundred", *_SCALES), (total, position + 1))
        elif token == "and" and position > start and tokens[position - 1] in ("hundred", *_SCALES):
            position += 1
            continue
        else:
            return fallbacks.get(token, (total + current, end))
        position += 1
        end = position
    return total + current, end


def _can_add(value: int, limit: float) -> bool:
    if limit == 10:
        return 0 < value < 10
    return value < limit
