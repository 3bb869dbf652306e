"""Paired tests against statsmodels and scipy, and against what they promise."""

import itertools

import numpy as np
import pytest

from closeread.metrics.comparison import paired_tests
from closeread.metrics.comparison.paired_tests import holm, mcnemar, smallest_difference
from closeread.metrics.comparison.swaps import Sides, Swaps


def permutation(sides, resamples, generator):
    return paired_tests.permutation([Swaps(sides, resamples, generator)])


def sides(first, second, below=None):
    weights = np.ones(len(first)) if below is None else np.array(below, float)
    return Sides(np.array(first, float), weights, np.array(second, float), weights)


@pytest.mark.parametrize(
    ("b", "c"), [(0, 0), (0, 1), (1, 0), (3, 9), (10, 10), (40, 61), (700, 801), (0, 1200)]
)
def test_mcnemar_equals_statsmodels(b, c):
    from statsmodels.stats.contingency_tables import mcnemar as theirs

    expected = theirs([[50, b], [c, 20]], exact=True).pvalue
    assert mcnemar(b, c) == pytest.approx(min(1.0, expected), rel=1e-9, abs=1e-300)


def test_mcnemar_equals_scipy_s_binomial_test():
    from scipy.stats import binomtest

    for b, c in itertools.product(range(0, 30, 3), repeat=2):
        if b + c:
            assert mcnemar(b, c) == pytest.approx(binomtest(b, b + c, 0.5).pvalue, rel=1e-12)


@pytest.mark.parametrize(
    ("b", "c"), [(2_001, 2_050), (2_500, 2_700), (100_000, 100_500), (2_001, 9_000)]
)
def test_a_large_mcnemar_equals_scipy_s_binomial_test(b, c):
    """In whole numbers the last but one would take half a minute."""
    from scipy.stats import binomtest

    assert mcnemar(b, c) == pytest.approx(binomtest(b, b + c, 0.5).pvalue, rel=1e-8, abs=1e-300)
    assert mcnemar(c, b) == mcnemar(b, c)


def test_both_sums_of_mcnemar_s_tail_agree(monkeypatch):
    whole = [mcnemar(b, b + 60) for b in range(1, 300, 20)]
    monkeypatch.setattr(paired_tests, "_INTEGER_TERMS", 0)
    assert [mcnemar(b, b + 60) for b in range(1, 300, 20)] == pytest.approx(whole, rel=1e-10)


@pytest.mark.parametrize("seed", range(5))
def test_the_exact_permutation_test_equals_scipy_s(seed):
    from scipy.stats import permutation_test

    rng = np.random.default_rng(seed)
    first, second = rng.random(10).round(1), rng.random(10).round(1)
    expected = permutation_test(
        (second, first),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf,
    )
    p_value, exact = permutation(sides(first, second), 100, rng)
    assert exact
    assert p_value == pytest.approx(expected.pvalue, abs=1e-12)


@pytest.mark.parametrize("kind", ["all distinct", "few values"])
def test_random_swaps_approximate_the_exact_p_value(kind):
    rng = np.random.default_rng(4)
    digits = 12 if kind == "all distinct" else 1
    first = rng.random(16).round(digits)
    second = (first + rng.normal(0.08, 0.2, 16)).round(digits)
    exact, is_exact = permutation(sides(first, second), 0, rng)
    assert is_exact
    nothing = np.full(17, 0.5)  # units that differ by too little to count
    padded = np.concatenate([first, nothing]), np.concatenate([second, nothing + 1e-15])
    near, is_exact = permutation(sides(*padded), 40_000, rng)
    assert not is_exact
    assert near == pytest.approx(exact, abs=0.01)


def test_weighted_units_are_swapped_whole():
    """Two passages of 1 and 9 questions: counted out by hand."""
    first, second, below = [1.0, 3.0], [0.0, 8.0], [1.0, 9.0]
    p_value, exact = permutation(sides(first, second, below), 0, np.random.default_rng(0))
    differences = [(-1 + 5) / 10, (1 + 5) / 10, (-1 - 5) / 10, (1 - 5) / 10]
    assert exact
    assert p_value == np.mean([abs(found) >= 0.4 - 1e-12 for found in differences])


def test_denominators_are_swapped_with_their_numerators():
    first = Sides(
        np.array([1.0, 1.0, 0.0]),
        np.array([1.0, 1.0, 0.0]),
        np.array([1.0, 0.0, 0.0]),
        np.array([1.0, 1.0, 4.0]),
    )
    p_value, exact = permutation(first, 0, np.random.default_rng(0))
    assert exact
    assert p_value == 0.5  # of the four swaps of units 2 and 3, two are as far apart


def test_no_difference_has_p_value_one():
    same = [0.3, 1.0, 0.0]
    assert permutation(sides(same, same), 100, np.random.default_rng(0)) == (1.0, True)
    assert mcnemar(0, 0) == 1.0


def test_a_monte_carlo_p_value_is_never_zero():
    first, second = np.zeros(200), np.ones(200) - np.arange(200) / 1000
    assert permutation(sides(first, second), 999, np.random.default_rng(0)) == (1 / 1000, False)


@pytest.mark.parametrize(("cells", "frequent"), [(20, 256), (2_000_000, 256), (2_000_000, 1)])
def test_all_swaps_count_if_all_are_as_extreme(monkeypatch, cells, frequent):
    """Ten wins a side of one weight: no swap is nearer; in small chunks as in one."""
    monkeypatch.setattr("closeread.metrics.comparison.swaps._CELLS", cells)
    monkeypatch.setattr("closeread.metrics.comparison.swaps._COUNTED_FROM", frequent)
    ups, downs = [1.0] * 10 + [0.0] * 10, [0.0] * 10 + [1.0] * 10
    assert permutation(sides(ups, downs), 99, np.random.default_rng(0)) == (1.0, False)


def test_p_values_of_equal_systems_are_uniform():
    """Level 0.1 is kept: of 300 comparisons of equal systems 5 to 15 in 100 fall below it."""
    rng = np.random.default_rng(8)
    below = 0
    for _ in range(300):
        first = rng.random(60) < 0.6
        second = np.where(rng.random(60) < 0.4, rng.random(60) < 0.6, first)
        weights = rng.integers(1, 5, 60)
        p_value, _ = permutation(sides(first * weights, second * weights, weights), 400, rng)
        below += p_value <= 0.1
    assert 0.05 <= below / 300 <= 0.15


@pytest.mark.parametrize("units", [20, 100])
def test_the_level_is_kept_for_fractional_scores(units):
    """Of 400 comparisons of equal systems 2 to 8 in 100 fall below 0.05: by F1, and by McNemar."""
    rng = np.random.default_rng(units)
    parts = [0.0, 0.4, 0.5, 2 / 3, 0.8, 1.0]
    by_parts = by_right = 0
    for _ in range(400):
        skill = rng.random(units)
        first, second = (
            np.where(rng.random(units) < skill, 1.0, rng.choice(parts, units)) for _ in range(2)
        )
        by_parts += permutation(sides(first, second), 300, rng)[0] <= 0.05
        wins = (first == 1.0) & (second < 1.0), (second == 1.0) & (first < 1.0)
        by_right += mcnemar(*(int(won.sum()) for won in wins)) <= 0.05
    assert 0.02 <= by_parts / 400 <= 0.08
    assert by_right / 400 <= 0.06  # never more; the exact test of few units keeps below its level


@pytest.mark.parametrize(("few", "right"), [(0.3, 0.5), (0.3, 0.8)])
def test_the_level_is_kept_if_one_system_answers_less(few, right):
    """Of 150 questions one answers 30 or so in 100, the other 95: swaps alone reject in ten."""
    rng = np.random.default_rng(12)
    below = 0
    for _ in range(800):
        weights = [(rng.random(150) < share).astype(float) for share in (few, 0.95)]
        first, second = (one * (rng.random(150) < right) for one in weights)
        both = Sides(first, weights[0], second, weights[1])
        below += permutation(both, 300, rng)[0] <= 0.05
    assert 0.03 <= below / 800 <= 0.075


@pytest.mark.parametrize(
    "p_values", [[0.01], [0.01, 0.04, 0.03], [0.5, 0.001, 0.001, 0.9], [1.0, 1.0], []]
)
def test_holm_equals_statsmodels(p_values):
    from statsmodels.stats.multitest import multipletests

    expected = multipletests(p_values, method="holm")[1] if p_values else []
    assert holm(p_values) == pytest.approx(tuple(expected))


@pytest.mark.parametrize(("units", "discordant"), [(200, 0.2), (1000, 0.1), (5000, 0.35)])
def test_the_smallest_difference_has_a_power_of_four_fifths(units, discordant):
    """Simulate systems that truly differ by it: McNemar's test finds 74 to 86 in 100."""
    difference = smallest_difference(discordant, units)
    rng = np.random.default_rng(units)
    chances = [(discordant - difference) / 2, (discordant + difference) / 2, 1 - discordant]
    found = 0
    for only_first, only_second, _ in rng.multinomial(units, chances, size=1500):
        found += mcnemar(int(only_first), int(only_second)) < 0.05
    assert 0.74 <= found / 1500 <= 0.86


def test_the_smallest_difference_solves_connor_s_equation():
    from scipy.stats import norm

    found = smallest_difference(0.2, 400)
    right = norm.ppf(0.975) * 0.2**0.5 + norm.ppf(0.8) * (0.2 - found**2) ** 0.5
    assert found * 400**0.5 == pytest.approx(right)


@pytest.mark.parametrize(("moment", "units"), [(0.2, 2), (0.0, 500), (0.2, 3)])
def test_without_a_detectable_difference_there_is_none(moment, units):
    assert smallest_difference(moment, units) is None
