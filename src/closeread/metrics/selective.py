"""Score selective answering: the risk of a reader on its most confident answers.

Source: ``get_risk_coverage_info`` and ``get_coverage_cutoff`` of kmzjy110/selectiveQA at 74974c99
(after Kamath et al. 2020). After each question k in order of descending confidence, coverage is k/N
and risk is 1 - correct/k. The area is computed by trapezoids from k = 1 to N, not from coverage 0.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, cast

from closeread.errors import InputError, UsageError
from closeread.metrics.choice import option_scores
from closeread.metrics.confidence.resampled_curve import RankedAnswers, risk_bound
from closeread.metrics.pools import count_questions
from closeread.metrics.settings import format_exactly
from closeread.metrics.subject import family, value_name
from closeread.metrics.units import question_unit
from closeread.protocols import Metric, Pool
from closeread.registry.factory import make
from closeread.types import Prediction, Question, QuestionKind, Score, Submission, Unit
from closeread.wording import count_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BASE_BY_KIND: dict[QuestionKind, str] = {
    "span": "squad2.em",
    "discrete": "drop.em",
    "choice": "choice.accuracy",
    "verification": "choice.accuracy",
    "entailment": "choice.accuracy",
}
_STEPS = 2_000  # points of a curve that includes unseen questions
_ACCURACIES = {"selective.coverage@80": 0.80, "selective.coverage@90": 0.90}


@dataclass(frozen=True)
class Selective:
    """The metric.

    Attributes:
        base: The value that tells how right an answer is, such as ``mrqa.em``; if empty, the
            question's kind decides.
        threshold: The base value from which an answer is right; None uses the value as it is.
    """

    base: str = ""
    threshold: float | None = None
    name: str = "selective"
    unit: Unit = "question"

    def signature(self) -> str:
        """Return the settings; answers without a confidence rank last."""
        threshold = "none" if self.threshold is None else format_exactly(self.threshold)
        parts = [f"selective|base:{self.base or 'by-kind'}", *_base_settings(self.base)]
        return "|".join([*parts, f"threshold:{threshold}|ties:file-order|missing:last|v:1"])

    def score(self, question: Question, prediction: Prediction | None) -> Score:
        """Return ``correct`` (None without gold) and ``confidence`` (None if there is none).

        Raises:
            UsageError: The base metric has no such value per question.
        """
        base = self.base or _BASE_BY_KIND[question.kind]
        metric_name = family(base)
        key = base.partition("~")[0].partition(".")[2]
        values = _make_metric(metric_name).score(question, prediction).values
        if key not in values:
            raise UsageError(
                f"{metric_name} gives no value {base!r} per question",
                expected=" or ".join(
                    value_name(metric_name, name) for name in values if "." not in name
                ),
            )
        correct = values[key]
        if prediction is None and question.answers:  # some base metrics leave these out
            correct = 0.0
        if correct is not None and self.threshold is not None:
            correct = float(correct >= self.threshold)
        return Score(
            question_id=question.question_id,
            values={
                "correct": correct,
                "confidence": _confidence(question, prediction),
            },
            unit_id=question_unit(question),
        )

    def pool(self, scores: Iterable[Score], submission: Submission) -> tuple[Pool, ...]:
        """Return ``selective.aurc``, ``selective.coverage@80`` and ``selective.coverage@90``."""
        scores = list(scores)
        scored = [score for score in scores if score.values["correct"] is not None]
        confidences = [score.values["confidence"] for score in scored]
        correct = [cast("float", score.values["correct"]) for score in scored]
        n_confident = sum(confidence is not None for confidence in confidences)
        notes = []
        if n_confident < len(scored):
            notes.append(f"{count_of(len(scored) - n_confident, 'answer')} without a confidence")
        if len(scored) > 1 and 2 * (n_tied := Counter(confidences).most_common(1)[0][1]) > len(
            scored
        ):
            notes.append(
                f"{n_tied} of {len(scored)} answers have the same confidence: file order breaks "
                "the tie"
            )
        if scored and not n_confident:
            notes, scored, correct, confidences = ["no prediction has a confidence"], [], [], []
        counts = count_questions(scores, submission, scored=scored)
        if n_unanswered := counts["n_scored"] - counts["n_answered"]:
            n_scored = count_of(counts["n_scored"], "question")
            notes.append(
                f"{n_unanswered:,} of {n_scored} unanswered: counted as wrong, and in coverage"
            )
        statistics = _make_statistics(confidences, correct)
        unit_ids = [score.unit_id or score.question_id for score in scored]
        family = _CurveFamily(confidences, correct, unit_ids)
        return tuple(
            Pool(
                metric=name,
                unit_ids=unit_ids,
                numerators=correct,
                denominators=[1] * len(scored),
                statistic=statistic,
                extremes=statistic.extremes,
                family=family,
                **counts,
                note="; ".join(notes),
            )
            for name, statistic in statistics.items()
        )


def metric(base: str = "", threshold: float | None = None) -> Selective:
    """Return the metric over another metric's per-question value.

    Args:
        base: A dotted name such as ``mrqa.em`` or ``choice.accuracy``; by default the question's
            kind decides (``squad2.em``, ``drop.em``, ``choice.accuracy``).
        threshold: Answers whose base value reaches it are right, others wrong; without it the value
            counts as it is.

    Raises:
        UsageError: A threshold that makes all answers right, or all wrong.
    """
    if threshold is not None and not 0 < threshold <= 1:
        raise UsageError(
            f"with the threshold {threshold:g} every answer counts as "
            f"{'right' if threshold <= 0 else 'wrong'}",
            expected="a number above 0 and at most 1, such as 0.5",
        )
    return Selective(base=base, threshold=threshold)


def curve(
    confidences: Sequence[float | None], correct: Sequence[float]
) -> "tuple[NDArray[Any], NDArray[Any]]":
    """Return (coverages, risks) after each question, the surest first; both of shape (n,).

    Args:
        confidences: One number per question; None ranks last. Equal ones keep their order.
        correct: How right each answer is, 0 to 1.
    """
    return _curve(_rank(confidences, correct)[1])


def aurc(coverages: "NDArray[Any]", risks: "NDArray[Any]") -> float:
    """Return the area under the risk-coverage curve by trapezoids, from its first point."""
    import numpy as np

    return float(np.trapezoid(risks, coverages))


def coverage_at(accuracy: float, coverages: "NDArray[Any]", risks: "NDArray[Any]") -> float:
    """Return the largest coverage whose risk is strictly below ``1 - accuracy``; 0.0 for none.

    If the curve crosses that risk several times, the last crossing counts.
    """
    import numpy as np

    (below,) = np.nonzero(risks < risk_bound(accuracy, len(risks)))
    return float(coverages[below[-1]]) if len(below) else 0.0


def extremes(
    read: "Callable[[NDArray[Any], NDArray[Any]], float]",
    coverages: "NDArray[Any]",
    risks: "NDArray[Any]",
    others: float,
) -> tuple[float, float]:
    """Return the smallest and largest number read off a curve with other questions added.

    In the worst and the best case the others rank first, and are all wrong or all right: no other
    rank makes the risk higher or lower at any coverage.

    Args:
        read: The function that reads the number off a curve: ``aurc``, or ``coverage_at`` of an
            accuracy.
        coverages: The coverages of the curve without the others.
        risks: Its risks.
        others: The share of the others among all questions, between 0 and 1.
    """
    import numpy as np

    across = np.linspace(0, 1, _STEPS + 1)[1:]
    known = np.clip((across - others) / (1 - others), 0, 1)
    wrong = (1 - others) * np.interp(known, [0, *coverages], [0, *(coverages * risks)])
    numbers = [read(coverages, risks)]
    numbers += [
        read(across, (wrong + n_right) / across) for n_right in (0, np.minimum(across, others))
    ]
    return min(numbers), max(numbers)


def official(confidences: Sequence[float | None], correct: Sequence[float]) -> dict[str, float]:
    """Return what the program stores, in percent: ``auc``, ``cov_at_acc_80``, ``cov_at_acc_90``.

    The area is rounded to four decimals of the fraction. If the number of answers is odd, the
    program leaves out the last one: it takes one half for one domain, and the other for another.

    Args:
        confidences: As for ``curve``.
        correct: 1 for a right answer, 0 for a wrong one.

    Raises:
        InputError: There are fewer than two answers; the program stops there too.
    """
    n_even = len(correct) // 2 * 2
    if not n_even:
        raise InputError(
            f"{count_of(len(correct), 'answer is', 'answers are')} too few for a curve",
            where="selective",
            expected="at least 2 answers: the official program computes no area for fewer",
        )
    coverages, risks = curve(confidences[:n_even], correct[:n_even])
    return {
        "auc": round(round(aurc(coverages, risks), 4) * 100, 2),
        "cov_at_acc_80": coverage_at(0.80, coverages, risks) * 100,
        "cov_at_acc_90": coverage_at(0.90, coverages, risks) * 100,
    }


def _confidence(question: Question, prediction: Prediction | None) -> float | None:
    """Return a prediction's confidence; without one, the option scores' support for the pick."""
    if prediction is None or prediction.confidence is not None:
        return prediction.confidence if prediction is not None else None
    scores = option_scores(question, prediction)
    if not scores:
        return None
    return 1 - min(scores) if question.asks_for == "contradicted" else max(scores)


@lru_cache(maxsize=8)  # called for every question
def _make_metric(name: str) -> Metric:
    metric: Metric = make("metric", name)[0]
    return metric


def _base_settings(base: str) -> list[str]:
    """Return the settings that a base's values depend on: programs, data, a later version."""
    if not base:
        return []
    parts = [part.partition(":") for part in _make_metric(family(base)).signature().split("|")]
    settings = [f"{key}:{value}" for key, _, value in parts if key in ("nltk", "punkt", "unicode")]
    return settings + [f"base-v:{value}" for key, _, value in parts if key == "v" and value != "1"]


@dataclass(frozen=True)
class _CurveStatistic:
    """A number read off the curve of a resample of the questions."""

    order: "NDArray[Any]"
    correct: "NDArray[Any]"
    read: "Callable[[NDArray[Any], NDArray[Any]], float]"

    def __call__(self, indices: Sequence[int] | None = None, /) -> float | None:
        import numpy as np

        drawn_correct = self.correct
        if indices is not None:
            times = np.bincount(np.asarray(indices), minlength=len(self.order))
            drawn_correct = np.repeat(self.correct, times[self.order])
        return self.read(*_curve(drawn_correct)) if len(drawn_correct) else None

    def extremes(self, others: float, /) -> tuple[float, float]:
        return extremes(self.read, *_curve(self.correct), others)


class _CurveFamily:
    """All values, read off the same resampled curves; a ``protocols.Family``."""

    name = "selective.aurc"

    def __init__(
        self,
        confidences: Sequence[float | None],
        correct: Sequence[float],
        unit_ids: Sequence[str],
    ) -> None:
        self.unit_ids = unit_ids
        self._ranked = RankedAnswers(*_rank(confidences, correct))

    def read(self, times: "NDArray[Any]") -> "dict[str, NDArray[Any]]":
        curves = self._ranked.resampled(times)
        values = {self.name: self._ranked.areas(curves)}
        for name, accuracy in _ACCURACIES.items():
            values[name] = self._ranked.coverages(accuracy, curves)
        return values


def _make_statistics(
    confidences: Sequence[float | None], correct: Sequence[float]
) -> dict[str, _CurveStatistic]:
    order, ranked_correct = _rank(confidences, correct)
    statistics = {"selective.aurc": _CurveStatistic(order, ranked_correct, aurc)}
    for name, accuracy in _ACCURACIES.items():
        statistics[name] = _CurveStatistic(order, ranked_correct, partial(coverage_at, accuracy))
    return statistics


def _rank(
    confidences: Sequence[float | None], correct: Sequence[float]
) -> "tuple[NDArray[Any], NDArray[Any]]":
    import numpy as np

    filled = np.array(
        [-np.inf if confidence is None else confidence for confidence in confidences], dtype=float
    )
    order = np.argsort(-filled, kind="stable")
    return order, np.asarray(correct, dtype=float)[order]


def _curve(correct: "NDArray[Any]") -> "tuple[NDArray[Any], NDArray[Any]]":
    import numpy as np

    answered = np.arange(1, len(correct) + 1)
    return answered / len(correct), 1 - np.cumsum(correct) / answered
