"""Fits a calibrator, measures how honest it is, and chooses a threshold that keeps a promise.

All three need answers that the reader was not trained on: ``training.cues`` gets them by folds of
passages.
"""

from collections.abc import Sequence

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import beta

from closeread.readers.calibrate import Calibrator, signs
from closeread.readers.cues import Threshold

_GRID = tuple(step / 20 for step in range(20))


def fit_calibrator(scores: Sequence[Sequence[float]], correct: Sequence[bool]) -> Calibrator:
    """Return the logistic curve that gives the answers seen the highest likelihood.

    A ridge of 1 on the two weights keeps it finite.

    Args:
        scores: For each question its options' scores, higher is better, two at least.
        correct: Whether the best was right.
    """
    known = np.array([(1.0, *signs(one)) for one in scores])
    signed = np.where(np.asarray(correct), 1.0, -1.0)
    ridge = np.array([0.0, 1.0, 1.0])

    def objective(found: np.ndarray) -> tuple[float, np.ndarray]:
        distance = signed * (known @ found)
        slope = known.T @ (-signed * expit(-distance))
        value = float(np.logaddexp(0, -distance).sum() + (ridge * found * found).sum() / 2)
        return value, slope + ridge * found

    found = minimize(objective, np.zeros(3), jac=True, method="L-BFGS-B").x
    intercept, margin, share = (round(float(one), 6) for one in found)
    return Calibrator(intercept=intercept, margin=margin, share=share)


def calibration_error(
    confidences: Sequence[float], correct: Sequence[bool], bins: int = 10
) -> float:
    """Return the expected calibration error over bins of equally many answers.

    The mean of |accuracy - mean confidence|, weighted by the bins' sizes (Naeini et al. 2015, with
    the equal-mass bins of Nguyen and O'Connor 2015).
    """
    ranked = sorted(zip(confidences, correct, strict=True))
    many = len(ranked)
    total = 0.0
    for number in range(bins):
        part = ranked[number * many // bins : (number + 1) * many // bins]
        if part:
            total += abs(sum(right for _, right in part) - sum(sure for sure, _ in part))
    return total / many if many else 0.0


def upper_bound(wrong: int, answered: int, delta: float) -> float:
    """Return the Clopper-Pearson upper bound of a risk: it holds with probability 1 - delta.

    Args:
        wrong: Wrong answers.
        answered: Answers, wrong ones included.
        delta: The chance at most that the true risk is higher.
    """
    if wrong >= answered:
        return 1.0
    return float(beta.ppf(1 - delta, wrong + 1, answered - wrong))


def choose_threshold(
    confidences: Sequence[float], correct: Sequence[bool], risk: float, delta: float
) -> Threshold:
    """Return the lowest confidence from which on the risk is at most ``risk``, as far as known.

    The thresholds 0, 0.05, ... 0.95 are fixed beforehand and each is tested at ``delta / 20``, so
    that with probability 1 - delta the promise holds for whichever is chosen, for questions drawn
    as these were. Where none keeps it, the value is 2: nothing is answered.
    """
    each = delta / len(_GRID)
    for value in _GRID:
        answered = [
            right for sure, right in zip(confidences, correct, strict=True) if sure >= value
        ]
        if not answered:
            break
        bound = upper_bound(len(answered) - sum(answered), len(answered), each)
        if bound <= risk:
            return Threshold(
                value=value,
                risk=risk,
                delta=delta,
                n_answered=len(answered),
                n_questions=len(confidences),
                bound=round(bound, 6),
            )
    return Threshold(
        value=2.0, risk=risk, delta=delta, n_answered=0, n_questions=len(confidences), bound=1.0
    )
