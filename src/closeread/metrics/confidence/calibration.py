"""Measure calibration and discrimination of confidences: ECE, Brier score, area under ROC.

Plain functions over parallel sequences; ``selective`` has the curve of risk over coverage.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

BINS = 10


def calibration_error(
    confidences: Sequence[float], correct: Sequence[float], bins: int = BINS
) -> float:
    """Return the expected calibration error over bins of equally many answers.

    The mean of |accuracy - mean confidence|, weighted by the bins' sizes (Naeini et al. 2015, with
    the equal-mass bins of Nguyen and O'Connor 2015). If a bin ends among equal confidences, each of
    them counts as their average, so their order does not matter.
    """
    return ConfidenceGroups(confidences).calibration_error(correct, bins=bins)


def calibrated_correctness(
    confidences: Sequence[float], correct: Sequence[float], bins: int = BINS
) -> "NDArray[Any]":
    """Return each answer's correctness minus the calibration gap of its bin, shape (answers,).

    The calibration error of these is 0 (nearly, if equal confidences lie in two bins), so the error
    of a resample of them is due to chance alone. They are not confined to [0, 1].
    """
    import numpy as np

    confidence, right = np.asarray(confidences, dtype=float), np.asarray(correct, dtype=float)
    if not len(confidence):
        return right
    values, groups, counts = np.unique(confidence, return_inverse=True, return_counts=True)
    gaps = np.bincount(groups, weights=right) / counts - values
    edges = _bin_edges(len(confidence), bins)
    sizes = np.diff(edges)
    sums = np.concatenate(([0.0], np.cumsum(np.repeat(gaps, counts))))
    means = np.diff(sums[edges])[sizes > 0] / sizes[sizes > 0]
    # equal confidences that lie in two bins share the gaps of both
    shifts = np.concatenate(([0.0], np.cumsum(np.repeat(means, sizes[sizes > 0]))))
    group_edges = np.concatenate(([0], np.cumsum(counts)))
    calibrated: NDArray[Any] = right - (np.diff(shifts[group_edges]) / counts)[groups]
    return calibrated


def _bin_edges(n_answers: int, bins: int) -> "NDArray[Any]":
    """Return the edges of bins of equally many answers, shape (bins + 1,)."""
    import numpy as np

    edges: NDArray[Any] = np.arange(bins + 1) * n_answers // bins
    return edges


def brier(confidences: Sequence[float], correct: Sequence[float]) -> float:
    """Return the mean squared distance of confidence and correctness (Brier 1950)."""
    import numpy as np

    gaps = np.asarray(confidences, dtype=float) - np.asarray(correct, dtype=float)
    return float(np.mean(gaps**2)) if len(gaps) else 0.0


def auroc(confidences: Sequence[float], correct: Sequence[float]) -> float | None:
    """Return the probability that a right answer has a higher confidence than a wrong one.

    Ties count half. None if all answers are right, or all wrong (Hanley and McNeil 1982).
    """
    return ConfidenceGroups(confidences).auroc(correct)


class ConfidenceGroups:
    """Answers grouped by equal confidence, which measures a resample of them without sorting.

    Args:
        confidences: One per answer.
    """

    def __init__(self, confidences: "Sequence[float] | NDArray[Any]") -> None:
        import numpy as np

        values = np.asarray(confidences, dtype=float)
        self._order = np.argsort(values)
        ascending = values[self._order]
        starts_group = np.append(True, ascending[1:] != ascending[:-1])
        self._starts = np.flatnonzero(starts_group[: len(values)])
        self._values = ascending[self._starts]

    def calibration_error(
        self,
        correct: "Sequence[float] | NDArray[Any]",
        times: "NDArray[Any] | None" = None,
        bins: int = BINS,
    ) -> float:
        """Return the expected calibration error; 0.0 of no answers.

        Args:
            correct: How right each answer is.
            times: How often each answer is in the resample, (answers,); None for once each.
            bins: The number of bins of equally many answers.
        """
        import numpy as np

        counts, right = self._sums(correct, times)
        # Within a group each answer adds the group's mean gap, so that the sum of the gaps rises
        # linearly from one end of the group to the other.
        ends = np.concatenate(([0.0], np.cumsum(counts)))
        sums = np.concatenate(([0.0], np.cumsum(right - counts * self._values)))
        if not (n_answers := round(ends[-1])):
            return 0.0
        at_edges = np.interp(_bin_edges(n_answers, bins), ends, sums)
        return float(np.abs(np.diff(at_edges)).sum() / n_answers)

    def auroc(
        self, correct: "Sequence[float] | NDArray[Any]", times: "NDArray[Any] | None" = None
    ) -> float | None:
        """Return the area under ROC; None if all answers are right, or all wrong.

        Args:
            correct: How right each answer is; more than 0.5 is right.
            times: How often each answer is in the resample, (answers,); None for once each.
        """
        import numpy as np

        counts, right = self._sums(np.asarray(correct, dtype=float) > 0.5, times)
        n_right = right.sum()
        n_wrong = counts.sum() - n_right
        if not n_right or not n_wrong:
            return None
        mean_ranks = np.cumsum(counts) - (counts - 1) / 2  # from 1
        return float(
            ((right * mean_ranks).sum() - n_right * (n_right + 1) / 2) / (n_right * n_wrong)
        )

    def _sums(
        self, correct: "Sequence[float] | NDArray[Any]", times: "NDArray[Any] | None"
    ) -> "tuple[NDArray[Any], NDArray[Any]]":
        """Return each group's number of answers and its summed correctness."""
        import numpy as np

        right = np.asarray(correct, dtype=float)[self._order]
        weights = np.ones(len(right)) if times is None else times[self._order]
        return (
            np.add.reduceat(weights, self._starts).astype(float),
            np.add.reduceat(weights * right, self._starts),
        )
