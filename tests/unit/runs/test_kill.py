"""A run that is killed at any moment is finished by --resume with the same predictions."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from closeread.runs.predict import predict
from closeread.runs.store import INFO, LEDGER, PREDICTIONS

KILLS = 300


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="victims are forked")
def test_killed_runs_resume_to_identical_files(tmp_path, capsys):
    """Some hundred kills, many of them in the middle of writing, change no byte."""
    program = Path(__file__).with_name("killed.py")
    done = subprocess.run(
        [sys.executable, program, tmp_path, str(KILLS), "20261120"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    log, size = found["log"], found["size"]
    partial = [kill["offset"] for kill in log if 0 < kill["offset"] < size]
    torn = [kill["offset"] for kill in log if kill["torn"]]
    with capsys.disabled():
        print(
            f"\n{len(log)} kills over {found['finished']} runs; with a ledger of 0 < bytes < "
            f"{size:,}: {len(partial)}, ending in a torn line: {len(torn)} (offsets {torn[:8]})"
        )
    assert len(log) == KILLS
    assert found["wrong"] == 0
    assert found["finished"] >= 10
    assert len(set(partial)) >= 30
    assert torn


def test_a_ledger_cut_at_any_offset_resumes_identically(tmp_path, make_job):
    """Whatever the ledger's length at the kill, the resumed run gives the same canonical file."""
    whole = predict(make_job(passages=3, batch_size=4), tmp_path / "whole")
    ledger = (whole.path / LEDGER).read_bytes()
    expected = (whole.path / PREDICTIONS).read_bytes()
    unfinished = (whole.path / INFO).read_bytes().replace(b'"complete": true', b'"complete": false')
    for length in range(0, len(ledger) + 1, 7):
        run = tmp_path / f"cut-{length}"
        run.mkdir()
        (run / INFO).write_bytes(unfinished)
        (run / LEDGER).write_bytes(ledger[:length])
        predict(make_job(passages=3, batch_size=4), run, resume=True)
        assert (run / PREDICTIONS).read_bytes() == expected
        assert (run / LEDGER).read_bytes() == ledger


def test_a_folder_without_run_json_can_be_reused(tmp_path, make_job):
    """A kill between making the folder and writing run.json leaves nothing that blocks."""
    run = tmp_path / "run"
    run.mkdir()
    (run / LEDGER).touch()
    (run / ".run.json.abc.part").write_text("{")
    predict(make_job(), run, resume=True)
    assert sorted(path.name for path in run.iterdir()) == [LEDGER, PREDICTIONS, INFO]
