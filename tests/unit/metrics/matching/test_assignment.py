"""The best assignment of spans, its mean, and where the last bit of a sum decides a rounding."""

import random

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from closeread.metrics.matching.assignment import rounded, rounded_mean
from closeread.summation import sum_in_order

THIRD = 1 / 3


def official(rows, length):
    """What the official evaluator calls: scipy's assignment, numpy's mean and numpy's rounding."""
    scores = np.array(rows)
    assigned = np.zeros(length)
    down, across = linear_sum_assignment(-scores)
    assigned[down] = scores[down, across]
    return round(np.mean(assigned), 2)


@pytest.mark.parametrize(
    ("rows", "length", "mean"),
    [
        ([], 2, 0.0),  # nothing is asked
        ([[]], 1, 0.0),  # nothing is said
        ([[0.0, 0.0]], 2, 0.0),
        ([[0.5, 0.8]], 2, 0.4),  # of two spans said the better one counts
        ([[0.5], [0.8]], 2, 0.4),  # and one span said is one of two
        ([[0.5, 0.0], [0.0, 0.2]], 2, 0.35),
        ([[0.5, 0.4], [0.4, 0.0]], 2, 0.4),  # 0.4 and 0.4: taking the best first leaves 0.5
        ([[0.0, 0.0], [0.5, 0.4], [0.4, 0.0]], 3, 0.27),  # the same: 0.8 of 3
        ([[0.5, 0.4], [0.4, 0.2], [1.0, 0.0]], 3, 0.47),  # the last and the first: 1.4 of 3
        ([[0.5, 0.4, 1.0], [0.4, 0.2, 0.0]], 3, 0.47),  # the same lying down: 1.0 and 0.4
        ([[0.5, 0.5], [0.5, 0.5]], 3, 0.33),  # 1.0 of 3
        ([[0.5] * 6] * 6, 6, 0.5),  # too large to try every assignment
        ([[1.0, 0.8] + [0.0] * 4, [0.8, 0.0] + [0.5] * 4, *[[0.2] * 6] * 4], 6, 0.4),
    ],
)
def test_the_best_assignment_is_scored(rows, length, mean):
    """The last is 0.8 and 0.8 and four times 0.2, 2.4 of 6; 1.0, 0.5 and 0.8 would be 2.3."""
    assert rounded_mean(rows, length) == mean


@pytest.mark.parametrize("seed", range(40))
def test_assignments_equal_the_official_ones(seed):
    """Tables of all forms, many zeros among them, so that there is sometimes nothing to choose."""
    chance = random.Random(seed)
    for _ in range(25):
        down, across = chance.randint(1, 9), chance.randint(1, 9)
        among = [0.0] * chance.choice([0, 2, 20]) + [0.2, 0.25, THIRD, 0.4, 0.5, 2 / 3, 0.8, 1.0]
        rows = [[chance.choice(among) for _ in range(across)] for _ in range(down)]
        length = max(down, across)
        assert rounded_mean(rows, length) == official(rows, length), rows


@pytest.mark.parametrize(
    ("own", "one_by_one", "mean"),
    [
        ([0.2, 0.8, 0.25, 0.25, 1.0, 0.2, 0.5, 0.2], 0.43, 0.42),  # 3.4 of 8: 0.425
        ([0.8, 0.2, 2 / 3, 0.25, 0.75, THIRD, 0.6, 0.6, 0.4, 0.25], 0.49, 0.48),  # 4.85 of 10
    ],
)
def test_eight_spans_or_more_are_summed_as_by_numpy(own, one_by_one, mean):
    """The mean lies on the border: left to right it comes to a bit more, in numpy's order not."""
    length = len(own)
    rows = [[own[i] if i == j else 0.0 for j in range(length)] for i in range(length)]
    assert rounded(sum_in_order(own) / length) == one_by_one
    assert rounded_mean(rows, length) == official(rows, length) == mean


def test_the_solver_decides_at_rounding_borders():
    """The best are 1/2, 2/3 and 1/3, 1.5 of 4 spans: 0.375, and a bit less when added so."""
    rows = [[0.25, 0.4, THIRD, 0.5], [2 / 3, 0.2, 0.0, 0.4], [0.5, 0.25, THIRD, 0.2]]
    assert rounded(0.375) == 0.38
    assert rounded_mean(rows, 4) == official(rows, 4) == 0.37


@pytest.mark.parametrize(
    ("number", "near"), [(0.125, 0.12), (0.375, 0.38), (0.025, 0.02), (2 / 3, 0.67), (1.0, 1.0)]
)
def test_halves_are_rounded_to_even(number, near):
    """The third is 0.03 for Python's own rounding, which sees that 0.025 is a bit more."""
    assert rounded(number) == near
