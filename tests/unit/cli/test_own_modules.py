"""What is not closeread's own is named by its module, which may lie in the working folder."""

import subprocess
import sys

import pytest

MODULE = """
from closeread.evidence.bm25 import bm25
from closeread.formats.jsonl import FORMAT
from closeread.metrics.squad import metric
from closeread.readers.baselines import first_sentence
"""
ROW = '{"id": "1", "passage": "Ann was here.", "question": "Who?", "answer": "Ann"}\n'


def call(folder, *arguments, **settings):
    """Call a verb as the command `closeread` does: Python itself looks in no working folder."""
    return subprocess.run(
        [sys.executable, "-P", "-m", "closeread", *arguments],
        cwd=folder, capture_output=True, text=True, check=False, **settings,
    )  # fmt: skip


@pytest.mark.parametrize(
    "arguments",
    [
        ["describe", "set.txt", "--format", "mine:FORMAT"],
        ["show", "set.txt", "--format", "mine:FORMAT"],
        ["convert", "set.txt", "set.csv", "--from", "mine:FORMAT"],
        ["evidence", "set.txt", "--retriever", "mine:bm25"],
        ["ask", "Who?", "--text", "Ann.", "--reader", "mine:first_sentence"],
        ["audit", "run", "--check", "metamorphic", "--metric", "mine:metric"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_every_verb_finds_a_module_in_the_working_folder(tmp_path, arguments):
    (tmp_path / "mine.py").write_text(MODULE)
    (tmp_path / "set.txt").write_text(ROW)
    if arguments[0] == "audit":
        call(tmp_path, "read", "set.txt", "--reader", "first-sentence", "--out", "run")
    done = call(tmp_path, *arguments)
    assert done.returncode == 0, done.stderr


def test_where_the_working_folder_is_gone_there_is_none_to_be_found(tmp_path):
    folder = tmp_path / "gone"
    folder.mkdir()
    done = call(folder, "ls", "readers", preexec_fn=folder.rmdir)
    assert (done.returncode, "lexical" in done.stdout) == (0, True), done.stderr
