"""Scores to pools: the sums over units from which every value and interval is made."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from closeread.protocols import Pool
from closeread.types import Score, Submission


def mean_pools(
    names: Mapping[str, str], scores: Iterable[Score], submission: Submission, *, note: str = ""
) -> tuple[Pool, ...]:
    """Return one pool for each value: its mean over the questions that have it.

    Args:
        names: The key in ``Score.values`` to the full dotted name, in the order of printing.
        scores: One a question; a value that is None or absent counts in neither sum.
        submission: What was handed in; tells which questions were answered and which failed.
        note: Goes into every pool.
    """
    scores = scores if isinstance(scores, Sequence) else list(scores)
    n_answered, n_failed = counts(scores, submission)
    pools = []
    for key, name in names.items():
        kept = [score for score in scores if score.values.get(key) is not None]
        unit_ids = [score.unit_id or score.question_id for score in kept]
        numerators = [score.values[key] for score in kept]
        grouped = _group(unit_ids, cast("list[float]", numerators))
        pools.append(
            Pool(
                metric=name,
                unit_ids=grouped[0],
                numerators=grouped[1],
                denominators=grouped[2],
                n_questions=len(scores),
                n_scored=len(kept),
                n_answered=n_answered,
                n_failed=n_failed,
                note=note,
            )
        )
    return tuple(pools)


def _group(
    unit_ids: list[str], numbers: list[float]
) -> tuple[Sequence[str], Sequence[float], Sequence[float]]:
    """Sum what belongs to one unit; most metrics have one question a unit and nothing to do."""
    if len(set(unit_ids)) == len(unit_ids):
        return unit_ids, numbers, [1] * len(numbers)
    members: dict[str, list[float]] = {}
    for unit, number in zip(unit_ids, numbers, strict=True):
        members.setdefault(unit, []).append(number)
    sums = [math.fsum(found) for found in members.values()]
    return list(members), sums, [len(found) for found in members.values()]


def counts(scores: Sequence[Score], submission: Submission) -> tuple[int, int]:
    """Return how many of the scored questions were answered, and at how many the reader failed."""
    answered = failed = 0
    for score in scores:
        prediction = submission.predictions.get(score.question_id)
        if prediction is None:
            continue
        if prediction.error:
            failed += 1
        elif prediction.answer is not None or prediction.option_scores:
            answered += 1
    return answered, failed
