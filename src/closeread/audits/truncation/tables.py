"""The tables of the truncation check, on runs whose questions ask for text."""

from collections.abc import Sequence

from closeread.audits.findings import Cell, Table, share
from closeread.audits.subject import Subject, generated_text
from closeread.audits.truncation.endings import CAUSES
from closeread.audits.truncation.losses import Endings
from closeread.audits.truncation.recuts import EXTRACT_RULE, Recut, Rescored, describe_stop
from closeread.metrics.intervals import Resampling, interval
from closeread.metrics.pools import mean_pools
from closeread.metrics.units import passage_unit, question_unit
from closeread.protocols import Metric
from closeread.summation import sum_in_order
from closeread.types import Question, Score, Submission

_RESAMPLING = Resampling()


def stop_table(scorer: str, scores: Rescored) -> Table:
    """Return the scores with the texts cut at each stop."""
    return Table(
        title="Scores with the texts cut at each stop",
        headings=("stop", "changed answers", f"{scorer} EM %", f"{scorer} F1 %"),
        rows=tuple(
            (describe_stop(row.stop), row.n_changed, row.em, row.f1) for row in scores.recuts
        ),
    )


def extraction_table(scorer: str, saved: Recut, extracted: Recut) -> Table:
    """Return the scores as saved, and with the answers extracted again."""
    return Table(
        title="Answers extracted again from the texts",
        headings=("extraction", "changed answers", f"{scorer} EM %", f"{scorer} F1 %"),
        rows=tuple(
            (extraction, row.n_changed, row.em, row.f1)
            for extraction, row in (("as saved", saved), (f"--extract {EXTRACT_RULE}", extracted))
        ),
    )


def endings_table(endings: Endings, scores: Rescored) -> Table:
    """Return the counts by cause, with the score at the best stop if there is one."""
    saved, best = scores.saved, scores.best
    has_stop = best.stop is not None
    rows: list[tuple[Cell, ...]] = [
        (
            cause,
            len(ids),
            share(len(ids), endings.n_answered),
            mean_f1(saved, ids),
            *((mean_f1(best, ids),) if has_stop else ()),
            ids[0] if ids else None,
        )
        for cause, ids in endings.ids_of.items()
    ]
    cut = (f"F1 cut at {describe_stop(best.stop)} %",) if has_stop else ()
    return Table(
        title="How texts ended",
        headings=("cause", "texts", "share %", "F1 as saved %", *cut, "for example"),
        rows=tuple(rows),
        note="; ".join(
            (
                *(f"{cause}: {meaning}" for cause, meaning in CAUSES.items()),
                "a text can have several causes",
            )
        ),
    )


def mean_f1(row: Recut, question_ids: Sequence[str]) -> float | None:
    """Return the mean F1 of some questions, or None if there are none."""
    if not question_ids:
        return None
    return sum_in_order(map(row.f1_of.__getitem__, question_ids)) / len(question_ids)


def length_table(run: Subject, saved: Recut, metric: Metric) -> Table:
    """Return F1 by text length: it falls steeply if long texts mislead the scorer."""
    rows = sorted(
        (
            len(generated_text(prediction)),
            saved.f1_of[question.question_id],
            _unit(question, metric),
        )
        for question, prediction in run.answered()
    )
    fifth = max(1, -(-len(rows) // 5))
    parts = [rows[start : start + fifth] for start in range(0, len(rows), fifth)]
    return Table(
        title="Score by text length",
        headings=("characters", "texts", "F1 %", "from %", "to %"),
        rows=tuple(
            (
                f"{part[0][0]:,} – {part[-1][0]:,}",
                len(part),
                sum_in_order(f1 for _, f1, _ in part) / len(part),
                *_interval_bounds(part, f"{metric.name}.f1@{number}"),
            )
            for number, part in enumerate(parts)
        ),
        note=f"from, to: the {_RESAMPLING.level:.0%} interval, from {_RESAMPLING.resamples:,} "
        "resamples",
    )


def _unit(question: Question, metric: Metric) -> str:
    return (passage_unit if metric.unit == "passage" else question_unit)(question)


def _interval_bounds(
    part: Sequence[tuple[int, float, str]], name: str
) -> tuple[float | None, float | None]:
    """Return the interval of a part's mean F1, computed as for any other score."""
    scores = [
        Score(question_id=str(index), values={"f1": f1}, unit_id=unit)
        for index, (_, f1, unit) in enumerate(part)
    ]
    (pool,) = mean_pools({"f1": name}, scores, Submission(predictions={}))
    bounds = interval(pool, _RESAMPLING)
    return bounds.low, bounds.high
