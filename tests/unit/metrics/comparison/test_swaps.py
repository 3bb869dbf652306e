"""Sums over units that a coin takes or leaves."""

import numpy as np
import pytest

from closeread.metrics.comparison.swaps import draw_swapped_sums


def test_every_subset_of_few_units_is_equally_likely():
    """Sums of powers of two tell which units were taken: 2**10 choices, 100 draws of each."""
    rows = np.stack([2.0 ** np.arange(10), np.ones(10)], axis=1)
    sums, taken = draw_swapped_sums(rows, 102_400, np.random.default_rng(0)).T
    choices, counts = np.unique(sums, return_counts=True)
    assert list(choices) == list(range(1024))
    assert counts.min() > 60
    assert counts.max() < 140
    assert [int(one).bit_count() for one in sums] == list(taken)


@pytest.mark.parametrize("units", [17, 300, 3_000])
@pytest.mark.parametrize("kind", ["all distinct", "few values", "some often"])
def test_sums_are_distributed_as_sums_of_coin_tosses(units, kind):
    """Mean, deviation and five quantiles of 20,000 sums, against tosses of a coin a unit."""
    rng = np.random.default_rng(units)
    rows = rng.normal(size=(units, 1))
    if kind == "few values":
        rows = rows.round()
    elif kind == "some often":
        rows[: units // 2] = 0.7
    found = draw_swapped_sums(rows, 20_000, rng)[:, 0]
    plain = np.concatenate([rng.integers(0, 2, (2_000, units)) @ rows for _ in range(10)])[:, 0]
    deviation = float((rows**2).sum() ** 0.5 / 2)
    assert found.mean() == pytest.approx(rows.sum() / 2, abs=0.03 * deviation)
    assert found.std() == pytest.approx(deviation, rel=0.02)
    points = [0.025, 0.25, 0.5, 0.75, 0.975]
    assert np.quantile(found, points) == pytest.approx(
        np.quantile(plain, points), abs=0.08 * deviation
    )


def test_without_differing_units_sums_are_zero():
    assert draw_swapped_sums(np.zeros((0, 2)), 5, np.random.default_rng(0)).tolist() == [[0, 0]] * 5
