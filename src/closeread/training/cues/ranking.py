"""Linear pairwise ranking: of two options of a question the supported one shall score higher.

The loss of section 3.3 of Zhang et al. (2021), equations 6 and 7, over a linear score: a sum over
all pairs of a right and a wrong option of a question, for both polarities, hinge with a margin or
logistic, and a ridge on the weights. Convex, so the start does not matter and nothing is drawn.
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
_SMOOTH = 0.1  # the hinge's corner is rounded over this width, so that it has a gradient


def pairs(truths: Sequence[Sequence[bool | None]]) -> list[tuple[int, int]]:
    """Return (row of a true option, row of a false one) for every such pair of a question.

    Args:
        truths: For each question the truth of its options; rows are counted through.
    """
    found, base = [], 0
    for truth in truths:
        right = [base + place for place, one in enumerate(truth) if one is True]
        wrong = [base + place for place, one in enumerate(truth) if one is False]
        found += [(one, other) for one in right for other in wrong]
        base += len(truth)
    return found


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
        l2: The ridge: half of it times the squared distance of the weights from where it draws
            them is added to the sum.
        loss: ``logistic``, or ``hinge`` with the paper's margin of 0.5.
        drawn_to: Where that is, shape (features,); 0 if None.

    Returns:
        Shape (features,).
    """
    transposed = differences.T.tocsr()
    start = np.zeros(differences.shape[1]) if drawn_to is None else drawn_to

    def objective(found: Numbers) -> tuple[float, Numbers]:
        values, slopes = _LOSSES[loss](differences @ found)
        moved = found - start
        return (
            float(values.sum() + l2 * (moved @ moved) / 2),
            transposed @ slopes + l2 * moved,
        )

    done = minimize(
        objective, start, jac=True, method="L-BFGS-B", options={"maxiter": 500, "ftol": 1e-7}
    )
    fitted: Numbers = done.x
    return fitted


def _logistic(distance: Numbers) -> tuple[Numbers, Numbers]:
    return np.logaddexp(0, -distance), -expit(-distance)


def _hinge(distance: Numbers) -> tuple[Numbers, Numbers]:
    short = MARGIN - distance
    inside = np.clip(short, 0, _SMOOTH)
    return inside**2 / (2 * _SMOOTH) + np.maximum(short - _SMOOTH, 0), -inside / _SMOOTH


_LOSSES = {"logistic": _logistic, "hinge": _hinge}
