"""Score single options: the share that is correctly judged as supported or not."""

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
        """Return ``right`` and ``known``: the number of options judged rightly, and of all options.

        Options of unknown truth count in neither; both are None if there is no other option.
        """
        judged = judge_options(question, prediction)
        known = [
            (truth, judgement)
            for truth, judgement in zip(question.option_truth, judged, strict=False)
            if truth is not None
        ]
        right = sum(truth == judgement for truth, judgement in known)
        values: dict[str, float | None] = {"right": float(right), "known": float(len(known))}
        if not known:
            values = {"right": None, "known": None}
        note = ""
        if any(judgement is not None for judgement in judged) and not _has_probabilities(
            prediction
        ):
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
        scored = [score for score in scores if score.values["known"]]
        n_questions = count_questions(scores, submission, scored=scored)
        unit_ids, (right, known) = sum_by_unit(
            [score.unit_id or score.question_id for score in scored],
            [score.values["right"] or 0.0 for score in scored],
            [score.values["known"] or 0.0 for score in scored],
        )
        pool = Pool(
            metric="option.accuracy",
            unit_ids=unit_ids,
            numerators=right,
            denominators=known,
            **n_questions,
            note=_note(scored),
        )
        return (pool,)


def metric() -> Option:
    """Return the metric under its official name."""
    return Option()


def judge_options(question: Question, prediction: Prediction | None) -> tuple[bool | None, ...]:
    """Return how a prediction judges each option: true, false, or None if it does not say.

    Option scores that are probabilities that the passage supports the option decide: above 0.5 is
    true, below it false, and exactly 0.5 neither, hence always wrong (VGaokao's
    ``calculate_mc_acc.py``). Without them the picked option decides: it alone is true if the stem
    asks for the supported one, and it alone is false if the stem asks for the contradicted one. If
    the stem's polarity is unknown, every judgement is None. Scores that only rank the options, such
    as log-odds and sums, have no threshold: if the reader says so, or one of them lies below 0 or
    above 1, the picked option decides too.
    """
    nothing = (None,) * len(question.options)
    if prediction is None:
        return nothing
    scores = option_scores(question, prediction)
    if _has_probabilities(prediction):
        return tuple(None if score == 0.5 else score > 0.5 for score in scores)
    label = picked_label(question, prediction)
    if label is None or question.asks_for is None:
        return nothing
    supported = question.asks_for == "supported"
    return tuple((option.label == label) is supported for option in question.options)


def _has_probabilities(prediction: Prediction | None) -> bool:
    """Whether a prediction has option scores that can be probabilities."""
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
