"""What ``closeread compare`` finds, as a terminal shows it: at most 100 columns wide."""

from collections.abc import Iterator
from dataclasses import replace

import click

from closeread.cli.terminal.numbers import aligned, plain, width
from closeread.reports.comparison import compared_tables, explained, remarks
from closeread.reports.table import MINUS, Table
from closeread.runs.compare import Compared
from closeread.runs.compare_tables import ComparedTables
from closeread.wording import count_of, in_one_line

_WIDEST = 100


def print_comparison(found: Compared | ComparedTables) -> None:
    """Print who is compared on what, the tables, and what explains them."""
    several = isinstance(found, ComparedTables)
    sets = found.sets if isinstance(found, ComparedTables) else [found]
    what = count_of(len(sets), "data set") if several else sets[0].dataset.name
    questions = count_of(sum(one.dataset.n_questions for one in sets), "question")
    shown, lines = _fitting(found)
    first, *others = found.systems
    compared = f", compared {others[0]}" if len(others) == 1 else ""
    plain(f"{what}: {questions}; baseline {first}{compared}")
    for name, paths in found.systems.items():
        told = name if shown[name] == name else f"{shown[name]} {name}"
        if len(paths) > 1:
            told += ": mean of " + count_of(len(paths), "folder" if several else "run")
        if told != name:
            plain(told)
    for line in (*found.apart, *(found.left_out if isinstance(found, ComparedTables) else ())):
        plain(line)
    click.echo("\n" + "\n".join(lines) + "\n")
    for line in (*explained(found, shown[next(iter(shown))]), *remarks(found)):
        plain(line)
    differing = (
        name for one in sets for name, signature in one.signatures.items() if not signature
    )
    for name in dict.fromkeys(differing):
        plain(f"{name}: signatures differ; this compares what was not made alike")


def _fitting(found: Compared | ComparedTables) -> tuple[dict[str, str], list[str]]:
    """Return what systems are called, their names or numbers where these are too long; the lines.

    A table that is too wide even with numbers goes on below.
    """
    names = {name: name for name in found.systems}
    tables = compared_tables(found)
    if any(_width(table) > _WIDEST for table in tables):
        names = {name: f"({number})" for number, name in enumerate(names, 1)}
        tables = compared_tables(found, shown=names)
    every = [line for table in tables for part in _parts(table) for line in ("", *_lines(part))]
    return names, every[1:]


def _lines(table: Table) -> Iterator[str]:
    cells = [[cell.replace(MINUS, "-") for cell in row] for row in table.rows]
    heading, *rows = aligned(table.headings, cells, left=table.left)
    yield from (in_one_line(table.caption), heading)
    for place, row in enumerate(rows):
        yield from ("", row) if place in table.parts else (row,)


def _columns(table: Table) -> list[int]:
    return [max(map(width, column)) for column in zip(table.headings, *table.rows, strict=True)]


def _width(table: Table) -> int:
    columns = _columns(table)
    return sum(columns) + 2 * (len(columns) - 1)


def _parts(table: Table) -> Iterator[Table]:
    """Yield as many columns at a time as there is room for beside those of text, one at least."""
    columns, left = _columns(table), table.left
    room = _WIDEST - sum(each + 2 for each in columns[:left]) + 2
    start = left
    while start < len(columns):
        end = start + 1
        while end < len(columns) and sum(each + 2 for each in columns[start : end + 1]) <= room:
            end += 1
        yield replace(
            table,
            headings=table.headings[:left] + table.headings[start:end],
            rows=[row[:left] + row[start:end] for row in table.rows],
        )
        start = end
