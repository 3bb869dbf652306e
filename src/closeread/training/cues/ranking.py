"""Linear pairwise ranking: a supported option should score higher than one that is not.

The loss of section 3.3 of Zhang et al. (2021), equations 6 and 7, over a linear score: a sum over
all pairs of a true and a false option of a question, for both polarities, hinge with a margin or
logistic, plus an L2 penalty. It is convex, so the initial weights do not matter.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.special import expit

from closeread.training.cues.settings import Loss

Numbers = NDArray[np.float64]

MARGIN = 0.5
_SMOOTH = 0.1  # width over which the hinge's corner is smoothed, to make it differentiable


def pairs(truths: Sequence[Sequence[bool | None]]) -> list[tuple[int, int]]:
    """Return (row of a true option, row of a false one) for every such pair of a question.

    Args:
        truths: For each question the truth of its options; rows number the options of all
            questions from 0.
    """
    rows, base = [], 0
    for truth in truths:
        true_rows = [base + index for index, value in enumerate(truth) if value is True]
        false_rows = [base + index for index, value in enumerate(truth) if value is False]
        rows += [(true_row, false_row) for true_row in true_rows for false_row in false_rows]
        base += len(truth)
    return rows


def fit(
    differences: csr_array,
    l2: float,
    loss: Loss = "logistic",
    drawn_to: Numbers | None = None,
) -> Numbers:
    """Return the weights that minimise the loss.

    Args:
        differences: Features of the true option minus those of the false one, shape
            (pairs, features).
        l2: The L2 penalty: ``l2 / 2`` times the squared distance of the weights from
            ``drawn_to`` is added to the loss.
        loss: ``logistic``, or ``hinge`` with the paper's margin of 0.5.
        drawn_to: The weights that the penalty pulls towards, shape (features,); 0 if None.

    Returns:
        Shape (features,).
    """
    transposed = differences.T.tocsr()
    start = np.zeros(differences.shape[1]) if drawn_to is None else drawn_to

    def objective(weights: Numbers) -> tuple[float, Numbers]:
        values, slopes = _LOSSES[loss](differences @ weights)
        offset = weights - start
        return (
            float(values.sum() + l2 * (offset @ offset) / 2),
            transposed @ slopes + l2 * offset,
        )

    result = minimize(
        objective, start, jac=True, method="L-BFGS-B", options={"maxiter": 500, "ftol": 1e-7}
    )
    fitted: Numbers = result.x
    return fitted


def _logistic(distance: Numbers) -> tuple[Numbers, Numbers]:
    return np.logaddexp(0, -distance), -expit(-distance)


def _hinge(distance: Numbers) -> tuple[Numbers, Numbers]:
    short = MARGIN - distance
    inside = np.clip(short, 0, _SMOOTH)
    return inside**2 / (2 * _SMOOTH) + np.maximum(short - _SMOOTH, 0), -inside / _SMOOTH


_LOSSES = {"logistic": _logistic, "hinge": _hinge}
