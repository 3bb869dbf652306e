"""Calibration error, Brier score and the area under ROC, against their definitions."""

import numpy as np
import pytest

from closeread.metrics.calibration import auroc, brier, calibration_error


def test_calibration_error_of_the_sure_and_wrong():
    """All sure and half of them wrong: one half. Equal confidences have no order."""
    assert calibration_error([1.0] * 20, [True, False] * 10) == pytest.approx(0.5)
    assert calibration_error([0.0] * 5 + [1.0] * 5, [False] * 5 + [True] * 5) == 0
    assert calibration_error([], []) == 0
    assert calibration_error([0.5] * 20, [True] * 10 + [False] * 10) == pytest.approx(0)


def test_calibration_error_bin_by_bin():
    """The vectorised sums are those of ten bins walked one by one."""
    draw = np.random.default_rng(0)
    sure, right = draw.random(137), draw.random(137) < 0.6
    ranked = sorted(zip(sure.tolist(), right.tolist(), strict=True))
    total = 0.0
    for number in range(10):
        part = ranked[number * 137 // 10 : (number + 1) * 137 // 10]
        total += abs(sum(r for _, r in part) - sum(s for s, _ in part))
    assert calibration_error(sure, right) == pytest.approx(total / 137)


def test_the_others_are_scikit_learns():
    """Ties count half; one class alone has no area."""
    metrics = pytest.importorskip("sklearn.metrics")
    draw = np.random.default_rng(1)
    sure = np.round(draw.random(500), 1)
    right = draw.random(500) < sure
    assert auroc(sure, right) == pytest.approx(metrics.roc_auc_score(right, sure))
    assert brier(sure, right) == pytest.approx(metrics.brier_score_loss(right, sure))
    assert auroc([0.1, 0.9], [1.0, 1.0]) is None
    assert brier([], []) == 0
