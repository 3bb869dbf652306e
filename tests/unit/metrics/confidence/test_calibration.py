"""Calibration error, Brier score and the area under ROC, against their definitions."""

import numpy as np
import pytest

from closeread.metrics.confidence.calibration import (
    auroc,
    brier,
    calibrated_correctness,
    calibration_error,
)


def test_calibration_error_of_confident_wrong_answers():
    """All sure and half of them wrong: one half. Equal confidences have no order."""
    assert calibration_error([1.0] * 20, [True, False] * 10) == pytest.approx(0.5)
    assert calibration_error([0.0] * 5 + [1.0] * 5, [False] * 5 + [True] * 5) == 0
    assert calibration_error([], []) == 0
    assert calibration_error([0.5] * 20, [True] * 10 + [False] * 10) == pytest.approx(0)


def test_calibration_error_equals_a_sum_over_bins():
    """The vectorised sums are those of ten bins walked one by one."""
    draw = np.random.default_rng(0)
    sure, right = draw.random(137), draw.random(137) < 0.6
    ranked = sorted(zip(sure.tolist(), right.tolist(), strict=True))
    total = 0.0
    for number in range(10):
        part = ranked[number * 137 // 10 : (number + 1) * 137 // 10]
        total += abs(sum(r for _, r in part) - sum(s for s, _ in part))
    assert calibration_error(sure, right) == pytest.approx(total / 137)


def test_brier_and_auroc_equal_scikit_learn():
    """Ties count half; one class alone has no area."""
    metrics = pytest.importorskip("sklearn.metrics")
    draw = np.random.default_rng(1)
    sure = np.round(draw.random(500), 1)
    right = draw.random(500) < sure
    assert auroc(sure, right) == pytest.approx(metrics.roc_auc_score(right, sure))
    assert brier(sure, right) == pytest.approx(metrics.brier_score_loss(right, sure))
    assert auroc([0.1, 0.9], [1.0, 1.0]) is None
    assert brier([], []) == 0
    assert auroc([0.1, 0.9], [0.5, 0.6]) == 1.0  # half right is not right


def test_calibrated_correctness_by_hand():
    """Two bins: 0.2 and 0.4 with one right are off by 0.2 each, 0.6 and 0.9 with one by -0.25."""
    honest = calibrated_correctness([0.9, 0.2, 0.6, 0.4], [1.0, 0.0, 0.0, 1.0], bins=2)
    assert honest == pytest.approx([1.25, -0.2, 0.25, 0.8])


@pytest.mark.parametrize("many", [1, 3, 10, 137])
def test_calibrated_correctness_has_no_calibration_error(many):
    """Whatever their number, fewer than bins too; and they are as right as confidences say."""
    draw = np.random.default_rng(many)
    sure, right = draw.random(many), draw.random(many) < 0.3
    assert calibration_error(sure, right) > 0.01
    honest = calibrated_correctness(sure, right)
    assert calibration_error(sure, honest) == pytest.approx(0)
    assert honest.mean() == pytest.approx(sure.mean())
    assert len(calibrated_correctness([], [])) == 0


def test_equal_confidences_have_equal_shifts():
    """Nothing tells them apart but whether they are right, so what they are off by is shared."""
    honest = calibrated_correctness([0.5] * 30, [True] * 20 + [False] * 10)
    assert set(honest.round(9)) == {round(1 - 1 / 6, 9), round(-1 / 6, 9)}
