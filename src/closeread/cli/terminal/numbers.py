"""Summaries as people read them: percent with one decimal and the interval, aligned.

Printed without the table library, whose import alone takes longer than scoring a file.
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


def contract(dataset: DatasetInfo, metrics: Mapping[str, Summary]) -> dict[str, Any]:
    """Return what ``--json`` prints of scores: fractions from 0 to 1, each with its proof."""
    return {"dataset": msgspec.to_builtins(dataset), "metrics": numbers(metrics)}


def numbers(metrics: Mapping[str, Summary]) -> dict[str, Any]:
    """Return the fields that the output contract names, by metric."""
    return {name: _number(summary) for name, summary in metrics.items()}


def broken_down(
    breakdowns: Mapping[str, Mapping[str, Mapping[str, Summary]]],
) -> dict[str, Any]:
    """Return what ``--json`` adds about parts of the questions, where they were told apart."""
    told = {
        tag: {value: numbers(of) for value, of in values.items()}
        for tag, values in breakdowns.items()
    }
    return {"breakdowns": told} if told else {}


def averaged(averages: Mapping[str, Summary]) -> dict[str, Any]:
    """Return what ``--json`` adds about several runs: their macro-averages, where there are any."""
    return {"macro_average": numbers(averages)} if averages else {}


def _number(summary: Summary) -> dict[str, Any]:
    found = {name: getattr(summary, name) for name in (*_FIELDS, "signature")}
    return found | ({"note": summary.note} if summary.note else {})


def print_summary(found: RunSummary, *, title: str = "") -> None:
    """Print a table of all metrics, one for each breakdown, and below them what must be said."""
    dataset = found.dataset
    n = count_of(dataset.n_questions, "question") + (" (limited)" if dataset.limit else "")
    head = f"{title or dataset.name}: {n}, licence {dataset.license or 'unknown'}"
    lines = [in_one_line(head)]
    lines += ["", *aligned(_HEADINGS, [row(name, one) for name, one in found.metrics.items()])]
    for tag, values in found.breakdowns.items():
        rows = [
            (value, *row(name, one)) for value, of in values.items() for name, one in of.items()
        ]
        lines += ["", *aligned((tag, *_HEADINGS), rows)]
    sys.stdout.write("\n".join(lines) + "\n")
    print_notes([*found.metrics.values(), *_without_value(found.breakdowns)])


def _without_value(
    breakdowns: Mapping[str, Mapping[str, Mapping[str, Summary]]],
) -> Iterator[Summary]:
    """Yield what has no value, under its part's name: its note says why."""
    for tag, values in breakdowns.items():
        for value, of in values.items():
            nothing = (one for one in of.values() if one.value is None)
            yield from (replace(one, metric=f"{tag} {value}") for one in nothing)


def print_notes(summaries: Iterable[Summary]) -> None:
    """Print, below a blank line, each note once behind the names of all metrics that have it."""
    found: dict[str, list[str]] = {}
    for one in summaries:
        if one.note:
            found.setdefault(one.note, []).append(one.metric)
    if found:
        sys.stdout.write("\n")
    for note, names in found.items():
        plain(f"{', '.join(dict.fromkeys(names))}: {note}")


def plain(text: str) -> None:
    """Print words as one line; on a terminal that is narrower, broken at blanks."""
    line = in_one_line(text)
    if sys.stdout.isatty() and width(line) > shutil.get_terminal_size().columns:
        from closeread.cli.terminal.output import sentence

        sentence(line)
    else:
        sys.stdout.write(line + "\n")


def print_averages(averages: Mapping[str, Summary], sets: int) -> None:
    """Print the table of macro-averages, which stands below those of the runs."""
    rows = [row(name, one) for name, one in averages.items()]
    lines = [f"macro-average over {sets} data sets", "", *aligned(_HEADINGS, rows)]
    sys.stdout.write("\n".join(lines) + "\n")


def print_mrqa(table: Mapping[str, Any]) -> None:
    """Print the MRQA baselines' table: EM / F1, in-domain (I) and out-of-domain (O), ours last."""
    from closeread.reports.mrqa import paired

    rows = [
        (
            f"({one['domain'][0].upper()}) {one['dataset']}",
            *map(paired, one["published"]),
            paired(one["ours"], one["questions"]),
        )
        for one in table["rows"]
    ]
    over = {"in": "mean of (I)", "out": "mean of (O)", "all": "macro-average of 12"}
    rows += [
        (over[one["over"]], *map(paired, (*one["published"], one["ours"])))
        for one in table["averages"]
    ]
    lines = ["MRQA 2019 development sets: EM / F1", ""]
    lines += aligned(("data set", *table["models"], "here"), rows, left=1)
    if any(one["questions"] is not None for one in table["rows"]):
        lines += ["", "n: scored over another number of questions than the development set holds"]
    sys.stdout.write("\n".join(lines) + "\n")


_HEADINGS = ("metric", "percent", "scored", "answered", "failed")


def row(name: str, summary: Summary) -> tuple[str, ...]:
    """Return a table's cells for one summary."""
    return (
        name,
        percent(summary),
        f"{summary.n_scored:,}/{summary.n_questions:,}",
        f"{summary.n_answered:,}",
        f"{summary.n_failed:,}",
    )


def percent(summary: Summary) -> str:
    """Return ``48.3 [44.6, 52.0]``; an em dash where there is no value."""
    if summary.value is None:
        return "—"
    if summary.low is None or summary.high is None:
        return f"{100 * summary.value:.1f}"
    return f"{100 * summary.value:.1f} [{100 * summary.low:.1f}, {100 * summary.high:.1f}]"


def aligned(
    headings: Sequence[str], rows: Sequence[Sequence[str]], *, left: int | None = None
) -> list[str]:
    """Return a table's lines; wide characters count as two columns, each cell is of one line.

    Args:
        headings: The column names.
        rows: The cells.
        left: How many columns stand to the left; the others, numbers, to the right. By default
            all up to and with ``metric``.
    """
    if left is None:
        left = headings.index("metric") + 1
    table = [[in_one_line(cell) for cell in cells] for cells in (headings, *rows)]
    widths = [max(width(cells[column]) for cells in table) for column in range(len(headings))]
    lines = []
    for cells in table:
        padded = [
            cell + " " * (room - width(cell))
            if column < left
            else " " * (room - width(cell)) + cell
            for column, (cell, room) in enumerate(zip(cells, widths, strict=True))
        ]
        lines.append("  ".join(padded).rstrip())
    return lines


def width(text: str) -> int:
    """Return how many terminal columns a text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(one) else 2 if unicodedata.east_asian_width(one) in "WF" else 1
        for one in text
    )
