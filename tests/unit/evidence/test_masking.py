"""Equations 1 to 5 on vectors small enough to be worked out by hand."""

import math

import numpy as np
import pytest

from closeread.errors import UsageError
from closeread.evidence.beam import Chain, search
from closeread.evidence.hard_masking import HardMask
from closeread.evidence.masking import Query
from closeread.evidence.soft_masking import SoftMask
from closeread.evidence.vectors.index import Sentence


def query(**words):
    return Query(list(words), np.array(list(words.values()), dtype=float))


def sentence(**words):
    return Sentence(frozenset(words), np.array(list(words.values()), dtype=float))


ASKED = query(a=(1, 0), b=(0, 1), c=(1, 1))


def test_weights_are_equal_before_anything_is_found():
    for mask in (HardMask(), SoftMask()):
        assert mask.weights(ASKED, [()]).tolist() == [[pytest.approx(1 / 3)] * 3]


def test_hard_masking_drops_found_words():
    """Equation 2 sets found words to 0, equation 1 shares the weight among the others."""
    found = [sentence(a=(1, 0), x=(5, 5))]
    assert HardMask().weights(ASKED, [found]).tolist() == [[0.0, 0.5, 0.5]]


def test_hard_masking_keeps_found_words_masked():
    found = [sentence(a=(1, 0)), sentence(c=(1, 1))]
    assert HardMask().weights(ASKED, [found]).tolist() == [[0.0, 1.0, 0.0]]


def test_hard_masking_leaves_no_weights_if_all_words_were_found():
    found = [sentence(a=(1, 0), b=(0, 1), c=(1, 1))]
    assert HardMask().weights(ASKED, [found]).tolist() == [[0.0, 0.0, 0.0]]


def test_soft_masking_is_the_softmax_of_minus_the_highest_dot_product():
    """a meets (2, 0) and (0, 3): 2; b: 3; c: 3. Weights e^-2, e^-3, e^-3 (equations 4, 5)."""
    found = [sentence(x=(2, 0), y=(0, 3))]
    powers = [math.exp(-2), math.exp(-3), math.exp(-3)]
    expected = [power / sum(powers) for power in powers]
    assert SoftMask(1.0).weights(ASKED, [found])[0] == pytest.approx(expected, abs=1e-15)


def test_soft_masking_takes_the_running_maximum_over_steps():
    """First sentence (2, 0): 2, 0, 2. Second (0, 1): 0, 1, 1. Maximum 2, 1, 2."""
    found = [sentence(x=(2, 0)), sentence(y=(0, 1))]
    powers = [math.exp(-2), math.exp(-1), math.exp(-2)]
    expected = [power / sum(powers) for power in powers]
    assert SoftMask(1.0).weights(ASKED, [found])[0] == pytest.approx(expected, abs=1e-15)


def test_a_larger_lambda_widens_the_gap():
    found = [sentence(x=(2, 0))]
    powers = [math.exp(-4), 1.0, math.exp(-4)]
    expected = [power / sum(powers) for power in powers]
    assert SoftMask(2.0).weights(ASKED, [found])[0] == pytest.approx(expected, abs=1e-15)


def test_soft_masking_by_cosine_ignores_norms():
    """a and (2, 0) point the same way: 1; b: 0; c: 1/sqrt(2)."""
    found = [sentence(x=(2, 0))]
    powers = [math.exp(-1), 1.0, math.exp(-math.sqrt(0.5))]
    expected = [power / sum(powers) for power in powers]
    assert SoftMask(similarity="cosine").weights(ASKED, [found])[0] == pytest.approx(expected)


def test_long_vectors_do_not_overflow():
    found = [sentence(x=(3000, 0))]
    assert SoftMask().weights(ASKED, [found]).tolist() == [[0.0, 1.0, 0.0]]
    longer = [sentence(x=(3000, 3000))]
    assert SoftMask().weights(ASKED, [longer, found]).tolist() == [[0.5, 0.5, 0.0], [0.0, 1.0, 0.0]]


def test_a_lambda_of_0_leaves_all_weights_equal():
    assert SoftMask(0.0).weights(ASKED, [[sentence(x=(2, 0))]]).tolist() == [[1 / 3] * 3]


def test_several_chains_are_weighed_as_single_ones():
    chains = [[sentence(x=(2, 0))], [sentence(a=(1, 0))]]
    for mask in (HardMask(), SoftMask()):
        together = mask.weights(ASKED, chains)
        alone = [mask.weights(ASKED, [chain])[0].tolist() for chain in chains]
        assert together.tolist() == alone


def test_beam_search_keeps_the_best_of_each_length():
    """Step 1 keeps 0 and 1; then 0 finds 2 (0.9 + 0.5), 1 finds 2 (0.8 + 0.7): 1.5 beats 1.4."""
    later = {(0,): [9.0, 0.1, 0.5], (1,): [0.2, 9.0, 0.7]}
    found = search(
        np.array([0.9, 0.8, 0.1]),
        lambda chains: np.array([later[chain.sentences] for chain in chains]),
        steps=2,
        beam=2,
    )
    assert found[0] == [Chain((0,), 0.9), Chain((1,), 0.8)]
    assert [chain.sentences for chain in found[1]] == [(1, 2), (0, 2)]
    assert [chain.score for chain in found[1]] == pytest.approx([1.5, 1.4])


def test_ties_go_to_the_earlier_sentence():
    found = search(np.array([0.5, 0.5, 0.5]), lambda chains: np.zeros((0, 3)), steps=1, beam=2)
    assert [chain.sentences for chain in found[0]] == [(0,), (1,)]


def test_two_orders_of_the_same_sentences_are_one_chain():
    found = search(
        np.array([0.9, 0.8, 0.1]),
        lambda chains: np.array([[0.5, 0.5, 0.1]] * len(chains)),
        steps=2,
        beam=2,
    )
    assert [set(chain.sentences) for chain in found[1]] == [{0, 1}, {0, 2}]


def test_a_chain_without_remaining_query_does_not_grow():
    found = search(
        np.array([0.9, -np.inf]), lambda chains: np.full((1, 2), -np.inf), steps=3, beam=2
    )
    assert found == [[Chain((0,), 0.9)]]


@pytest.mark.parametrize("sharpness", [-1.0, math.nan, math.inf])
def test_an_invalid_sharpness_is_rejected(sharpness):
    """With a negative one the weights of long vectors overflow."""
    with pytest.raises(UsageError, match="a number of 0 or more"):
        SoftMask(sharpness)
