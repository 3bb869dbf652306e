"""Marks of quotation and brackets, which come in pairs."""

import re

from closeread.types import Span

# What is quoted or put in brackets is talked about; it neither asks nor states.
QUOTATION_MARKS = {"“": "”", "‘": "’", "「": "」", "《": "》", "（": "）", "(": ")", '"': '"'}
# Those of which a text has as many closing ones as opening ones: ’ is an apostrophe, too.
PAIRS = ("“”", "「」", "『』", "《》", "（）", "()")
_OPENING = re.compile("[" + re.escape("".join(QUOTATION_MARKS)) + "]")


def quoted_spans(text: str) -> list[Span]:
    """Return what is quoted or in brackets, marks included; a mark that nothing closes begins none.

    A pattern would look to the text's end again at every such mark: on a text of nothing else, such
    as anybody may send to a service, its time would grow with the square.
    """
    last = {opening: text.rfind(closing) for opening, closing in QUOTATION_MARKS.items()}
    found, at = [], 0
    for mark in _OPENING.finditer(text):
        if at <= mark.start() < last[mark[0]]:
            at = text.index(QUOTATION_MARKS[mark[0]], mark.end()) + 1
            found.append(Span(mark.start(), at))
    return found


def is_quoted(text: str, place: int) -> bool:
    """Return whether a place lies between marks of quotation or brackets that are closed behind."""
    for opening, closing in QUOTATION_MARKS.items():
        before, behind = text[:place], text[place:]
        if opening == closing:
            if before.count(opening) % 2 and closing in behind:
                return True
        elif before.rfind(opening) > before.rfind(closing) and closing in behind:
            return True
    return False
