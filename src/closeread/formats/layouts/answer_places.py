"""Where a text stands in a passage, as far as a file says it or the passage shows it."""

import re
from collections.abc import Callable, Iterator

from closeread.types import Span


def locate_answer(
    text: str, passage: str, start: int | None, defect: Callable[[str, str], None]
) -> Span | None:
    """Return where an answer stands: as the file says, else at the nearest like place.

    Args:
        text: The answer.
        passage: Where it should stand.
        start: Its first character as the file says it; None where it says none.
        defect: Told of ``wrong-offset`` and ``answer-not-in-passage``, with a message.
    """
    if start is not None and start >= 0 and passage.startswith(text, start):
        return Span(start, start + len(text))
    floor = max(start or 0, 0)
    found = {passage.find(text, floor), passage.rfind(text, 0, floor + len(text))} - {-1}
    best = min(found, key=lambda at: (abs(at - (start or 0)), at), default=None)
    if best is None:
        defect("answer-not-in-passage", f"{text!r} is not in the passage")
        return None
    if start is not None:
        defect("wrong-offset", f"{text!r} is at {best}, not at {start}")
    return Span(best, best + len(text))


def first_span(text: str, passage: str) -> tuple[Span, ...]:
    """Return the first place of a text; none where it does not stand in the passage."""
    start = passage.find(text)
    return (Span(start, start + len(text)),) if start >= 0 else ()


def iter_occurrences(text: str, passage: str) -> Iterator[Span]:
    """Yield where a text stands in a passage: as whole words, or anywhere if never as such."""
    if not text.strip() or text not in passage:
        return
    anywhere = re.escape(text)
    whole = list(re.finditer(rf"(?<!\w){anywhere}(?!\w)", passage))
    for match in whole or re.finditer(anywhere, passage):
        yield Span(*match.span())
