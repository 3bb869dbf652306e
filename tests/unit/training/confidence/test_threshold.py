"""A threshold keeps its promise, and says so only where it can."""

from dataclasses import replace

import numpy as np
import pytest

from closeread.training.confidence.threshold import (
    GRID,
    Risk,
    choose_bonferroni,
    choose_fixed_sequence,
    drop_unreached,
    min_answers,
    risk_of,
    threshold_sequence,
    upper_bound,
)


def draw_answers(draw, many):
    """Confidences that are true: right with just the chance that they say."""
    sure = draw.random(many)
    return sure.tolist(), (draw.random(many) < sure).tolist()


def test_the_risk_bound_is_binomial():
    """At the bound, so few wrong answers come with probability delta."""
    from scipy.stats import binom

    for wrong, answered, delta in ((0, 10, 0.1), (3, 40, 0.05), (20, 50, 0.005)):
        bound = upper_bound(wrong, answered, delta)
        assert binom.cdf(wrong, answered, bound) == pytest.approx(delta)
    assert upper_bound(5, 5, 0.1) == 1


@pytest.mark.parametrize("way", ["shared", "in order"])
def test_the_risk_is_kept_with_the_given_confidence(way):
    """Over 300 draws the true risk above the threshold is too high in at most delta of them."""
    risk, delta, broken, answered = 0.3, 0.1, 0, 0
    draw = np.random.default_rng(7)
    for _ in range(300):
        others, _ = draw_answers(draw, 400)
        confidences, correct = draw_answers(draw, 400)
        if way == "shared":
            found = choose_bonferroni(confidences, correct, risk, delta)
        else:
            grid = threshold_sequence(others, risk, delta, 400)
            found = choose_fixed_sequence(confidences, correct, risk, delta, grid)
        if found.n_answered:
            assert found.bound <= risk
            true_risk = 1 - (1 + found.value) / 2  # confidence is uniform above the threshold
            broken += true_risk > risk
        answered += found.n_answered
    assert broken <= delta * 300
    assert answered / 300 > 0.3 * 400  # 60% could be answered, knowing the truth


def test_lower_thresholds_answer_more():
    """Spending the whole chance in order answers more than sharing it out."""
    draw = np.random.default_rng(3)
    more = 0
    for _ in range(50):
        others, _ = draw_answers(draw, 300)
        confidences, correct = draw_answers(draw, 300)
        fixed = choose_fixed_sequence(
            confidences, correct, 0.3, 0.05, threshold_sequence(others, 0.3, 0.05, 300)
        )
        more += fixed.n_answered - choose_bonferroni(confidences, correct, 0.3, 0.05).n_answered
    assert more > 0


def test_thresholds_by_hand():
    """Half of 200 answers are sure and right, the others unsure and wrong: no bound but one."""
    confidences, correct = [0.9] * 100 + [0.2] * 100, [True] * 100 + [False] * 100
    found = choose_bonferroni(confidences, correct, 0.1, 0.05)
    assert (found.value, found.n_answered, found.n_questions) == (0.25, 100, 200)
    assert (found.risk, found.delta) == (0.1, 0.05)
    assert found.bound == round(1 - (0.05 / 20) ** (1 / 100), 6)  # each at a twentieth of delta
    found = choose_fixed_sequence(confidences, correct, 0.1, 0.05, [0.95, 0.9, 0.3, 0.2])
    assert found.value > 1  # nothing is so sure as 0.95, so that the first test fails already
    found = choose_fixed_sequence(confidences, correct, 0.1, 0.05, [0.9, 0.3, 0.2])
    assert (found.value, found.n_answered) == (0.3, 100)
    assert found.bound == round(1 - 0.05 ** (1 / 100), 6)  # each at the whole of it


def test_the_first_threshold_that_fails_ends_the_sequence():
    """Below it more answers are right again, and the promise would be kept."""
    confidences = [0.9] * 100 + [0.6] * 100 + [0.2] * 5000
    correct = [True] * 100 + [False] * 100 + [True] * 5000
    assert choose_fixed_sequence(confidences, correct, 0.1, 0.05, [0.9, 0.5, 0.1]).value == 0.9
    assert choose_fixed_sequence(confidences, correct, 0.1, 0.05, [0.1]).value == 0.1


def test_a_bound_equal_to_the_risk_is_accepted():
    risk = upper_bound(0, 20, 0.1)
    assert choose_fixed_sequence([0.9] * 20, [True] * 20, risk, 0.1, [0.5]).value == 0.5
    assert choose_fixed_sequence([0.9] * 20, [True] * 20, risk - 1e-9, 0.1, [0.5]).value > 1


def test_an_unreachable_risk_has_no_threshold():
    """Always wrong: nothing is to be answered."""
    for found in (
        choose_bonferroni([0.9] * 50, [False] * 50, 0.2, 0.1),
        choose_fixed_sequence([0.9] * 50, [False] * 50, 0.2, 0.1, GRID),
    ):
        assert found.value > 1
        assert found.n_answered == 0
        assert (found.bound, found.n_questions) == (1.0, 50)


def test_the_sequence_begins_where_a_test_can_succeed():
    """The first threshold leaves so many questions that half of the risk would pass; then down."""
    others = [place / 1000 for place in range(1000)]
    found = threshold_sequence(others, 0.2, 0.05, 500)
    first = 500 * sum(one >= found[0] for one in others) // 1000
    assert upper_bound(first * 0.1, first, 0.05) <= 0.2
    assert upper_bound((first - 11) * 0.1, first - 11, 0.05) > 0.2
    assert found == sorted(found, reverse=True)
    assert found[-1] == 0.0
    assert threshold_sequence([0.5] * 10, 0.01, 0.01, 500) == [0.5]


@pytest.mark.parametrize(
    ("risk", "needed"),
    [(0.05, (223, 154)), (0.1, (107, 75)), (0.2, (50, 35)), (0.3, (30, 21))],
)
def test_the_sequence_begins_as_documented(risk, needed):
    """Of fifty times so many the surest fiftieth is enough, of fifty fewer it is not."""
    others = [number / 5000 for number in range(5000)]
    for delta, many in zip((0.05, 0.1), needed, strict=True):
        assert len(threshold_sequence(others, risk, delta, 50 * many)) == 50
        assert len(threshold_sequence(others, risk, delta, 50 * (many - 1))) == 49


def test_a_sequence_of_few_answers_tests_all():
    """Of ten there are no fiftieths: each is there once, the surest first; or from the half on."""
    others = [place / 10 for place in range(1, 11)]
    assert upper_bound(20 * 0.25, 20, 0.1) <= 0.5
    assert threshold_sequence(others, 0.5, 0.1, 1000) == others[::-1]
    needed = next(n for n in range(1, 50) if upper_bound(n * 0.25, n, 0.1) <= 0.5)
    assert threshold_sequence(others, 0.5, 0.1, 2 * needed) == others[5::-1]


@pytest.mark.parametrize("many", [60, 120, 213])
def test_the_likeliest_test_of_few_answers_comes_first(many):
    """Half are surely right, the others hardly: what half of 107 and more would need is not."""
    others = [0.999] * 50 + [0.3 - place / 1000 for place in range(50)]
    found = threshold_sequence(others, 0.1, 0.05, many)
    assert found[0] == 0.999
    assert found == sorted(found, reverse=True)
    confidences = [0.999] * (many // 2) + [0.2] * (many - many // 2)
    correct = [sure > 0.5 for sure in confidences]
    assert choose_fixed_sequence(confidences, correct, 0.1, 0.05, found).n_answered == many // 2
    even = [0.98 - place / 1e6 for place in range(100)]  # all as good: the test of most is surest
    (first, *_) = threshold_sequence(even, 0.1, 0.05, many)
    assert sum(sure >= first for sure in even) > 70


@pytest.mark.parametrize(("risk", "delta"), [(0.1, 0.05), (0.05, 0.05), (0.3, 0.1), (0.9, 0.2)])
def test_too_few_answers_cannot_keep_a_risk(risk, delta):
    least = min_answers(risk, delta)
    assert upper_bound(0, least, delta) <= risk
    assert least == 1 or upper_bound(0, least - 1, delta) > risk
    others = [0.999] * 100
    assert threshold_sequence(others, risk, delta, least) == [0.999]
    assert not threshold_sequence(others, risk, delta, least - 1)
    assert choose_fixed_sequence([0.9] * 9, [True] * 9, 0.1, 0.05, []).n_answered == 0


@pytest.mark.parametrize("many", [30, 60, 120])
def test_few_answers_keep_the_risk_as_often(many):
    """Where risk rises past the promise, a chosen threshold is above it in at most delta."""
    draw = np.random.default_rng(11)
    broken = found = 0
    for place in range(400):
        if place % 10 == 0:  # whatever the order of tests, the promise is of each draw of answers
            grid = threshold_sequence((1 - 0.4 * draw.random(200)).tolist(), 0.1, 0.1, many)
        confidences = 1 - 0.4 * draw.random(many)
        correct = (draw.random(many) < confidences).tolist()
        chosen = choose_fixed_sequence(confidences.tolist(), correct, 0.1, 0.1, grid)
        found += bool(chosen.n_answered)
        broken += bool(chosen.n_answered) and (1 - chosen.value) / 2 > 0.1
    assert found
    assert broken <= 0.1 * 400


def test_the_risk_is_kept_on_variants():
    """Of triples answered alike; counted one by one they break it more often than delta."""
    draw = np.random.default_rng(3)
    alone = together = 0
    for _ in range(300):
        others, _ = draw_answers(draw, 200)
        confidences, correct = (np.repeat(found, 3).tolist() for found in draw_answers(draw, 200))
        units = np.repeat(np.arange(200), 3).tolist()
        grid = threshold_sequence(others, 0.2, 0.1, 200)
        found = choose_fixed_sequence(confidences, correct, 0.2, 0.1, grid, units=units)
        assert found.n_questions == 600
        together += bool(found.n_answered) and (1 - found.value) / 2 > 0.2
        found = choose_fixed_sequence(confidences, correct, 0.2, 0.1, grid)
        alone += bool(found.n_answered) and (1 - found.value) / 2 > 0.2
    assert together <= 0.1 * 300 < alone
    fewer = choose_bonferroni(confidences, correct, 0.3, 0.1, units=units).n_answered
    assert fewer < choose_bonferroni(confidences, correct, 0.3, 0.1).n_answered


def test_variants_count_less_than_separate_questions():
    """A fifth of the questions have eight answers: nearly all that is known is of those."""
    draw = np.random.default_rng(5)
    units = [unit for unit in range(200) for _ in range(8 if unit % 5 == 0 else 1)]
    broken = 0
    for _ in range(600):
        right = (draw.random(200) >= 0.2).tolist()
        risk = risk_of([right[unit] for unit in units], 0.8, units)
        broken += risk.high < 0.2
    assert 0 < broken <= 0.1 * 600


def test_the_risk_of_variants_is_bounded_by_their_questions():
    """Of equal values the interval is that of the questions, however many variants each has."""
    correct = [True] * 17 + [False] * 3
    once, thrice = risk_of(correct), risk_of(correct * 3, units=[*range(20)] * 3)
    assert thrice == replace(once, n_answered=60)


def test_a_risk_has_its_exact_interval():
    """Clopper and Pearson 1934, as scipy has it; no answers have no risk."""
    from scipy.stats import binomtest

    for wrong, many in ((0, 5), (3, 10), (10, 10), (44, 100)):
        found = risk_of([False] * wrong + [True] * (many - wrong), 0.95)
        low, high = binomtest(wrong, many).proportion_ci(0.95, "exact")
        assert (found.n_answered, found.value) == (many, wrong / many)
        assert (found.low, found.high) == pytest.approx((low, high))
    assert risk_of([]) == Risk(n_answered=0)


def test_without_high_confidences_the_sequence_begins_lower():
    """A forest of all answers says 1 to none of those that its folds would have said it to."""
    folds = [1.0] * 26 + np.linspace(0.999, 0, 74).tolist()
    draw = np.random.default_rng(5)
    tried = draw.permuted(np.linspace(0.999, 0, 192))
    correct = (tried > 0.1).tolist()
    grid = threshold_sequence(folds, 0.1, 0.05, 192)
    assert grid[0] == 1
    assert not choose_fixed_sequence(tried.tolist(), correct, 0.1, 0.05, grid).n_answered
    lower = drop_unreached(grid, folds, tried.tolist())
    assert lower == grid[-len(lower) :]
    found = choose_fixed_sequence(tried.tolist(), correct, 0.1, 0.05, lower)
    assert found.n_answered > 150
    assert (
        drop_unreached(grid, folds, folds) == grid
    )  # as sure as the folds: nothing is passed over


def test_a_sequence_that_begins_lower_keeps_the_risk():
    """Which of the answers are right does not decide where: it is broken in at most delta."""
    risk, delta, broken, begun_lower, answered = 0.2, 0.1, 0, 0, 0
    draw = np.random.default_rng(9)
    for place in range(400):
        if place % 10 == 0:  # the folds are surer by far than all
            others = np.where(draw.random(200) < 0.3, 1.0, draw.random(200)).tolist()
            grid = threshold_sequence(others, risk, delta, 100)
        sure, correct = draw_answers(draw, 100)
        lower = drop_unreached(grid, others, sure)
        begun_lower += lower != grid
        found = choose_fixed_sequence(sure, correct, risk, delta, lower)
        answered += bool(found.n_answered)
        broken += bool(found.n_answered) and (1 - found.value) / 2 > risk
    assert begun_lower > 350
    assert answered > 50
    assert broken <= delta * 400
