"""Checks tokens and their offsets, as the MRQA form stores them beside texts."""

from closeread.types import Span

MAX_TOKENS = 800  # of a context, as the MRQA 2019 shared task promises it

Tokens = list[tuple[str, int]]


def describe_misplaced(tokens: Tokens, text: str) -> str:
    """Describe the first token that is not at its offset; "" if all tokens are.

    Args:
        tokens: Each token with its offset in characters, from 0.
        text: The tokenized text.
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
    """Whether a span begins in the token ``first`` and ends in the token ``last``, inclusive."""
    if not 0 <= first <= last < len(tokens):
        return False
    (begin, begins), (end, ends) = tokens[first], tokens[last]
    return begins <= span.start < begins + len(begin) and ends < span.end <= ends + len(end)
