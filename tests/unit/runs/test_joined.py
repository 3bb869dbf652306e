"""A run's answers and its evidence, judged together through ``closeread score RUN --joined``."""

import json
import subprocess
import sys

import pytest

from closeread.types import Answer, Evidence, Prediction, Span
from report_runs import PASSAGE, choose, right_or_wrong, triple, write_run, write_set

END = len(PASSAGE.text)
GOLD = Span(PASSAGE.text.index("传感器"), END)


def _score(path, *args):
    return subprocess.run(
        [sys.executable, "-m", "closeread", "score", str(path), "--metric", "choice", *args],
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def _run(tmp_path, predictions):
    dataset = write_set(tmp_path / "set.jsonl", [(PASSAGE, triple("t"))])
    values = {"choice.accuracy": right_or_wrong(dataset, predictions)}
    return write_run(tmp_path / "run", dataset, predictions, values)


def _predicted(name, label, span):
    evidence = (Evidence(spans=(span,), option_label=label),)
    return Prediction(
        question_id=name, answer=Answer(kind="choice", label=label), evidence=evidence
    )


def test_the_four_cells_stand_beside_the_scores(tmp_path):
    """Right for the right reason, right for a wrong one, and wrong with the right evidence."""
    path = _run(
        tmp_path,
        [
            _predicted("t-original", "A", GOLD),
            _predicted("t-positive", "A", Span(0, 13)),
            _predicted("t-negative", "A", GOLD),
        ],
    )
    done = _score(path, "--joined", "--json")
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)
    shares = {name: one["value"] for name, one in printed["metrics"].items()}
    third = pytest.approx(1 / 3)
    assert shares["joined.both"] == third
    assert shares["joined.answer_only"] == third
    assert shares["joined.evidence_only"] == third
    assert shares["joined.overall_f1"] == third
    assert printed["breakdowns"]["sentences"]["1"]["evidence.f1"]["n_answered"] == 3


def test_without_the_option_nothing_is_joined(tmp_path):
    """The usual numbers are as they were, and so is what the folder keeps."""
    path = _run(tmp_path, choose(triple("t"), {}))
    assert "joined" not in _score(path, "--json").stdout
    assert "joined.both" in _score(path, "--joined").stdout
    assert "joined" not in (path / "summary.json").read_text("utf-8")


def test_answers_without_evidence_cannot_be_joined(tmp_path):
    """One message, exit code 2."""
    bare = [Prediction(question_id="t-original", answer=Answer(kind="choice", label="A"))]
    done = _score(_run(tmp_path, bare), "--joined")
    assert done.returncode == 2
    assert "cannot be joined" in done.stderr
    assert "Traceback" not in done.stderr
