"""The span reader asked from Python: the page's own code, and the same answers as in a run."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra `neural`: make neural")
pytestmark = pytest.mark.neural
sys.path.insert(0, str(Path(__file__).parent))

from encoders import make_encoder  # noqa: E402

import closeread  # noqa: E402
from project_paths import ROOT  # noqa: E402


def test_the_pages_code_runs(tmp_path):
    """What docs/python.md shows of a checkpoint runs on one that lies where it says."""
    make_encoder(tmp_path / "checkpoints/mine")
    text = (ROOT / "docs/python.md").read_text("utf-8")
    (code,) = [
        one for one in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "checkpoints/" in one
    ]
    done = subprocess.run(
        [sys.executable, "-c", "import closeread\n" + code],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 3  # n_best


def test_asked_alone_and_together_as_in_a_run(tmp_path):
    """Answers, places and confidences are the run's: nothing depends on who stands beside."""
    model = make_encoder(tmp_path / "model")
    spans = [
        (passage, [one for one in questions if one.kind == "span"])
        for passage, questions in closeread.load("exam/en")
    ]
    asked = [(one.text, passage.text) for passage, ones in spans for one in ones][:20]
    ids = [one.question_id for _, ones in spans for one in ones][:20]
    reader = closeread.open_reader("span", model=model)
    alone = [reader.ask(*one) for one in asked]
    together = list(reader.ask_all(asked))
    run = closeread.read("exam/en", reader, tmp_path / "run")
    kept = {one.question_id: one for one in run.predictions()}
    for name, one, other in zip(ids, alone, together, strict=True):
        wanted = kept[name]
        assert one.answer == other.answer == wanted.answer
        assert one.confidence == other.confidence == wanted.confidence
        assert one.candidates == other.candidates == wanted.candidates
