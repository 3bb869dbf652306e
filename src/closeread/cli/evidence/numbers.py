"""Extracts and scores the evidence of a whole data set, and prints it as tables or JSON."""

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import click
import msgspec

from closeread.cli.evidence.methods import Method
from closeread.cli.evidence.selection import Selection
from closeread.cli.terminal.numbers import (
    align_columns,
    breakdowns_as_json,
    print_notes,
    scores_as_json,
    summary_cells,
)
from closeread.cli.terminal.output import print_json, remark
from closeread.cli.terminal.progress import progress
from closeread.errors import MissingExtraError
from closeread.formats.files.output_place import is_stream
from closeread.pipeline.reading_cost import ReadingCost
from closeread.runs.records import DatasetInfo
from closeread.system.checksums import sha256_of
from closeread.types import Prediction, Summary
from closeread.wording import count_of, in_one_line


@dataclass(frozen=True)
class Extraction:
    """The scores of one retriever's evidence and, for a page, its predictions.

    Attributes:
        unscored: Why there are no scores although there is gold evidence; else empty.
    """

    method: Method
    metrics: dict[str, Summary]
    breakdowns: dict[str, dict[str, dict[str, Summary]]]
    cost: ReadingCost
    pieces: int
    claims: int
    predictions: dict[str, Prediction]
    values: dict[str, dict[str, float | None]]
    unscored: str = ""


def extract_and_score(
    method: Method,
    selection: Selection,
    *,
    workers: int,
    out: Path | None,
    by: tuple[str, ...],
    intervals: bool,
    keep: bool,
) -> Extraction:
    """Extract the evidence of a selection, write it as JSON lines, and score it.

    Args:
        method: The retriever.
        selection: The questions and options.
        workers: The number of processes.
        out: The output file, or None.
        by: The tags of breakdowns.
        intervals: Whether to compute intervals.
        keep: Whether to keep predictions and values per question.

    Raises:
        MissingExtraError: Only scores are requested, and they need an extra that is missing.
    """
    from closeread.formats.files.atomic_write import replacing
    from closeread.metrics.intervals import Resampling
    from closeread.pipeline.extract import (
        EvidenceScorer,
        extract,
        prepare_for_scoring,
        restrict_gold,
    )
    from closeread.runs.scoring.evidence_groups import EvidenceGroups

    resampling = Resampling() if intervals else None
    scorer, groups, cost = EvidenceScorer(resampling), EvidenceGroups(resampling), ReadingCost()
    pieces = claims = 0
    predictions = {}
    unscored = ""
    with ExitStack() as stack:
        advance = stack.enter_context(progress(method.name, selection.limit))
        stream = stack.enter_context(replacing(out)) if out is not None else None
        for passage, question, prediction in extract(
            selection.items(), method.name, method.given_options,
            workers=workers, label=selection.label, advance=advance,
        ):  # fmt: skip
            try:
                if not unscored:
                    scorer.add(question, prediction, only=selection.label)
                    if by:
                        judged_question = restrict_gold(question, selection.label)
                        groups.add(
                            passage,
                            judged_question,
                            prepare_for_scoring(judged_question, prediction),
                        )
            except MissingExtraError as error:
                if stream is None and not keep:
                    raise
                unscored = f"the evidence is not scored: {error.found}; {error.cure}"
            cost.add(passage, question, prediction)
            if keep:
                predictions[question.question_id] = prediction
            claims += len(prediction.evidence)
            pieces += sum(len(evidence.spans) for evidence in prediction.evidence)
            if stream is not None:
                stream.write(msgspec.json.encode(prediction) + b"\n")
        selection.must_have(claims)
    if unscored:
        empty_breakdowns: dict[str, dict[str, dict[str, Summary]]] = {key: {} for key in by}
        return Extraction(
            method, {}, empty_breakdowns, cost, pieces, claims, predictions, {}, unscored
        )
    breakdowns = {key: groups.summaries().get(key, {}) for key in by}
    values = scorer.values() if keep else {}
    return Extraction(
        method, scorer.summaries(), breakdowns, cost, pieces, claims, predictions, values
    )


def output_as_json(out: Path | None) -> dict[str, dict[str, str]]:
    """Return the path and checksum of ``--out`` for ``--json``, if it is a file."""
    if out is None or is_stream(out):
        return {}
    return {"out": {"path": str(out), "sha256": sha256_of(out)}}


def print_extractions(
    info: DatasetInfo, extractions: list[Extraction], out: Path | None, json_: bool
) -> None:
    """Print every retriever's scores, breakdowns and reading cost."""
    if json_:
        _print_json(info, extractions, out)
        return
    n_questions = count_of(info.n_questions, "question")
    n_claims = count_of(extractions[0].claims, "claim")
    click.echo(in_one_line(f"{info.name}: {n_questions}, {n_claims}") + "\n")
    _print_scores(extractions)
    _print_costs(extractions)


def _print_json(info: DatasetInfo, extractions: list[Extraction], out: Path | None) -> None:
    if extractions[0].unscored:
        remark(extractions[0].unscored)
    printed = [
        scores_as_json(info, extraction.metrics)
        | {
            "retriever": extraction.method.as_json(),
            "evidence": {"claims": extraction.claims, "sentences": extraction.pieces},
            "reading": extraction.cost.numbers(),
        }
        | breakdowns_as_json(extraction.breakdowns)
        | output_as_json(out)
        for extraction in extractions
    ]
    print_json(printed[0] if len(printed) == 1 else {"runs": printed})


def _print_scores(extractions: list[Extraction]) -> None:
    """Print the scores and breakdowns, or why there are none."""
    rows = [
        (extraction.method.label, *summary_cells(name, summary)[:3])
        for extraction in extractions
        for name, summary in extraction.metrics.items()
    ]
    if rows:
        click.echo("\n".join(align_columns(("retriever", "metric", "percent", "scored"), rows)))
        print_notes(
            summary for extraction in extractions for summary in extraction.metrics.values()
        )
        click.echo()
    else:
        remark(
            extractions[0].unscored
            or "no claim has gold evidence of its own, so there is nothing to score"
        )
    for by in extractions[0].breakdowns:
        rows = [
            (extraction.method.label, value, *summary_cells(name, summary)[:3])
            for extraction in extractions
            for value, summaries in extraction.breakdowns[by].items()
            for name, summary in summaries.items()
        ]
        click.echo(
            "\n".join(align_columns(("retriever", by, "metric", "percent", "scored"), rows)) + "\n"
        )


def _print_costs(extractions: list[Extraction]) -> None:
    """Print how many sentences each retriever finds, and the tokens to read."""
    rows = [
        (
            extraction.method.label,
            f"{extraction.pieces / extraction.claims if extraction.claims else 0.0:.2f}",
            *extraction.cost.cells(),
        )
        for extraction in extractions
    ]
    headings = ("retriever", "sentences per claim", "tokens to read", "in chunks", "ratio")
    click.echo("\n".join(align_columns(headings, rows, left=1)))
