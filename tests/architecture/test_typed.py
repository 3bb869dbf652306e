"""Whoever follows the pages has types: their code passes `mypy --strict` as it stands there."""

import os
import re
import subprocess
import sys

import pytest

from project_paths import ROOT

SEAMS = """
import my_encoders, my_formats, my_metrics, my_readers, my_retrievers, my_strategies, my_verifiers
from closeread.formats import Format
from closeread.protocols import Encoder, Metric, Perturbation, Reader, Retriever

metric: Metric = my_metrics.AnswerLength()
reader: Reader = my_readers.last_option()
retriever: Retriever = my_retrievers.longest()
strategy: Perturbation = my_strategies.Shouting()
encoder: Encoder = my_encoders.pairs()
verifier: Reader = my_verifiers.verifier()
format: Format = my_formats.FORMAT
"""
ROWS = """
rows: list[dict[str, str]] = [{"id": "en-01-q1", "answer": "Josiah Pell"}]
closeread.score("exam/en", rows)
closeread.score("exam/en", {1: "Josiah Pell"}, null_odds={1: 0.5})
closeread.dump([(bridge, [question])], "mine.jsonl")
"""


def _code(page: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (ROOT / page).read_text("utf-8"), re.DOTALL)


def test_the_code_of_the_pages_has_types(tmp_path):
    """docs/python.md as one script, docs/extend.md as modules that are what protocols ask for.

    That an answer may be None is left out: the page shows what is there.
    """
    pytest.importorskip("mypy", reason="mypy is not installed")
    (tmp_path / "script.py").write_text("\n".join([*_code("docs/python.md"), ROWS]), "utf-8")
    (tmp_path / "seams.py").write_text(SEAMS, "utf-8")
    for code in _code("docs/extend.md"):
        name = re.match(r"# (\w+\.py)\n", code)
        assert name is not None
        (tmp_path / name[1]).write_text(code, "utf-8")
    options = ("--strict", "--follow-imports=silent", "--disable-error-code=union-attr")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, "--config-file=", "script.py", "seams.py"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
        env=os.environ | {"MYPYPATH": str(ROOT / "src")},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
