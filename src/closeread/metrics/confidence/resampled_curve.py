"""Compute AURC and coverages of risk-coverage curves in many resamples of the questions at once.

No resample is written out. A stretch is a run of consecutive answers that are equally right; the
curve is computed at the end of each stretch, and within one the risk only rises or only falls.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class ResampledCurves:
    """The curves of some resamples at the ends of stretches; all (resamples, stretches).

    Attributes:
        times: The number of answers drawn from each stretch.
        answered: The number of questions up to its end.
        right: The summed correctness of these.
    """

    times: "NDArray[Any]"
    answered: "NDArray[Any]"
    right: "NDArray[Any]"


class RankedAnswers:
    """Answers, the surest first."""

    def __init__(self, order: "NDArray[Any]", correct: "NDArray[Any]") -> None:
        """Take each ranked answer's index in the pool, and how right it is, both (answers,)."""
        import numpy as np

        self.correct = correct
        self._order = order
        (self._ends,) = np.nonzero(np.append(correct[1:] != correct[:-1], True)[: len(correct)])
        self._points = correct[self._ends]
        integers = self._points.astype(np.int64)
        if (integers == self._points).all():  # integers add up four times as fast
            self._points = integers

    def resampled(self, times: "NDArray[Any]") -> ResampledCurves:
        """Return the curves, given counts in the pool's order, (resamples, answers)."""
        import numpy as np

        answered = times.take(self._order, axis=1).cumsum(axis=1).take(self._ends, axis=1)
        drawn = np.diff(answered, axis=1, prepend=0)
        return ResampledCurves(drawn, answered, np.cumsum(drawn * self._points, axis=1))

    def areas(self, curves: ResampledCurves) -> "NDArray[Any]":
        """Return the area under each curve by trapezoids, as ``selective.aurc`` does.

        The risks after 1 to N questions sum to the error of each answer, at rank m, times
        1/m + ... + 1/N.
        """
        import numpy as np

        n_answers = curves.answered[:, -1]
        harmonic, summed = _harmonic_sums(1 << int(n_answers.max()).bit_length())
        wrong = 1 - self._points
        all_wrong = n_answers - curves.right[:, -1]
        saved = np.diff(summed.take(curves.answered), axis=1, prepend=0) @ wrong
        risks = harmonic[n_answers] * all_wrong - saved
        first = wrong[(curves.answered > 0).argmax(axis=1)]
        areas: NDArray[Any] = (risks - (first + all_wrong / n_answers) / 2) / n_answers
        return areas

    def coverages(self, accuracy: float, curves: ResampledCurves) -> "NDArray[Any]":
        """Return each curve's largest coverage whose risk is strictly below ``1 - accuracy``."""
        import numpy as np

        rows, last = np.arange(len(curves.times)), len(self._points) - 1
        bound = risk_bound(accuracy, curves.answered[:, -1])
        with np.errstate(invalid="ignore"):  # 0 / 0 before the first drawn answer
            below = 1 - curves.right / curves.answered < bound[:, None]
        end = last - below[:, ::-1].argmax(axis=1)
        is_reached = below[rows, end]
        answered, right = curves.answered[rows, end], curves.right[rows, end]
        # The next stretch ends above the bound, but some of its first answers may still be below.
        after = np.minimum(end + 1, last)
        most = np.where(is_reached & (end < last), curves.times[rows, after] - 1, 0)
        gain = self._points[after]
        room = np.zeros(len(rows))
        raises_risk = (most > 0) & (gain < accuracy)
        np.divide(right - accuracy * answered, accuracy - gain, where=raises_risk, out=room)
        more = np.clip(np.ceil(room), 0, most)
        for _ in range(2):  # at most two too many: one by the strict bound, one by rounding up
            risk = 1 - (right + more * gain) / np.maximum(answered + more, 1)
            more -= (more > 0) & (risk >= bound)
        coverages: NDArray[Any] = np.where(
            is_reached, (answered + more) / curves.answered[:, -1], 0.0
        )
        return coverages


def risk_bound(accuracy: float, n_answers: "int | NDArray[Any]") -> "NDArray[Any]":
    """Return the risk that a curve of this many answers must stay below to reach the accuracy.

    The relative error of a running sum of n numbers is at most n times half the machine epsilon
    (Higham 2002, section 4.2). The bound allows for it, so answers whose average equals the
    accuracy are not below by rounding. One right or wrong answer changes the risk by far more.
    """
    import numpy as np

    return 1 - accuracy - np.asarray(n_answers) * np.finfo(float).eps


@lru_cache(maxsize=1)
def _harmonic_sums(n_answers: int) -> "tuple[NDArray[Any], NDArray[Any]]":
    """Return 1/1 + ... + 1/k for k from 0, and the sum of these before k, both (n + 1,)."""
    import numpy as np

    harmonic = np.concatenate(([0.0], np.cumsum(1 / np.arange(1, n_answers + 1))))
    return harmonic, np.concatenate(([0.0], np.cumsum(harmonic[:-1])))
