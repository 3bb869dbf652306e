"""Prints summaries as aligned tables, in percent with one decimal and the interval.

It does not use the table library, whose import alone takes longer than scoring a file.
"""

import shutil
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from closeread.runs.records import DatasetInfo, RunSummary
from closeread.types import Summary
from closeread.wording import count_of, in_one_line

_FIELDS = ("value", "low", "high", "unit", "n_questions", "n_scored", "n_answered", "n_failed")


def scores_as_json(dataset: DatasetInfo, metrics: Mapping[str, Summary]) -> dict[str, Any]:
    """Return the scores for ``--json``: fractions from 0 to 1, each with counts and signature."""
    return {"dataset": msgspec.to_builtins(dataset), "metrics": summaries_as_json(metrics)}


def summaries_as_json(metrics: Mapping[str, Summary]) -> dict[str, Any]:
    """Return the documented fields of each summary, by metric."""
    return {name: _summary_as_json(summary) for name, summary in metrics.items()}


def breakdowns_as_json(
    breakdowns: Mapping[str, Mapping[str, Mapping[str, Summary]]],
) -> dict[str, Any]:
    """Return the breakdowns for ``--json``; empty if there are none."""
    encoded = {
        tag: {value: summaries_as_json(summaries) for value, summaries in values.items()}
        for tag, values in breakdowns.items()
    }
    return {"breakdowns": encoded} if encoded else {}


def averages_as_json(averages: Mapping[str, Summary]) -> dict[str, Any]:
    """Return the macro-averages of several runs for ``--json``; empty if there are none."""
    return {"macro_average": summaries_as_json(averages)} if averages else {}


def _summary_as_json(summary: Summary) -> dict[str, Any]:
    fields = {name: getattr(summary, name) for name in (*_FIELDS, "signature")}
    return fields | ({"note": summary.note} if summary.note else {})


def print_summary(scored: RunSummary, *, title: str = "") -> None:
    """Print a table of all metrics, one per breakdown, and the notes below."""
    dataset = scored.dataset
    n = count_of(dataset.n_questions, "question") + (" (limited)" if dataset.limit else "")
    head = f"{title or dataset.name}: {n}, licence {dataset.license or 'unknown'}"
    lines = [in_one_line(head)]
    lines += [
        "",
        *align_columns(
            _HEADINGS, [summary_cells(name, summary) for name, summary in scored.metrics.items()]
        ),
    ]
    for tag, values in scored.breakdowns.items():
        rows = [
            (value, *summary_cells(name, summary))
            for value, summaries in values.items()
            for name, summary in summaries.items()
        ]
        lines += ["", *align_columns((tag, *_HEADINGS), rows)]
    sys.stdout.write("\n".join(lines) + "\n")
    print_notes([*scored.metrics.values(), *_iter_without_value(scored.breakdowns)])


def _iter_without_value(
    breakdowns: Mapping[str, Mapping[str, Mapping[str, Summary]]],
) -> Iterator[Summary]:
    """Yield the summaries without a value, under their group's name; their notes say why."""
    for tag, values in breakdowns.items():
        for value, summaries in values.items():
            without_value = (summary for summary in summaries.values() if summary.value is None)
            yield from (replace(summary, metric=f"{tag} {value}") for summary in without_value)


def print_notes(summaries: Iterable[Summary]) -> None:
    """Print a blank line, then each note once, after the names of its metrics."""
    metrics_by_note: dict[str, list[str]] = {}
    for summary in summaries:
        if summary.note:
            metrics_by_note.setdefault(summary.note, []).append(summary.metric)
    if metrics_by_note:
        sys.stdout.write("\n")
    for note, names in metrics_by_note.items():
        print_line(f"{', '.join(dict.fromkeys(names))}: {note}")


def print_line(text: str) -> None:
    """Print text as one line, wrapped at blanks on a narrower terminal."""
    line = in_one_line(text)
    if sys.stdout.isatty() and display_width(line) > shutil.get_terminal_size().columns:
        from closeread.cli.terminal.output import print_wrapped

        print_wrapped(line)
    else:
        sys.stdout.write(line + "\n")


def print_averages(averages: Mapping[str, Summary], n_sets: int) -> None:
    """Print the table of macro-averages."""
    rows = [summary_cells(name, summary) for name, summary in averages.items()]
    lines = [f"macro-average over {n_sets} data sets", "", *align_columns(_HEADINGS, rows)]
    sys.stdout.write("\n".join(lines) + "\n")


def print_mrqa(table: Mapping[str, Any]) -> None:
    """Print the MRQA baselines' table: EM / F1, in-domain (I) and out-of-domain (O), ours last."""
    from closeread.reports.mrqa import format_pair

    rows = [
        (
            f"({row['domain'][0].upper()}) {row['dataset']}",
            *map(format_pair, row["published"]),
            format_pair(row["ours"], row["questions"]),
        )
        for row in table["rows"]
    ]
    labels = {"in": "mean of (I)", "out": "mean of (O)", "all": "macro-average of 12"}
    rows += [
        (labels[average["over"]], *map(format_pair, (*average["published"], average["ours"])))
        for average in table["averages"]
    ]
    lines = ["MRQA 2019 development sets: EM / F1", ""]
    lines += align_columns(("data set", *table["models"], "here"), rows, left=1)
    if any(row["questions"] is not None for row in table["rows"]):
        lines += [
            "",
            "n: number of questions scored, where it differs from the development set's size",
        ]
    sys.stdout.write("\n".join(lines) + "\n")


_HEADINGS = ("metric", "percent", "scored", "answered", "failed")


def summary_cells(name: str, summary: Summary) -> tuple[str, ...]:
    """Return the table cells of one summary."""
    return (
        name,
        format_percent(summary),
        f"{summary.n_scored:,}/{summary.n_questions:,}",
        f"{summary.n_answered:,}",
        f"{summary.n_failed:,}",
    )


def format_percent(summary: Summary) -> str:
    """Return ``48.3 [44.6, 52.0]``; an em dash if there is no value."""
    if summary.value is None:
        return "—"
    if summary.low is None or summary.high is None:
        return f"{100 * summary.value:.1f}"
    return f"{100 * summary.value:.1f} [{100 * summary.low:.1f}, {100 * summary.high:.1f}]"


def align_columns(
    headings: Sequence[str], rows: Sequence[Sequence[str]], *, left: int | None = None
) -> list[str]:
    """Return a table's lines; wide characters take two columns, each cell is one line.

    Args:
        headings: The column names.
        rows: The cells.
        left: The number of left-aligned columns; the others, numbers, are right-aligned. By
            default all up to and including ``metric``.
    """
    if left is None:
        left = headings.index("metric") + 1
    table = [[in_one_line(cell) for cell in cells] for cells in (headings, *rows)]
    widths = [
        max(display_width(cells[column]) for cells in table) for column in range(len(headings))
    ]
    lines = []
    for cells in table:
        padded = [
            cell + " " * (room - display_width(cell))
            if column < left
            else " " * (room - display_width(cell)) + cell
            for column, (cell, room) in enumerate(zip(cells, widths, strict=True))
        ]
        lines.append("  ".join(padded).rstrip())
    return lines


def display_width(text: str) -> int:
    """Return the number of terminal columns of a text."""
    if text.isascii():
        return len(text)
    return sum(
        0
        if unicodedata.combining(character)
        else 2
        if unicodedata.east_asian_width(character) in "WF"
        else 1
        for character in text
    )
