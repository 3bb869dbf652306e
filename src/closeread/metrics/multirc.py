"""MultiRC: score the judgement of each option as right or wrong (Khashabi et al. 2018).

Follows ``measures.py`` of CogComp/multirc @ 45f2540, checked on our own questions
(``tests/golden/multirc``).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from closeread.errors import CloseReadError
from closeread.metrics.option import judge_options
from closeread.metrics.pools import count_questions, mean_pools
from closeread.metrics.units import question_unit
from closeread.protocols import Pool
from closeread.summation import sum_in_order
from closeread.types import Prediction, Question, Score, Submission, Unit

_COUNTS = ("shared", "predicted", "right")


@dataclass(frozen=True)
class Multirc:
    """Exact match of all options, F1 over all options (F1a), and over questions (F1m)."""

    name: str = "multirc"
    unit: Unit = "question"

    def signature(self) -> str:
        """Return the settings that two numbers must share."""
        return "multirc|threshold:0.5|else:pick|missing:skip|v:1"

    def score(self, question: Question, prediction: Prediction | None) -> Score:
        """Return ``em``, and the numbers of predicted and right options; None without a prediction.

        Raises:
            CloseReadError: The truth of an option is unknown.
        """
        truth = question.option_truth
        if not truth or None in truth:
            raise CloseReadError(
                "not every option has a truth value",
                where=f"{self.name}, question {question.question_id}",
                expected="true or false for each option",
                cure="score data that has gold answers",
            )
        values: dict[str, float | None] = dict.fromkeys(("em", *_COUNTS))
        if prediction is not None:
            predicted = [judgement is True for judgement in judge_options(question, prediction)]
            failed = bool(prediction.error)
            values = {
                "em": float(predicted == list(truth) and not failed),
                "shared": float(sum(a and bool(b) for a, b in zip(predicted, truth, strict=True))),
                "predicted": float(sum(predicted)),
                "right": float(sum(map(bool, truth))),
            }
        return Score(
            question_id=question.question_id, values=values, unit_id=question_unit(question)
        )

    def pool(self, scores: Iterable[Score], submission: Submission) -> tuple[Pool, ...]:
        """Return exact match, F1a and F1m."""
        scores = list(scores)
        scored = [score for score in scores if score.values["em"] is not None]
        unit_ids = [score.unit_id or score.question_id for score in scored]
        rows = [tuple(score.values[key] or 0.0 for key in _COUNTS) for score in scored]
        counts = count_questions(scores, submission, scored=scored)
        f1a = Pool(
            metric="multirc.f1a",
            unit_ids=unit_ids,
            numerators=[2 * shared for shared, _, _ in rows],
            denominators=[predicted + right for _, predicted, right in rows],
            statistic=_F1OverOptions(rows),
            of_sums=True,
            **counts,
        )
        f1m = Pool(
            metric="multirc.f1m",
            unit_ids=unit_ids,
            numerators=[_harmonic(*_precision_and_recall(*row)) for row in rows],
            denominators=[1.0] * len(rows),
            statistic=_F1OverQuestions([_precision_and_recall(*row) for row in rows]),
            **counts,
        )
        return (*mean_pools({"em": "multirc.em"}, scores, submission), f1a, f1m)


def metric() -> Multirc:
    """Return the metric; it has no options."""
    return Multirc()


@dataclass(frozen=True)
class _F1OverOptions:
    """F1 over the options of all questions together."""

    rows: Sequence[tuple[float, ...]]  # shared, predicted, right

    def __call__(self, indices: Sequence[int] | None = None, /) -> float | None:
        rows = self.rows if indices is None else [self.rows[index] for index in indices]
        return (
            _harmonic(*_precision_and_recall(*map(sum, zip(*rows, strict=True)))) if rows else None
        )


@dataclass(frozen=True)
class _F1OverQuestions:
    """The harmonic mean of mean precision and mean recall of the questions."""

    rates: Sequence[tuple[float, float]]

    def __call__(self, indices: Sequence[int] | None = None, /) -> float | None:
        rates = self.rates if indices is None else [self.rates[index] for index in indices]
        if not rates:
            return None
        means = [sum_in_order(column) / len(rates) for column in zip(*rates, strict=True)]
        return _harmonic(*means)


def _precision_and_recall(shared: float, predicted: float, right: float) -> tuple[float, float]:
    """Return precision and recall, each 1 for an empty denominator, as in the program."""
    return (
        1.0 * shared / predicted if predicted > 0 else 1.0,
        1.0 * shared / right if right > 0 else 1.0,
    )


def _harmonic(precision: float, recall: float) -> float:
    """Return F1; 0 if both are 0, at which the program stops."""
    return 2 * recall * precision / (precision + recall) if precision + recall > 0 else 0.0
