"""Fits the curve by which the reader ``cues`` turns the options' scores into a confidence."""

from collections.abc import Sequence

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from closeread.readers.confidence.options import MarginCurve, margin_and_share


def fit_curve(scores: Sequence[Sequence[float]], correct: Sequence[bool]) -> MarginCurve:
    """Return the logistic curve that gives the answers seen the highest likelihood.

    A ridge of 1 on the two weights keeps it finite.

    Args:
        scores: For each question its options' scores, higher is better, two at least.
        correct: Whether the best was right.
    """
    known = np.array([(1.0, *margin_and_share(one)) for one in scores])
    signed = np.where(np.asarray(correct), 1.0, -1.0)
    ridge = np.array([0.0, 1.0, 1.0])

    def objective(found: np.ndarray) -> tuple[float, np.ndarray]:
        distance = signed * (known @ found)
        slope = known.T @ (-signed * expit(-distance))
        value = float(np.logaddexp(0, -distance).sum() + (ridge * found * found).sum() / 2)
        return value, slope + ridge * found

    found = minimize(objective, np.zeros(3), jac=True, method="L-BFGS-B").x
    intercept, margin, share = (round(float(one), 6) for one in found)
    return MarginCurve(intercept=intercept, margin=margin, share=share)
