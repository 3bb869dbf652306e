"""Curves sent to trackers: the values that arrive, one run after a kill, and no harm in a failure.

W&B works offline here and trackio in a folder: no account, no network.
"""

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

pytest.importorskip("torch", reason="needs the extra `neural`: make neural")

from closeread.errors import UsageError
from closeread.training.neural import tracking
from closeread.training.neural.trackers import aside, check_trackers
from neural.test_training import encoder, recipe, squad  # noqa: F401
from neural.test_training_curves import Killed, few, killed_at  # noqa: F401
from neural.trained import losses, stage, train

pytestmark = [pytest.mark.neural, pytest.mark.filterwarnings("default")]


class Guest:
    """Stands for a tracker: keeps what it is told, and may fail at a step."""

    def __init__(self, fails_at=None):
        self.rows, self.ended, self.fails_at = {}, [], fails_at

    def on_log(self, args, state, control, logs=None, **_):
        if state.global_step == self.fails_at:
            raise ConnectionError("the store is gone\nand more")
        print("a tracker's own line")
        self.rows[state.global_step] = logs

    def on_train_begin(self, *_, **named):
        pass

    on_save = on_train_end = on_train_begin


@pytest.fixture
def guests(monkeypatch):
    """Every tracker is one of ours; return them, with the names of their runs."""
    made = []
    monkeypatch.setattr("closeread.training.neural.settings.check_trackers", lambda names: None)

    def begin(trainer, settings, out, run):
        guest = Guest(begin.fails_at)
        guest.run = run
        made.append(guest)
        return guest, guest.ended.append

    begin.fails_at = None
    monkeypatch.setitem(tracking._BEGIN, "wandb", begin)
    begin.made = made
    return begin


def test_a_tracker_is_told_the_curve_and_prints_no_result(tmp_path, encoder, few, guests, capsys):  # noqa: F811
    record = train(tmp_path / "out", encoder, few, max_steps=4, save_every=2, track=["wandb"])
    (guest,) = guests.made
    assert {step: row["loss"] for step, row in guest.rows.items()} == losses(record)
    assert guest.ended == [False]
    found = capsys.readouterr()
    assert ("a tracker's own line" in found.out, "own line" in found.err) == (False, True)


def test_a_tracker_that_fails_does_not_end_the_training(tmp_path, encoder, few, guests):  # noqa: F811
    guests.fails_at = 2
    record = train(tmp_path / "out", encoder, few, max_steps=6, save_every=2, track=["wandb"])
    (guest,) = guests.made
    assert (record["steps"], sorted(losses(record))) == (6, [2, 4, 6])
    assert (guest.rows, guest.ended) == ({}, [False])


def test_a_resumed_training_goes_on_in_the_same_run(tmp_path, encoder, few, guests):  # noqa: F811
    settings = {"max_steps": 6, "save_every": 2, "track": ["wandb"]}
    with pytest.raises(Killed):
        train(tmp_path / "out", encoder, few, begin=killed_at(5), **settings)
    (tmp_path / "out").rename(tmp_path / "moved")
    train(tmp_path / "moved", encoder, few, resume=True, **settings)
    train(tmp_path / "moved", encoder, few, overwrite=True, **settings)
    first, second, third = guests.made
    assert first.run == second.run
    assert first.ended == [True]
    assert third.run["id"] != first.run["id"]
    assert third.run["name"] == f"moved-{third.run['id']}"


def test_each_stage_is_a_run_of_its_own(tmp_path, encoder, few, guests):  # noqa: F811
    """And one is ended before the next begins, in the one process that they share."""
    before = (stage(few, track=["wandb"]),)
    train(tmp_path / "out", encoder, few, before=before, max_steps=2, track=["wandb"])
    first, second = guests.made
    assert first.run["name"] == f"out-before-1-{first.run['id']}"
    assert second.run["name"] == f"out-{second.run['id']}"
    assert first.ended == second.ended == [False]


def test_nobody_is_asked():
    before = sys.stdin
    with aside():
        assert not sys.stdin.isatty()
        assert sys.stdin.read() == ""
    assert sys.stdin is before


def test_a_folder_of_its_name_is_not_a_tracker(tmp_path, monkeypatch):
    """W&B leaves such a one where it worked."""
    (tmp_path / "wandb").mkdir()
    for name in list(sys.modules):
        if name.partition(".")[0] == "wandb":
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    with pytest.raises(UsageError, match="wandb, which is not installed"):
        check_trackers(["wandb"])


def command(path, **environment):
    """Train in a process of its own, in the folder of the recipe."""
    return subprocess.run(
        [sys.executable, "-m", "closeread", "train", str(path), "--json"],
        capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, cwd=path.parent,
        env=os.environ | {"OMP_NUM_THREADS": "1", "HOME": str(path.parent)} | environment,
    )  # fmt: skip


def test_wandb_offline(tmp_path, encoder, few):  # noqa: F811
    pytest.importorskip("wandb", reason="needs wandb, which no extra brings: pip install wandb")
    settings = {"max_steps": 4, "batch_size": 2, "save_every": 2, "track": '["wandb"]'}
    path = recipe(tmp_path / "r.toml", encoder, few, **settings)
    done = command(path, WANDB_MODE="offline")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["steps"] == 4
    assert list((tmp_path / "out" / "curves" / "wandb").glob("offline-run-*/run-*.wandb"))
    assert not (tmp_path / "wandb").exists()


def test_wandb_without_a_key_is_told_before_anything_is_trained(tmp_path, encoder, few):  # noqa: F811
    pytest.importorskip("wandb", reason="needs wandb, which no extra brings: pip install wandb")
    path = recipe(tmp_path / "r.toml", encoder, few, max_steps=2, track='["wandb"]')
    done = command(path, WANDB_MODE="online", WANDB_API_KEY="", NETRC=str(tmp_path / "none"))
    assert (done.returncode, "Traceback" in done.stderr) == (2, False), done.stderr
    assert "wandb, which cannot begin" in done.stderr
    assert not (tmp_path / "out").exists()


def test_trackio_in_a_folder(tmp_path, encoder, few):  # noqa: F811
    pytest.importorskip("trackio", reason="needs trackio, which no extra brings: pip install it")
    settings = {"max_steps": 4, "batch_size": 2, "save_every": 2, "track": '["trackio"]'}
    path = recipe(tmp_path / "r.toml", encoder, few, **settings)
    done = command(path, TRACKIO_DIR=str(tmp_path / "store"))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["steps"] == 4
    record = json.loads((tmp_path / "out" / "closeread.json").read_text())
    with closing(sqlite3.connect(tmp_path / "store" / "closeread.db")) as store:
        rows = [json.loads(row) for (row,) in store.execute("select metrics from metrics")]
    told = {row["train/global_step"]: row["train/loss"] for row in rows}
    assert told == pytest.approx(losses(record))
