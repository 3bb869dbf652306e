"""Finds where a text occurs in a passage, by the file's offset or by search."""

import re
from collections.abc import Callable, Iterator

from closeread.types import Span


def locate_answer(
    text: str, passage: str, start: int | None, defect: Callable[[str, str], None]
) -> Span | None:
    """Return the span of an answer: at the file's offset, else at the nearest occurrence.

    Args:
        text: The answer.
        passage: The text to search.
        start: The file's offset of the answer in characters; None if the file has none.
        defect: Called with ``wrong-offset`` or ``answer-not-in-passage`` and a message.
    """
    if start is not None and start >= 0 and passage.startswith(text, start):
        return Span(start, start + len(text))
    floor = max(start or 0, 0)
    starts = {passage.find(text, floor), passage.rfind(text, 0, floor + len(text))} - {-1}
    best = min(starts, key=lambda at: (abs(at - (start or 0)), at), default=None)
    if best is None:
        defect("answer-not-in-passage", f"{text!r} is not in the passage")
        return None
    if start is not None:
        defect("wrong-offset", f"{text!r} is at {best}, not at {start}")
    return Span(best, best + len(text))


def first_span(text: str, passage: str) -> tuple[Span, ...]:
    """Return the first occurrence of a text; empty if the passage does not contain it."""
    start = passage.find(text)
    return (Span(start, start + len(text)),) if start >= 0 else ()


def iter_occurrences(text: str, passage: str) -> Iterator[Span]:
    """Yield the occurrences of a text as whole words; if there are none, all occurrences."""
    if not text.strip() or text not in passage:
        return
    anywhere = re.escape(text)
    whole_words = list(re.finditer(rf"(?<!\w){anywhere}(?!\w)", passage))
    for match in whole_words or re.finditer(anywhere, passage):
        yield Span(*match.span())
