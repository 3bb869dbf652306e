"""Weights that a recipe gives are added to those that are learned."""

import json

import pytest

from closeread.errors import UsageError
from closeread.readers.cues.reader import load_weights
from toy_cues import run


def format_given_weights(weights):
    lines = "\n".join(f'"{name}" = {weight}' for name, weight in weights.items())
    return f"[train.given]\n{lines}\n"


def train_weights(tmp_path, more):
    result, out = run(tmp_path, more)
    assert result.exit_code == 0, result.exception
    return load_weights(out), result


@pytest.mark.parametrize("more", ["", "cues_alone = true\n"])
def test_given_weights_are_added_to_learned_ones(tmp_path, more):
    """By both together questions are answered, and confidence is learned from that."""
    plain, before = train_weights(tmp_path, more)
    found, result = train_weights(
        tmp_path, more + format_given_weights({"cue:都": 40.0, "number:any": 0.5})
    )
    wanted = {"cue:都": plain.weights["cue:都"] + 40.0, "number:any": 0.5}
    assert found.weights == pytest.approx(plain.weights | wanted)
    assert found.settings["given"] == {"cue:都": 40.0, "number:any": 0.5}
    accuracies = [json.loads(one.stdout)["held_out_accuracy"] for one in (before, result)]
    assert accuracies[0] == 1.0
    assert accuracies[1] < 0.1


@pytest.mark.parametrize("more", ["", "cues_alone = true\n"])
def test_held_out_questions_are_answered_like_the_reader(tmp_path, more):
    """Though cues alone are learned from, what is given may weigh what they leave aside."""
    _, result = train_weights(tmp_path, more + format_given_weights({"cover:units": -400.0}))
    assert json.loads(result.stdout)["held_out_accuracy"] == 0.0


def test_a_given_weight_of_an_unknown_feature_is_reported(tmp_path):
    """A slip of the pen would do nothing, and in silence."""
    _, result = train_weights(tmp_path, format_given_weights({"cover:unit": 1.0}))
    assert "train.given: no option has the feature cover:unit" in result.stderr


def test_infinite_weights_are_rejected(tmp_path):
    result, out = run(tmp_path, format_given_weights({"cover:units": "inf"}))
    assert isinstance(result.exception, UsageError)
    assert "train.given: cover:units = inf" in str(result.exception)
    assert not out.exists()
