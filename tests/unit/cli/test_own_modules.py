"""What is not closeread's own is named by its module, which may lie in the working folder."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from command_line import run_in_process

MODULE = """
from closeread.evidence.bm25 import bm25
from closeread.formats.jsonl import FORMAT
from closeread.metrics.squad import metric
from closeread.readers.baselines import first_sentence
"""
ROW = '{"id": "1", "passage": "Ann was here.", "question": "Who?", "answer": "Ann"}\n'


COMMAND = """
from closeread.cli import main
if __name__ == "__main__":
    main()
"""


def run_command(folder, *arguments, **settings):
    """Call a verb as the command `closeread` does: it lies elsewhere, and Python looks there."""
    command = folder.with_name(f"{folder.name}-bin") / "closeread"
    command.parent.mkdir(exist_ok=True)
    command.write_text(COMMAND)
    return subprocess.run(
        [sys.executable, str(command), *arguments],
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
def test_every_command_finds_modules_in_the_working_folder(tmp_path, arguments):
    (tmp_path / "mine.py").write_text(MODULE)
    (tmp_path / "set.txt").write_text(ROW)
    if arguments[0] == "audit":
        run_command(tmp_path, "read", "set.txt", "--reader", "first-sentence", "--out", "run")
    done = run_command(tmp_path, *arguments)
    assert done.returncode == 0, done.stderr


def test_a_removed_working_folder_has_no_modules(tmp_path):
    folder = tmp_path / "gone"
    folder.mkdir()
    done = run_command(folder, "ls", "readers", preexec_fn=folder.rmdir)
    assert (done.returncode, "lexical" in done.stdout) == (0, True), done.stderr


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A run of a few questions, scored."""
    run = tmp_path_factory.mktemp("made") / "run"
    given = ("exam/en", "--reader", "first-sentence", "--limit", "5", "--out", run)
    assert run_in_process("read", *given).returncode == 0
    assert run_in_process("score", run, "--metric", "squad").returncode == 0
    return run


INSTALLED = ("json", "types", "random", "numpy")
# Asked for where they need not be there: parts of other systems, and what libraries may use.
ABSENT = ("org", "_winapi", "msvcrt", "norm", "psutil")


@pytest.mark.parametrize(
    "arguments",
    [
        ["describe", "exam/en"],
        ["score", "run"],
        ["evidence", "exam/en", "--limit", "9"],
        ["evidence", "exam/en", "--limit", "9", "--retriever", "bm25", "--workers", "2"],
        ["evidence", "exam/en", "--limit", "9", "--retriever", "mine:bm25", "--workers", "2"],
    ],
    ids=" ".join,
)
def test_modules_that_are_not_named_are_not_imported(tmp_path, made, arguments):
    if "run" in arguments:
        shutil.copytree(made, tmp_path / "run")
    (tmp_path / "mine.py").write_text(MODULE)
    # Who names a module looks there; what is installed comes before what lies there.
    for name in INSTALLED if "mine:bm25" in arguments else INSTALLED + ABSENT:
        (tmp_path / f"{name}.py").write_text(f"raise SystemExit('{name} was imported')")
    done = run_command(tmp_path, *arguments)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("place", ["dataset", "metrics"])
def test_modules_named_by_a_run_are_not_imported(tmp_path, made, place):
    """A stranger's run may lie beside a module of the same stranger's; PYTHONPATH says who is."""
    shutil.copytree(made, tmp_path / "run")
    (tmp_path / "theirs.py").write_text("open('imported', 'w')")
    named = tmp_path / "run" / ("run.json" if place == "dataset" else "summary.json")
    record = json.loads(named.read_bytes())
    if place == "dataset":
        record["dataset"]["format"] = "theirs:FORMAT"
    else:
        record["settings"]["metrics"] = ["theirs:metric"]
    named.write_text(json.dumps(record))
    verbs = [["verify", "run"], ["compare", "run", "run2"], ["report", "run"], ["score", "run"]]
    shutil.copytree(tmp_path / "run", tmp_path / "run2")
    for arguments in verbs:
        told = run_command(tmp_path, *arguments)
        assert "Traceback" not in told.stderr
        assert not (tmp_path / "imported").exists(), arguments
    assert "theirs" in run_command(tmp_path, "verify", "run2").stdout
    run_command(
        tmp_path,
        "verify",
        "run2",
        env=os.environ | {"PYTHONPATH": os.pathsep.join([".", *sys.path])},
    )
    assert (tmp_path / "imported").exists()
