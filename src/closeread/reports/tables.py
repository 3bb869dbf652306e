"""Write the scores, differences and breakdowns as Markdown, LaTeX and CSV tables."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from closeread.reports.differences import difference_tables
from closeread.reports.groups import missing_value_word
from closeread.reports.material import Material
from closeread.reports.mrqa import format_pair, published_table
from closeread.reports.plot import percent
from closeread.reports.table import DASH, Table, escape_markdown, in_latex, in_markdown
from closeread.reports.words.page import word
from closeread.types import Summary
from closeread.wording import in_one_line

_FORMULA = re.compile(r"\s*[-=+@]")  # at the start of a cell
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?")


def report_tables(material: Material, language: str) -> list[Table]:
    """Return the tables of a report: scores, differences, breakdowns, MRQA's baselines."""
    runs = material.runs
    scores = Table(
        caption=", ".join(view.info.name for view in material.sets),
        headings=[word("metric", language), *(run.name for run in runs)],
        rows=[
            [name, *(_format_summary(run.metrics.get(name)) for run in runs)]
            for name in dict.fromkeys(name for run in runs for name in run.metrics)
        ],
        note=" ".join(_iter_fewer_notes(material, language)),
    )
    tables = [
        _transpose_wide(scores, word("run", language)),
        *difference_tables(material, language),
    ]
    for tag in dict.fromkeys(tag for run in runs for tag in run.breakdowns):
        values = dict.fromkeys(value for run in runs for value in run.breakdowns.get(tag, {}))
        chief_metrics = [(run, run.headline) for run in runs if run.headline]
        cells = [
            [
                _format_summary(run.breakdowns.get(tag, {}).get(value, {}).get(name))
                for run, name in chief_metrics
            ]
            for value in values
        ]
        missing_note = word(missing_value_word([run for run, _ in chief_metrics], tag), language)
        tables.append(
            Table(
                caption=word("table.breakdown", language, {"tag": tag}),
                headings=[tag, *(f"{run.name}: {name}" for run, name in chief_metrics)],
                rows=[[value, *row] for value, row in zip(values, cells, strict=True)],
                note=missing_note if any(DASH in row for row in cells) else "",
            )
        )
    return tables + list(_iter_mrqa_table(material, language))


def _iter_fewer_notes(material: Material, language: str) -> Iterator[str]:
    """Yield notes on values of a run that cover fewer questions than other runs' values."""
    for place in range(len(material.sets)):
        runs = [material.runs[number] for number in material.runs_of(place)]
        max_scored = {
            name: max(run.metrics[name].n_scored for run in runs if name in run.metrics)
            for run in runs
            for name in run.metrics
        }
        for run in runs:
            fewer: dict[tuple[int, int], list[str]] = {}
            for name, summary in run.metrics.items():
                if summary.n_scored < max_scored[name]:
                    fewer.setdefault((summary.n_scored, max_scored[name]), []).append(name)
            for (n, n_all), names in fewer.items():
                params = {"run": run.name, "metrics": ", ".join(names)}
                counts = {"n": f"{n:,}", "all": f"{n_all:,}"}
                yield word("table.fewer", language, params | counts)


def _transpose_wide(table: Table, corner: str) -> Table:
    """Transpose a table with more columns than rows, as for many runs."""
    if len(table.headings) <= len(table.rows) + 1:
        return table
    headings, *rows = zip(table.headings, *table.rows, strict=True)
    return replace(table, headings=[corner, *headings[1:]], rows=[list(row) for row in rows])


def _iter_mrqa_table(material: Material, language: str) -> Iterator[Table]:
    mrqa = published_table(material)
    if mrqa is None:
        return
    systems = mrqa["systems"] if len(mrqa["systems"]) > 1 else [word("mrqa.ours", language)]
    labels = [row["dataset"] for row in mrqa["rows"]]
    labels += [word(f"mrqa.average-{row['over']}", language) for row in mrqa["averages"]]
    no_counts = [None] * len(systems)
    yield Table(
        caption=word("mrqa.title", language) + " (EM / F1)",
        headings=[word("dataset", language), *mrqa["models"], *systems],
        rows=[
            [
                label,
                *map(format_pair, row["published"]),
                *map(format_pair, row["ours"], row.get("questions", no_counts)),
            ]
            for label, row in zip(labels, mrqa["rows"] + mrqa["averages"], strict=True)
        ],
    )


def markdown(material: Material, language: str) -> str:
    """Return the tables in Markdown, with licences and signatures below."""
    licences = [
        f"- {escape_markdown(view.info.name)}: {word('licence', language)} "
        + escape_markdown(view.info.license or word("licence-unknown", language))
        for view in material.sets
    ]
    signatures = [
        f"- {escape_markdown(run)}: `{summary.signature}`"
        for run, summary in _summaries_with_names(material)
    ]
    parts = [in_markdown(table) for table in report_tables(material, language)]
    parts += [
        "\n".join(licences),
        word("table.signatures", language) + "\n\n" + "\n".join(signatures),
    ]
    return "\n\n".join(parts) + "\n"


def latex(material: Material, language: str) -> str:
    """Return the tables in LaTeX for the booktabs package, with signatures as comments."""
    signatures = (f"{run}: {summary.signature}" for run, summary in _summaries_with_names(material))
    return in_latex(report_tables(material, language), signatures)


def as_csv(material: Material) -> str:
    """Return every number of every run in long form, values as fractions, full precision.

    An apostrophe precedes names that a spreadsheet would parse as formulas.
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(
        [
            "run",
            "dataset",
            "tag",
            "tag_value",
            "metric",
            "value",
            "low",
            "high",
            "unit",
            "n_questions",
            "n_scored",
            "n_answered",
            "n_failed",
            "signature",
        ]
    )
    for run in material.runs:
        dataset = material.sets[run.place].info.name
        blocks = [("", "", run.metrics)]
        for tag, values in run.breakdowns.items():
            blocks += [(tag, value, metrics) for value, metrics in values.items()]
        for tag, value, metrics in blocks:
            for name, summary in metrics.items():
                numbers = [summary.value, summary.low, summary.high]
                counts = [
                    summary.n_questions,
                    summary.n_scored,
                    summary.n_answered,
                    summary.n_failed,
                ]
                writer.writerow(
                    [*map(_neutralize_formula, (run.name, dataset, tag, value, name))]
                    + ["" if number is None else repr(number) for number in numbers]
                    + [summary.unit, *counts, summary.signature]
                )
    return stream.getvalue()


def _summaries_with_names(material: Material) -> Sequence[tuple[str, Summary]]:
    return [(run.name, summary) for run in material.runs for summary in run.metrics.values()]


def _neutralize_formula(text: str) -> str:
    text = in_one_line(text)
    return "'" + text if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def _format_summary(summary: Summary | None) -> str:
    if summary is None or summary.value is None:
        return DASH
    if summary.low is None or summary.high is None:
        return percent(summary.value)
    return f"{percent(summary.value)} [{percent(summary.low)}, {percent(summary.high)}]"
