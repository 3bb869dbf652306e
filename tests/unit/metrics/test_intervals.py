"""Bootstrap intervals: the right distribution, honest ends, no hidden randomness."""

import math
from dataclasses import replace

import numpy as np
import pytest

from closeread.errors import UsageError
from closeread.metrics.intervals import (
    VERSION,
    Resampling,
    farther_bounds,
    interval,
    resample_values,
    unseen_bounds,
    unseen_share,
    value,
)
from closeread.metrics.summary import describe_pool
from closeread.protocols import Pool

BOUNDS = (
    7,
    {"zero-one": (0.429917, 0.536667), "clusters": (0.44398, 0.529322), "alike": (0.911903, 1.0)},
)
P_OF_PARTS = (0.19, 0.05, 0.1, 0.06, 0.05, 0.55)  # their mean is 0.7


def make_pool(numerators, denominators=None, statistic=None, name="a.b"):
    n = len(numerators)
    return Pool(
        metric=name,
        unit_ids=[f"u{i}" for i in range(n)],
        numerators=numerators,
        denominators=denominators or [1] * n,
        statistic=statistic,
        n_questions=n,
        n_scored=n,
        n_answered=n,
    )


def plain_bootstrap(numerators, denominators, resamples, seed):
    rng = np.random.default_rng(seed)
    above, below = np.array(numerators, float), np.array(denominators, float)
    picked = rng.integers(0, len(above), size=(resamples, len(above)))
    return above[picked].sum(1) / below[picked].sum(1)


def drawn_values(kind):
    rng = np.random.default_rng(5)
    if kind == "zero-one":
        return rng.integers(0, 2, 300).tolist(), [1] * 300
    if kind == "all distinct":
        return rng.random(300).tolist(), [1] * 300
    if kind == "mixed":
        return [0.0] * 120 + [1.0] * 100 + rng.random(80).tolist(), [1] * 300
    if kind == "one unlike the rest":  # which a third of the resamples lack
        return [0.0] * 299 + [0.6], [1] * 300
    below = rng.integers(1, 9, 300).tolist()
    return [float(rng.integers(0, k + 1)) for k in below], below


@pytest.mark.parametrize(
    "kind", ["zero-one", "all distinct", "mixed", "one unlike the rest", "clusters"]
)
def test_draws_have_the_distribution_of_the_plain_bootstrap(kind):
    numerators, denominators = drawn_values(kind)
    ours = resample_values(make_pool(numerators, denominators), 20_000, np.random.default_rng(1))
    plain = plain_bootstrap(numerators, denominators, 20_000, 2)
    spread = plain.std()
    assert ours.mean() == pytest.approx(plain.mean(), abs=spread / 20)
    assert ours.std() == pytest.approx(spread, rel=0.04)
    for share in (0.025, 0.25, 0.5, 0.75, 0.975):
        expected = np.quantile(plain, share)
        assert np.quantile(ours, share) == pytest.approx(expected, abs=spread / 8)


def test_resampling_agrees_with_scipy():
    from scipy.stats import bootstrap

    numerators, _ = drawn_values("mixed")
    ours = interval(make_pool(numerators), Resampling(resamples=20_000))
    theirs = bootstrap(
        (np.array(numerators),),
        np.mean,
        n_resamples=20_000,
        method="percentile",
        rng=np.random.default_rng(0),
    )
    assert ours.low == pytest.approx(theirs.confidence_interval.low, abs=0.003)
    assert ours.high == pytest.approx(theirs.confidence_interval.high, abs=0.003)


def test_intervals_depend_on_the_seed():
    pool = make_pool(drawn_values("mixed")[0])
    assert interval(pool, Resampling(seed=3)) == interval(pool, Resampling(seed=3))
    assert interval(pool, Resampling(seed=3)) != interval(pool, Resampling(seed=4))


def test_the_order_of_units_does_not_matter():
    numerators, denominators = drawn_values("clusters")
    turned = make_pool(numerators[::-1], denominators[::-1])
    straight = make_pool(numerators, denominators)
    assert interval(straight, Resampling()) == interval(turned, Resampling())
    assert value(straight) == value(turned)


def test_draws_of_a_number_do_not_depend_on_other_numbers():
    numerators = drawn_values("mixed")[0]
    one = interval(make_pool(numerators, name="drop.f1"), Resampling())
    two = interval(make_pool(numerators, name="drop.em"), Resampling())
    assert one != two


@pytest.mark.parametrize("n", [1, 5, 100])
@pytest.mark.parametrize("share", [0, 1])
def test_uniform_zero_one_units_have_clopper_pearson_bounds(n, share):
    from scipy.stats import binomtest

    found = interval(make_pool([share] * n), Resampling())
    exact = binomtest(share * n, n).proportion_ci(0.95, method="exact")
    assert found.low == pytest.approx(exact.low, abs=1e-12)
    assert found.high == pytest.approx(exact.high, abs=1e-12)
    assert found.method == "exact"
    assert "exact interval instead of the bootstrap" in found.note


def test_equal_fractions_have_bounds_on_both_sides():
    low, high = unseen_bounds(0.5, 20, 0.95)
    assert 0.4 < low < 0.5 < high < 0.6
    assert high - low == pytest.approx(1 - 0.025 ** (1 / 20))


@pytest.mark.parametrize("share", [-0.5, 1.5])
def test_equal_values_outside_zero_and_one_have_no_bounds(share):
    """What other units may be is not known of a number that is no fraction."""
    found = interval(make_pool([share] * 3), Resampling())
    assert (found.low, found.high, found.method) == (None, None, "none")
    assert found.note == "every unit has the same score: no interval can be estimated"


def test_without_units_there_is_no_value_or_interval():
    pool = make_pool([])
    found = interval(pool, Resampling())
    assert (value(pool), found.low, found.high) == (None, None, None)
    assert found.note == "no question was scored"


def test_units_without_weight_are_not_scored():
    found = interval(make_pool([0.0, 0.0], [0, 0]), Resampling())
    assert (found.low, found.high, found.note) == (None, None, "no question was scored")


def test_a_statistic_has_precedence_over_sums():
    data = np.array([0.0, 1.0, 2.0, 10.0])

    def median(indices=None):
        return float(np.median(data if indices is None else data[indices]))

    pool = make_pool([0] * 4, statistic=median)
    found = interval(pool, Resampling(resamples=2_000))
    assert value(pool) == 1.5
    assert (found.low, found.high) == (0.0, 10.0)


def test_a_constant_statistic_has_no_interval():
    found = interval(make_pool([1, 0, 1], statistic=lambda indices=None: 1.0), Resampling())
    assert (found.low, found.high, found.method) == (None, None, "none")
    assert found.note == "all resamples give the same value: no interval can be estimated"


def test_zero_width_bounds_become_a_statistic_s_extremes():
    """All resamples agree, or so many that both ends do: what may not have been seen decides."""

    def seldom(indices=None):
        return 1.0 - (indices is not None and len(set(indices)) <= 20)  # of 50 draws, hardly ever

    for statistic in (lambda indices=None: 1.0, seldom):
        pool = replace(
            make_pool([1] * 50, statistic=statistic), extremes=lambda rest: (1 - 2 * rest, 1.0)
        )
        found = interval(pool, Resampling(resamples=2_000))
        assert (found.low, found.high) == (1 - 2 * unseen_share(50, 0.95), 1.0)
        assert found.method == "exact"
        assert "exact interval for 50 units" in found.note


def test_undefined_resamples_are_left_out():
    """Half the units weigh nothing: some resamples have no denominator at all."""
    pool = make_pool([1.0, 0.0, 0.0, 0.0], [1, 1, 0, 0])
    drawn = resample_values(pool, 500, np.random.default_rng(0))
    assert np.isnan(drawn).any()
    found = interval(pool, Resampling(resamples=500))
    assert (found.low, found.high, found.method) == (0.0, 1.0, "percentile")


def test_units_without_weight_do_not_narrow_an_interval():
    """Seven right answers among 75 questions of other kinds give the bound of seven, not of 75."""
    pool = make_pool([1.0] * 7 + [0.0] * 68, [1] * 7 + [0] * 68)
    found = interval(pool, Resampling(resamples=500))
    assert (found.low, found.high) == unseen_bounds(1.0, 7, 0.95)
    assert "7 scored units" in found.note
    one = interval(make_pool([1.0, 0.0], [1, 0]), Resampling(resamples=500))
    assert one.note == "only one unit was scored: exact interval instead of the bootstrap"


def test_sums_are_exactly_rounded():
    tenths = [0.1] * 10
    assert value(make_pool(tenths)) == 0.1
    assert value(make_pool([1e16, 1.0, -1e16])) == 1 / 3
    assert math.fsum(tenths) == 1.0


@pytest.mark.parametrize("kind", ["zero-one", "clusters"])
def test_intervals_have_their_nominal_coverage(kind):
    """400 simulated samples of 200 units: 95 % intervals hold the truth in 91 to 98 of 100."""
    rng = np.random.default_rng(11)
    held = 0
    for seed in range(400):
        if kind == "zero-one":
            numerators, denominators = (rng.random(200) < 0.7).astype(float).tolist(), None
            truth = 0.7
        else:
            below = rng.integers(1, 10, 200)
            skill = rng.beta(7, 3, 200)
            numerators = rng.binomial(below, skill).astype(float).tolist()
            denominators, truth = below.tolist(), 0.7
        found = interval(make_pool(numerators, denominators), Resampling(resamples=600, seed=seed))
        held += found.low <= truth <= found.high
    assert 0.91 <= held / 400 <= 0.98


@pytest.mark.parametrize("units", [20, 100])
@pytest.mark.parametrize("kind", ["zero-one", "parts of right", "clusters"])
def test_intervals_of_few_units_have_nearly_nominal_coverage(kind, units):
    """300 simulated samples: 87 to 99 in 100 hold the truth for 20 units, 90 to 98 for 100."""
    rng = np.random.default_rng([units, len(kind)])
    below = [1] * units
    held = 0
    for seed in range(300):
        if kind == "zero-one":
            right = (rng.random(units) < 0.7).astype(float)
        elif kind == "parts of right":  # as F1: many wholly right or wrong, others in between
            right = rng.choice([0.0, 0.4, 0.5, 2 / 3, 0.8, 1.0], units, p=P_OF_PARTS)
        else:
            below = rng.integers(1, 17, units)
            right = rng.binomial(below, rng.beta(7, 3, units)).astype(float)
        found = interval(
            make_pool(right.tolist(), list(below)), Resampling(resamples=400, seed=seed)
        )
        held += found.low <= 0.7 <= found.high
    assert (0.87 if units == 20 else 0.9) <= held / 300 <= (0.99 if units == 20 else 0.98)


def test_clusters_widen_the_interval():
    """Ten alike questions in a passage tell as much as one."""
    rng = np.random.default_rng(3)
    right = (rng.random(60) < 0.6).astype(float)
    apart = interval(make_pool(np.repeat(right, 10).tolist()), Resampling())
    together = interval(make_pool((right * 10).tolist(), [10] * 60), Resampling())
    assert together.high - together.low > 2.5 * (apart.high - apart.low)


@pytest.mark.parametrize(
    ("given", "word"),
    [
        ({"resamples": 9}, "resamples"),
        ({"resamples": 10**12}, "too many"),
        ({"level": 95}, "95"),
        ({"seed": -1}, "negative"),
    ],
)
def test_invalid_settings_are_rejected(given, word):
    with pytest.raises(UsageError, match=word):
        Resampling(**given)


def test_a_statistic_that_varies_only_by_rounding_has_no_interval():
    """Seeds whose values are summed in another order in each resample."""

    def sums(indices=None):
        return 0.1 + (0 if indices is None else (sum(indices) % 2) * 1e-16)

    found = interval(make_pool([1, 0, 1], statistic=sums), Resampling(resamples=500))
    assert (found.low, found.high, found.method) == (None, None, "none")


def test_too_few_resamples_name_no_default():
    """Verbs have defaults of their own, which their help tells."""
    with pytest.raises(UsageError) as raised:
        Resampling(resamples=20)
    assert "default" not in str(raised.value)


def test_bounds_of_the_current_version():
    """Where this fails on purpose, count ``intervals.VERSION`` up and give the bounds found now.

    ``closeread verify`` tells numbers of another version by it.
    """
    resampling = Resampling(resamples=1000)
    kinds = {
        "zero-one": make_pool(*drawn_values("zero-one")),
        "clusters": make_pool(*drawn_values("clusters")),
        "alike": make_pool([1.0] * 40),
    }
    found = {kind: interval(pool, resampling) for kind, pool in kinds.items()}
    bounds = {kind: (round(of.low, 6), round(of.high, 6)) for kind, of in found.items()}
    assert (VERSION, bounds) == BOUNDS


def test_the_farther_bounds_by_hand():
    """Resamples that lie above the value are taken back below it, and those below it above."""
    assert farther_bounds(0.5, (0.5, 0.7)) == pytest.approx((0.3, 0.7))
    assert farther_bounds(0.5, (0.2, 0.5)) == pytest.approx((0.2, 0.8))


def test_the_interval_of_a_best_value_is_noted_and_clipped():
    """Its signature names the method; no share is below none or above all."""
    ends = {"low": lambda drawn: 0.9 if drawn is not None and drawn[0] else 0.1}
    ends["high"] = lambda drawn: 0.1 if drawn is not None and drawn[0] else 0.9
    for statistic in ends.values():
        pool = replace(make_pool([0.0] * 2, statistic=statistic), best=True)
        found = describe_pool(pool, "a|v:1", "question", Resampling(resamples=100))
        assert (found.low, found.high) == pytest.approx(
            (0.0, 0.9) if statistic is ends["low"] else (0.1, 1.0)
        )
        assert found.signature == "a.b|v:1|n:2|ci:farther,0.95,100,seed=0"
