"""The curve by which the reader cues tells its confidence is the one that was drawn from."""

import numpy as np

from closeread.metrics.confidence.calibration import calibration_error
from closeread.training.cues.curve import fit_curve


def draw_scores(seed, many=4000):
    """Scores of four options, and whether the first is right: with the chance that it says."""
    draw = np.random.default_rng(seed)
    scores = np.sort(draw.normal(size=(many, 4)), axis=1)[:, ::-1]
    chance = 1 / (1 + np.exp(0.5 - (scores[:, 0] - scores[:, 1])))
    correct = draw.random(many) < chance
    return [list(map(float, one)) for one in scores], [bool(one) for one in correct]


def test_a_fitted_curve_is_calibrated_on_new_questions():
    """Expected calibration error under 3% where the curve is the true one."""
    curve = fit_curve(*draw_scores(0))
    scores, correct = draw_scores(1)
    assert calibration_error([curve.confidence(one) for one in scores], correct) < 0.03
