"""Walk once through the gold: count every question and score it by the metrics that apply."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from closeread.metrics.subject import applies_to
from closeread.protocols import Metric
from closeread.types import Dataset, Question, Score, Submission


@dataclass
class Walked:
    """Counts of a walk through the gold: the questions and, if ``tagged``, their tags.

    Attributes:
        sizes: Tag and value to the number of questions.
    """

    tagged: bool = False
    n_questions: int = 0
    tags: dict[str, dict[str, str]] = field(default_factory=dict)
    sizes: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, question: Question) -> None:
        """Count one question."""
        self.n_questions += 1
        if self.tagged:
            tags = self.tags[question.question_id] = tags_of(question)
            self.sizes.update(tags.items())


def score_rows(
    dataset: Dataset,
    submission: Submission,
    metrics: Mapping[str, Metric],
    limit: int | None = None,
    walked: Walked | None = None,
) -> Iterator[tuple[str, Question, Score]]:
    """Yield metric family, question and score, question by question.

    Args:
        dataset: The gold.
        submission: The predictions.
        metrics: By family; each scores the questions that it applies to.
        limit: Score only the first ``limit`` questions; None for all.
        walked: Counts every question, also those that no metric applies to.
    """
    find_prediction = submission.predictions.get
    judges = [(name, applies_to(name), metric.score) for name, metric in metrics.items()]
    for question in islice(dataset.questions(), limit):
        if walked is not None:
            walked.add(question)
        prediction = find_prediction(question.question_id)
        for name, is_about, score in judges:
            if is_about(question):
                yield name, question, score(question, prediction)


def tags_of(question: Question) -> dict[str, str]:
    """Return what a breakdown can group by: the question's tags and fields of its record.

    The fields are kind, role, polarity, and the attack strategy that wrote the right option.
    """
    fields = {
        "kind": question.kind,
        "role": question.role,
        "asks_for": question.asks_for,
        "strategy": _strategy(question),
    }
    return {name: value for name, value in fields.items() if value} | question.tags


def _strategy(question: Question) -> str:
    right = {answer.label for answer in question.answers}
    strategies = (
        option.tags.get("strategy") for option in question.options if option.label in right
    )
    return next(filter(None, strategies), "")
