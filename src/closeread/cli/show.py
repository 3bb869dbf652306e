"""``closeread show``: browse the questions of a data set in the terminal."""

import sys
from collections.abc import Iterator
from typing import Any

import click
import msgspec

from closeread.api.datasets import locate
from closeread.cli.known_ids import KnownIds
from closeread.cli.terminal.output import print_table, write_json
from closeread.cli.terminal.sheet import Sheet, make_sheet
from closeread.errors import InputError, UnknownNameError
from closeread.types import Dataset, Passage, Question


@click.command("show")
@click.argument("dataset")
@click.option(
    "--format", "format_", metavar="F", help="The format; by default detected from the content."
)
@click.option("--question", metavar="ID", help="Show only this question, or the group of this id.")
@click.option("--start", type=click.IntRange(min=1), default=1, help="Start at the Nth question.")
@click.option("--limit", type=click.IntRange(min=1), help="Show at most N questions.")
@click.option("--width", type=click.IntRange(min=20), help="Line width in characters.")
@click.option("--json", "json_", is_flag=True, help="Print the result as one JSON object.")
def command(
    *,
    dataset: str,
    format_: str | None,
    question: str | None,
    start: int,
    limit: int | None,
    width: int | None,
    json_: bool,
) -> None:
    """Show the questions of DATASET: a path, a URL, exam/zh or exam/en.

    Gold answers are shown in reverse video and evidence underlined and numbered; without colour, in
    ⟦brackets⟧ and ⟪brackets⟫. A result file of the MRQA shared task is shown as tables.
    """
    from closeread.formats import load
    from closeread.formats.files.source import Source

    if question is not None and start > 1:
        raise click.UsageError("--question and --start cannot be used together")
    path = locate(dataset)
    if format_ is None and Source(path).head().has("leaderboard"):
        _print_mrqa_results(str(path), json_)
        return
    opened = load(path, format_, facts=False)
    selected = _iter_selected(opened, question, start, limit)
    if json_:
        _write_json(selected)
        return
    sheet = make_sheet(width)
    lines = _iter_lines(selected, sheet)
    if sys.stdout.isatty() and sys.stdin.isatty():
        click.echo_via_pager(lines, color=sheet.colour)
        return
    for line in lines:
        sys.stdout.write(line)


def _iter_lines(selected: Iterator[tuple[int, Passage, Question]], sheet: Sheet) -> Iterator[str]:
    last_passage: Passage | None = None
    for number, passage, question in selected:
        yield from sheet.show(number, passage, question, whole=passage is not last_passage)
        last_passage = passage


def _iter_selected(
    dataset: Dataset, selected_id: str | None, start: int, limit: int | None
) -> Iterator[tuple[int, Passage, Question]]:
    """Yield the selected questions with their numbers, reading no further than needed.

    Raises:
        UnknownNameError: No question or group has this id, or the data set ends before ``start``.
        InputError: The data set has no questions.
    """
    number = n_yielded = 0
    known_ids = KnownIds()
    for passage, questions in dataset:
        for question in questions:
            number += 1
            if number < start:
                continue
            if selected_id is not None and selected_id not in {
                question.question_id,
                question.group_id,
            }:
                known_ids.add(question.question_id)
                continue
            n_yielded += 1
            yield number, passage, question
            if n_yielded == limit or selected_id == question.question_id:
                return
        if selected_id is not None and n_yielded:
            return
    if not number:
        raise InputError("the data set has no questions", where=dataset.path)
    if selected_id is not None and not n_yielded:
        raise known_ids.unknown_error(selected_id, dataset.path)
    if not n_yielded:
        raise UnknownNameError(
            f"there is no question number {start:,}",
            where=dataset.path,
            expected=f"--start between 1 and {number:,}",
        )


def _write_json(selected: Iterator[tuple[int, Passage, Question]]) -> None:
    """Write one object, question by question, so that a large data set needs little memory."""
    opening = '{"questions": ['
    for number, passage, question in selected:
        row = {"number": number, "passage": passage, "question": question}
        write_json(opening + "\n" + msgspec.json.encode(row).decode())
        opening = ","
    write_json("\n]}\n")


def _print_mrqa_results(path: str, json_: bool) -> None:
    from closeread.cli.terminal.output import print_json
    from closeread.formats.mrqa_results import Result, read_results

    results = read_results(path)
    if json_:
        print_json(results)
        return

    def cell(result: Result) -> str:
        if result.em_percent is None or result.f1_percent is None:
            return "—"
        return f"{result.em_percent:.1f} / {result.f1_percent:.1f}"

    for begin in range(0, len(results.datasets), 4):
        names = results.datasets[begin : begin + 4]
        is_last = begin + 4 >= len(results.datasets)
        headings = ("model", *names, *(["macro-average"] if is_last else []))
        rows: list[list[Any]] = [
            [model.name, *(cell(model.results[dataset_name]) for dataset_name in names)]
            + ([cell(model.macro_average)] if is_last else [])
            for model in results.models
        ]
        print_table(
            headings, rows, title=f"{results.name}: exact match / F1, percent", right=headings[1:]
        )
        click.echo()
