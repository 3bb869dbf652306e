"""Scores to pools: the sums over units from which every value and interval is made."""

import math
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from closeread.protocols import Pool
from closeread.types import Answer, Evidence, Prediction, Question, Score, Submission

# Counted up where other questions count as scored, answered or failed, so that who verifies older
# numbers is told that they are older.
VERSION = 4

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
        last_of_id: Of questions with one id, whose own unit they are, only the last counts.
    """
    find = submission.predictions.get
    columns: list[tuple[str, list[str], array[float], bytearray]] = [
        (key, [], array("d"), bytearray()) for key in names
    ]
    n_questions = 0
    failures: list[str] = []
    for score in scores:  # one pass that keeps numbers only: a large file's scores are a stream
        n_questions += 1
        failed, answered = _outcome(find(score.question_id), by_evidence)
        if failed:
            failures.append(score.question_id)
        for key, unit_ids, numerators, answers in columns:
            found = score.values.get(key)
            if found is not None:
                unit_ids.append(score.unit_id or score.question_id)
                numerators.append(found)
                answers.append(answered)
    pools = []
    for key, unit_ids, numerators, answers in columns:
        grouped = _group(unit_ids, numerators, last_of_id=last_of_id)
        n_scored = sum(grouped[2])
        n_repeated = len(numerators) - n_scored
        # What was handed in is known by id, and so it is alike for all questions of one.
        counted = dict(zip(unit_ids, answers, strict=True)).values() if n_repeated else answers
        pools.append(
            Pool(
                metric=names[key],
                unit_ids=grouped[0],
                numerators=grouped[1],
                denominators=grouped[2],
                n_questions=n_questions,
                n_scored=n_scored,
                n_answered=sum(counted),
                n_failed=len(set(failures) if last_of_id else failures),
                note=note or told_of_repeats(n_repeated),
            )
        )
    return tuple(pools)


def passage_unit(question: Question) -> str:
    """Return the id of the passage that a question is about, as what intervals resample.

    A passage that was changed for a variant (``attack``) has the original's id before the
    variant's own, which ends in its role, also where a form has lost that. It is no passage of its
    own: who reads the one rightly mostly reads the other so.
    """
    if not question.question_id.endswith(("#positive", "#negative")):
        return question.passage_id
    return question.passage_id.removesuffix(f"#{question.question_id}")


def told_of_repeats(n_repeated: int) -> str:
    """Return the note of a scorer whose program keeps one question an id; empty without any."""
    if not n_repeated:
        return ""
    return (
        f"ids that come again: {n_repeated:,}; of each id the last question counts, as in the "
        "official program"
    )


def _group(
    unit_ids: list[str], numbers: Sequence[float], *, last_of_id: bool
) -> tuple[Sequence[str], Sequence[float], Sequence[int]]:
    """Sum what belongs to one unit; most metrics have one question a unit and nothing to do."""
    if _all_differ(unit_ids):
        return unit_ids, numbers, [1] * len(numbers)
    if last_of_id:
        kept = dict(zip(unit_ids, numbers, strict=True))
        return list(kept), list(kept.values()), [1] * len(kept)
    members: dict[str, list[float]] = {}
    for unit, number in zip(unit_ids, numbers, strict=True):
        members.setdefault(unit, []).append(number)
    sums = [math.fsum(found) for found in members.values()]
    return list(members), sums, [len(found) for found in members.values()]


def _all_differ(ids: list[str]) -> bool:
    """Whether no id comes twice; many are sorted, which takes a sixth of the memory of a set."""
    if len(ids) < _MANY:
        return len(set(ids)) == len(ids)
    ordered = sorted(ids)
    return all(one != other for one, other in pairwise(ordered))


def counts(
    scores: Sequence[Score],
    submission: Submission,
    *,
    scored: Sequence[Score] | None = None,
    by_evidence: bool = False,
) -> tuple[int, int]:
    """Return how many of the scored questions were answered, and at how many the reader failed.

    Args:
        scores: Of all questions; a failure counts whether or not the value is over its question.
        submission: What was handed in.
        scored: Of the questions that the value is over; by default all.
        by_evidence: Evidence is what is judged, and evidence alone answers, too.
    """

    def outcomes(of: Sequence[Score]) -> Iterator[tuple[bool, bool]]:
        return (_outcome(submission.predictions.get(one.question_id), by_evidence) for one in of)

    n_answered = sum(answered for _, answered in outcomes(scores if scored is None else scored))
    return n_answered, sum(failed for failed, _ in outcomes(scores))


def without_texts(prediction: Prediction) -> Prediction:
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
