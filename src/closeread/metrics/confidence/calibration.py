"""How honest and how telling confidences are: calibration error, Brier score, area under ROC.

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
    the equal-mass bins of Nguyen and O'Connor 2015). Where a bin ends among equal confidences each
    of them counts as right as they are on the average, so that no order of theirs matters.
    """
    import numpy as np

    sure, right = np.asarray(confidences, dtype=float), np.asarray(correct, dtype=float)
    if not len(sure):
        return 0.0
    _, counts, gaps = _ranked_gaps(sure, right)
    sums = np.concatenate(([0.0], np.cumsum(np.repeat(gaps, counts))))
    return float(np.abs(np.diff(sums[_ends(len(sure), bins)])).sum() / len(sure))


def calibrated_correctness(
    confidences: Sequence[float], correct: Sequence[float], bins: int = BINS
) -> "NDArray[Any]":
    """Return how right each answer is, less what its bin is off by, shape (answers,).

    The calibration error of these is 0 (nearly, where equal confidences lie in two bins), so that
    of a resample of them is what chance alone makes of it. They are not within [0, 1].
    """
    import numpy as np

    sure, right = np.asarray(confidences, dtype=float), np.asarray(correct, dtype=float)
    if not len(sure):
        return right
    places, counts, gaps = _ranked_gaps(sure, right)
    ends = _ends(len(sure), bins)
    sizes = np.diff(ends)
    sums = np.concatenate(([0.0], np.cumsum(np.repeat(gaps, counts))))
    means = np.diff(sums[ends])[sizes > 0] / sizes[sizes > 0]
    # equal confidences that lie in two bins share what the bins are off by
    shifts = np.concatenate(([0.0], np.cumsum(np.repeat(means, sizes[sizes > 0]))))
    stops = np.concatenate(([0], np.cumsum(counts)))
    levelled: NDArray[Any] = right - (np.diff(shifts[stops]) / counts)[places]
    return levelled


def _ranked_gaps(
    sure: "NDArray[Any]", right: "NDArray[Any]"
) -> "tuple[NDArray[Any], NDArray[Any], NDArray[Any]]":
    """Return each answer's place among the distinct confidences, their counts and mean gaps."""
    import numpy as np

    values, places, counts = np.unique(sure, return_inverse=True, return_counts=True)
    return places, counts, np.bincount(places, weights=right) / counts - values


def _ends(many: int, bins: int) -> "NDArray[Any]":
    """Return where bins of equally many answers begin and end, shape (bins + 1,)."""
    import numpy as np

    found: NDArray[Any] = np.arange(bins + 1) * many // bins
    return found


def brier(confidences: Sequence[float], correct: Sequence[float]) -> float:
    """Return the mean squared distance of confidence and correctness (Brier 1950)."""
    import numpy as np

    apart = np.asarray(confidences, dtype=float) - np.asarray(correct, dtype=float)
    return float(np.mean(apart**2)) if len(apart) else 0.0


def auroc(confidences: Sequence[float], correct: Sequence[float]) -> float | None:
    """Return the chance that a right answer is surer than a wrong one; equal ones count half.

    None where all answers are right, or all wrong (Hanley and McNeil 1982).
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

    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    means: NDArray[Any] = (ends - (counts - 1) / 2)[places]
    return means
