"""What is read off a risk-coverage curve, in many resamples of its questions at once.

No resample is written out: the curve is known where a stretch of answers ends that are as right as
each other. Within one the risk only rises or only falls.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class ResampledCurves:
    """The curves of some resamples where answers that are as right end; (resamples, stretches).

    Attributes:
        times: How many of each stretch were drawn.
        answered: How many questions there are up to its end.
        right: How right these are together.
    """

    times: "NDArray[Any]"
    answered: "NDArray[Any]"
    right: "NDArray[Any]"


class RankedAnswers:
    """Answers, the surest first."""

    def __init__(self, order: "NDArray[Any]", correct: "NDArray[Any]") -> None:
        """Take how right each is, and the place that it has in the pool, both (answers,)."""
        import numpy as np

        self.correct = correct
        self._order = order
        (self._ends,) = np.nonzero(np.append(correct[1:] != correct[:-1], True)[: len(correct)])
        self._points = correct[self._ends]
        whole = self._points.astype(np.int64)
        if (whole == self._points).all():  # which add up four times as fast
            self._points = whole

    def resampled(self, times: "NDArray[Any]") -> ResampledCurves:
        """Return the curves; ``times`` is in the pool's order, (resamples, answers)."""
        import numpy as np

        answered = times.take(self._order, axis=1).cumsum(axis=1).take(self._ends, axis=1)
        drawn = np.diff(answered, axis=1, prepend=0)
        return ResampledCurves(drawn, answered, np.cumsum(drawn * self._points, axis=1))

    def areas(self, curves: ResampledCurves) -> "NDArray[Any]":
        """Return the area under each curve, by trapezoids as ``selective.aurc`` has it.

        The risks after 1 to N questions add up to what each is wrong by, at place m, times
        1/m + ... + 1/N.
        """
        import numpy as np

        many = curves.answered[:, -1]
        up_to, summed = _harmonic(1 << int(many.max()).bit_length())
        wrong = 1 - self._points
        all_wrong = many - curves.right[:, -1]
        spared = np.diff(summed.take(curves.answered), axis=1, prepend=0) @ wrong
        risks = up_to[many] * all_wrong - spared
        first = wrong[(curves.answered > 0).argmax(axis=1)]
        areas: NDArray[Any] = (risks - (first + all_wrong / many) / 2) / many
        return areas

    def coverages(self, accuracy: float, curves: ResampledCurves) -> "NDArray[Any]":
        """Return the largest coverage of each whose risk is strictly below ``1 - accuracy``."""
        import numpy as np

        rows, last = np.arange(len(curves.times)), len(self._points) - 1
        bound = risk_bound(accuracy, curves.answered[:, -1])
        with np.errstate(invalid="ignore"):  # 0 / 0 before the first that was drawn
            below = 1 - curves.right / curves.answered < bound[:, None]
        at = last - below[:, ::-1].argmax(axis=1)
        found = below[rows, at]
        answered, right = curves.answered[rows, at], curves.right[rows, at]
        # The next stretch raises the risk beyond the bound; its first few may not yet.
        after = np.minimum(at + 1, last)
        most = np.where(found & (at < last), curves.times[rows, after] - 1, 0)
        gain = self._points[after]
        room = np.zeros(len(rows))
        lowers = (most > 0) & (gain < accuracy)
        np.divide(right - accuracy * answered, accuracy - gain, where=lowers, out=room)
        more = np.clip(np.ceil(room), 0, most)
        for _ in range(2):  # one too many, or two where it was rounded up
            risk = 1 - (right + more * gain) / np.maximum(answered + more, 1)
            more -= (more > 0) & (risk >= bound)
        coverages: NDArray[Any] = np.where(found, (answered + more) / curves.answered[:, -1], 0.0)
        return coverages


def risk_bound(accuracy: float, many: "int | NDArray[Any]") -> "NDArray[Any]":
    """Return the risk that a curve of so many answers must lie below to keep the accuracy.

    A running sum of n numbers is off by n times half the machine's precision of itself at most
    (Higham 2002, section 4.2): answers that are worth the accuracy on the average, and no more,
    are not below by chance. A step of answers that are right or wrong is far greater.
    """
    import numpy as np

    return 1 - accuracy - np.asarray(many) * np.finfo(float).eps


@lru_cache(maxsize=1)
def _harmonic(many: int) -> "tuple[NDArray[Any], NDArray[Any]]":
    """Return 1/1 + ... + 1/k for k from 0, and what these add up to before k, both (many + 1,)."""
    import numpy as np

    up_to = np.concatenate(([0.0], np.cumsum(1 / np.arange(1, many + 1))))
    return up_to, np.concatenate(([0.0], np.cumsum(up_to[:-1])))
