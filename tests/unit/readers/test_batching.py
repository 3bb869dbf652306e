"""Batches hold every sequence once, within the budget, and pad it to nothing but its own length."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from closeread.errors import UsageError
from closeread.readers.batching import plan_batches

LENGTHS = st.lists(st.integers(0, 512), max_size=60)


@given(LENGTHS, st.integers(1, 3000), st.integers(1, 64))
def test_batches_are_complete_within_the_budget_and_longest_first(lengths, budget, multiple):
    batches = plan_batches(lengths, token_budget=budget, multiple=multiple)
    assert sorted(index for batch in batches for index in batch.indices) == list(
        range(len(lengths))
    )
    assert [batch.length for batch in batches] == sorted(
        (batch.length for batch in batches), reverse=True
    )
    for batch in batches:
        assert batch.indices
        assert len(batch.indices) == 1 or len(batch.indices) * batch.length <= budget
        for index in batch.indices:
            assert 0 <= batch.length - max(1, lengths[index]) < multiple


@given(LENGTHS, LENGTHS, st.integers(1, 3000), st.integers(1, 3000))
def test_padding_does_not_depend_on_neighbours_or_budget(lengths, others, one, two):
    def padded(lengths, budget):
        return {
            index: batch.length
            for batch in plan_batches(lengths, token_budget=budget)
            for index in batch.indices
        }

    alone, beside = padded(lengths, one), padded(lengths + others, two)
    assert all(beside[index] == length for index, length in alone.items())


def test_padding_stays_within_the_model_s_maximum():
    batches = plan_batches([509, 510, 3], token_budget=10_000, multiple=64, max_length=510)
    assert [(batch.indices, batch.length) for batch in batches] == [([0, 1], 510), ([2], 64)]


@pytest.mark.parametrize("given", [{"token_budget": 0}, {"token_budget": 9, "multiple": 0}])
def test_impossible_budgets_are_rejected(given):
    with pytest.raises(UsageError, match="token_budget="):
        plan_batches([1], **given)
