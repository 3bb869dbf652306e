"""Pool scores: sum them by unit, which every value and interval is computed from."""

import math
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import compress, pairwise
from typing import TypedDict

from closeread.protocols import Pool
from closeread.types import Answer, Evidence, Prediction, Score, Submission

# Increased when other questions count as scored, answered or failed, or when a note changes, so
# that `verify` can distinguish numbers of an older version from wrong ones.
VERSION = 8

_LARGE = 100_000
_EMPTY_EVIDENCE, _EMPTY_ANSWER = Evidence(), Answer(kind="none")


def mean_pools(
    names: Mapping[str, str],
    scores: Iterable[Score],
    submission: Submission,
    *,
    note: str = "",
    by_evidence: bool = False,
    last_of_id: bool = False,
) -> tuple[Pool, ...]:
    """Return one pool for each value: its mean over the questions that have it.

    Answered questions are counted among these, failed ones among all.

    Args:
        names: The key in ``Score.values`` to the full dotted name, in the order of printing.
        scores: One per question; a value that is None or absent counts in neither sum.
        submission: The predictions; tells which questions were answered and which failed.
        note: The note of every pool.
        by_evidence: Evidence alone counts as an answer too.
        last_of_id: If an id is repeated, only its last question counts.
    """
    find = submission.predictions.get
    units: list[str] = []
    ids: list[str] = []
    columns = [(key, array("d"), bytearray(), bytearray()) for key in names]
    failures: list[str] = []
    for score in scores:  # one pass that keeps numbers only: scores of a large file are streamed
        failed, answered = _outcome(find(score.question_id), by_evidence)
        if failed:
            failures.append(score.question_id)
        unit = score.unit_id or score.question_id
        units.append(unit)
        if last_of_id:  # equal strings are kept in memory once
            ids.append(unit if unit == score.question_id else score.question_id)
        for key, numbers, answers, is_scored in columns:
            value = score.values.get(key)
            is_scored.append(value is not None)
            if value is not None:
                numbers.append(value)
                answers.append(answered)
    pools = []
    for key, every_number, every_answer, is_scored in columns:
        unit_ids, numbers, answers = _select(units, is_scored), every_number, every_answer
        if last_of_id and not _all_unique(scored_ids := _select(ids, is_scored)):
            last = list(dict(zip(scored_ids, range(len(scored_ids)), strict=True)).values())
            unit_ids = [unit_ids[index] for index in last]
            numbers = array("d", (numbers[index] for index in last))
            answers = bytearray(answers[index] for index in last)
        ones = array("B", b"\1") * len(numbers)
        distinct_units, (numerators, denominators) = sum_by_unit(unit_ids, numbers, ones)
        pools.append(
            Pool(
                metric=names[key],
                unit_ids=distinct_units,
                numerators=numerators,
                denominators=denominators,
                n_questions=len(units),
                n_scored=len(numbers),
                n_answered=sum(answers),
                n_failed=len(set(failures) if last_of_id else failures),
                note=note or describe_repeated_ids(len(every_number) - len(numbers)),
            )
        )
    return tuple(pools)


def _select(ids: list[str], is_scored: bytearray) -> list[str]:
    """Return the ids of the questions that have a value: the same list if all have one."""
    return ids if all(is_scored) else list(compress(ids, is_scored))


def count_notes(scores: Iterable[Score], notes: Counter[str]) -> Iterator[Score]:
    """Yield the scores unchanged, and count their notes in ``notes`` on the way."""
    for score in scores:
        notes[score.note] += 1
        yield score


def describe_repeated_ids(n_repeated: int) -> str:
    """Return the note of a scorer whose program keeps one question per id; "" for no repeats."""
    if not n_repeated:
        return ""
    return (
        f"repeated question ids: {n_repeated:,}; the last question of each id counts, as in the "
        "official program"
    )


def sum_by_unit(
    unit_ids: Sequence[str], *columns: Sequence[float]
) -> tuple[Sequence[str], list[Sequence[float]]]:
    """Return each unit once, and the sums of each column by unit.

    Most sets have one question per unit, so there is nothing to sum.

    Args:
        unit_ids: The unit of each question (``units``).
        columns: Sequences with one number per question.
    """
    if _all_unique(unit_ids):
        return unit_ids, list(columns)
    summed: list[Sequence[float]] = []
    for numbers in columns:
        members: dict[str, list[float]] = {}
        for unit, number in zip(unit_ids, numbers, strict=True):
            members.setdefault(unit, []).append(number)
        summed.append([math.fsum(of_unit) for of_unit in members.values()])
    return list(dict.fromkeys(unit_ids)), summed


def _all_unique(ids: Sequence[str]) -> bool:
    """Whether no id is repeated; sorting many ids takes a sixth of the memory of a set."""
    if len(ids) < _LARGE:
        return len(set(ids)) == len(ids)
    ordered = sorted(ids)
    return all(before != after for before, after in pairwise(ordered))


class Counts(TypedDict):
    """The counts of a ``Pool``."""

    n_questions: int
    n_scored: int
    n_answered: int
    n_failed: int


def count_questions(
    scores: Sequence[Score],
    submission: Submission,
    *,
    scored: Sequence[Score] | None = None,
    by_evidence: bool = False,
) -> Counts:
    """Count a pool's questions: all, scored, answered among the scored, and failed among all.

    Args:
        scores: Scores of all questions; a failure counts even if its question is not scored.
        submission: The predictions.
        scored: Scores of the questions that the value is computed over; all by default.
        by_evidence: Evidence is judged, so evidence alone counts as an answer too.
    """

    def outcomes(of: Sequence[Score]) -> Iterator[tuple[bool, bool]]:
        return (
            _outcome(submission.predictions.get(score.question_id), by_evidence) for score in of
        )

    counted = scores if scored is None else scored
    return Counts(
        n_questions=len(scores),
        n_scored=len(counted),
        n_answered=sum(answered for _, answered in outcomes(counted)),
        n_failed=sum(failed for failed, _ in outcomes(scores)),
    )


def strip_texts(prediction: Prediction) -> Prediction:
    """Return a prediction with only what ``count_questions`` needs, to save memory."""
    return Prediction(
        question_id=prediction.question_id,
        answer=_EMPTY_ANSWER if prediction.answer is not None else None,
        option_scores=prediction.option_scores[:1],
        evidence=(_EMPTY_EVIDENCE,) if prediction.evidence else (),
        error=prediction.error,
    )


def _outcome(prediction: Prediction | None, by_evidence: bool) -> tuple[bool, bool]:
    """Return whether the reader failed, and whether it answered; neither for no prediction."""
    if prediction is None:
        return False, False
    if prediction.error:
        return True, False
    has_answer = prediction.answer is not None or bool(prediction.option_scores)
    return False, has_answer or (by_evidence and bool(prediction.evidence))
