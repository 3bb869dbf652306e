"""A full disk or a folder that cannot be written gives a message and leaves what was there."""

import errno
import os
import resource
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from closeread.errors import StorageError
from closeread.formats.files.output_place import write_error
from closeread.runs.ledger import Ledger
from closeread.runs.predict import predict
from closeread.runs.records import ScoreSettings
from closeread.runs.score import score_run
from closeread.runs.selection import ONLY
from closeread.runs.store import LOG_SCORES, LOG_SHOWN, PREDICTIONS


@contextmanager
def files_of_at_most(size):
    """Let no file grow beyond ``size`` bytes, as a disk that fills up does."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def snapshot(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize("size", [0, 200, 900, 1100, 1500])
def test_a_run_can_be_resumed_after_a_full_disk(tmp_path, make_job, size):
    """Wherever the space ends, the message says so and --resume finishes alike."""
    expected = predict(make_job(passages=9), tmp_path / "whole").path / PREDICTIONS
    job = make_job(passages=9, batch_size=3)
    with files_of_at_most(size), pytest.raises(StorageError, match="cannot be written"):
        predict(job, tmp_path / "run")
    run = predict(make_job(passages=9, batch_size=3), tmp_path / "run", resume=True)
    assert (run.path / PREDICTIONS).read_bytes() == expected.read_bytes()
    assert not list(run.path.glob(".*"))


def test_a_read_only_run_can_be_scored_without_saving(tmp_path, make_job):
    """The message tells the command that prints the same numbers and writes nothing."""
    run = predict(make_job(), tmp_path / "run")
    with files_of_at_most(0), pytest.raises(StorageError) as caught:
        score_run(run, ScoreSettings(metrics=("choice",)))
    told = f"closeread score --dataset D --predictions {run.path / PREDICTIONS}"
    assert told in caught.value.cure
    assert sorted(snapshot(run.path)) == ["ledger.jsonl", "predictions.jsonl", "run.json"]


def test_missing_permission_is_not_reported_as_a_full_disk():
    """More space helps a full disk alone."""
    for code, told in (
        (errno.EACCES, "get permission"),
        (errno.EROFS, "permission"),
        (errno.ENOSPC, "free"),
    ):
        assert told in write_error(OSError(code, os.strerror(code)), Path("there")).cure


def test_an_unopenable_ledger_is_reported_with_a_cure(tmp_path):
    (tmp_path / "run").write_text("a file")
    with pytest.raises(StorageError) as caught:
        Ledger(tmp_path / "run" / "ledger.jsonl")
    assert "free" not in caught.value.cure
    assert caught.value.cure.endswith(
        "`closeread read --resume` continues from the saved predictions"
    )


def test_a_full_disk_leaves_no_folder(tmp_path, make_job):
    """Where not even run.json fits, nothing is left behind."""
    job = make_job()
    with files_of_at_most(0), pytest.raises(StorageError):
        predict(job, tmp_path / "deep" / "run")
    assert not (tmp_path / "deep").exists()


def test_overwriting_on_a_full_disk_keeps_the_old_run(tmp_path, make_job):
    """An old run is only given up when the new one can be begun."""
    run = predict(make_job(), tmp_path / "run")
    before = snapshot(run.path)
    job = make_job()
    with files_of_at_most(100), pytest.raises(StorageError):
        predict(job, run.path, overwrite=True)
    assert snapshot(run.path) == before


def test_overwriting_removes_the_files_of_the_old_run(tmp_path, make_job):
    """What a harness had logged of its run is not told of the run in its place."""
    run = predict(make_job(), tmp_path / "run")
    (run.path / LOG_SCORES).write_text('{"question_id":"q0#original","values":{"em":1.0}}\n')
    (run.path / LOG_SHOWN).write_text("")
    (run.path / ONLY).write_text("q0#original\n")
    (run.path / "notes.txt").write_text("mine")
    again = predict(make_job(), run.path, overwrite=True)
    assert list(again.log_scores()) == []
    assert again.log_shown() is None
    assert {path.name for path in again.path.iterdir()} == {
        "run.json", "ledger.jsonl", PREDICTIONS, "notes.txt",
    }  # fmt: skip


def test_a_full_disk_within_a_line_leaves_whole_lines(tmp_path, make_job, monkeypatch):
    """A write that is cut short by ENOSPC leaves no torn line."""
    write, written = os.write, []

    def short(handle, data):
        written.append(len(data))
        if len(written) > 15:  # not before some lines are whole
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(handle, data[: max(1, len(data) // 2)])

    monkeypatch.setattr("closeread.runs.ledger.os.write", short)
    with pytest.raises(StorageError, match="No space left"):
        predict(make_job(batch_size=5), tmp_path / "run")
    raw = (tmp_path / "run" / "ledger.jsonl").read_bytes()
    assert raw.endswith(b"\n")


def test_a_file_at_the_folder_s_path_is_not_changed(tmp_path, make_job):
    """--out that names a file, or a path through one, is refused."""
    (tmp_path / "taken").write_text("mine")
    for out in (tmp_path / "taken", tmp_path / "taken" / "run"):
        with pytest.raises(StorageError, match="a file is in the place of a folder"):
            predict(make_job(), out, overwrite=True)
    assert (tmp_path / "taken").read_text() == "mine"


def test_the_command_line_reports_it_in_one_message(tmp_path, make_dataset):
    """A full disk at the command line: exit code 2, one message, no traceback."""
    dataset = make_dataset()
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (900, 900));"
        "sys.dont_write_bytecode = True;"
        "from closeread.cli import main; main(sys.argv[1:])"
    )
    read = ["read", dataset.path, "--reader", "longest-option", "--out", str(tmp_path / "run")]
    done = subprocess.run(
        [sys.executable, "-c", code, *read, "--batch-size", "3"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "cannot be written" in done.stderr
    assert "Traceback" not in done.stderr
