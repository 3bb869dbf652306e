"""Reads the rows of CSV tables with commas, semicolons or tabs between cells."""

import csv
import io
from collections.abc import Callable, Iterator

from closeread.errors import InputError
from closeread.formats.files.head import Head
from closeread.formats.files.source import Source
from closeread.wording import count_of

_LONGEST_CELL = 1 << 30


def header_names(head: Head) -> list[str]:
    """Return the column names in the first line; empty if it cannot be parsed as CSV."""
    line = head.raw.split(b"\n", 1)[0].decode("utf-8", "replace")
    try:
        return [
            cell.strip()
            for cell in next(csv.reader(line.splitlines(), delimiter=_delimiter(line)), [])
        ]
    except csv.Error:  # a cell longer than any column's name
        return []


def _delimiter(line: str) -> str:
    return max(",;\t", key=line.count)


def iter_csv_rows(
    source: Source, header: Callable[[list[str]], list[str]] = list
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the number of each row's first line and its cells by column; skips blank rows.

    Args:
        source: The table.
        header: Checks the column names, and returns the names that the cells get.

    Raises:
        InputError: The file is not a table, or a row has another number of cells; names the line.
    """
    if binary := source.binary_error():  # nearly anything else is a table to the parser
        raise binary
    csv.field_size_limit(_LONGEST_CELL)
    with source.open() as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
        delimiter = _delimiter(source.head().raw.split(b"\n", 1)[0].decode("utf-8", "replace"))
        table = csv.reader(text, delimiter=delimiter, strict=True)
        names: list[str] = []
        start = 1
        try:
            for row in table:
                line, start = start, table.line_num + 1
                if not any(row):
                    continue
                if any("\0" in cell for cell in row):
                    raise row_error(source, line, "the text contains a NUL byte", "text")
                if not names:
                    names = header([cell.strip() for cell in row])
                    if repeated := sorted({name for name in names if names.count(name) > 1}):
                        raise row_error(
                            source,
                            1,
                            f"the column {repeated[0]!r} occurs twice",
                            "every column once",
                        )
                    continue
                if len(row) != len(names):
                    n_cells = count_of(len(row), "cell")
                    raise row_error(source, line, n_cells, f"{len(names)}, as in the first line")
                yield line, dict(zip(names, row, strict=True))
        except csv.Error as error:
            raise row_error(
                source, start, f"not CSV: {error}", "closed quotes around cells"
            ) from error
        except UnicodeDecodeError as error:
            raise source.explain(error, b"") from error
        finally:
            text.detach()
        if not names:
            raise row_error(source, 1, "only blank lines", "a first line with the columns' names")


def row_error(source: Source, line: int, problem: str, expected: str) -> InputError:
    """Return the error for a malformed row."""
    return InputError(
        problem,
        where=f"{source}, line {line}",
        expected=expected,
        cure="fix the row; see docs/formats.md",
    )
