"""Find quotations and brackets, whose marks come in pairs."""

import re

from closeread.types import Span

# Text in quotation marks or brackets is mentioned; it neither asks nor asserts.
QUOTATION_MARKS = {"“": "”", "‘": "’", "「": "」", "《": "》", "（": "）", "(": ")", '"': '"'}
# Pairs of which a text has equal numbers of both marks; ’ is also an apostrophe.
BALANCED_PAIRS = ("“”", "「」", "『』", "《》", "（）", "()")
_OPENING = re.compile("[" + re.escape("".join(QUOTATION_MARKS)) + "]")


def quoted_spans(text: str) -> list[Span]:
    """Return the spans of quotations and brackets with their marks, if they are closed.

    A regular expression would search to the end of the text at every unclosed mark: its time would
    be quadratic on a text of such marks, which anybody may send to a service.
    """
    last_closing = {opening: text.rfind(closing) for opening, closing in QUOTATION_MARKS.items()}
    spans, position = [], 0
    for mark in _OPENING.finditer(text):
        if position <= mark.start() < last_closing[mark[0]]:
            position = text.index(QUOTATION_MARKS[mark[0]], mark.end()) + 1
            spans.append(Span(mark.start(), position))
    return spans


def is_quoted(text: str, offset: int) -> bool:
    """Return whether an offset is inside closed quotation marks or brackets."""
    for opening, closing in QUOTATION_MARKS.items():
        text_before, text_after = text[:offset], text[offset:]
        if opening == closing:
            if text_before.count(opening) % 2 and closing in text_after:
                return True
        elif text_before.rfind(opening) > text_before.rfind(closing) and closing in text_after:
            return True
    return False
