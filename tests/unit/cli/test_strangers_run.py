"""A run that a stranger handed in: what is done with it stays in its folder, and ends."""

import os
import shutil
from pathlib import Path

import pytest

from closeread import score
from closeread.cli import main
from closeread.errors import StorageError

RECIPE = """
datasets = ["exam/en"]
out = "run"
reader.name = "first-sentence"
read.limit = 5
audit.checks = ["leakage"]
"""


def exit_code_of(*arguments):
    with pytest.raises(SystemExit) as left:
        main(list(map(str, arguments)))
    return left.value.code or 0


@pytest.fixture
def run(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = tmp_path / "run"
    exit_code_of("read", "exam/en", "--reader", "first-sentence", "--limit", "5", "--out", found)
    exit_code_of("score", found, "--metric", "squad")
    capsys.readouterr()
    return found


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("summary.json", ["score", "run", "--metric", "squad"]),
        ("scores.jsonl", ["score", "run", "--metric", "squad"]),
        ("report.html", ["report", "run"]),
        ("report.html", ["run", "recipe.toml", "--resume"]),
        ("audit.html", ["run", "recipe.toml", "--resume"]),
        ("only.txt", ["read", "exam/en", "--reader", "first-sentence", "--only", "list.txt",
                      "--out", "run", "--resume"]),
        ("ledger.jsonl", ["read", "exam/en", "--reader", "first-sentence", "--limit", "5",
                          "--out", "run", "--resume"]),
        ("ledger.jsonl", ["read", "exam/en", "--reader", "lexical", "--out", "run", "--overwrite"]),
    ],
)  # fmt: skip
def test_commands_write_through_no_link_in_a_run(run, capsys, name, arguments):
    """It may lead to any file of whoever scores the run."""
    Path("precious").write_text("mine, without a line's end")
    Path("recipe.toml").write_text(RECIPE)
    Path("list.txt").write_text("en-01-q1")
    (run / name).unlink(missing_ok=True)
    (run / name).symlink_to("../precious")
    assert exit_code_of(*arguments) == 2
    assert f"run/{name}: cannot be written: it is a link to" in capsys.readouterr().err
    assert Path("precious").read_text() == "mine, without a line's end"


def test_functions_write_through_no_link_in_a_run(run, tmp_path):
    (run / "summary.json").unlink()
    (run / "summary.json").symlink_to(tmp_path / "new")
    with pytest.raises(StorageError, match="it is a link to"):
        score(run, metrics="squad")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("name", "verb", "told"),
    [
        ("summary.json", "score", "cannot be written: it is not a regular file"),
        ("report.html", "report", "cannot be written: it is not a regular file"),
        ("ledger.jsonl", "verify", "ledger.jsonl is not a regular file"),
    ],
)
def test_a_pipe_in_a_run_does_not_block(run, capsys, name, verb, told):
    (run / name).unlink(missing_ok=True)
    os.mkfifo(run / name)
    assert exit_code_of(verb, run) in (1, 2)
    printed = capsys.readouterr()
    assert told in printed.out + printed.err


def test_a_folders_name_is_printed_safely(run, tmp_path, capsys):
    """It comes with the archive that was handed in."""
    shutil.copytree(run, tmp_path / "all" / "x: differs\n\x1b[2Ky")
    exit_code_of("verify", tmp_path / "all", "--track", "closed")
    printed = capsys.readouterr().out
    assert "\x1b" not in printed
    assert "x: differs␊␛[2Ky: verified\n" in printed


def test_a_data_sets_name_is_printed_safely(tmp_path, capsys):
    exit_code_of("convert", "exam/en", tmp_path / "set.jsonl")
    text = (tmp_path / "set.jsonl").read_text().replace('"exam/en', '"x\\u001b[2K\\nexam/en', 1)
    (tmp_path / "set.jsonl").write_text(text)
    capsys.readouterr()
    exit_code_of("evidence", tmp_path / "set.jsonl", "--limit", "5", "--retriever", "bm25")
    assert capsys.readouterr().out.startswith("x␛[2K␊exam/en: ")
