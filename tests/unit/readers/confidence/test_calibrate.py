"""A calibrator's file is checked before it is believed, and applied without scikit-learn."""

import os
import subprocess
import sys

import msgspec
import pytest

from closeread.errors import InputError
from closeread.readers.confidence.calibrate import (
    Calibrator,
    Forest,
    Linear,
    Steps,
    Tree,
    load_calibrator,
)

LINEAR = Linear(intercept=0.0, weights=(1.0,), means=(0.5,), spreads=(0.25,))
STEPS = Steps(places=(0.2, 0.4, 0.8), heights=(0.1, 0.5, 0.7))
TREE = Tree(
    features=(0, -1, -1),
    cuts=(0.3, 0.0, 0.0),
    left=(1, 0, 0),
    right=(2, 0, 0),
    shares=(0.5, 0.2, 0.9),
)


def make_calibrator(model, features=("confidence",)):
    return Calibrator(method="x", features=features, scale="logits", model=model)


def test_calibration_curves_and_trees_by_hand():
    """Values that can be computed on paper; a forest counts in single precision."""
    assert make_calibrator(LINEAR).confidence_from_features({"confidence": 0.5}) == 0.5
    assert make_calibrator(LINEAR).confidence_from_features({"confidence": 0.75}) == round(
        1 / (1 + 2.718281828459045**-1), 6
    )
    told = [
        make_calibrator(STEPS).confidence_from_features({"confidence": x})
        for x in (-1, 0.2, 0.3, 0.4, 0.6, 0.8, 9)
    ]
    assert told == [0.1, 0.1, 0.3, 0.5, 0.6, 0.7, 0.7]
    forest = make_calibrator(Forest(trees=(TREE, TREE)))
    assert forest.confidence_from_features({"confidence": 0.29}) == 0.2
    assert forest.confidence_from_features({"confidence": 0.31}) == 0.9
    # 0.3 in single precision lies above the double 0.3
    assert forest.confidence_from_features({"confidence": 0.3}) == 0.9
    assert forest.confidence_from_features({"confidence": 1e300}) == 0.9


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (make_calibrator(LINEAR, ("sunshine",)), "unknown feature 'sunshine'"),
        (make_calibrator(LINEAR, ("confidence", "nbest:top")), "weights and features differ"),
        (
            make_calibrator(msgspec.structs.replace(LINEAR, spreads=(0.0,))),
            "weights and features differ",
        ),
        (
            make_calibrator(
                Linear(intercept=0.0, weights=(1.0,) * 2, means=(0.0,) * 2, spreads=(0.0, 1.0)),
                ("confidence", "nbest:top"),
            ),
            "weights and features differ",
        ),
        (
            make_calibrator(Steps(places=(0.4, 0.2), heights=(0.1, 0.2))),
            "not one of increasing points",
        ),
        (
            make_calibrator(Steps(places=(0.2, 0.2), heights=(0.1, 0.2))),
            "not one of increasing points",
        ),
        (make_calibrator(Steps(places=(0.2, 0.4), heights=(0.1,))), "not one of increasing points"),
        (make_calibrator(Steps(places=(), heights=())), "not one of increasing points"),
        (make_calibrator(STEPS, ("confidence", "nbest:top")), "not one of increasing points"),
        (
            make_calibrator(Forest(trees=(msgspec.structs.replace(TREE, left=(0, 0, 0)),))),
            "malformed",
        ),
        (
            make_calibrator(Forest(trees=(msgspec.structs.replace(TREE, features=(3, -1, -1)),))),
            "malformed",
        ),
        (
            make_calibrator(Forest(trees=(msgspec.structs.replace(TREE, features=(1, -1, -1)),))),
            "malformed",
        ),
        (
            make_calibrator(Forest(trees=(msgspec.structs.replace(TREE, right=(3, 0, 0)),))),
            "malformed",
        ),
        (
            make_calibrator(Forest(trees=(msgspec.structs.replace(TREE, shares=(0.5, 0.2)),))),
            "malformed",
        ),
        (
            make_calibrator(
                Forest(trees=(TREE, Tree(features=(), cuts=(), left=(), right=(), shares=())))
            ),
            "malformed",
        ),
        (make_calibrator(Forest(trees=())), "trees are malformed"),
    ],
)
def test_a_calibrator_that_cannot_be_applied_is_rejected(tmp_path, broken, said):
    """A tree that leads in a circle would never end."""
    path = tmp_path / "c.json"
    path.write_bytes(msgspec.json.encode(broken))
    with pytest.raises(InputError, match="the calibrator cannot be applied") as error:
        load_calibrator(path)
    assert said in str(error.value)


@pytest.mark.parametrize("content", [None, b"", b"[1]", b'{"method": 3}', b"\xff"])
def test_a_file_that_is_not_a_calibrator_is_rejected(tmp_path, content):
    """One message that names the file."""
    path = tmp_path / "c.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=r"c\.json"):
        load_calibrator(path)


def test_a_pipe_is_rejected_as_a_calibrator(tmp_path):
    """One without a writer was waited on without end; of another the sum of nothing was kept."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(
        InputError, match=r"pipe: not a regular file\n  do: save the content to a file"
    ):
        load_calibrator(tmp_path / "pipe")


def test_applying_needs_no_scikit_learn():
    """Neither sklearn nor scipy nor numpy is imported by what applies a calibrator."""
    code = (
        "import sys, closeread.readers.confidence.calibrate\n"
        "assert not {'sklearn', 'scipy', 'numpy'} & set(sys.modules), 'heavy'"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
