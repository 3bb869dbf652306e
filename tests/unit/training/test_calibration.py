"""Confidence is fitted, measured, and cut where a promise can be kept."""

import numpy as np
import pytest

from closeread.training.calibration import (
    calibration_error,
    choose_threshold,
    fit_calibrator,
    upper_bound,
)


def drawn(seed, many=4000):
    """Scores of four options, and whether the first is right: with the chance that it says."""
    draw = np.random.default_rng(seed)
    scores = np.sort(draw.normal(size=(many, 4)), axis=1)[:, ::-1]
    chance = 1 / (1 + np.exp(0.5 - (scores[:, 0] - scores[:, 1])))
    correct = draw.random(many) < chance
    return [list(map(float, one)) for one in scores], [bool(one) for one in correct]


def test_a_fitted_calibrator_is_honest_on_new_questions():
    """Expected calibration error under 3% where the curve is the true one."""
    calibrator = fit_calibrator(*drawn(0))
    scores, correct = drawn(1)
    found = [calibrator.confidence(one) for one in scores]
    assert calibration_error(found, correct) < 0.03


def test_calibration_error_of_the_sure_and_wrong():
    """All sure and half of them wrong: one half."""
    assert calibration_error([1.0] * 20, [True, False] * 10) == pytest.approx(0.5)
    assert calibration_error([0.0] * 5 + [1.0] * 5, [False] * 5 + [True] * 5) == 0


def test_the_bound_is_that_of_the_binomial():
    """At the bound, so few wrong answers come with probability delta."""
    from scipy.stats import binom

    for wrong, answered, delta in ((0, 10, 0.1), (3, 40, 0.05), (20, 50, 0.005)):
        bound = upper_bound(wrong, answered, delta)
        assert binom.cdf(wrong, answered, bound) == pytest.approx(delta)
    assert upper_bound(5, 5, 0.1) == 1


def test_the_promise_is_kept():
    """Over 200 draws the true risk above the threshold is too high in at most delta of them."""
    risk, delta, broken = 0.35, 0.1, 0
    draw = np.random.default_rng(7)
    for _ in range(200):
        sure = draw.random(400)
        correct = draw.random(400) < sure
        found = choose_threshold(sure.tolist(), correct.tolist(), risk, delta)
        if found.n_answered:
            assert found.bound <= risk
            true_risk = 1 - (1 + found.value) / 2  # sure is uniform above the threshold
            broken += true_risk > risk
    assert broken <= delta * 200


def test_no_threshold_keeps_a_promise_that_cannot_be_kept():
    """Always wrong: nothing is to be answered."""
    found = choose_threshold([0.9] * 50, [False] * 50, 0.2, 0.1)
    assert found.value > 1
    assert found.n_answered == 0
