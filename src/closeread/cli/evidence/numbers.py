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
    chosen: Selection,
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
        chosen: The questions and options.
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
    kept = {}
    unscored = ""
    with ExitStack() as stack:
        advance = stack.enter_context(progress(method.name, chosen.limit))
        stream = stack.enter_context(replacing(out)) if out is not None else None
        for passage, question, prediction in extract(
            chosen.items(), method.name, method.given,
            workers=workers, label=chosen.label, advance=advance,
        ):  # fmt: skip
            try:
                if not unscored:
                    scorer.add(question, prediction, only=chosen.label)
                    if by:
                        judged = restrict_gold(question, chosen.label)
                        groups.add(passage, judged, prepare_for_scoring(judged, prediction))
            except MissingExtraError as error:
                if stream is None and not keep:
                    raise
                unscored = f"the evidence is not scored: {error.found}; {error.cure}"
            cost.add(passage, question, prediction)
            if keep:
                kept[question.question_id] = prediction
            claims += len(prediction.evidence)
            pieces += sum(len(found.spans) for found in prediction.evidence)
            if stream is not None:
                stream.write(msgspec.json.encode(prediction) + b"\n")
        chosen.must_have(claims)
    if unscored:
        nothing: dict[str, dict[str, dict[str, Summary]]] = {key: {} for key in by}
        return Extraction(method, {}, nothing, cost, pieces, claims, kept, {}, unscored)
    breakdowns = {key: groups.summaries().get(key, {}) for key in by}
    values = scorer.values() if keep else {}
    return Extraction(method, scorer.summaries(), breakdowns, cost, pieces, claims, kept, values)


def output_as_json(out: Path | None) -> dict[str, dict[str, str]]:
    """Return the path and checksum of ``--out`` for ``--json``, if it is a file."""
    if out is None or is_stream(out):
        return {}
    return {"out": {"path": str(out), "sha256": sha256_of(out)}}


def print_extractions(
    info: DatasetInfo, found: list[Extraction], out: Path | None, json_: bool
) -> None:
    """Print every retriever's scores, breakdowns and reading cost."""
    unscored = found[0].unscored
    if json_:
        if unscored:
            remark(unscored)
        printed = [
            scores_as_json(info, one.metrics)
            | {
                "retriever": one.method.as_json(),
                "evidence": {"claims": one.claims, "sentences": one.pieces},
                "reading": one.cost.numbers(),
            }
            | breakdowns_as_json(one.breakdowns)
            | output_as_json(out)
            for one in found
        ]
        print_json(printed[0] if len(printed) == 1 else {"runs": printed})
        return
    questions, claims = count_of(info.n_questions, "question"), count_of(found[0].claims, "claim")
    click.echo(in_one_line(f"{info.name}: {questions}, {claims}") + "\n")
    rows = [
        (one.method.label, *summary_cells(name, summary)[:3])
        for one in found
        for name, summary in one.metrics.items()
    ]
    if rows:
        click.echo("\n".join(align_columns(("retriever", "metric", "percent", "scored"), rows)))
        print_notes(one for of in found for one in of.metrics.values())
        click.echo()
    else:
        remark(unscored or "no claim has gold evidence of its own, so there is nothing to score")
    for by in found[0].breakdowns:
        rows = [
            (one.method.label, value, *summary_cells(name, summary)[:3])
            for one in found
            for value, of in one.breakdowns[by].items()
            for name, summary in of.items()
        ]
        click.echo(
            "\n".join(align_columns(("retriever", by, "metric", "percent", "scored"), rows)) + "\n"
        )
    rows = [
        (
            one.method.label,
            f"{one.pieces / one.claims if one.claims else 0.0:.2f}",
            *one.cost.cells(),
        )
        for one in found
    ]
    headings = ("retriever", "sentences per claim", "tokens to read", "in chunks", "ratio")
    click.echo("\n".join(align_columns(headings, rows, left=1)))
