"""What retrievers find in a whole set, scored where gold is there: as tables or JSON."""

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import click
import msgspec

from closeread.cli.evidence.methods import Method
from closeread.cli.evidence.selection import Chosen
from closeread.cli.terminal.numbers import aligned, broken_down, contract, print_notes, row
from closeread.cli.terminal.output import as_json, remark
from closeread.cli.terminal.progress import progress
from closeread.errors import MissingExtraError
from closeread.formats.files.output_place import is_stream
from closeread.pipeline.reading_cost import ReadingCost
from closeread.runs.records import DatasetInfo
from closeread.system.checksums import sha256_of
from closeread.types import Prediction, Summary
from closeread.wording import count_of, in_one_line


@dataclass(frozen=True)
class Found:
    """What one retriever found, in numbers; where a page is wanted, question by question.

    Attributes:
        unscored: Why there is no score although there is gold; empty where there is one, or none.
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


def found_by(
    method: Method,
    chosen: Chosen,
    *,
    workers: int,
    out: Path | None,
    by: tuple[str, ...],
    intervals: bool,
    keep: bool,
) -> Found:
    """Extract the evidence of what was chosen, write it as lines, and score it.

    Args:
        method: By what.
        chosen: Of which questions and options.
        workers: Processes.
        out: The file of the lines, if they are wanted.
        by: What the scores are broken down by.
        intervals: Whether each score has its interval.
        keep: Whether all is kept question by question, too.

    Raises:
        MissingExtraError: Nothing but scores is wanted, and there is not what they need.
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
                unscored = f"what was found is not scored: {error.found}; {error.cure}"
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
        return Found(method, {}, nothing, cost, pieces, claims, kept, {}, unscored)
    breakdowns = {key: groups.summaries().get(key, {}) for key in by}
    values = scorer.values() if keep else {}
    return Found(method, scorer.summaries(), breakdowns, cost, pieces, claims, kept, values)


def lines_told(out: Path | None) -> dict[str, dict[str, str]]:
    """Return what ties the lines of ``--out`` to what is printed of them, where they are a file."""
    if out is None or is_stream(out):
        return {}
    return {"out": {"path": str(out), "sha256": sha256_of(out)}}


def print_found(info: DatasetInfo, found: list[Found], out: Path | None, json_: bool) -> None:
    """Print the numbers of every retriever: its scores, and what must be read with it."""
    unscored = found[0].unscored
    if json_:
        if unscored:
            remark(unscored)
        printed = [
            contract(info, one.metrics)
            | {
                "retriever": one.method.told(),
                "evidence": {"claims": one.claims, "sentences": one.pieces},
                "reading": one.cost.numbers(),
            }
            | broken_down(one.breakdowns)
            | lines_told(out)
            for one in found
        ]
        as_json(printed[0] if len(printed) == 1 else {"runs": printed})
        return
    questions, claims = count_of(info.n_questions, "question"), count_of(found[0].claims, "claim")
    click.echo(in_one_line(f"{info.name}: {questions}, {claims}") + "\n")
    rows = [
        (one.method.label, *row(name, summary)[:3])
        for one in found
        for name, summary in one.metrics.items()
    ]
    if rows:
        click.echo("\n".join(aligned(("retriever", "metric", "percent", "scored"), rows)))
        print_notes(one for of in found for one in of.metrics.values())
        click.echo()
    else:
        remark(unscored or "no claim has gold evidence of its own, so there is nothing to score")
    for by in found[0].breakdowns:
        rows = [
            (one.method.label, value, *row(name, summary)[:3])
            for one in found
            for value, of in one.breakdowns[by].items()
            for name, summary in of.items()
        ]
        click.echo(
            "\n".join(aligned(("retriever", by, "metric", "percent", "scored"), rows)) + "\n"
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
    click.echo("\n".join(aligned(headings, rows, left=1)))
