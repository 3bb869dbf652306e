"""Scores to summaries: the value, its interval, its counts and its signature, joined."""

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
        scores: One for each question that the metric is about, in the data set's order.
        submission: What was handed in.
        resampling: How intervals are made; None for none (then numpy is not even imported).
        n_questions: How many questions the data set has; None where there are no others.
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
    set) and, last, ``ci`` (how the interval was made); see ``comparable_signature``.
    """
    found = interval(pool, resampling) if resampling is not None else None
    settings = signature.partition("|")[2]
    parts = [pool.metric, settings, f"n:{pool.n_questions}", interval_settings(found, resampling)]
    number = value(pool)
    notes = [pool.note, found.note if found is not None else ""]
    if found is not None and found.method in ("percentile", "farther"):
        if unit == "question":
            notes.append(_together(pool))
        elif unit == "passage" and len(pool.unit_ids) < FEW_UNITS:
            notes.append(_TOO_NARROW)
    if number is None and found is None:
        notes.append("no question was scored")
    return Summary(
        metric=pool.metric,
        signature="|".join(part for part in parts if part),
        value=number,
        unit=unit,
        low=found.low if found is not None else None,
        high=found.high if found is not None else None,
        n_questions=pool.n_questions,
        n_scored=pool.n_scored,
        n_answered=pool.n_answered,
        n_failed=pool.n_failed,
        note="; ".join(note for note in notes if note),
    )


def _together(pool: Pool) -> str:
    """Say as how many units the questions were resampled, where these are fewer than questions."""
    ids = pool.unit_ids if pool.statistic is None else set(pool.unit_ids)
    if len(ids) >= pool.n_scored:
        return ""
    return f"resampled in {len(ids):,} groups: options and variants of one question stay together"


def comparable_signature(signature: str) -> str:
    """Return what two values' signatures must share to be compared: all but the interval's."""
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
    """Return the summaries of every subset that a tag makes: tag, its value, metric name.

    Args:
        metric: Pools the scores of each subset.
        scored: Each question's tags with its score.
        submission: What was handed in; each subset sees its own questions' part.
        resampling: How intervals are made; None for none.
        tags: Which tags.
        sizes: Tag and value to the number of the data set's questions that have it.
    """
    groups: dict[str, dict[str, list[Score]]] = {}
    for found, score in scored:
        for tag, kind in found.items():
            if tag in tags:
                groups.setdefault(tag, {}).setdefault(kind, []).append(score)
    placed = rows_by_id(submission)
    return {
        tag: {
            kind: {
                summary.metric: summary
                for summary in summarize(
                    metric,
                    members,
                    restrict_submission(submission, members, placed),
                    resampling,
                    sizes[tag, kind],
                )
            }
            for kind, members in sorted(kinds.items(), key=lambda of: _place(of[0]))
        }
        for tag, kinds in groups.items()
    }


def _place(value: str) -> tuple[int, str]:
    """Return what puts a tag's values in order: roles as a triple has them, others by letters."""
    roles: Sequence[str] = ROLES
    return (roles.index(value) if value in roles else len(roles)), value


Placed = Mapping[str, Sequence[tuple[int, tuple[str, Any]]]]


def rows_by_id(submission: Submission) -> Placed:
    """Return the rows that were handed in by their ids, each with its place in the file."""
    placed: dict[str, list[tuple[int, tuple[str, Any]]]] = {}
    for place, row in enumerate(submission.rows):
        placed.setdefault(row[0], []).append((place, row))
    return placed


def restrict_submission(
    submission: Submission, scores: Sequence[Score], placed: Placed
) -> Submission:
    """Return the part of a submission that is about the scored questions or their units.

    What it costs grows with the part, not with the whole: there may be thousands of parts.

    Args:
        submission: The whole.
        scores: Of the part's questions.
        placed: ``rows_by_id(submission)``.
    """
    wanted = dict.fromkeys(score.question_id for score in scores)
    units = wanted | dict.fromkeys(score.unit_id for score in scores)
    rows = sorted((one for name in units for one in placed.get(name, ())), key=itemgetter(0))
    return Submission(
        predictions=_Part(submission.predictions, wanted),
        rows=tuple(row for _, row in rows),
        extras=submission.extras,
        whole=submission,
    )


class _Part(Mapping[str, Prediction]):
    """The predictions for some questions, looked up when they are asked for."""

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


def interval_settings(found: Interval | None, resampling: Resampling | None) -> str:
    """Return how an interval was made, as signatures end; empty where there is none."""
    if found is None or resampling is None or found.method == "none":
        return ""
    if found.method == "exact":
        return f"ci:exact,{format_exactly(resampling.level)}"
    made = f"{format_exactly(resampling.level)},{resampling.resamples},seed={resampling.seed}"
    return f"ci:{found.method},{made}"
