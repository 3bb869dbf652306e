"""Score questions with options: the share whose picked label is a gold one."""

from collections.abc import Iterable
from dataclasses import dataclass

from closeread.errors import PredictionError
from closeread.metrics.pools import mean_pools
from closeread.metrics.units import question_unit
from closeread.protocols import Pool
from closeread.types import Prediction, Question, Score, Submission, Unit
from closeread.wording import count_of


@dataclass(frozen=True)
class Choice:
    """The metric: ``choice.accuracy``."""

    name: str = "choice"
    unit: Unit = "question"

    def signature(self) -> str:
        """Return the settings; a missing prediction counts as wrong."""
        return "choice|pick:label-else-scores|missing:zero|v:1"

    def score(self, question: Question, prediction: Prediction | None) -> Score:
        """Return ``accuracy``: 1.0, 0.0, or None for a question without gold."""
        gold = {answer.label for answer in question.answers if answer.label}
        label = picked_label(question, prediction)
        right = float(label in gold) if gold else None
        return Score(
            question_id=question.question_id,
            values={"accuracy": right},
            unit_id=question_unit(question),
            note="" if label is None else f"picked {label}",
        )

    def pool(self, scores: Iterable[Score], submission: Submission) -> tuple[Pool, ...]:
        """Return ``choice.accuracy``."""
        return mean_pools({"accuracy": "choice.accuracy"}, scores, submission)


def metric() -> Choice:
    """Return the metric under its official name."""
    return Choice()


def picked_label(question: Question, prediction: Prediction | None) -> str | None:
    """Return the label of the option that a prediction picks; None if it picks none.

    The answer's label decides; without one, the option whose text or label is the answer's text.
    Without an answer but with a score for every option (how well the passage supports it), the
    option with the highest score is picked, or with the lowest if the stem asks for the
    contradicted one; the first of equal ones (VGaokao's ``calculate_mc_acc.py``).

    Raises:
        PredictionError: The number of scores is not the number of options.
    """
    if prediction is None:
        return None
    if prediction.answer is not None:
        if prediction.answer.label:
            return prediction.answer.label
        texts = [text.strip() for text in prediction.answer.texts]
        for option in question.options:
            if option.text.strip() in texts or option.label in texts:
                return option.label
        return None
    scores = option_scores(question, prediction)
    if not scores:
        return None
    best = min(scores) if question.asks_for == "contradicted" else max(scores)
    return question.options[scores.index(best)].label


def option_scores(question: Question, prediction: Prediction) -> tuple[float, ...]:
    """Return a prediction's option scores: none, or one per option.

    Raises:
        PredictionError: The number of scores is not the number of options.
    """
    scores = prediction.option_scores
    if scores and len(scores) != len(question.options):
        raise PredictionError(
            f"{count_of(len(scores), 'score')} for {count_of(len(question.options), 'option')}",
            where=f"prediction for question {question.question_id}",
            expected="one score per option, in the order of the options",
        )
    return scores
