"""Which features stand in which batch."""

import random
from collections import Counter

import pytest

from closeread.training.neural.sampling import EpochOrder, draw_counts


def test_sources_are_drawn_by_weight_and_temperature():
    assert draw_counts([100, 50], [1, 1], 1.0) == [100, 50]
    assert draw_counts([100, 50], [2, 0.5], 1.0) == [200, 25]
    even = draw_counts([1000, 10], [1, 1], 1e9)
    assert even == [505, 505]
    between = draw_counts([1000, 10], [1, 1], 2.0)
    assert 10 < between[1] < 505
    assert sum(between) == pytest.approx(1010, abs=1)
    assert draw_counts([0, 10], [1, 1], 1.0) == [0, 10]
    weighed = draw_counts([900, 100], [1, 1 / 9], 2.0)  # of 900 and 11, not of 900 and 100
    assert weighed == draw_counts([900, 11], [1, 1], 2.0)
    assert draw_counts([75_000, 20], [1, 1], 0.01) == [
        75_020,
        1,
    ]  # powers that no number could hold


def test_an_epoch_is_determined_by_seed_and_number():
    order = EpochOrder([5] * 30, [20, 10], [20, 25], 4, seed=1)
    first = list(order)
    assert list(order) == first
    found = Counter(first)
    assert all(found[one] == 1 for one in range(20))
    assert sum(found[one] for one in range(20, 30)) == 25
    assert all(2 <= found[one] <= 3 for one in range(20, 30))
    assert len(first) == len(order) == 45
    order.set_epoch(1)
    assert list(order) != first
    assert sorted(order)[:20] == list(range(20))


def test_batches_have_features_of_similar_length():
    """Padding falls to a small part of what a random order pads."""
    draw = random.Random(0)
    lengths = [draw.randrange(20, 400) for _ in range(2000)]

    def padding(grouped):
        order = list(EpochOrder(lengths, [2000], [2000], 16, seed=0, grouped=grouped))
        batches = [order[at : at + 16] for at in range(0, 2000, 16)]
        return sum(
            max(lengths[one] for one in batch) * len(batch) - sum(lengths[one] for one in batch)
            for batch in batches
        )

    assert padding(True) < 0.05 * padding(False)


def test_the_longest_batches_do_not_all_come_first():
    lengths = list(range(1600))
    order = list(EpochOrder(lengths, [1600], [1600], 16, seed=0))
    firsts = [order[at] for at in range(0, 1600, 16)]
    assert firsts != sorted(firsts, reverse=True)


def test_a_batch_is_of_one_task():
    order = EpochOrder([5] * 40, [25, 15], [25, 15], 4, seed=0, tasks=[0, 1])
    found = list(order)
    assert len(found) == len(order) == 28 + 16
    for at in range(0, len(found), 4):
        assert len({one < 25 for one in found[at : at + 4]}) == 1
    assert set(found) == set(range(40))
