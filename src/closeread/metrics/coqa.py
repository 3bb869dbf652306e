"""CoQA: exact match and F1 over words, leaving out one reference at a time.

Follows ``evaluate-v1.0.py``, CoQA's official program, checked on our own stories
(``tests/golden/conversations``).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from closeread.metrics.matching.leave_one_out import mean_of_best
from closeread.metrics.matching.overlap import exact_and_f1
from closeread.metrics.matching.references import predicted_text, references
from closeread.metrics.pools import mean_pools
from closeread.metrics.units import passage_unit
from closeread.protocols import Pool
from closeread.text.normalize import squad_words
from closeread.types import Prediction, Question, Score, Submission, Unit

_NO_ANSWER = "unknown"  # how the data set marks an unanswerable question


@dataclass(frozen=True)
class Coqa:
    """The metric; the questions of one conversation are resampled together."""

    name: str = "coqa"
    unit: Unit = "passage"

    def signature(self) -> str:
        """Return the settings that two numbers must share."""
        return "coqa|norm:squad|references:leave-one-out|missing:zero|v:1"

    def score(self, question: Question, prediction: Prediction | None) -> Score:
        """Return ``em`` and ``f1``.

        Raises:
            CloseReadError: The question has no reference.
        """
        golds = references(question, self.name)
        text = answer_text(prediction, _NO_ANSWER)
        exact, f1 = (0.0, 0.0) if text is None else score_text(text, golds)
        return Score(
            question_id=question.question_id,
            values={"em": exact, "f1": f1},
            unit_id=passage_unit(question),
        )

    def pool(self, scores: Iterable[Score], submission: Submission) -> tuple[Pool, ...]:
        """Return the pools of exact match and F1."""
        return mean_pools({"em": "coqa.em", "f1": "coqa.f1"}, scores, submission)


def metric() -> Coqa:
    """Return the metric; it has no options."""
    return Coqa()


def answer_text(prediction: Prediction | None, no_answer: str) -> str | None:
    """Return a prediction's text, or ``no_answer`` if it predicts that there is no answer.

    None means that there is nothing to compare.
    """
    answer = prediction.answer if prediction is not None else None
    return no_answer if answer is not None and answer.kind == "none" else predicted_text(prediction)


def score_text(prediction: str, golds: Sequence[str]) -> tuple[float, float]:
    """Return exact match and F1 of one string.

    Two strings that both normalise to nothing match exactly and have an F1 of 1.
    """
    words = squad_words(prediction)
    pairs = [exact_and_f1(words, (squad_words(gold),), both_empty=1.0) for gold in golds]
    exact, f1 = zip(*pairs, strict=True)
    return mean_of_best(exact), mean_of_best(f1)
