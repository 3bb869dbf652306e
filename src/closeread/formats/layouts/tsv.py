"""Reads published tables with tabs between unquoted cells: quotes are text."""

from collections.abc import Iterator

from closeread.formats.files.head import Head
from closeread.formats.files.source import Source
from closeread.formats.layouts.csv_rows import row_error
from closeread.wording import count_of


def tsv_header(head: Head) -> list[str]:
    """Return the column names; empty if the first line has no tab, or is JSON."""
    line = head.raw.split(b"\n", 1)[0].decode("utf-8", "replace").rstrip("\r")
    return [] if line[:1] in ("{", "[") or "\t" not in line else line.split("\t")


def iter_tsv_rows(source: Source) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the number of each line and its cells by column.

    Raises:
        InputError: A line has another number of cells than the first; names the line.
    """
    if binary := source.binary_error():
        raise binary
    names = tsv_header(source.head())
    for number, raw in source.lines():
        if number == 1:
            continue
        try:
            cells = raw.decode().rstrip("\r\n").split("\t")
        except UnicodeDecodeError as error:
            raise source.explain(error, raw, line=number) from error
        if len(cells) != len(names):
            expected = f"{len(names)}, as in the first line"
            raise row_error(source, number, count_of(len(cells), "cell"), expected)
        yield number, dict(zip(names, cells, strict=True))
