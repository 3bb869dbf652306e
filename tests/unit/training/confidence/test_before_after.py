"""What confidences are worth, and how surely: intervals that hold the value and, mostly, truth."""

import numpy as np
import pytest

from closeread.metrics.intervals import unseen_share
from closeread.training.confidence.before_after import MEASURES, _Confidences, measure_changes

LEVEL = 0.95


def measured(told, found, right, parts=None, resamples=100):
    parts = [str(number) for number in range(len(right))] if parts is None else parts
    return measure_changes(parts, told, found, right, resamples=resamples, level=LEVEL, seed=0)


def draw_answers(seed, passages=60, off=0.0):
    """Four answers a passage that share some luck: chances, the same made too sure, and worth."""
    draw = np.random.default_rng([seed, passages])
    chance = draw.uniform(0.1, 0.9, (passages, 4))
    # the chance that a sum of two normal draws, one of them the passage's, stays below a line
    shared = draw.normal(size=(passages, 1)) * 0.5 + draw.normal(size=(passages, 4)) * 0.75**0.5
    order = np.random.default_rng(7).normal(size=20_000)
    right = shared < np.quantile(order, chance)
    parts = np.repeat(np.arange(passages), 4).astype(str)
    return (
        np.minimum(chance + off, 1.0).ravel().tolist(),
        chance.ravel().tolist(),
        right.ravel().tolist(),
        parts.tolist(),
    )


@pytest.mark.parametrize("off", [0.05, 0.2])
def test_the_interval_of_an_ece_covers_value_and_truth(off):
    """Of 40 sets of 240 answers; the percentiles of resamples hold it in none or hardly any.

    The truth is known: 0 of honest confidences, and ``off`` of those that are too high by it (a
    little less where 1 is the end).
    """
    held = {"off": 0, "honest": 0, "moved": 0}
    for seed in range(40):
        told, chances, right, parts = draw_answers(seed, off=off)
        truth = float(np.mean(told) - np.mean(chances))
        ece = measured(told, chances, right, parts)["ece"]
        for value, bounds in (
            (ece.before, ece.before_interval),
            (ece.after, ece.after_interval),
            (ece.after - ece.before, ece.difference),
        ):
            assert bounds[0] <= value <= bounds[1]
        held["off"] += ece.before_interval[0] <= truth <= ece.before_interval[1]
        held["honest"] += ece.after_interval[0] == 0
        held["moved"] += ece.difference[0] <= -truth <= ece.difference[1]
    assert held["off"] >= 34
    assert held["honest"] >= 36
    assert held["moved"] >= (30 if off < 0.1 else 36)


def test_bounds_of_an_ece_are_between_0_and_1():
    """Sure of everything, and nearly always wrong: a bound above 100 % says nothing."""
    right = [number % 50 == 0 for number in range(100)]
    sure = [1.0 - number / 1e4 for number in range(100)]
    modest = [0.02] * 100
    for one, other in ((sure, modest), (modest, sure)):
        ece = measured(one, other, right)["ece"]
        assert 0 <= ece.before_interval[0] <= ece.before_interval[1] <= 1
        assert 0 <= ece.after_interval[0] <= ece.after_interval[1] <= 1
        assert -1 <= ece.difference[0] <= ece.difference[1] <= 1


def test_equal_eces_rarely_differ_significantly():
    """Both are too sure by as much, in other places: at most 3 of 40 differences exclude none."""
    said = 0
    for seed in range(40):
        _, chances, right, parts = draw_answers(seed)
        known = np.array(chances)
        high = np.where(known > 0.5, known + 0.1, known)
        low = np.where(known <= 0.5, known + 0.1, known)
        low_bound, high_bound = measured(high.tolist(), low.tolist(), right, parts)[
            "ece"
        ].difference
        said += not low_bound <= 0 <= high_bound
    assert said <= 3


def test_ties_keep_the_file_s_order_in_resamples():
    """All as sure, the right ones first: the area is that of this order, and so are resamples'."""
    sure, right = [0.9] * 120, [True] * 60 + [False] * 60
    area = measured(sure, sure, right)["aurc"]
    low, high = area.before_interval
    assert low < area.before < high < 0.3


@pytest.mark.parametrize("right", [[True] * 12, [False] * 12])
def test_agreeing_resamples_prove_nothing(right):
    """Coverage and area get the bound of what twelve passages may not show, the order none."""
    sure = np.linspace(0.3, 0.8, 12).tolist()
    found = measured(sure, sure, right)
    rest = unseen_share(12, LEVEL)
    low, high = found["coverage@80"].after_interval
    assert (low, high) == ((0, 1) if right[0] else (0, pytest.approx(rest / 0.8, abs=1e-3)))
    low, high = found["aurc"].after_interval
    area = rest - rest * np.log(rest)
    assert (low, high) == pytest.approx((0, area) if right[0] else (1 - area, 1), abs=2e-3)
    assert found["auroc"].after is None and found["auroc"].after_interval is None


def test_a_constant_difference_is_not_certain():
    """Another calibrator that keeps the order: by so few answers nobody knows that it must."""
    sure = np.linspace(0.3, 0.8, 12).tolist()
    right = [True, False] * 6
    found = measured(sure, [one**2 for one in sure], right)
    for name in ("auroc", "aurc", "coverage@80", "coverage@90"):
        assert found[name].after == found[name].before
        assert found[name].difference is None
    low, high = found["brier"].difference
    assert low < high


def test_unseen_values_of_one_side_widen_the_difference():
    """The right answers are the least sure before, and the surest after."""
    right = [False] * 36 + [True] * 4
    found = np.linspace(0.2, 0.9, 40).tolist()
    change = measured(found[::-1], found, right, resamples=400)["coverage@80"]
    low, high = change.before_interval
    assert change.before == low == 0 < high  # shown by no resample: what forty may not show
    assert high == pytest.approx(unseen_share(40, LEVEL) / 0.8, abs=1e-3)
    few, many = change.after_interval
    assert few < change.after < many
    assert change.difference == pytest.approx((few - high, many))


def test_resamples_without_a_value_are_left_out():
    """One wrong answer of twelve: where it is not drawn there is no area under ROC."""
    sure = np.linspace(0.3, 0.8, 12).tolist()
    found = measured(sure, sure, [True] * 5 + [False] + [True] * 6)["auroc"]
    low, high = found.after_interval
    assert low < found.after < high


@pytest.mark.parametrize("decimals", [1, 3])
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_counts_measure_like_an_explicit_resample(decimals, missing):
    """Each resample, listed answer by answer, has by the plain functions the measures of counts."""
    draw = np.random.default_rng([decimals, int(10 * missing)])
    sure = np.round(draw.random(80), decimals)
    sure[draw.random(80) < missing] = np.nan
    right = draw.random(80) < 0.6
    counts = draw.multinomial(80, [1 / 80] * 80, size=50)
    by_counts = _Confidences(sure, right.astype(float), 80, LEVEL).measure_resamples(counts)
    for column, times in zip(by_counts.T, counts, strict=True):
        listed = _Confidences(
            np.repeat(sure, times), np.repeat(right, times).astype(float), 80, LEVEL
        )
        plain = [listed.values[name] for name in MEASURES]
        assert column[: len(MEASURES)] == pytest.approx(
            [np.nan if value is None else value for value in plain], abs=1e-12, nan_ok=True
        )


def test_a_resample_without_confidences_has_no_measure():
    """Only the first of four answers has one, and the second resample does not draw it."""
    sure, right = np.array([0.5, np.nan, np.nan, np.nan]), np.array([1.0, 0.0, 1.0, 0.0])
    counts = np.array([[1, 1, 1, 1], [0, 2, 1, 1]])
    drawn, without = _Confidences(sure, right, 4, LEVEL).measure_resamples(counts).T
    assert np.isfinite(drawn[MEASURES.index("aurc")])
    assert np.isnan(without).all()


def test_progress_counts_each_resample():
    """In several steps, since few resamples of many answers are in memory at a time."""
    steps = []
    sure, right = np.linspace(0, 1, 300).tolist(), [True, False, True] * 100
    passages = [str(number) for number in range(300)]
    measure_changes(
        passages, sure, sure, right, resamples=120, level=LEVEL, seed=0, advance=steps.append
    )
    assert sum(steps) == 120
    assert len(steps) > 1
