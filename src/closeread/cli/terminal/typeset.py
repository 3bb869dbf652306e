"""Turns text with marks into terminal lines: safe, aligned, styled or bracketed."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from closeread.types import Span
from closeread.wording import visible_sign

STYLES = {"answer": "1;7", "evidence": "4", "soft": "2", "strong": "1"}
# Punctuation that must not begin a line, and punctuation that must not end one.
_NO_START = frozenset("，。！？：；、．）》」』”’】〉］〕｝〗…—～·,.!?:;)]}»%％⟧⟫")
_NO_END = frozenset("（《「『“‘【〈［〔｛〖([{«⟦⟪⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Mark:
    """A span of a text with a style, and the symbols before and after it."""

    span: Span
    style: str
    before: str = ""
    after: str = ""


@dataclass(frozen=True)
class Glyph:
    """One character cell of a line, with its combining characters."""

    text: str
    cells: int
    styles: frozenset[str] = frozenset()


def to_glyphs(text: str, marks: Sequence[Mark] = (), styles: Iterable[str] = ()) -> list[Glyph]:
    """Convert a text to glyphs, including the symbols of its marks.

    Args:
        text: Any text.
        marks: They may overlap and cross.
        styles: Styles of the whole text.
    """
    from rich.cells import get_character_cell_size

    text_styles = frozenset(styles)
    glyphs: list[Glyph] = []

    def add(piece: str, piece_styles: frozenset[str]) -> None:
        for character in piece:
            for sign in visible_sign(character):
                cells = get_character_cell_size(sign)
                if cells == 0 and glyphs:
                    last = glyphs[-1]
                    glyphs[-1] = Glyph(last.text + sign, last.cells, last.styles)
                else:
                    glyphs.append(Glyph(sign, cells, piece_styles))

    opening: dict[int, list[Mark]] = {}
    closing: dict[int, list[Mark]] = {}
    for mark in sorted(marks, key=lambda mark: (mark.span.start, -mark.span.end)):
        opening.setdefault(mark.span.start, []).append(mark)
        closing.setdefault(mark.span.end, []).insert(0, mark)
    borders = sorted({0, len(text), *opening, *closing})
    for index, border in enumerate(borders):
        for mark in closing.get(border, ()):
            add(mark.after, text_styles | {"soft"})
        for mark in opening.get(border, ()):
            add(mark.before, text_styles | {"soft"})
        following = borders[index + 1] if index + 1 < len(borders) else border
        mark_styles = {mark.style for mark in marks if mark.span.start <= border < mark.span.end}
        add(text[border:following], text_styles | mark_styles)
    return glyphs


def wrap_glyphs(line: Sequence[Glyph], width: int) -> Iterator[list[Glyph]]:
    """Wrap a line at blanks and between Chinese characters, never before closing punctuation.

    Yields:
        At least one line, each at most ``width`` cells wide (a single glyph may be wider).
    """
    current: list[Glyph] = []
    n_used = 0
    for word in _iter_words(line):
        cells = sum(glyph.cells for glyph in word)
        visible_cells = cells - sum(glyph.cells for glyph in word if glyph.text == " ")
        if current and n_used + visible_cells > width:
            yield _strip_trailing(current)
            current, n_used = [], 0
        for glyph in word:
            if current and n_used + glyph.cells > width and glyph.text != " ":
                yield _strip_trailing(current)
                current, n_used = [], 0
            current.append(glyph)
            n_used += glyph.cells
    yield _strip_trailing(current)


def render_glyphs(line: Sequence[Glyph], colour: bool) -> str:
    """Return a line as text, with or without terminal style codes."""
    if not colour:
        return "".join(glyph.text for glyph in line)
    parts: list[str] = []
    worn: frozenset[str] = frozenset()
    for glyph in line:
        if glyph.styles != worn:
            worn = glyph.styles
            codes = ";".join(["0", *(STYLES[style] for style in sorted(worn))])
            parts.append(f"\x1b[{codes}m")
        parts.append(glyph.text)
    if worn:
        parts.append("\x1b[0m")
    return "".join(parts)


def _iter_words(line: Sequence[Glyph]) -> Iterator[list[Glyph]]:
    """Split a line where it may be wrapped; blanks stay with the word before."""
    word: list[Glyph] = []
    for glyph in line:
        if word and glyph.text != " " and _can_break(word[-1], glyph):
            yield word
            word = []
        word.append(glyph)
    if word:
        yield word


def _can_break(before: Glyph, after: Glyph) -> bool:
    if before.text == " ":
        return True
    wide = before.cells == 2 or after.cells == 2
    return wide and after.text not in _NO_START and before.text not in _NO_END


def _strip_trailing(line: list[Glyph]) -> list[Glyph]:
    end = len(line)
    while end and line[end - 1].text == " ":
        end -= 1
    return line[:end]
