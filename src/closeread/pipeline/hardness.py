"""Measure how hard questions are for a reader, which sees no gold, as in every run."""

from collections.abc import Sequence

from closeread.errors import UsageError
from closeread.metrics.attack import correctness
from closeread.protocols import Reader
from closeread.runs.answers import predict_batch
from closeread.runs.plan import plan_batches
from closeread.runs.predict import batch_size_of
from closeread.types import PassageQuestion, Prediction, Question
from closeread.wording import count_of

_TIE = 1e-3  # weight of the confidence relative to correctness


class Hardness:
    """Runs a reader and returns the hardness of each question: 0 for easy, 1 for answered wrong.

    If the reader gives probabilities, a wrong answer is harder with a higher confidence, and a
    right answer with a lower one. A failure counts as a wrong answer, as in every run.

    Attributes:
        n_read: Number of questions that the reader read.
        n_failed: Number of questions on which the reader failed.
    """

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self.n_read = self.n_failed = 0

    def __call__(self, questions: Sequence[PassageQuestion]) -> list[float]:
        """Return one number per question; their ids must differ.

        Raises:
            UsageError: The reader failed on all questions so far.
        """
        predictions: dict[str, Prediction] = {}
        items = ((passage, (question,)) for passage, question in questions)
        for batch in plan_batches(items, batch_size_of(self._reader)):
            for prediction in predict_batch(self._reader, batch):
                predictions[prediction.question_id] = prediction
        errors = [prediction.error for prediction in predictions.values() if prediction.error]
        self.n_read += len(questions)
        self.n_failed += len(errors)
        if errors and self.n_failed == self.n_read:
            raise UsageError(
                f"the reader failed on all of {count_of(self.n_read, 'question')}: {errors[0]}",
                expected="a reader that answers",
                cure="test it first with `closeread read --limit 10`",
            )
        return [_hardness(question, predictions[question.question_id]) for _, question in questions]


def _hardness(question: Question, prediction: Prediction) -> float:
    is_right = bool(correctness(question, prediction))
    confidence = prediction.confidence
    if confidence is None or not 0.0 <= confidence <= 1.0:
        return float(not is_right)
    return _TIE * (1.0 - confidence) if is_right else 1.0 + _TIE * confidence
