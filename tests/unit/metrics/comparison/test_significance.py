"""Comparing systems: the right test for each value, intervals, several seeds, several systems."""

import dataclasses

import msgspec
import numpy as np
import pytest

from closeread.errors import MismatchError
from closeread.metrics.comparison import significance
from closeread.metrics.comparison.paired import System, pair_with_first
from closeread.metrics.comparison.seeds import average_runs
from closeread.metrics.comparison.significance import Comparison
from closeread.metrics.intervals import Resampling
from closeread.metrics.selective import metric as selective
from closeread.protocols import Pool
from closeread.types import Score, Submission

RESAMPLING = Resampling(resamples=2_000)


def compare(systems, resampling):
    return significance.compare(pair_with_first(systems, resampling))


def make_pool(numerators, denominators=None, *, name="mrqa.em", n_questions=None, ids=None):
    n = len(numerators)
    return Pool(
        metric=name,
        unit_ids=ids or [f"q{i}" for i in range(n)],
        numerators=list(numerators),
        denominators=list(denominators) if denominators is not None else [1] * n,
        n_questions=n_questions or n,
        n_scored=n,
        n_answered=n,
    )


def system(name, *pools):
    return System(name, pools)


def curve_over(names, right, sure):
    scores = [
        Score(question_id=name, values={"correct": float(c), "confidence": float(s)}, unit_id=name)
        for name, c, s in zip(names, right, sure, strict=True)
    ]
    return selective().pool(scores, Submission(predictions={}))[0]


def zero_one(both=40, only_first=5, only_second=20, neither=35):
    first = [1.0] * (both + only_first) + [0.0] * (only_second + neither)
    second = [1.0] * both + [0.0] * only_first + [1.0] * only_second + [0.0] * neither
    return system("one", make_pool(first)), system("two", make_pool(second))


def test_zero_one_values_get_mcnemar_and_an_interval_that_agrees():
    from statsmodels.stats.contingency_tables import mcnemar

    (found,) = compare(zero_one(), RESAMPLING)
    assert (found.first, found.second, found.test) == ("one", "two", "mcnemar-exact")
    assert found.difference == pytest.approx(0.15)
    assert (found.only_first, found.only_second, found.n_units) == (5, 20, 100)
    assert found.p_value == pytest.approx(mcnemar([[40, 5], [20, 35]]).pvalue)
    assert found.p_holm == found.p_value
    spread = ((25 - 15**2 / 100) ** 0.5) / 100
    assert found.low == pytest.approx(0.15 - 1.96 * spread, abs=0.015)
    assert found.high == pytest.approx(0.15 + 1.96 * spread, abs=0.015)
    assert 0.1 < found.smallest_difference < 0.2


def test_other_values_get_a_permutation_test_that_agrees_with_student_s():
    from scipy.stats import ttest_rel

    rng = np.random.default_rng(0)
    first = rng.random(200)
    second = np.clip(first + rng.normal(0.06, 0.2, 200), 0, 1)
    (found,) = compare(
        [
            system("one", make_pool(first, name="mrqa.f1")),
            system("two", make_pool(second, name="mrqa.f1")),
        ],
        RESAMPLING,
    )
    assert found.test == "permutation"
    assert found.p_value == pytest.approx(ttest_rel(first, second).pvalue, abs=0.01)
    assert found.low <= found.difference <= found.high
    assert found.only_first is None


def test_mcnemar_s_test_needs_zero_one_values():
    whole, parts = [1.0, 0.0, 1.0, 1.0], [1.0, 0.5, 0.25, 1.0]
    for first, second in ((whole, parts), (parts, whole)):
        (found,) = compare(
            [system("one", make_pool(first)), system("two", make_pool(second))], RESAMPLING
        )
        assert found.test == "permutation-exact"
        assert found.p_value == 1.0
        assert found.only_first is None


def test_units_of_several_questions_are_kept_together():
    """100 passages of ten alike questions show less than 1,000 questions would."""
    (alone,) = compare(zero_one(), RESAMPLING)
    first, second = (
        make_pool([10 * x for x in one.pools[0].numerators], [10] * 100) for one in zero_one()
    )
    (kept,) = compare([system("one", first), system("two", second)], RESAMPLING)
    assert kept.test == "permutation"
    assert kept.difference == alone.difference
    assert kept.smallest_difference == pytest.approx(alone.smallest_difference)
    assert kept.p_value == pytest.approx(alone.p_value, abs=0.01)


def test_several_systems_are_adjusted_after_holm():
    from statsmodels.stats.multitest import multipletests

    rng = np.random.default_rng(2)
    base = (rng.random(150) < 0.5).astype(float)
    systems = [system("base", make_pool(base))]
    for gain in (0.05, 0.15, 0.3):
        better = np.where(rng.random(150) < gain, 1.0, base)
        systems.append(system(f"plus {gain}", make_pool(better)))
    found = compare(systems, RESAMPLING)
    assert [one.second for one in found] == ["plus 0.05", "plus 0.15", "plus 0.3"]
    expected = multipletests([one.p_value for one in found], method="holm")[1]
    assert [one.p_holm for one in found] == pytest.approx(list(expected))


def test_a_p_value_limited_by_resamples_is_noted():
    """The smallest p-value of 100 resamples, adjusted for six systems, is above 0.05."""
    shares = [0.1 + 0.8 * (n % 7) / 7 for n in range(60)]
    better = [share + 0.1 for share in shares]
    systems = [system("base", make_pool(shares))]
    systems += [system(f"s{n}", make_pool(better)) for n in range(6)]
    few = compare(systems, Resampling(resamples=100))
    assert {one.p_value for one in few} == {1 / 101}
    assert not any(one.sure for one in few)
    told = "p is the smallest that 100 resamples can give"
    assert all(one.note.count(told) == 1 for one in significance.adjust_p_values(few, RESAMPLING))
    many = compare(systems, Resampling(resamples=2_000))
    assert all(one.sure and told not in one.note for one in many)


def test_seeds_count_with_their_mean_and_spread():
    rng = np.random.default_rng(3)
    skill = rng.random(120)
    seeds = [make_pool((rng.random(120) < skill).astype(float)) for _ in range(5)]
    other = make_pool((rng.random(120) < skill).astype(float))
    (found,) = compare([system("five", *seeds), system("one", other)], RESAMPLING)
    values = [np.mean(pool.numerators) for pool in seeds]
    assert found.first_value == pytest.approx(np.mean(values))
    assert found.first_spread.values == pytest.approx(values)
    assert found.first_spread.deviation == pytest.approx(np.std(values, ddof=1))
    assert found.second_spread is None
    assert found.test == "permutation"
    assert "deviation" in msgspec.json.encode(found).decode()


def test_seeds_of_a_curve_count_with_their_mean():
    rng = np.random.default_rng(6)
    names = [str(i) for i in range(60)]
    pools = [curve_over(names, rng.random(60) < 0.6, rng.random(60)) for _ in range(3)]
    bounded = [dataclasses.replace(pool, extremes=lambda others: (0.0, others)) for pool in pools]
    together = average_runs(bounded)
    assert together.extremes is None  # one seed's are not those of the mean
    for indices in (None, [0, 0, 5, 7]):
        one_by_one = [pool.statistic(indices) for pool in pools]
        assert together.statistic(indices) == pytest.approx(np.mean(one_by_one))
    (found,) = compare([system("three", *pools), system("one", pools[0])], RESAMPLING)
    assert found.first_value == pytest.approx(found.first_spread.mean)
    assert found.test == "bootstrap"
    undefined = dataclasses.replace(pools[0], statistic=lambda indices=None: None)
    assert average_runs([pools[0], undefined]).statistic() is None


def test_a_curve_over_other_questions_is_not_paired():
    one, other = (curve_over(names, [1.0, 0.0], [0.7, 0.2]) for names in ("ab", "ac"))
    with pytest.raises(MismatchError, match="different units"):
        average_runs([one, other])
    (found,) = compare([system("one", one), system("two", other)], RESAMPLING)
    assert (found.test, found.p_value) == ("none", None)
    assert found.note == "the two runs have different units: no paired test for this value"


def test_systems_that_never_differ_have_p_value_one_and_a_bound():
    same = zero_one()[0].pools[0]
    (found,) = compare([system("one", same), system("two", same)], RESAMPLING)
    assert (found.difference, found.p_value, found.smallest_difference) == (0.0, 1.0, None)
    assert found.high == -found.low == pytest.approx(1 - 0.025 ** (1 / 100))
    assert "exact interval" in found.note


@pytest.mark.parametrize("gain", [0.0, 0.5])
def test_equal_differences_with_unequal_weights_are_not_certain(gain):
    """The bootstrap alone would say [0, 0]; a passage without a question of the kind adds none."""
    below = [3, 2, 4, 1, 2, 0]
    first, second = (
        make_pool([share * many for many in below], below) for share in (0.25, 0.25 + gain)
    )
    (found,) = compare([system("one", first), system("two", second)], RESAMPLING)
    most = 1 - 0.025 ** (1 / 5)
    assert found.difference == gain
    assert (found.low, found.high) == pytest.approx(
        (gain * (1 - most) - most, min(1.0, gain * (1 - most) + most))
    )
    assert "exact interval" in found.note


def test_differing_denominators_are_resampled():
    first = make_pool([1.0] * 4, [1, 1, 1, 1])
    second = make_pool([1.0] * 4, [1, 1, 2, 2])
    (found,) = compare([system("one", first), system("two", second)], RESAMPLING)
    assert (found.low, found.high) == (-0.5, 0.0)
    assert found.note == "fewer than 20 units: the interval is probably too narrow"


@pytest.mark.parametrize(
    ("n", "right", "told"), [(19, 0.5, True), (20, 0.5, False), (19, 1, False)]
)
def test_an_interval_of_few_fractions_is_noted_as_too_narrow(n, right, told):
    """Not of right and wrong, whose few resamples reach far enough."""
    first = make_pool([right * (k % 3 > 0) for k in range(n)])
    second = make_pool([right * (k % 2 > 0) for k in range(n)])
    (found,) = compare([system("one", first), system("two", second)], RESAMPLING)
    assert ("fewer than 20 units" in found.note) == told


def test_curves_that_never_differ_have_no_interval():
    scores = [
        Score(question_id=str(i), values={"correct": float(i % 3 > 0), "confidence": i / 50})
        for i in range(50)
    ]
    pool = selective().pool(scores, Submission(predictions={}))[0]
    (found,) = compare([system("one", pool), system("two", pool)], Resampling(resamples=200))
    assert (found.low, found.high, found.smallest_difference) == (None, None, None)
    assert (found.test, found.p_value) == ("bootstrap", 1.0)
    assert found.note == "all resamples give the same value: no interval can be estimated"


@pytest.mark.parametrize("units", [1, 3, 8])
def test_agreeing_resamples_of_few_units_prove_nothing(units):
    """All wrong against all right: no test of so few pairs can say more than 2 in 2**units."""
    names, sure = [str(i) for i in range(units)], np.linspace(0.9, 0.1, units)
    wrong, right = (curve_over(names, [kind] * units, sure) for kind in (0, 1))
    coverage = dataclasses.replace(wrong, statistic=lambda indices=None: 0.0)
    full = dataclasses.replace(right, statistic=lambda indices=None: 1.0)
    (found,) = compare([system("wrong", coverage), system("right", full)], RESAMPLING)
    assert found.p_value == 2.0 ** (1 - units)


def test_a_repeated_id_counts_twice():
    """A data set's defect is lived with: the sums of the test are those of the values."""
    ids = ["a", "a", "b"]
    first = make_pool([1.0, 1.0, 0.0], ids=ids)
    second = make_pool([0.0, 0.0, 0.0], ids=ids)
    (found,) = compare([system("one", first), system("two", second)], RESAMPLING)
    assert found.difference == pytest.approx(-2 / 3)
    assert found.low == -1.0
    assert found.test == "permutation-exact"


def test_systems_that_always_differ_are_not_certain():
    first, second = make_pool([0.0] * 20), make_pool([1.0] * 20)
    (found,) = compare([system("one", first), system("two", second)], RESAMPLING)
    assert found.high == 1.0
    assert 0.5 < found.low < 1.0
    assert found.p_value == pytest.approx(2 / 2**20)


def test_values_that_are_not_ratios_are_compared_by_bootstrap():
    rng = np.random.default_rng(5)
    right = (rng.random(400) < 0.7).astype(float)
    good = right * 0.5 + rng.random(400) * 0.5
    systems = []
    for name, confidences in (("knows", good), ("guesses", rng.random(400))):
        scores = [
            Score(question_id=str(i), values={"correct": float(c), "confidence": float(s)})
            for i, (c, s) in enumerate(zip(right, confidences, strict=True))
        ]
        pools = selective().pool(scores, Submission(predictions={}))
        systems.append(system(name, pools[0]))
    (found,) = compare(systems, Resampling(resamples=500))
    assert found.test == "bootstrap"
    assert found.difference > 0
    assert found.low > 0
    assert found.p_value == pytest.approx(2 / 501)


def test_units_of_a_single_system_are_noted():
    first = make_pool([1.0, 1.0, 0.0], [1, 1, 1], ids=["a", "b", "c"], n_questions=4)
    second = make_pool([1.0, 0.0], [1, 1], ids=["a", "b"], n_questions=4)
    (found,) = compare([system("one", first), system("two", second)], RESAMPLING)
    assert found.note.startswith("1 unit counts in only one")
    assert found.test == "permutation-exact"
    assert found.difference == pytest.approx(1 / 2 - 2 / 3)


def test_values_over_different_questions_are_not_tested():
    """DROP's values by type depend on the answers; the other values of two runs are compared."""
    first = make_pool([1.0], ids=["a"], n_questions=4, name="drop.em.spans")
    second = make_pool([0.0], ids=["b"], n_questions=4, name="drop.em.spans")
    (found,) = compare([system("one", first), system("two", second)], RESAMPLING)
    assert (found.difference, found.test, found.p_value, found.low) == (-1.0, "none", None, None)
    assert found.note == "the two runs have different units: no paired test for this value"


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (make_pool([1.0] * 3), "scored on 2 questions"),
        (make_pool([1.0] * 2, ids=["x", "y"]), "share no unit"),
        (make_pool([1.0] * 2, name="mrqa.f1"), "different metrics"),
    ],
)
def test_systems_that_cannot_be_paired_are_rejected(second, message):
    with pytest.raises(MismatchError, match=message):
        compare([system("one", make_pool([1.0, 0.0])), system("two", second)], RESAMPLING)


def test_runs_of_one_system_need_the_same_data():
    runs = make_pool([1.0, 0.0]), make_pool([1.0, 0.0, 0.0])
    with pytest.raises(MismatchError, match="runs of one system differ"):
        compare([system("one", *runs), system("two", runs[0])], RESAMPLING)


def test_notes_of_a_single_value_are_on_the_comparison():
    first, second = (system.pools[0] for system in zero_one())
    both = dataclasses.replace(first, note="mean over 2 options")
    other = dataclasses.replace(second, note="mean over 2 options; 7 judged otherwise")
    (found,) = compare([system("one", both), system("two", other)], RESAMPLING)
    assert found.note == "the second: 7 judged otherwise"
    (found,) = compare([system("one", other), system("two", both)], RESAMPLING)
    assert found.note == "the first: 7 judged otherwise"
    alike = dataclasses.replace(second, note=first.note)
    (found,) = compare([system("one", first), system("two", alike)], RESAMPLING)
    assert found.note == ""


def test_a_missing_value_is_not_compared():
    empty = make_pool([], n_questions=2, ids=[])
    (found,) = compare([system("one", make_pool([1.0, 0.0])), system("two", empty)], RESAMPLING)
    assert (found.difference, found.p_value, found.test) == (None, None, "none")
    assert found.note == "one of the two runs has no value"


def test_a_comparison_survives_json():
    (found,) = compare(zero_one(), RESAMPLING)
    again = msgspec.json.decode(msgspec.json.encode(found), type=Comparison)
    assert again == found


def test_the_same_seed_gives_the_same_comparison():
    assert compare(zero_one(), RESAMPLING) == compare(zero_one(), RESAMPLING)


def test_names_of_runs_change_no_number():
    """A folder that was moved or renamed keeps its intervals and p-values to the last digit."""
    rng = np.random.default_rng(6)
    parts = [make_pool(rng.random(60)), make_pool(rng.random(60))]
    asked = [str(number) for number in range(60)]
    sure = [curve_over(asked, rng.random(60) < 0.5, rng.random(60)) for _ in range(2)]
    for pools in (parts, sure):
        told = [
            compare([system(one, pool) for one, pool in zip(names, pools, strict=True)], RESAMPLING)
            for names in (("old", "new"), ("runs/a", "runs/b"))
        ]
        first, second = (msgspec.structs.replace(one, first="", second="") for (one,) in told)
        assert first == second
        assert first.test in ("permutation", "bootstrap")


def test_the_difference_interval_has_its_nominal_coverage():
    """300 simulated pairs of systems that differ by 0.1: 91 to 98 of 100 intervals hold it."""
    rng = np.random.default_rng(9)
    held = 0
    for seed in range(300):
        kinds = rng.choice(4, size=150, p=[0.4, 0.1, 0.2, 0.3])
        first = np.isin(kinds, [0, 1]).astype(float)
        second = np.isin(kinds, [0, 2]).astype(float)
        (found,) = compare(
            [system("one", make_pool(first)), system("two", make_pool(second))],
            Resampling(resamples=500, seed=seed),
        )
        held += found.low <= 0.1 <= found.high
    assert 0.91 <= held / 300 <= 0.98
