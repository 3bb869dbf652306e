"""The tests that send a training's curves to real trackers, in an environment that has them all."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".venv-interop/trackers/bin/python"
TESTS = "tests/neural/test_tracking.py"

pytestmark = pytest.mark.interop


@pytest.mark.timeout(1800)  # every test is a training in a process of its own
def test_every_tracker_is_sent_its_curves():
    if not PYTHON.exists():
        pytest.skip("no environment for trackers: `make interop` makes it")
    done = subprocess.run(
        [PYTHON, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", TESTS],
        capture_output=True, text=True, check=False, cwd=ROOT,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert "skipped" not in done.stdout, done.stdout[-4000:]
