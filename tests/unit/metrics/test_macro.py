"""Means over data sets that each weigh the same, and what two systems' means differ by."""

from dataclasses import replace

import numpy as np
import pytest

from closeread.errors import MismatchError
from closeread.metrics import macro
from closeread.metrics.comparison.paired import System, pair_with_first
from closeread.metrics.comparison.paired_tests import holm
from closeread.metrics.comparison.significance import compare
from closeread.metrics.intervals import Resampling
from closeread.metrics.macro import macro_average
from closeread.protocols import Pool


def test_the_macro_average_weighs_data_sets_equally():
    small = _pool("toy.em@small", [1.0] * 10 + [0.0] * 10)
    large = _pool("toy.em@large", [1.0] * 300 + [0.0] * 100)
    found = macro_average("toy.em", [small, large], "toy|v:1", "question", Resampling())
    assert found.value == (0.5 + 0.75) / 2
    assert found.signature == "toy.em|v:1|macro:2|n:420|ci:percentile,0.95,10000,seed=0"
    width = 2 * 1.96 * ((0.25 / 20 + 0.1875 / 400) / 4) ** 0.5
    assert found.high - found.low == pytest.approx(width, rel=0.1)


def test_a_macro_average_notes_ignored_uncertainty():
    mixed, alike = _pool("a", [1.0, 0.0] * 20), _pool("b", [0.5] * 5)
    some = macro_average("toy.em", [mixed, alike], "toy|v:1", "question", Resampling())
    assert some.low < some.value < some.high
    assert some.note == (
        "1 of 2 data sets have the same score in every unit: the interval ignores their uncertainty"
    )
    every = macro_average("toy.em", [alike, alike], "toy|v:1", "question", Resampling())
    assert (every.value, every.low, every.high) == (0.5, None, None)
    assert every.note == "all resamples give the same value: no interval can be estimated"
    assert "ci:" not in every.signature


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_a_uniform_data_set_is_not_certain(share):
    """Alone it has nearly the exact bound; beside others its part of it."""
    even, mixed = _pool("a", [share] * 20), _pool("b", [1.0, 0.0] * 500)
    alone = macro_average("toy.em", [even], "toy|v:1", "question", Resampling())
    bound = 1 - 0.025 ** (1 / 20)
    farther, value = (alone.low, alone.high) if share else (alone.high, alone.low)
    assert abs(farther - share) == pytest.approx(bound, rel=0.05)
    assert value == pytest.approx(share, abs=0.002)
    both = macro_average("toy.em", [even, mixed], "toy|v:1", "question", Resampling())
    assert both.high - both.low > bound / 2
    assert both.note == (
        "1 of 2 data sets are all right or all wrong: they are resampled from the exact interval"
    )


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_the_interval_contains_the_average_of_uniform_data_sets(share):
    """Of six such sets of ten each may hide something; that none does is likely, too."""
    even = [_pool(name, [share] * 10) for name in "abcdef"]
    mixed = [_pool(name, [1 - share] + [share] * 39) for name in "gh"]
    found = macro_average("toy.em", [*even, *mixed], "toy|v:1", "question", Resampling())
    assert found.low <= found.value <= found.high
    alone = macro_average("toy.em", even, "toy|v:1", "question", Resampling())
    assert share in (alone.low, alone.high) and alone.low < alone.high


def test_a_small_perfect_data_set_widens_the_interval():
    """Of 200 samples of 20 questions at 95 % beside 700, intervals at 95 % held the truth in 68."""
    rng = np.random.default_rng(3)
    held = 0
    for seed in range(200):
        pools = [_pool("a", list((rng.random(n) < 0.95).astype(float))) for n in (20, 700)]
        found = macro_average(
            "toy.em", pools, "toy|v:1", "question", Resampling(resamples=400, seed=seed)
        )
        held += found.low <= 0.95 <= found.high
    assert held > 186


def test_a_macro_average_that_varies_only_by_rounding_has_no_interval():
    """A tenth of every unit, of other sizes: their sums round differently in each resample."""
    sizes = [3, 7, 11, 13]
    pool = replace(_pool("a", [size * 0.1 for size in sizes]), denominators=sizes)
    found = macro_average("toy.em", [pool, pool], "toy|v:1", "question", Resampling(resamples=500))
    assert (found.low, found.high) == (None, None)
    assert found.note == "all resamples give the same value: no interval can be estimated"


def test_a_macro_average_with_an_empty_data_set_has_a_note():
    found = macro_average(
        "toy.em", [_pool("a", [1.0]), _pool("b", [])], "toy|v:1", "question", Resampling()
    )
    assert found.value is None
    assert found.note == "1 of 2 data sets have no value"
    assert macro_average("toy.em", [], "toy|v:1", "question", Resampling()).value is None


def test_a_data_set_of_one_unit_counts_in_a_macro_average():
    one, many = _pool("a", [1.0]), _pool("b", [1.0, 0.0] * 20)
    found = macro_average("toy.em", [one, many], "toy|v:1", "question", Resampling())
    assert 0.2 < found.low < 0.3
    assert found.value == 0.75 < found.high < 1.0


def compare_averages(name, systems, resampling):
    """Pair the systems set by set, and compare their averages."""
    sets = [
        pair_with_first(of, resampling, str(place))
        for place, of in enumerate(zip(*systems, strict=True))
    ]
    return macro.compare_averages(name, list(zip(*sets, strict=True)))


def _system(name, *sets):
    """A system with one pool a data set, each from its units' values."""
    return [System(name, [_pool("toy.em", values)]) for values in sets]


def test_a_difference_of_averages_is_the_mean_difference():
    """However many questions a data set has: 50 points on twenty, none on four hundred."""
    small, large = [1.0, 0.0] * 10, [1.0, 0.0] * 200
    first, second = _system("a", small, large), _system("b", [1.0] * 20, large)
    (found,) = compare_averages("toy.em", [first, second], Resampling(resamples=2_000))
    assert (found.first_value, found.second_value, found.difference) == (0.5, 0.75, 0.25)
    assert (found.first, found.second, found.n_units) == ("a", "b", 420)
    width = 2 * 1.96 * (0.25 / 20 / 4) ** 0.5
    assert found.high - found.low == pytest.approx(width, rel=0.1)
    assert (found.test, found.p_value) == ("permutation-exact", 2 / 2**10)


def test_on_one_data_set_the_averages_differ_as_the_values():
    """The same test and nearly the same bounds: only the draws are others."""
    rng = np.random.default_rng(2)
    values = [list(rng.random(60)) for _ in range(2)]
    first, second = _system("a", values[0]), _system("b", values[1])
    (found,) = compare_averages("toy.em", [first, second], Resampling())
    (alone,) = compare(pair_with_first([*first, *second], Resampling()))
    assert found.difference == pytest.approx(alone.difference)
    assert found.p_value == pytest.approx(alone.p_value, abs=0.02)
    assert (found.low, found.high) == pytest.approx((alone.low, alone.high), abs=0.01)
    assert found.smallest_difference == pytest.approx(alone.smallest_difference, rel=0.05)


def test_missing_answers_change_the_mean_of_their_data_set():
    """Where other questions count for each system: on one data set the test is that set's."""
    rng = np.random.default_rng(5)
    pools = []
    for answered in (0.3, 0.95):
        kept = np.flatnonzero(rng.random(100) < answered)
        right = (rng.random(len(kept)) < 0.5).astype(float)
        pools.append(replace(_pool("toy.em", list(right)), unit_ids=list(map(str, kept))))
    pools = [replace(pool, n_questions=100) for pool in pools]
    first, second = (System(name, [pool]) for name, pool in zip("ab", pools, strict=True))
    (found,) = compare_averages("toy.em", [[first], [second]], Resampling())
    (alone,) = compare(pair_with_first([first, second], Resampling()))
    assert alone.test == "permutation"
    assert found.p_value == pytest.approx(alone.p_value, abs=0.015)


def test_a_data_set_without_difference_is_noted():
    """Its units are not alike, but their differences are: the interval takes them for certain."""
    same = [1.0, 0.0] * 10
    first, second = _system("a", same, [0.0] * 9 + [1.0]), _system("b", same, [1.0] * 9 + [0.0])
    (found,) = compare_averages("toy.em", [first, second], Resampling(resamples=500))
    alike = "the same difference in every unit"
    assert found.note == f"1 of 2 data sets have {alike}: the interval ignores their uncertainty"


def test_equal_systems_differ_no_more_often_than_the_level():
    """Sets of 20, 60 and 200 on which two systems are right by the same chance: 5 of 100."""
    rng = np.random.default_rng(11)
    apart = held = 0
    for seed in range(300):
        sets = [rng.random((n, 1)) for n in (20, 60, 200)]
        sides = [
            _system(name, *(list((rng.random(len(of)) < of[:, 0]).astype(float)) for of in sets))
            for name in "ab"
        ]
        (found,) = compare_averages("toy.em", sides, Resampling(resamples=200, seed=seed))
        apart += found.p_value < 0.05
        held += found.low <= 0 <= found.high
    assert 0.02 <= apart / 300 <= 0.08
    assert held / 300 >= 0.91


def test_several_systems_are_adjusted_together():
    rng = np.random.default_rng(3)
    systems = [_system(name, list(rng.random(30)), list(rng.random(50))) for name in "abc"]
    found = compare_averages("toy.em", systems, Resampling(resamples=500))
    assert [one.second for one in found] == ["b", "c"]
    assert tuple(one.p_holm for one in found) == holm([one.p_value for one in found])


def test_systems_on_different_sets_are_not_compared():
    """Other questions are refused; where a set has no value there is none, and a note."""
    with pytest.raises(MismatchError, match="the same questions"):
        compare_averages("toy.em", [_system("a", [1.0, 0.0]), _system("b", [1.0])], Resampling())
    sides = [_system(name, [1.0, 0.0], []) for name in "ab"]
    (found,) = compare_averages("toy.em", sides, Resampling())
    assert (found.difference, found.p_value) == (None, None)
    assert found.note == "a data set has no value"


def _pool(name, numerators):
    n = len(numerators)
    return Pool(
        metric=name,
        unit_ids=[str(i) for i in range(n)],
        numerators=numerators,
        denominators=[1] * n,
        n_questions=n,
        n_scored=n,
        n_answered=n,
    )
