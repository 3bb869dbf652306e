"""The band around a curve of score over coverage: what a plain bootstrap gives, and honest ends."""

import numpy as np
import pytest

from closeread.metrics.confidence.band import band
from closeread.metrics.intervals import Resampling, interval, unseen_bounds
from closeread.protocols import Pool


def compute_band(sure, right, coverages, units=None, **settings):
    units = [str(number) for number in range(len(sure))] if units is None else units
    resampling = Resampling(**({"resamples": 400} | settings))
    return band(sure, right, units, coverages, resampling=resampling, name="toy")


def draw_answers(seed, many):
    rng = np.random.default_rng([seed, many])
    sure = rng.uniform(0.2, 0.9, many)
    return sure, (rng.random(many) < sure).astype(float)


def test_a_point_of_the_band_uses_each_resample_s_surest_answers():
    """The same draws, sorted and averaged one by one."""
    sure, right = draw_answers(1, 60)
    low, high = compute_band(sure.tolist(), right.tolist(), [0.25, 0.5, 1.0])
    generator = Resampling().generator("toy")
    found = []
    for _ in range(400):
        picked = generator.integers(0, 60, size=60, dtype=np.uint32)
        picked = picked[np.argsort(-sure[picked], kind="stable")]
        found.append([right[picked[:many]].mean() for many in (15, 30, 60)])
    expected = np.quantile(found, [0.025, 0.975], axis=0)
    assert np.array([low, high]) == pytest.approx(expected)


def test_at_full_coverage_the_band_is_the_interval_of_the_mean():
    sure, right = draw_answers(2, 300)
    (low,), (high,) = compute_band(sure.tolist(), right.tolist(), [1.0], resamples=10_000)
    ids = [str(number) for number in range(300)]
    pool = Pool(
        metric="toy",
        unit_ids=ids,
        numerators=right.tolist(),
        denominators=[1] * 300,
        n_questions=300,
        n_scored=300,
        n_answered=300,
    )
    whole = interval(pool, Resampling())
    assert (low, high) == pytest.approx((whole.low, whole.high), abs=0.005)


def test_the_order_of_tied_answers_does_not_change_the_band():
    """Nor does that of answers without a confidence, which come last."""
    sure = [0.9] * 10 + [0.5] * 10 + [None] * 10
    right = [1.0, 0.0] * 15
    ids = [str(number) for number in range(30)]
    there = compute_band(sure, right, [0.2, 0.5, 0.9], ids)
    turned = list(range(30))
    turned[0:10] = turned[9::-1]
    turned[20:30] = turned[29:19:-1]
    again = compute_band(sure, [right[place] for place in turned], [0.2, 0.5, 0.9], ids)
    for one, two in zip(there, again, strict=True):
        assert one == pytest.approx(two, abs=0.08)  # other units are drawn
    assert there[0][0] < 0.5 < there[1][0]


@pytest.mark.parametrize("kind", [0.0, 1.0])
def test_equally_correct_surest_answers_have_exact_bounds(kind):
    right = [kind] * 8 + [1 - kind] * 30
    sure = np.linspace(0.9, 0.1, 38).tolist()
    (low,), (high,) = compute_band(sure, right, [8 / 38])
    expected = unseen_bounds(kind, 8, 0.95)
    assert low <= expected[0] and high >= expected[1]
    together = ["one"] * 8 + [str(number) for number in range(30)]
    (wide_low,), (wide_high,) = compute_band(sure, right, [8 / 38], together)
    assert wide_high - wide_low >= unseen_bounds(kind, 1, 0.95)[1] - unseen_bounds(kind, 1, 0.95)[0]


@pytest.mark.parametrize(("many", "passage"), [(100, 1), (200, 4)])
def test_points_of_the_band_have_nominal_coverage(many, passage):
    """Of 150 samples; confidences are the chances, so that the truth at any coverage is known."""
    shares = (0.05, 0.25, 1.0)
    truth = [(0.9 + (0.9 - 0.7 * share)) / 2 for share in shares]
    units = [str(number // passage) for number in range(many)]
    held = np.zeros(3)
    for seed in range(150):
        sure, right = draw_answers(seed, many)
        low, high = compute_band(sure.tolist(), right.tolist(), shares, units, resamples=200)
        held += (low <= truth) & (truth <= high)
    assert (held / 150 >= 0.9).all()
