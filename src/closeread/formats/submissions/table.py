"""Reads predictions from a CSV table: a line of column names, then one question a line."""

from typing import Any

from closeread.errors import InputError
from closeread.formats.files.source import Source
from closeread.formats.layouts.csv_rows import header_names, iter_csv_rows

_LABEL = "label"  # a number here is an option's; in other columns it may be an option's text
_NUMBERS = ("confidence", "score", "probability")


def is_table(source: Source, ids: tuple[str, ...], answers: tuple[str, ...]) -> bool:
    """Whether the first line names a column of ids and one of answers, and is not JSON."""
    head = source.head()
    if head.raw.lstrip()[:1] in (b"{", b"["):
        return False
    names = header_names(head)
    return bool(set(names) & set(ids)) and bool(set(names) & set(answers))


def read_rows(source: Source) -> tuple[list[int], list[dict[str, Any]]]:
    """Return the line numbers and the rows; an empty cell is an empty answer.

    Raises:
        InputError: The file is not a table, or a cell is not a number.
    """
    lines, rows = [], []
    for line, row in iter_csv_rows(source):
        lines.append(line)
        rows.append({name: _value(source, line, name, cell) for name, cell in row.items() if name})
    return lines, rows


def _value(source: Source, line: int, name: str, cell: str) -> Any:
    if name == _LABEL and cell.isdecimal():
        return int(cell)
    if name not in _NUMBERS:
        return cell
    try:
        return float(cell) if cell else None
    except ValueError as error:
        raise InputError(
            f"the {name} is {cell!r:.40}",
            where=f"{source}, line {line}",
            expected="a number, or nothing",
            cure="correct the cell",
        ) from error
