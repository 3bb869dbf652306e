"""Prints what ``closeread compare`` finds, at most 100 columns wide."""

from collections.abc import Iterator
from dataclasses import replace

import click

from closeread.cli.terminal.numbers import align_columns, display_width, print_line
from closeread.reports.comparison import comparison_remarks, comparison_tables, explain_tables
from closeread.reports.table import MINUS, Table
from closeread.runs.compare import Compared
from closeread.runs.compare_tables import ComparedTables
from closeread.wording import count_of, in_one_line

_MAX_WIDTH = 100


def print_comparison(comparison: Compared | ComparedTables) -> None:
    """Print the systems and data sets, the tables, and their explanation."""
    has_several_sets = isinstance(comparison, ComparedTables)
    sets = comparison.sets if isinstance(comparison, ComparedTables) else [comparison]
    subject = count_of(len(sets), "data set") if has_several_sets else sets[0].dataset.name
    questions = count_of(sum(dataset.dataset.n_questions for dataset in sets), "question")
    labels, lines = _fit_tables(comparison)
    first, *others = comparison.systems
    compared = f", compared {others[0]}" if len(others) == 1 else ""
    print_line(f"{subject}: {questions}; baseline {first}{compared}")
    for name, paths in comparison.systems.items():
        label = name if labels[name] == name else f"{labels[name]} {name}"
        if len(paths) > 1:
            label += ": mean of " + count_of(len(paths), "folder" if has_several_sets else "run")
        if label != name:
            print_line(label)
    for line in (
        *comparison.apart,
        *(comparison.left_out if isinstance(comparison, ComparedTables) else ()),
    ):
        print_line(line)
    click.echo("\n" + "\n".join(lines) + "\n")
    for line in (
        *explain_tables(comparison, labels[next(iter(labels))]),
        *comparison_remarks(comparison),
    ):
        print_line(line)
    differing = (
        name for dataset in sets for name, signature in dataset.signatures.items() if not signature
    )
    for name in dict.fromkeys(differing):
        print_line(
            f"{name}: the signatures differ, so this compares scores computed with different "
            "settings"
        )


def _fit_tables(comparison: Compared | ComparedTables) -> tuple[dict[str, str], list[str]]:
    """Return the systems' labels (numbers if names are too long) and the lines of the tables.

    A table that is too wide even with numbers is split into several.
    """
    names = {name: name for name in comparison.systems}
    tables = comparison_tables(comparison)
    if any(_table_width(table) > _MAX_WIDTH for table in tables):
        names = {name: f"({number})" for number, name in enumerate(names, 1)}
        tables = comparison_tables(comparison, labels=names)
    lines = [
        line
        for table in tables
        for part in _split_columns(table)
        for line in ("", *_iter_lines(part))
    ]
    return names, lines[1:]


def _iter_lines(table: Table) -> Iterator[str]:
    cells = [[cell.replace(MINUS, "-") for cell in row] for row in table.rows]
    heading, *rows = align_columns(table.headings, cells, left=table.left)
    yield from (in_one_line(table.caption), heading)
    for place, row in enumerate(rows):
        yield from ("", row) if place in table.parts else (row,)


def _column_widths(table: Table) -> list[int]:
    return [
        max(map(display_width, column)) for column in zip(table.headings, *table.rows, strict=True)
    ]


def _table_width(table: Table) -> int:
    columns = _column_widths(table)
    return sum(columns) + 2 * (len(columns) - 1)


def _split_columns(table: Table) -> Iterator[Table]:
    """Split a table into parts that fit, each with the text columns and at least one other."""
    columns, left = _column_widths(table), table.left
    room = _MAX_WIDTH - sum(width + 2 for width in columns[:left]) + 2
    start = left
    while start < len(columns):
        end = start + 1
        while end < len(columns) and sum(width + 2 for width in columns[start : end + 1]) <= room:
            end += 1
        yield replace(
            table,
            headings=table.headings[:left] + table.headings[start:end],
            rows=[row[:left] + row[start:end] for row in table.rows],
        )
        start = end
