"""Summarize scores: combine a value with its interval, counts and signature."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any

from closeread.metrics.intervals import FEW_UNITS, Interval, Resampling, interval, value
from closeread.metrics.settings import format_exactly
from closeread.protocols import Metric, Pool
from closeread.types import ROLES, Prediction, Score, Submission, Summary, Unit

_TOO_NARROW = f"fewer than {FEW_UNITS} passages: the interval is probably too narrow"


def summarize(
    metric: Metric,
    scores: Iterable[Score],
    submission: Submission,
    resampling: Resampling | None,
    n_questions: int | None = None,
) -> tuple[Summary, ...]:
    """Return one summary for each of a metric's named values.

    Args:
        metric: Pools the scores.
        scores: One for each question that the metric applies to, in the data set's order.
        submission: The predictions.
        resampling: The settings of intervals; None for no intervals (numpy is then not imported).
        n_questions: The number of questions in the data set; None if the metric applies to all.
    """
    return describe_pools(metric, metric.pool(scores, submission), resampling, n_questions)


def describe_pools(
    metric: Metric,
    pools: Iterable[Pool],
    resampling: Resampling | None,
    n_questions: int | None = None,
) -> tuple[Summary, ...]:
    """Return the summaries of a metric's pools, as ``summarize`` does."""
    if n_questions is not None:
        pools = [replace(pool, n_questions=n_questions) for pool in pools]
    return tuple(describe_pool(pool, metric.signature(), metric.unit, resampling) for pool in pools)


def describe_pool(pool: Pool, signature: str, unit: Unit, resampling: Resampling | None) -> Summary:
    """Return the summary of one pool.

    The signature is the metric's, under the value's full name, then ``n`` (questions in the data
    set) and, last, ``ci`` (the settings of the interval); see ``comparable_signature``.
    """
    bounds = interval(pool, resampling) if resampling is not None else None
    settings = signature.partition("|")[2]
    parts = [pool.metric, settings, f"n:{pool.n_questions}", interval_settings(bounds, resampling)]
    number = value(pool)
    notes = [pool.note, bounds.note if bounds is not None else ""]
    if bounds is not None and bounds.method in ("percentile", "farther"):
        if unit == "question":
            notes.append(_grouping_note(pool))
        elif unit == "passage" and len(pool.unit_ids) < FEW_UNITS:
            notes.append(_TOO_NARROW)
    if number is None and bounds is None:
        notes.append("no question was scored")
    return Summary(
        metric=pool.metric,
        signature="|".join(part for part in parts if part),
        value=number,
        unit=unit,
        low=bounds.low if bounds is not None else None,
        high=bounds.high if bounds is not None else None,
        n_questions=pool.n_questions,
        n_scored=pool.n_scored,
        n_answered=pool.n_answered,
        n_failed=pool.n_failed,
        note="; ".join(note for note in notes if note),
    )


def _grouping_note(pool: Pool) -> str:
    """Return a note with the number of resampled units if these are fewer than the questions."""
    ids = pool.unit_ids if pool.statistic is None else set(pool.unit_ids)
    if len(ids) >= pool.n_scored:
        return ""
    return f"resampled in {len(ids):,} groups: options and variants of one question stay together"


def comparable_signature(signature: str) -> str:
    """Return the part of a signature that two comparable values share: all but the interval's."""
    return "|".join(part for part in signature.split("|") if not part.startswith("ci:"))


def summarize_breakdowns(
    metric: Metric,
    scored: Iterable[tuple[Mapping[str, str], Score]],
    submission: Submission,
    resampling: Resampling | None,
    *,
    tags: Sequence[str],
    sizes: Mapping[tuple[str, str], int],
) -> dict[str, dict[str, dict[str, Summary]]]:
    """Return summaries by tag: tag to tag value to metric name to summary.

    Args:
        metric: Pools the scores of each subset.
        scored: Each question's tags with its score.
        submission: The predictions; a subset sees only those of its own questions.
        resampling: The settings of intervals; None for no intervals.
        tags: The tags to break down by.
        sizes: Tag and tag value to the number of questions in the data set that have it.
    """
    groups: dict[str, dict[str, list[Score]]] = {}
    for question_tags, score in scored:
        for tag, kind in question_tags.items():
            if tag in tags:
                groups.setdefault(tag, {}).setdefault(kind, []).append(score)
    rows = rows_by_id(submission)
    return {
        tag: {
            kind: {
                summary.metric: summary
                for summary in summarize(
                    metric,
                    members,
                    restrict_submission(submission, members, rows),
                    resampling,
                    sizes[tag, kind],
                )
            }
            for kind, members in sorted(kinds.items(), key=lambda group: _tag_order(group[0]))
        }
        for tag, kinds in groups.items()
    }


def _tag_order(value: str) -> tuple[int, str]:
    """Return the sort key of a tag's value: roles in the order of a triple, others by letters."""
    roles: Sequence[str] = ROLES
    return (roles.index(value) if value in roles else len(roles)), value


RowsById = Mapping[str, Sequence[tuple[int, tuple[str, Any]]]]


def rows_by_id(submission: Submission) -> RowsById:
    """Return a submission's rows by question id, each with its position in the file."""
    rows: dict[str, list[tuple[int, tuple[str, Any]]]] = {}
    for position, row in enumerate(submission.rows):
        rows.setdefault(row[0], []).append((position, row))
    return rows


def restrict_submission(
    submission: Submission, scores: Sequence[Score], by_id: RowsById
) -> Submission:
    """Return the part of a submission that concerns the scored questions or their units.

    The cost grows with the part, not with the whole: there may be thousands of parts.

    Args:
        submission: The whole submission.
        scores: The scores of the part's questions.
        by_id: ``rows_by_id(submission)``.
    """
    question_ids = dict.fromkeys(score.question_id for score in scores)
    units = question_ids | dict.fromkeys(score.unit_id for score in scores)
    rows = sorted((row for name in units for row in by_id.get(name, ())), key=itemgetter(0))
    return Submission(
        predictions=_SelectedPredictions(submission.predictions, question_ids),
        rows=tuple(row for _, row in rows),
        extras=submission.extras,
        whole=submission,
    )


class _SelectedPredictions(Mapping[str, Prediction]):
    """The predictions for some questions, looked up on access."""

    def __init__(self, whole: Mapping[str, Prediction], names: Collection[str]) -> None:
        self._whole = whole
        self._names = names

    def __getitem__(self, name: str) -> Prediction:
        if name not in self._names:
            raise KeyError(name)
        return self._whole[name]

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._names if name in self._whole)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def interval_settings(bounds: Interval | None, resampling: Resampling | None) -> str:
    """Return the settings of an interval as they end a signature; "" for no interval."""
    if bounds is None or resampling is None or bounds.method == "none":
        return ""
    if bounds.method == "exact":
        return f"ci:exact,{format_exactly(resampling.level)}"
    resampling_settings = (
        f"{format_exactly(resampling.level)},{resampling.resamples},seed={resampling.seed}"
    )
    return f"ci:{bounds.method},{resampling_settings}"
