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
    import numpy as np

    confidence, right = np.asarray(confidences, dtype=float), np.asarray(correct, dtype=float)
    if not len(confidence):
        return 0.0
    _, counts, gaps = _gaps_by_confidence(confidence, right)
    sums = np.concatenate(([0.0], np.cumsum(np.repeat(gaps, counts))))
    return float(np.abs(np.diff(sums[_bin_edges(len(confidence), bins)])).sum() / len(confidence))


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
    groups, counts, gaps = _gaps_by_confidence(confidence, right)
    edges = _bin_edges(len(confidence), bins)
    sizes = np.diff(edges)
    sums = np.concatenate(([0.0], np.cumsum(np.repeat(gaps, counts))))
    means = np.diff(sums[edges])[sizes > 0] / sizes[sizes > 0]
    # equal confidences that lie in two bins share the gaps of both
    shifts = np.concatenate(([0.0], np.cumsum(np.repeat(means, sizes[sizes > 0]))))
    group_edges = np.concatenate(([0], np.cumsum(counts)))
    calibrated: NDArray[Any] = right - (np.diff(shifts[group_edges]) / counts)[groups]
    return calibrated


def _gaps_by_confidence(
    confidence: "NDArray[Any]", right: "NDArray[Any]"
) -> "tuple[NDArray[Any], NDArray[Any], NDArray[Any]]":
    """Return each answer's index among the distinct confidences, their counts and mean gaps."""
    import numpy as np

    values, groups, counts = np.unique(confidence, return_inverse=True, return_counts=True)
    return groups, counts, np.bincount(groups, weights=right) / counts - values


def _bin_edges(n_answers: int, bins: int) -> "NDArray[Any]":
    """Return the edges of bins of equally many answers, shape (bins + 1,)."""
    import numpy as np

    found: NDArray[Any] = np.arange(bins + 1) * n_answers // bins
    return found


def brier(confidences: Sequence[float], correct: Sequence[float]) -> float:
    """Return the mean squared distance of confidence and correctness (Brier 1950)."""
    import numpy as np

    gaps = np.asarray(confidences, dtype=float) - np.asarray(correct, dtype=float)
    return float(np.mean(gaps**2)) if len(gaps) else 0.0


def auroc(confidences: Sequence[float], correct: Sequence[float]) -> float | None:
    """Return the probability that a right answer has a higher confidence than a wrong one.

    Ties count half. None if all answers are right, or all wrong (Hanley and McNeil 1982).
    """
    import numpy as np

    right = np.asarray(correct, dtype=float) > 0.5
    n_right = int(right.sum())
    n_wrong = len(right) - n_right
    if not n_right or not n_wrong:
        return None
    ranks = _ranks(np.asarray(confidences, dtype=float))
    return float((ranks[right].sum() - n_right * (n_right + 1) / 2) / (n_right * n_wrong))


def _ranks(values: "NDArray[Any]") -> "NDArray[Any]":
    """Return each value's rank from 1, the mean rank for equal ones."""
    import numpy as np

    _, groups, counts = np.unique(values, return_inverse=True, return_counts=True)
    edges = np.cumsum(counts)
    means: NDArray[Any] = (edges - (counts - 1) / 2)[groups]
    return means
