"""Tokens with their places, as the MRQA form holds them beside texts."""

from closeread.types import Span

MAX_TOKENS = 800  # of a context, as the MRQA 2019 shared task promises it

Tokens = list[tuple[str, int]]


def describe_misplaced(tokens: Tokens, text: str) -> str:
    """Return what is wrong with the first token that stands elsewhere than it says; else nothing.

    Args:
        tokens: Each with the character of the text that it begins at, from 0.
        text: What was cut into them.
    """
    if not tokens:
        return ""
    words, offsets = zip(*tokens, strict=True)
    if all(map(text.startswith, words, offsets)) and min(offsets) >= 0:
        return ""
    for place, (token, offset) in enumerate(tokens):
        if offset < 0 or not text.startswith(token, offset):
            return f"token {place}, {token!r}, is not at {offset}"
    return ""


def covers(tokens: Tokens, first: int, last: int, span: Span) -> bool:
    """Whether a span begins in one token and ends in another, whose numbers are inclusive."""
    if not 0 <= first <= last < len(tokens):
        return False
    (begin, begins), (end, ends) = tokens[first], tokens[last]
    return begins <= span.start < begins + len(begin) and ends < span.end <= ends + len(end)
