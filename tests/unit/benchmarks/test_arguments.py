"""Benchmarks that are run by hand report wrong arguments in a message."""

import subprocess
import sys

import pytest

from project_paths import ROOT


def run_benchmark(module, *arguments):
    command = [sys.executable, "-m", f"benchmarks.{module}", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("module", "arguments", "message"),
    [
        ("research.evidence", [], "required: CORPUS"),
        ("research.evidence", ["nowhere"], "sample_annotation_visible.json: cannot be read"),
        ("research.evidence_stop", [], "required: SET"),
        ("research.evidence_stop", ["nowhere"], "nowhere"),
        ("research.promise", [], "required: RUN, RISK"),
        ("research.promise", ["nowhere", "0.4"], "there is no such run folder"),
        ("research.promise", ["nowhere", "much"], "invalid float value: 'much'"),
        ("research.simulated", ["nonsense"], "invalid choice: 'nonsense'"),
    ],
)
def test_a_mistake_in_the_arguments_is_one_message(module, arguments, message):
    """Each ended in a traceback."""
    done = run_benchmark(module, *arguments)
    assert done.returncode == 2, done.stderr
    assert message in done.stderr and "Traceback" not in done.stderr


def test_help_describes_a_benchmark():
    done = run_benchmark("research.promise", "--help")
    assert done.returncode == 0
    assert done.stdout.startswith("usage: benchmarks.research.promise [-h] RUN RISK [DELTA] [SP")
    assert "is a promised risk kept?" in done.stdout
