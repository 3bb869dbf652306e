"""Accuracy over single options: is each rightly held to be supported or not?"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from closeread.metrics.choice import option_scores, picked_label
from closeread.metrics.pools import count_questions, sum_by_unit
from closeread.metrics.units import question_unit
from closeread.protocols import Pool
from closeread.types import Prediction, Question, Score, Submission, Unit
from closeread.wording import count_of

_BY_PICK = "judged by the option picked"
_BY_RANK = f"option scores that only rank, {_BY_PICK}"


@dataclass(frozen=True)
class Option:
    """The metric: ``option.accuracy``. Options of one question are resampled together."""

    name: str = "option"
    unit: Unit = "question"

    def signature(self) -> str:
        """Return the settings; all options of a missing prediction count as wrong."""
        return "option|threshold:0.5|else:polarity|missing:zero|v:2"

    def score(self, question: Question, prediction: Prediction | None) -> Score:
        """Return ``right`` and ``known``: how many options were judged rightly, of how many.

        Options whose truth nobody knows count in neither; both are None where that is all of them.
        """
        judged = judge_options(question, prediction)
        known = [
            (gold, found)
            for gold, found in zip(question.option_truth, judged, strict=False)
            if gold is not None
        ]
        right = sum(gold == found for gold, found in known)
        values: dict[str, float | None] = {"right": float(right), "known": float(len(known))}
        if not known:
            values = {"right": None, "known": None}
        note = ""
        if any(one is not None for one in judged) and not _probable(prediction):
            note = _BY_RANK if prediction is not None and prediction.option_scores else _BY_PICK
        return Score(
            question_id=question.question_id,
            values=values,
            unit_id=question_unit(question),
            note=note,
        )

    def pool(self, scores: Iterable[Score], submission: Submission) -> tuple[Pool, ...]:
        """Return ``option.accuracy``: options judged rightly over all with known truth."""
        scores = list(scores)
        kept = [score for score in scores if score.values["known"]]
        many = count_questions(scores, submission, scored=kept)
        unit_ids, (right, known) = sum_by_unit(
            [score.unit_id or score.question_id for score in kept],
            [score.values["right"] or 0.0 for score in kept],
            [score.values["known"] or 0.0 for score in kept],
        )
        pool = Pool(
            metric="option.accuracy",
            unit_ids=unit_ids,
            numerators=right,
            denominators=known,
            **many,
            note=_note(kept),
        )
        return (pool,)


def metric() -> Option:
    """Return the metric under its official name."""
    return Option()


def judge_options(question: Question, prediction: Prediction | None) -> tuple[bool | None, ...]:
    """Return what a prediction holds each option to be; None where it does not say.

    With option scores (probabilities that the passage supports it): above 0.5 is true, below it
    false, and exactly 0.5 neither, hence always wrong (VGaokao's ``calculate_mc_acc.py``). Without
    them the picked option speaks for all: it alone is true where the stem asks for the supported
    one, it alone is false where the stem asks for the contradicted one. Where the stem's polarity
    is unknown, nothing follows. Scores that only rank the options, as log-odds and sums do, have no
    threshold: where the reader says so, or one lies below 0 or above 1, the pick speaks, too.
    """
    nothing = (None,) * len(question.options)
    if prediction is None:
        return nothing
    scores = option_scores(question, prediction)
    if _probable(prediction):
        return tuple(None if score == 0.5 else score > 0.5 for score in scores)
    label = picked_label(question, prediction)
    if label is None or question.asks_for is None:
        return nothing
    supported = question.asks_for == "supported"
    return tuple((option.label == label) is supported for option in question.options)


def _probable(prediction: Prediction | None) -> bool:
    """Whether there are scores that can be probabilities."""
    if prediction is None or prediction.scores_rank:
        return False
    scores = prediction.option_scores
    return bool(scores) and all(0 <= score <= 1 for score in scores)


def _note(scores: Iterable[Score]) -> str:
    """Return for how many questions the pick judged all options, and why their scores did not.

    Such a number is higher: a wrong pick among four options still judges two of them rightly.
    """
    notes = Counter(score.note for score in scores)
    parts = []
    if without := notes[_BY_PICK]:
        parts.append(f"{count_of(without, 'question')} without option scores, {_BY_PICK}")
    if ranked := notes[_BY_RANK]:
        parts.append(f"{count_of(ranked, 'question')} with {_BY_RANK}")
    return "; ".join(parts)
