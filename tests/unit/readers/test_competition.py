"""Which option wins, and how sure that is."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from closeread.readers.competition import (
    answer_shares,
    choose_by_share,
    decided,
    rank_options,
)
from closeread.types import Option, Question

ODDS = st.lists(st.floats(-30, 30), min_size=1, max_size=6)


def make_question(asks_for, n_options=4):
    options = tuple(Option(label="ABCDEF"[place], text=f"t{place}") for place in range(n_options))
    return Question(
        question_id="q", passage_id="p", text="?", kind="verification", asks_for=asks_for,
        options=options,
    )  # fmt: skip


def test_the_stem_decides_whether_the_highest_or_lowest_wins():
    odds = [0.5, 3.0, -2.0, 1.0]
    assert rank_options(make_question("supported"), odds) == [1, 3, 0, 2]
    assert rank_options(make_question(None), odds) == [1, 3, 0, 2]
    assert rank_options(make_question("contradicted"), odds) == [2, 0, 3, 1]


@pytest.mark.parametrize("asks_for", ["supported", "contradicted"])
def test_the_first_of_equal_options_wins(asks_for):
    assert rank_options(make_question(asks_for), [1.0, 1.0, 1.0, 1.0]) == [0, 1, 2, 3]


@given(ODDS, st.sampled_from(["supported", "contradicted"]))
def test_confidence_is_the_posterior_of_a_single_differing_option(odds, asks_for):
    """Computed the long way: every world with one such option, weighed by its probability."""
    chances = [1 / (1 + math.exp(-one)) for one in odds]
    wanted = asks_for == "supported"

    def weight(world):
        return math.prod(
            chance if held else 1 / (1 + math.exp(one))
            for chance, one, held in zip(chances, odds, world, strict=True)
        )

    worlds = [
        world
        for world in itertools.product((True, False), repeat=len(odds))
        if world.count(wanted) == 1
    ]
    total = math.fsum(weight(world) for world in worlds)
    expected = [0.0] * len(odds)
    for world in worlds:
        expected[world.index(wanted)] = weight(world) / total
    assert answer_shares(make_question(asks_for, len(odds)), odds) == pytest.approx(
        expected, abs=1e-9
    )


def test_a_prediction_has_all_options_the_likeliest_first():
    found = decided(
        make_question("contradicted"), [2.0, -1.0, 0.0, 5.0], scores=[0.9, 0.3, 0.5, 1.0]
    )
    assert found.answer.label == "B"
    assert found.answer.texts == ("t1",)
    assert [one.answer.label for one in found.candidates] == ["B", "C", "A", "D"]
    assert found.confidence == found.candidates[0].score
    assert sum(one.score for one in found.candidates) == pytest.approx(1, abs=1e-5)
    assert found.option_scores == (0.9, 0.3, 0.5, 1.0)  # support, in the options' order


def test_odds_of_any_size_have_finite_shares():
    assert answer_shares(make_question("supported", 2), [900.0, -900.0]) == (1.0, 0.0)
    assert answer_shares(make_question("contradicted", 2), [900.0, -900.0]) == (0.0, 1.0)


def test_classes_of_a_hypothesis_keep_their_own_probabilities():
    found = choose_by_share(make_question(None, 3), [0.2, 0.7, 0.1])
    assert (found.answer.label, found.confidence, found.option_scores) == (
        "B",
        0.7,
        (0.2, 0.7, 0.1),
    )


def test_support_of_the_contradicted_option_is_low():
    found = choose_by_share(make_question("contradicted", 3), [0.2, 0.7, 0.1])
    assert found.answer.label == "B"
    assert [one.score for one in found.candidates] == [0.7, 0.2, 0.1]
    assert found.option_scores == pytest.approx((0.8, 0.3, 0.9))
