"""Joins several documents into one context, with the markers of the MRQA form.

``[DOC]`` begins a document, ``[TLE]`` its title, ``[PAR]`` a paragraph. Source: the format section
of the MRQA 2019 shared task. A repeated paragraph is left out: the first release of HotpotQA in
this form repeated paragraphs (repaired 2019-06-13).
"""

from collections.abc import Iterable
from dataclasses import dataclass

from closeread.types import Passage, Span

MARKERS = ("[DOC]", "[TLE]", "[PAR]")


@dataclass(frozen=True)
class JoinedDocuments:
    """A context of several documents.

    Attributes:
        text: With markers.
        pieces: For each paragraph: the index of its document, its span there, and its offset in
            ``text``.
        repeated: How many paragraphs were left out as repeated.
    """

    text: str
    pieces: tuple[tuple[int, Span, int], ...]
    repeated: int

    def move_span(self, document: int, span: Span) -> Span | None:
        """Return the span in ``text`` of a span of a document; None if it crosses paragraphs."""
        for index, piece, start in self.pieces:
            if index == document and piece.start <= span.start and span.end <= piece.end:
                shift = start - piece.start
                return Span(span.start + shift, span.end + shift)
        return None


def join_documents(documents: Iterable[Passage]) -> JoinedDocuments:
    """Join documents, whose lines are their paragraphs, each after its title if it has one."""
    parts: list[str] = []
    pieces: list[tuple[int, Span, int]] = []
    places: dict[tuple[str, str], tuple[Span, int]] = {}
    length = repeated = 0

    def add(part: str) -> None:
        nonlocal length
        parts.append(part)
        length += len(part)

    for index, document in enumerate(documents):
        has_marker = False
        for piece in _paragraphs(document.text):
            key = (document.title, piece.of(document.text))
            if key in places:
                repeated += 1
                pieces.append((index, piece, places[key][1]))
                continue
            if not has_marker:
                add(" [DOC]" if parts else "[DOC]")
                add(f" [TLE] {document.title}" if document.title else "")
                has_marker = True
            add(" [PAR] ")
            places[key] = (piece, length)
            pieces.append((index, piece, length))
            add(key[1])
    return JoinedDocuments("".join(parts), tuple(pieces), repeated)


def _paragraphs(text: str) -> list[Span]:
    """Return the spans of the non-blank lines, without surrounding white space."""
    spans = []
    start = 0
    for line in text.split("\n"):
        stripped = line.strip()
        if stripped:
            first = start + line.index(stripped)
            spans.append(Span(first, first + len(stripped)))
        start += len(line) + 1
    return spans
