"""``closeread evidence``: find evidence, score it against gold evidence, explain and compare."""

import os
from pathlib import Path
from typing import Any

import click

from closeread.cli.evidence import corpus as evidence_corpus
from closeread.cli.evidence import search as evidence_search
from closeread.cli.evidence.methods import make_methods
from closeread.cli.evidence.numbers import Extraction, extract_and_score, print_extractions
from closeread.cli.evidence.selection import Selection
from closeread.cli.evidence.view import show_evidence
from closeread.cli.terminal.completion import complete_kind
from closeread.cli.terminal.known_words import warn_unknown_words
from closeread.cli.terminal.output import remark
from closeread.cli.terminal.output_options import OutputPath
from closeread.cli.terminal.place import LocalPath
from closeread.errors import InputError
from closeread.formats.files.output_place import must_not_replace, must_take_file


@click.command("evidence")
@click.argument("dataset")
@click.option(
    "--retriever",
    "retrievers",
    shell_complete=complete_kind("retriever"),
    multiple=True,
    metavar="NAME[,KEY=VALUE]...",
    help="A retriever from `closeread ls retrievers`; repeat it to compare several. Default: "
    "cover.",
)
@click.option("-o", "options", multiple=True, metavar="KEY=VALUE",
              help="Set an option of all retrievers; `closeread ls retrievers NAME` "
                  "lists them.")  # fmt: skip
@click.option("--question", metavar="ID", help="Show the evidence of this question.")
@click.option("--option", "label", metavar="LABEL", help="Show only this option.")
@click.option("--explain", is_flag=True, help="Show the evidence of every option and explain it.")
@click.option(
    "--search", is_flag=True, help="Tune bm25's k1 and b on this data set's gold evidence."
)
@click.option("--build-corpus", type=OutputPath(path_type=Path), metavar="DIR",
              help="Write the passages as a searchable corpus, and exit.")  # fmt: skip
@click.option("--corpus", type=LocalPath(path_type=Path), metavar="DIR",
              help="Search this corpus instead of each question's own passage.")  # fmt: skip
@click.option("--passages", type=click.IntRange(1, 1000), default=5, show_default=True,
              help="How many corpus passages to read for each claim.")  # fmt: skip
@click.option(
    "--out",
    type=OutputPath(path_type=Path),
    metavar="FILE",
    help="Write the evidence as JSON lines.",
)
@click.option("--html", "page", type=OutputPath(path_type=Path), metavar="PAGE.html",
              help="Write a page with every retriever's evidence beside the gold "
                  "evidence.")  # fmt: skip
@click.option(
    "--workers", type=click.IntRange(min=1), default=1, metavar="N", help="Number of processes."
)
@click.option(
    "--format", "format_", metavar="F", help="The format; by default detected from the content."
)
@click.option(
    "--limit", type=click.IntRange(1, 10**12), metavar="N", help="Use only the first N questions."
)
@click.option("--by", type=click.Choice(["sentences", "distance"]), multiple=True,
              help="Break scores down by number of gold sentences or distance.")  # fmt: skip
@click.option("--no-intervals", is_flag=True, help="Skip confidence intervals (faster).")
@click.option("--json", "json_", is_flag=True, help="Print the result as one JSON object.")
def command(
    *,
    dataset: str,
    retrievers: tuple[str, ...],
    options: tuple[str, ...],
    question: str | None,
    label: str | None,
    explain: bool,
    search: bool,
    build_corpus: Path | None,
    corpus: Path | None,
    passages: int,
    out: Path | None,
    page: Path | None,
    workers: int,
    format_: str | None,
    limit: int | None,
    by: tuple[str, ...],
    no_intervals: bool,
    json_: bool,
) -> None:
    """Find evidence sentences in DATASET for each option, or for each question without options.

    Scores the evidence if the data set has gold evidence. --question and --explain show evidence
    in its passage, with several retrievers side by side; --html writes the same as a page.
    """
    from closeread.api.datasets import open_dataset

    # Before numpy is imported: for such small matrices threads only add cost.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    views = {"--html": page, "--explain": explain, "--by": by}
    modes = {"--corpus": corpus, "--search": search, "--build-corpus": build_corpus}
    _refuse_combinations(
        modes, views, {"--option": label, "--out": out},
        {"--question": question, "--limit": limit, "--retriever": retrievers},
    )  # fmt: skip
    output_files = [path for path in (out, page) if path is not None]
    for path in output_files:
        must_take_file(path)
    if build_corpus is not None:
        evidence_corpus.check_corpus_folder(build_corpus)
    opened = open_dataset(dataset, format_)
    for path in output_files:
        must_not_replace(path, opened.path)
    if build_corpus is not None:
        evidence_corpus.build_corpus(opened, build_corpus, json_)
        return
    if next(opened.questions(), None) is None:
        raise InputError("the data set has no questions", where=opened.path)
    selection = Selection(opened, question, label, limit)
    methods = make_methods(retrievers, options)
    if search:
        evidence_search.search(selection, methods, json_)
        return
    if corpus is not None:
        evidence_corpus.search_corpus(
            selection, corpus, methods, passages=passages, out=out, workers=workers,
            intervals=not no_intervals, json_=json_,
        )  # fmt: skip
        return
    for method in methods:
        warn_unknown_words(selection.items(), method.name, method.options)
    if page is None and (question is not None or explain):
        if out is not None or by:
            raise click.UsageError("--out and --by cannot be combined with --question or --explain")
        show_evidence(selection, methods, why=explain, json_=json_)
        return
    if out is not None and len(methods) > 1:
        raise click.UsageError("--out needs exactly one --retriever")
    extractions = [
        extract_and_score(
            method, selection, workers=workers, out=out, by=by, intervals=not no_intervals,
            keep=page is not None,
        )
        for method in methods
    ]  # fmt: skip
    if page is not None:
        _write_page(selection, extractions, page, intervals=not no_intervals)
    print_extractions(selection.info(), extractions, out, json_)


def _refuse_combinations(
    modes: dict[str, Any],
    views: dict[str, Any],
    outputs: dict[str, Any],
    selection: dict[str, Any],
) -> None:
    """Reject options that a mode (``--corpus``, ``--search``, ``--build-corpus``) would ignore.

    Args:
        modes: The values of the three.
        views: Options of scores and pages, which no mode uses.
        outputs: Options that only ``--corpus`` uses.
        selection: Options that ``--build-corpus`` does not use, in addition.
    """
    for name, value in views.items():
        if value and any(modes.values()):
            raise click.UsageError(
                f"{name} cannot be combined with --search, --build-corpus or --corpus"
            )
    if modes["--search"]:
        _refuse_options("--search", outputs)
    if modes["--build-corpus"] is not None:
        others = {name: value for name, value in modes.items() if name != "--build-corpus"}
        _refuse_options("--build-corpus", outputs | selection | others)


def _refuse_options(name: str, others: dict[str, Any]) -> None:
    """Reject options that would be ignored."""
    for other_name, value in others.items():
        if value:
            raise click.UsageError(f"{name} cannot be combined with {other_name}")


def _write_page(
    selection: Selection, extractions: list[Extraction], page: Path, *, intervals: bool
) -> None:
    from closeread.pipeline.evidence_page import Finding, evidence_material
    from closeread.reports.page import write_material

    items = list(selection.items())
    findings = [
        Finding(
            name=extraction.method.label,
            retriever=extraction.method.retriever,
            reader=extraction.method.describe(),
            predictions=extraction.predictions,
            values=extraction.values,
            metrics=extraction.metrics,
        )
        for extraction in extractions
    ]
    material = evidence_material(
        selection.info(), items, findings, label=selection.label, intervals=intervals
    )
    remark(str(write_material(material, page)))
