"""``closeread evidence``: extract evidence, score it where gold is there, explain and compare."""

import os
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import click

from closeread.cli import evidence_corpus
from closeread.cli.evidence_methods import Method, methods_of
from closeread.cli.evidence_numbers import Found, print_found
from closeread.cli.known_words import tell_known_words
from closeread.cli.outcome import Outcome
from closeread.cli.output import as_json, remark
from closeread.cli.progress import progress
from closeread.errors import UnknownNameError, UsageError
from closeread.formats.files.outcome import must_not_replace, must_take_file
from closeread.runs.records import DatasetInfo, describe_dataset
from closeread.types import Dataset, Item, Passage, Prediction, Question


@click.command("evidence")
@click.argument("dataset")
@click.option(
    "--retriever",
    "retrievers",
    multiple=True,
    metavar="NAME[,KEY=VALUE]...",
    help="From `closeread ls retrievers`; several are compared. By default closeread's own.",
)
@click.option("-o", "options", multiple=True, metavar="KEY=VALUE", help="An option of all of them.")
@click.option("--question", metavar="ID", help="Show this question's evidence.")
@click.option("--option", "label", metavar="LABEL", help="Only this option.")
@click.option("--explain", is_flag=True, help="Show every option's evidence, and why.")
@click.option("--search", is_flag=True, help="Search k1 and b of bm25 on this set's gold.")
@click.option("--build-corpus", type=Outcome(path_type=Path), metavar="DIR",
              help="Write the set's passages as a corpus and stop.")  # fmt: skip
@click.option("--corpus", type=click.Path(path_type=Path), metavar="DIR",
              help="Look in this corpus, not in each question's own passage.")  # fmt: skip
@click.option("--passages", type=click.IntRange(1, 1000), default=5, show_default=True,
              help="How many passages of the corpus are read for a claim.")  # fmt: skip
@click.option("--out", type=Outcome(path_type=Path), metavar="FILE", help="JSON lines.")
@click.option("--html", "page", type=Outcome(path_type=Path), metavar="PAGE.html",
              help="A page: all retrievers' evidence beside gold.")  # fmt: skip
@click.option("--workers", type=click.IntRange(min=1), default=1, metavar="N", help="Processes.")
@click.option("--format", "format_", metavar="F", help="Guessed from the content by default.")
@click.option("--limit", type=click.IntRange(1, 10**12), metavar="N", help="The first N questions.")
@click.option("--by", type=click.Choice(["sentences", "distance"]), multiple=True,
              help="Break down by how many gold sentences, or how far apart.")  # fmt: skip
@click.option("--no-intervals", is_flag=True, help="Values only, faster.")
@click.option("--json", "json_", is_flag=True, help="Print one JSON object.")
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
    """Find the sentences of DATASET that bear on each option, or on each question without options.

    Where the set has gold evidence, it is scored. --question and --explain show the evidence in
    its passage, several retrievers' beside one another; --html writes that as a page.
    """
    from closeread.api.datasets import open_dataset

    # Before numpy: these matrices are small, and threads that wait for each other only cost.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    elsewhere = search or build_corpus or corpus
    for name, given in (("--html", page), ("--explain", explain), ("--by", by)):
        if given and elsewhere:
            raise click.UsageError(f"{name} goes with evidence from each question's own passage")
    narrowed: dict[str, Any] = {"--option": label, "--out": out}
    if search:
        _must_not_go_with("--search", narrowed)
    if build_corpus is not None:
        narrowed |= {"--question": question, "--limit": limit, "--retriever": retrievers}
        _must_not_go_with("--build-corpus", narrowed | {"--corpus": corpus, "--search": search})
    for outcome in filter(None, (out, page)):
        must_take_file(outcome)
    if build_corpus is not None:
        evidence_corpus.must_be_free(build_corpus)
    opened = open_dataset(dataset, format_)
    for outcome in filter(None, (out, page)):
        must_not_replace(outcome, opened.path)
    if build_corpus is not None:
        evidence_corpus.build_corpus(opened, build_corpus, json_)
        return
    chosen = _Chosen(opened, question, limit)
    methods = methods_of(retrievers, options)
    if search:
        _search(chosen, methods, json_)
        return
    if corpus is not None and len(methods) > 1:
        raise click.UsageError("--corpus takes one retriever")
    for method in methods:
        tell_known_words(chosen.items(), method.name, method.options)
    if corpus is not None:
        scorer = evidence_corpus.search_corpus(
            chosen.items(), corpus, methods[0], passages=passages, label=label, out=out,
            workers=workers, intervals=not no_intervals,
        )  # fmt: skip
        if label is not None and not scorer.claims:
            raise _no_such_option(label)
        evidence_corpus.print_search(
            chosen.info(), corpus, methods[0], scorer, out=out, json_=json_
        )
        return
    if page is None and (question is not None or explain):
        if out is not None or by:
            raise click.UsageError(
                "--out and --by go with a whole set, not --question or --explain"
            )
        _show(chosen, methods, label, explain, json_)
        return
    if out is not None and len(methods) > 1:
        raise click.UsageError("--out takes the evidence of one retriever")
    found = [
        _extracted(
            chosen,
            method,
            label,
            workers,
            out,
            by=by,
            intervals=not no_intervals,
            keep=page is not None,
        )
        for method in methods
    ]
    if page is not None:
        _write_page(chosen, found, label, page)
    print_found(chosen.info(), found, out, json_)


def _must_not_go_with(name: str, others: dict[str, Any]) -> None:
    """Refuse what would be passed over: both take the whole set, and write nothing else."""
    for other, given in others.items():
        if given:
            raise click.UsageError(f"{name} takes no {other}")


@dataclass
class _Chosen:
    """The part of a data set that was asked for."""

    dataset: Dataset
    question: str | None
    limit: int | None
    count: int = 0

    def info(self) -> DatasetInfo:
        """Return how the set is named, once its questions were counted."""
        return describe_dataset(self.dataset, self.count, self.limit)

    def items(self) -> Iterator[Item]:
        """Yield passages with the questions that were asked for, counting them.

        Raises:
            UnknownNameError: There is no such question.
        """
        self.count = 0
        for passage, questions in self.dataset:
            kept = questions
            if self.question is not None:
                kept = tuple(one for one in questions if one.question_id == self.question)
            if self.limit is not None:
                kept = tuple(islice(kept, self.limit - self.count))
            self.count += len(kept)
            if kept:
                yield passage, kept
            if self.count == self.limit:
                break
        if self.question is not None and not self.count:
            raise UnknownNameError(
                f"there is no question {self.question!r}",
                where=self.dataset.path,
                cure="`closeread show` lists the ids",
            )


def _extracted(
    chosen: _Chosen,
    method: Method,
    label: str | None,
    workers: int,
    out: Path | None,
    *,
    by: tuple[str, ...],
    intervals: bool,
    keep: bool,
) -> Found:
    import msgspec

    from closeread.formats.files.whole import replacing
    from closeread.metrics.intervals import Resampling
    from closeread.pipeline.extract import Scorer, as_judged, extract, judgeable
    from closeread.pipeline.reading_cost import ReadingCost
    from closeread.runs.evidence_groups import EvidenceGroups

    resampling = Resampling() if intervals else None
    scorer, groups, cost = Scorer(resampling), EvidenceGroups(resampling), ReadingCost()
    pieces = claims = 0
    kept = {}
    with ExitStack() as stack:
        advance = stack.enter_context(progress(method.name, chosen.limit))
        stream = stack.enter_context(replacing(out)) if out is not None else None
        for passage, question, prediction in extract(
            chosen.items(), method.name, method.given,
            workers=workers, label=label, advance=advance,
        ):  # fmt: skip
            scorer.add(question, prediction, only=label)
            if by:
                judged = judgeable(question, label)
                groups.add(passage, judged, as_judged(judged, prediction))
            cost.add(passage, question, prediction)
            if keep:
                kept[question.question_id] = prediction
            claims += len(prediction.evidence)
            pieces += sum(len(found.spans) for found in prediction.evidence)
            if stream is not None:
                stream.write(msgspec.json.encode(prediction) + b"\n")
        if label is not None and not claims:
            raise _no_such_option(label)
    breakdowns = {key: groups.summaries().get(key, {}) for key in by}
    values = scorer.values() if keep else {}
    return Found(method, scorer.summaries(), breakdowns, cost, pieces, claims, kept, values)


def _write_page(chosen: _Chosen, found: list[Found], label: str | None, page: Path) -> None:
    from closeread.pipeline.evidence_page import Finding, evidence_material
    from closeread.reports.page import write_material

    items = list(chosen.items())
    findings = [
        Finding(
            name=one.method.label,
            retriever=one.method.retriever,
            reader=one.method.described(),
            predictions=one.predictions,
            values=one.values,
            metrics=one.metrics,
        )
        for one in found
    ]
    remark(
        str(write_material(evidence_material(chosen.info(), items, findings, label=label), page))
    )


def _no_such_option(label: str | None) -> UsageError:
    return UsageError(
        f"no question that was asked for has an option {label!r}", cure="leave out --option"
    )


def _show(
    chosen: _Chosen, methods: list[Method], label: str | None, explain: bool, json_: bool
) -> None:
    from closeread.cli.evidence_view import record, view

    shown = 0
    records = []
    for passage, questions in chosen.items():
        for question in questions:
            for found in _views(methods, passage, question, label):
                shown += 1
                if json_:
                    records.append(record(found, explain))
                else:
                    view(found, explain)
    if not shown:
        raise _no_such_option(label)
    if json_:
        as_json({"evidence": records})


def _views(
    methods: list[Method], passage: Passage, question: Question, label: str | None
) -> Iterator[Any]:
    from closeread.cli.evidence_view import Shown
    from closeread.pipeline.extract import evidence_of, wanted_options

    predictions = [
        Prediction(
            question_id=question.question_id,
            evidence=evidence_of(method.retriever, passage, question, label),
        )
        for method in methods
    ]
    for place, option in enumerate(wanted_options(question, label)):
        yield Shown(
            passage,
            question,
            option,
            {
                method.label: (method.retriever, prediction.evidence[place])
                for method, prediction in zip(methods, predictions, strict=True)
            },
        )


def _search(chosen: _Chosen, methods: list[Method], json_: bool) -> None:
    from closeread.cli.numbers import aligned
    from closeread.pipeline.extract import search_bm25

    if [method.name for method in methods] != ["bm25"]:
        raise click.UsageError("--search goes with --retriever bm25")
    rows = search_bm25(list(chosen.items()), methods[0].given)
    best = rows[0]
    if json_:
        grid = [{"f1": f1, "k1": k1, "b": b} for f1, k1, b in rows]
        as_json({"best": grid[0], "grid": grid})
        return
    cells = [(f"{k1:g}", f"{b:g}", f"{100 * f1:.1f}") for f1, k1, b in rows[:10]]
    click.echo("\n".join(aligned(("k1", "b", "F1"), cells, left=0)))
    click.echo(f"\nbest of {len(rows)}: -o k1={best[1]:g} -o b={best[2]:g}")
    remark("a number on the set that was searched is no measurement: take another set for that")
