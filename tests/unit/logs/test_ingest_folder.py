"""The folder that an ingestion writes: the run that was there or the new one, never a half."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from closeread.errors import InputError, StorageError, UsageError
from closeread.formats.logs.detect import find_logs
from closeread.runs.ingest import _folder_names, ingest
from closeread.runs.store import open_run
from closeread.system import partial_files
from command_line import permission_prefix, run_in_subprocess

FIXTURES = Path(__file__).parent / "fixtures"
(SAMPLES,) = (FIXTURES / "lm_eval").glob("samples_drop_local*")


def test_the_old_run_is_restored_if_replacing_fails(tmp_path, monkeypatch):
    """The last step fails: what is there is what was there."""
    out = tmp_path / "run"
    ingest([SAMPLES], out)
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    replace = Path.replace

    def failing(self, target):
        if target == out and not self.name.endswith(".old.part"):
            raise OSError(28, "No space left on device")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", failing)
    with pytest.raises(StorageError, match="No space left"):
        ingest([SAMPLES], out, overwrite=True)
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_overwriting_needs_the_option_and_a_complete_log(tmp_path):
    out = tmp_path / "run"
    ingest([SAMPLES], out)
    before = (out / "run.json").read_bytes()
    with pytest.raises(UsageError, match="already holds a run"):
        ingest([SAMPLES], out)
    cut = tmp_path / SAMPLES.name
    cut.write_bytes(SAMPLES.read_bytes()[:-500])
    with pytest.raises(InputError):
        ingest([cut], out, overwrite=True)
    assert (out / "run.json").read_bytes() == before
    ingest([FIXTURES / "lm_eval"], out, overwrite=True)
    assert sorted(path.name for path in out.iterdir()) == ["choice_local", "drop_local"]
    (out / "notes.txt").write_text("mine")
    with pytest.raises(UsageError, match="other files"):
        ingest([SAMPLES], out, overwrite=True)
    other = tmp_path / "other"
    other.mkdir()
    (other / "notes.txt").write_text("mine")
    with pytest.raises(UsageError, match="not a run"):
        ingest([SAMPLES], other, overwrite=True)


def test_a_run_made_by_another_process_is_not_replaced(tmp_path, monkeypatch):
    """Both found the place free; the later one says that it is taken, and leaves nothing."""
    (choice,) = (FIXTURES / "lm_eval").glob("samples_choice*")
    out = tmp_path / "run"

    def meanwhile(logs, harness):
        assert run_in_subprocess("ingest", choice, "--out", out).returncode == 0
        return find_logs(logs, harness)

    monkeypatch.setattr("closeread.runs.ingest.find_logs", meanwhile)
    with pytest.raises(UsageError, match="this folder already holds a run"):
        ingest([SAMPLES], out)
    assert open_run(out).info.log.task.startswith("choice")
    assert list(tmp_path.iterdir()) == [out]


def test_the_next_ingest_removes_files_of_a_killed_one(tmp_path):
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        pass
    out = tmp_path / "run"
    left = f"{partial_files.name_prefix(out)}run.part".replace(f".{os.getpid()}@", f".{gone.pid}@")
    (tmp_path / left / "#0").mkdir(parents=True)
    ingest([FIXTURES / "opencompass"], out)
    assert list(tmp_path.iterdir()) == [out]


def test_many_logs_of_one_model_are_numbered_quickly():
    """Each was held against all names before it, from the first number on: a minute for 4,000."""
    started = time.monotonic()
    names = _folder_names(["drop"] * 4_000 + ["drop-2"], ["m"] * 4_001)
    assert time.monotonic() - started < 10
    assert names[:3] == ["drop", "drop-2", "drop-3"] and names[-1] == "drop-2-2"
    assert len(set(names)) == 4_001


@pytest.mark.parametrize("mode", [0, 0o300])
def test_an_unreadable_folder_of_logs_is_an_error(tmp_path, mode):
    """Within another one it is passed over, as a file is; it counted as one without logs."""
    shutil.copytree(FIXTURES / "lm_eval", tmp_path / "logs/inner")
    shutil.copy(SAMPLES, tmp_path / "logs")
    (tmp_path / "logs/inner").chmod(mode)
    given = {"folder": tmp_path, "before": permission_prefix()}
    alone = run_in_subprocess("ingest", "logs/inner", "--out", "none", **given)
    among = run_in_subprocess("ingest", "logs", "--out", "run", "--json", **given)
    (tmp_path / "logs/inner").chmod(0o700)
    assert alone.returncode == 2
    denied = r"logs/inner: cannot be (accessed|read): Permission denied\n  do: check"
    assert re.search(denied, alone.stderr)
    assert among.returncode == 0, among.stderr
    assert "logs/inner: cannot be read: Permission denied" in among.stderr
    told = json.loads(among.stdout)
    assert len(told["runs"]) == len(told["passed_over"]) == 1
    assert not (tmp_path / "none").exists()
