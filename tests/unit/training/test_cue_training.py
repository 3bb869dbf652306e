"""How the cue reader's ridge trusts features, and how its held-out folds are dealt."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from closeread.training.cues import CueSettings, Example, fit, scored, trust


def example(gold, *features):
    truth = tuple(place == gold for place in range(len(features)))
    return Example(truth=truth, gold=gold, sign=1.0, part=0, features=features)


def test_a_cue_that_tells_is_trusted_more():
    """By half of its log-count ratio over the mean, so 1 on the average; no cue counts half."""
    names = ["added:都", "answer/kept:了", "style:length"]
    # rows 0, 2, 4 are true; 都 stands in false options alone, 了 in both alike
    matrix = csr_array(
        np.array([[0, 1, 3], [1, 1, 5], [0, 1, 2], [1, 1, 2], [0, 0, 2], [1, 0, 2]], dtype=float)
    )
    found = trust(names, matrix, np.array([[0, 1], [2, 3], [4, 5]]))
    ratio = np.log(4)  # (0 + 1) to (3 + 1)
    assert found == pytest.approx([(ratio / (ratio / 2) + 1) / 2, 0.5, 0.5])
    assert found[:2].mean() == pytest.approx(1.0)


def test_cues_that_tell_nothing_are_trusted_alike():
    """No ratio, no division by nothing; without cues neither."""
    matrix = csr_array(np.ones((2, 2)))
    pairs = np.array([[0, 1]])
    assert trust(["cue:a", "before:x|a"], matrix, pairs) == pytest.approx([1, 1])
    assert trust(["style:a", "cover:b"], matrix, pairs) == pytest.approx([0.5, 0.5])


def test_what_separates_gets_the_weight():
    """Of words that stand as often, only what goes with falsehood is held against an option."""
    examples = [
        example(0, {"cue:有": 1.0, "cue:可": 1.0}, {"cue:有": 1.0, "cue:都": 1.0}),
        example(1, {"cue:有": 1.0, "cue:都": 1.0}, {"cue:可": 1.0}),
        example(0, {"cue:可": 1.0}, {"cue:都": 1.0, "cue:有": 1.0}),
    ] * 3
    weights = fit(examples, CueSettings(datasets=("x",), l2=1.0))
    assert weights["cue:都"] < -0.3 < weights["cue:有"] < 0.3 < weights["cue:可"]
    for one in examples:
        scores = scored(weights, one)
        assert scores.index(max(scores)) == one.gold
