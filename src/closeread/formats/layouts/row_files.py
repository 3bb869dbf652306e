"""Reads rows from JSON lines, a list (bare or ``data``), tables, ROPES's tree, LogiQA's blocks."""

from collections.abc import Iterator
from typing import Any

import msgspec

from closeread.errors import InputError
from closeread.formats.files.head import Head
from closeread.formats.files.source import Source
from closeread.formats.layouts.columns import Columns, rows_by_question
from closeread.formats.layouts.csv_rows import header_names, iter_csv_rows
from closeread.formats.layouts.json_objects import (
    Position,
    Positioned,
    describe_place,
    iter_objects,
)
from closeread.formats.layouts.known_rows import find_known_columns
from closeread.formats.layouts.logiqa_blocks import are_blocks, iter_blocks

_PARAGRAPH = ("data", 0, "paragraphs", 0)


class _Article(msgspec.Struct):
    paragraphs: list[dict[str, Any]]


def is_ropes_tree(head: Head) -> bool:
    """Whether the file is ROPES's, a tree as SQuAD's whose paragraphs are rows of two texts."""
    return head.has("background", "situation", at=_PARAGRAPH)


def first_row(head: Head) -> dict[str, Any] | None:
    """Return the first row; for a table only its column names, as if they were texts."""
    if are_blocks(head):
        return {"id": "", "answer": "", "text": "", "question": "", "options": []}
    if head.value is None:
        return {name: name for name in header_names(head) if name} or None
    if is_ropes_tree(head):
        paragraph = head.first(*_PARAGRAPH)
        return paragraph if isinstance(paragraph, dict) else None
    return head.first("data", 0) if _is_under_data(head) else head.row or None


def _is_under_data(head: Head) -> bool:
    """Whether rows are the elements of ``data`` in one document, not a column of a row."""
    is_list = isinstance(head.first("data"), list) and isinstance(head.first("data", 0), dict)
    return is_list and not head.has_lines and find_known_columns(head.row) is None


def fields_beside_rows(source: Source) -> dict[str, Any] | None:
    """Return the other fields of a document whose ``data`` are rows; None for other files."""
    return source.other_members("data") if _is_under_data(source.head()) else None


def iter_rows(source: Source) -> Iterator[Positioned]:
    """Yield each row with its place, from any of these files."""
    if is_ropes_tree(source.head()):
        for number, article in enumerate(source.elements("data", _Article)):
            for index, row in enumerate(article.paragraphs):
                yield f"data[{number}].paragraphs[{index}]", row
    elif _is_under_data(source.head()):
        elements = enumerate(source.elements("data", dict[str, Any]))
        yield from ((f"data[{number}]", row) for number, row in elements)
    elif source.head().raw.lstrip()[:1] in (b"[", b"{"):
        yield from iter_objects(source)
    elif are_blocks(source.head()):
        yield from iter_blocks(source)
    else:
        yield from iter_csv_rows(source)


def split_row(
    source: Source, at: Position, row: dict[str, Any], columns: Columns
) -> list[dict[str, Any]]:
    """Return one row for each question: the row itself, or one for each member of ``inside``.

    Raises:
        InputError: The column ``inside`` does not hold questions.
    """
    try:
        return rows_by_question(row, columns)
    except ValueError as error:
        raise InputError(
            f"the column {columns.inside!r} holds {error}",
            where=describe_place(source, at),
            expected="a list of objects, one for each question, or one object of lists",
            cure="fix the row or remove it",
        ) from error
