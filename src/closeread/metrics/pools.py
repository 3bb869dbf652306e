"""Scores to pools: the sums over units from which every value and interval is made."""

import math
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import compress, pairwise
from typing import TypedDict

from closeread.protocols import Pool
from closeread.types import Answer, Evidence, Prediction, Score, Submission

# Counted up where other questions count as scored, answered or failed, or their notes say something
# else, so that who verifies older numbers is told that they are older.
VERSION = 8

_MANY = 100_000
_SOME, _ANY = Evidence(), Answer(kind="none")


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

    Who answered is counted among these, who failed among all.

    Args:
        names: The key in ``Score.values`` to the full dotted name, in the order of printing.
        scores: One a question; a value that is None or absent counts in neither sum.
        submission: What was handed in; tells which questions were answered and which failed.
        note: Goes into every pool.
        by_evidence: Evidence alone answers, too.
        last_of_id: Of questions with one id only the last counts.
    """
    find = submission.predictions.get
    units: list[str] = []
    ids: list[str] = []
    columns = [(key, array("d"), bytearray(), bytearray()) for key in names]
    failures: list[str] = []
    for score in scores:  # one pass that keeps numbers only: a large file's scores are a stream
        failed, answered = _outcome(find(score.question_id), by_evidence)
        if failed:
            failures.append(score.question_id)
        unit = score.unit_id or score.question_id
        units.append(unit)
        if last_of_id:  # of equal texts one alone is kept in memory
            ids.append(unit if unit == score.question_id else score.question_id)
        for key, numbers, answers, has in columns:
            found = score.values.get(key)
            has.append(found is not None)
            if found is not None:
                numbers.append(found)
                answers.append(answered)
    pools = []
    for key, every_number, every_answer, has in columns:
        unit_ids, numbers, answers = _having(units, has), every_number, every_answer
        if last_of_id and not _all_differ(own := _having(ids, has)):
            last = list(dict(zip(own, range(len(own)), strict=True)).values())
            unit_ids = [unit_ids[place] for place in last]
            numbers = array("d", (numbers[place] for place in last))
            answers = bytearray(answers[place] for place in last)
        ones = array("B", b"\1") * len(numbers)
        grouped, (numerators, denominators) = sum_by_unit(unit_ids, numbers, ones)
        pools.append(
            Pool(
                metric=names[key],
                unit_ids=grouped,
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


def _having(texts: list[str], has: bytearray) -> list[str]:
    """Return the texts of the questions that have a value: the very list where all have."""
    return texts if all(has) else list(compress(texts, has))


def count_notes(scores: Iterable[Score], notes: Counter[str]) -> Iterator[Score]:
    """Yield the scores as they are, and count their notes while they pass by."""
    for score in scores:
        notes[score.note] += 1
        yield score


def describe_repeated_ids(n_repeated: int) -> str:
    """Return the note of a scorer whose program keeps one question an id; empty without any."""
    if not n_repeated:
        return ""
    return (
        f"repeated question ids: {n_repeated:,}; the last question of each id counts, as in the "
        "official program"
    )


def sum_by_unit(
    unit_ids: Sequence[str], *columns: Sequence[float]
) -> tuple[Sequence[str], list[Sequence[float]]]:
    """Return each unit once, and of each column the sum of what belongs to it.

    Most sets have one question a unit, and there is nothing to do.

    Args:
        unit_ids: What each question belongs to (``units``).
        columns: Numbers a question.
    """
    if _all_differ(unit_ids):
        return unit_ids, list(columns)
    summed: list[Sequence[float]] = []
    for numbers in columns:
        members: dict[str, list[float]] = {}
        for unit, number in zip(unit_ids, numbers, strict=True):
            members.setdefault(unit, []).append(number)
        summed.append([math.fsum(found) for found in members.values()])
    return list(dict.fromkeys(unit_ids)), summed


def _all_differ(ids: Sequence[str]) -> bool:
    """Whether no id comes twice; many are sorted, which takes a sixth of the memory of a set."""
    if len(ids) < _MANY:
        return len(set(ids)) == len(ids)
    ordered = sorted(ids)
    return all(one != other for one, other in pairwise(ordered))


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
    """Return of how many questions a pool is, how many of them were answered, and what failed.

    Args:
        scores: Of all questions; a failure counts whether or not the value is over its question.
        submission: What was handed in.
        scored: Of the questions that the value is over; by default all.
        by_evidence: Evidence is what is judged, and evidence alone answers, too.
    """

    def outcomes(of: Sequence[Score]) -> Iterator[tuple[bool, bool]]:
        return (_outcome(submission.predictions.get(one.question_id), by_evidence) for one in of)

    kept = scores if scored is None else scored
    return Counts(
        n_questions=len(scores),
        n_scored=len(kept),
        n_answered=sum(answered for _, answered in outcomes(kept)),
        n_failed=sum(failed for failed, _ in outcomes(scores)),
    )


def strip_texts(prediction: Prediction) -> Prediction:
    """Return as much of a prediction as ``counts`` asks for: many can be held at once."""
    return Prediction(
        question_id=prediction.question_id,
        answer=_ANY if prediction.answer is not None else None,
        option_scores=prediction.option_scores[:1],
        evidence=(_SOME,) if prediction.evidence else (),
        error=prediction.error,
    )


def _outcome(prediction: Prediction | None, by_evidence: bool) -> tuple[bool, bool]:
    """Whether the reader failed, and whether it answered; neither where nothing was handed in."""
    if prediction is None:
        return False, False
    if prediction.error:
        return True, False
    said = prediction.answer is not None or bool(prediction.option_scores)
    return False, said or (by_evidence and bool(prediction.evidence))
