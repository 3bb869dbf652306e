"""How hard questions are for a reader, which it is asked without gold, as in every run."""

from collections.abc import Sequence

from closeread import catalog
from closeread.protocols import Metric, Reader
from closeread.runs.answers import answers
from closeread.runs.plan import batches
from closeread.runs.predict import batch_size_of
from closeread.types import Passage, Prediction, Question

_TIE = 1e-3  # how much a reader's confidence counts, beside how wrong it is


class Hardness:
    """Asks a reader, and says of each question how hard it is: 0 is easy, 1 is answered wrong.

    Of two that are as wrong the harder is the one whose wrong answer is surer, or whose right
    answer less sure, where the reader tells a probability.
    """

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._metrics: dict[str, Metric] = {}

    def __call__(self, asked: Sequence[tuple[Passage, Question]]) -> list[float]:
        """Return one number a question; their ids must differ."""
        found: dict[str, Prediction] = {}
        items = ((passage, (question,)) for passage, question in asked)
        for batch in batches(items, batch_size_of(self._reader)):
            for prediction in answers(self._reader, batch):
                found[prediction.question_id] = prediction
        return [
            self._of(question, passage.language, found[question.question_id])
            for passage, question in asked
        ]

    def _of(self, question: Question, language: str, prediction: Prediction) -> float:
        family, value = _judged_by(question, language)
        if family not in self._metrics:
            self._metrics[family] = catalog.resolve("metric", family)()
        score = self._metrics[family].score(question, prediction).values.get(value)
        wrong = 1.0 - (score or 0.0)
        sure = prediction.confidence
        if sure is None or not 0.0 <= sure <= 1.0:
            return wrong
        return wrong + _TIE * (sure if wrong > 0.5 else 1.0 - sure)


def _judged_by(question: Question, language: str) -> tuple[str, str]:
    """Return a metric and its value that judge one question."""
    if question.options:
        return "choice", "accuracy"
    if question.kind == "discrete":
        return "drop", "f1"
    if any(answer.kind == "none" for answer in question.answers):
        return "squad2", "f1"
    return ("cmrc~mixed", "f1") if language == "zh" else ("squad", "f1")
