"""Fits the curve by which the reader ``cues`` turns the options' scores into a confidence."""

from collections.abc import Sequence

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from closeread.readers.confidence.options import MarginCurve, margin_and_share


def fit_curve(scores: Sequence[Sequence[float]], correct: Sequence[bool]) -> MarginCurve:
    """Return the maximum-likelihood logistic curve of correctness over margin and share.

    An L2 penalty of 1 on the two weights keeps them finite.

    Args:
        scores: For each question the scores of its options, at least two; higher is better.
        correct: Whether the highest-scoring option was right.
    """
    inputs = np.array([(1.0, *margin_and_share(of_options)) for of_options in scores])
    signed = np.where(np.asarray(correct), 1.0, -1.0)
    ridge = np.array([0.0, 1.0, 1.0])

    def objective(weights: np.ndarray) -> tuple[float, np.ndarray]:
        distance = signed * (inputs @ weights)
        gradient = inputs.T @ (-signed * expit(-distance))
        value = float(np.logaddexp(0, -distance).sum() + (ridge * weights * weights).sum() / 2)
        return value, gradient + ridge * weights

    fitted = minimize(objective, np.zeros(3), jac=True, method="L-BFGS-B").x
    intercept, margin, share = (round(float(weight), 6) for weight in fitted)
    return MarginCurve(intercept=intercept, margin=margin, share=share)
