"""Curves sent to trackers: the values that arrive, one run after a kill, and no harm in a failure.

W&B works offline here, the others in files of this machine: no account, no network.
"""

import json
import logging
import os
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

pytest.importorskip("torch", reason="needs the extra `neural`: make neural")

from closeread.errors import UsageError
from closeread.training.neural.tracking import curve as tracking
from closeread.training.neural.tracking.trackers import check_trackers, isolated_stdio
from neural.test_training import killed, recipe
from neural.trained import Killed, killed_at, losses, stage, train

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

    def end(self, failed):
        self.ended.append(failed)
        if self.fails_at is not None:
            raise ConnectionError("it is gone still")


@pytest.fixture
def guests(monkeypatch):
    """Every tracker is one of ours; return them, with the names of their runs."""
    made = []
    monkeypatch.setattr("closeread.training.neural.device.check_trackers", lambda names: None)

    def begin(trainer, settings, out, run):
        guest = Guest(begin.fails_at)
        guest.run = run
        made.append(guest)
        return guest, guest.end

    begin.fails_at = None
    monkeypatch.setitem(tracking._STARTERS, "wandb", begin)
    begin.made = made
    return begin


def test_a_tracker_is_told_the_curve_and_prints_no_result(tmp_path, encoder, few, guests, capsys):
    record = train(tmp_path / "out", encoder, few, max_steps=4, save_every=2, track=["wandb"])
    (guest,) = guests.made
    assert {step: row["loss"] for step, row in guest.rows.items()} == losses(record)
    assert guest.ended == [False]
    found = capsys.readouterr()
    assert ("a tracker's own line" in found.out, "own line" in found.err) == (False, True)


def test_several_trackers_are_told_the_same(  # noqa: PLR0917 - fixtures
    tmp_path, encoder, few, guests, monkeypatch, caplog
):
    """One that fails takes no other with it, and the library finds nothing to warn of."""
    monkeypatch.setitem(tracking._STARTERS, "trackio", tracking._STARTERS["wandb"])
    monkeypatch.setattr(logging.getLogger("transformers"), "propagate", True)
    settings = {"max_steps": 4, "save_every": 2, "track": ["wandb", "trackio"]}
    record = train(tmp_path / "out", encoder, few, **settings)
    first, second = guests.made
    assert sorted(first.rows) == sorted(losses(record)) == [2, 4]
    assert first.rows == second.rows
    assert first.ended == second.ended == [False]
    assert "callback" not in caplog.text
    made = iter([2, None])
    monkeypatch.setattr(Guest, "__init__", _failing(Guest.__init__, made))
    train(tmp_path / "out", encoder, few, overwrite=True, **settings)
    third, fourth = guests.made[2:]
    assert (third.rows, sorted(fourth.rows)) == ({}, [2, 4])


def _failing(plain, at):
    return lambda self, fails_at=None: plain(self, next(at))


def test_a_tracker_that_fails_does_not_end_the_training(tmp_path, encoder, few, guests):
    """It is told once, though it fails again where it is to be closed."""
    guests.fails_at, said = 2, []
    settings = {"max_steps": 6, "save_every": 2, "track": ["wandb"]}
    record = train(tmp_path / "out", encoder, few, say=said.append, **settings)
    (line,) = (one for one in said if "wandb" in one)
    assert line.startswith("wandb failed and is dropped: the store is gone;")
    (guest,) = guests.made
    assert (record["steps"], sorted(losses(record))) == (6, [2, 4, 6])
    assert (guest.rows, guest.ended) == ({}, [False])


def test_a_resumed_training_goes_on_in_the_same_run(tmp_path, encoder, few, guests):
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


def test_a_tracker_that_does_not_begin_ends_no_training_of_which_something_is_learned(
    tmp_path, encoder, few, guests, monkeypatch
):  # fmt: skip
    """Nothing is lost where it is the beginning; a resumption, a stage or a member goes on."""
    begin = dict(tracking._STARTERS)["wandb"]

    def refused_after(number):
        def begun(*given):
            if len(guests.made) >= number:
                raise ConnectionError("nobody is there")
            return begin(*given)

        guests.made.clear()
        monkeypatch.setitem(tracking._STARTERS, "wandb", begun)

    settings = {"max_steps": 4, "save_every": 2, "track": ["wandb"]}
    refused_after(0)
    with pytest.raises(UsageError, match="wandb, which cannot start: nobody is there"):
        train(tmp_path / "none", encoder, few, **settings)
    assert not (tmp_path / "none").exists()
    refused_after(1)
    before = (stage(few, track=["wandb"]),)
    said = []
    record = train(tmp_path / "stages", encoder, few, before=before, say=said.append, **settings)
    assert (record["steps"], sum("cannot start" in line for line in said)) == (4, 1)
    refused_after(1)
    assert train(tmp_path / "soup", encoder, few, soup=2, **settings)["steps"] == 8
    refused_after(1)
    with pytest.raises(Killed):
        train(tmp_path / "killed", encoder, few, begin=killed_at(3), **settings)
    assert train(tmp_path / "killed", encoder, few, resume=True, **settings)["steps"] == 4


def test_a_training_goes_on_with_other_trackers_or_none(tmp_path, encoder, few, guests):
    """They change nothing of what is learned, of a stage neither."""

    def asked(name):
        stages = (stage(few, track=[name]),)
        return {"max_steps": 4, "save_every": 2, "track": [name], "before": stages}

    with pytest.raises(Killed):
        train(tmp_path / "out", encoder, few, begin=killed_at(2 + 3), **asked("wandb"))
    settings = asked("wandb") | {"track": [], "before": (stage(few),)}
    assert train(tmp_path / "out", encoder, few, resume=True, **settings)["steps"] == 4
    assert len(guests.made) == 2


def test_each_stage_is_a_run_of_its_own(tmp_path, encoder, few, guests):
    """And one is ended before the next begins, in the one process that they share."""
    before = (stage(few, track=["wandb"]),)
    train(tmp_path / "out", encoder, few, before=before, max_steps=2, track=["wandb"])
    first, second = guests.made
    assert first.run["name"] == f"out-before-1-{first.run['id']}"
    assert second.run["name"] == f"out-{second.run['id']}"
    assert first.ended == second.ended == [False]


def test_nobody_is_asked():
    before = sys.stdin
    with isolated_stdio():
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


def command(path, *flags, **environment):
    """Train in a process of its own, in the folder of the recipe; it must not wait for minutes."""
    return subprocess.run(
        [sys.executable, "-m", "closeread", "train", str(path), "--json", *flags],
        capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, cwd=path.parent,
        timeout=500,
        env=os.environ | {"OMP_NUM_THREADS": "1", "HOME": str(path.parent)} | environment,
    )  # fmt: skip


def test_wandb_offline(tmp_path, encoder, few):
    pytest.importorskip("wandb", reason="needs wandb, which no extra brings: pip install wandb")
    settings = {"max_steps": 4, "batch_size": 2, "save_every": 2, "track": '["wandb"]'}
    path = recipe(tmp_path / "r.toml", encoder, few, **settings)
    done = command(path, WANDB_MODE="offline")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["steps"] == 4
    assert list((tmp_path / "out" / "curves" / "wandb").glob("offline-run-*/run-*.wandb"))
    assert not (tmp_path / "wandb").exists()


def test_wandb_without_a_key_is_told_before_anything_is_trained(tmp_path, encoder, few):
    pytest.importorskip("wandb", reason="needs wandb, which no extra brings: pip install wandb")
    path = recipe(tmp_path / "r.toml", encoder, few, max_steps=2, track='["wandb"]')
    done = command(path, WANDB_MODE="online", WANDB_API_KEY="", NETRC=str(tmp_path / "none"))
    assert (done.returncode, "Traceback" in done.stderr) == (2, False), done.stderr
    assert "wandb, which cannot start" in done.stderr
    assert not (tmp_path / "out").exists()


def test_trackio_in_a_folder(tmp_path, encoder, few):
    pytest.importorskip("trackio", reason="needs trackio, which no extra brings: pip install it")
    settings = {"max_steps": 4, "batch_size": 2, "save_every": 2, "track": '["trackio"]'}
    path = recipe(tmp_path / "r.toml", encoder, few, **settings)
    done = command(path, TRACKIO_DIR=str(tmp_path / "store"))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["steps"] == 4
    record = json.loads((tmp_path / "out" / "closeread.json").read_text())
    with closing(sqlite3.connect(tmp_path / "store" / "closeread.db")) as store:
        rows = store.execute("select step, metrics from metrics").fetchall()
    told = {step: json.loads(row)["train/loss"] for step, row in rows}
    assert told == pytest.approx(losses(record))


def test_mlflow_goes_on_in_one_run_after_a_kill(tmp_path, encoder, few):
    """In the data base that it makes where one works; what was begun twice is told once."""
    pytest.importorskip("mlflow", reason="needs mlflow, which no extra brings: pip install mlflow")
    settings = {"max_steps": 40, "batch_size": 2, "save_every": 5, "track": '["mlflow"]'}
    path = recipe(tmp_path / "r.toml", encoder, few, **settings)
    store = {"MLFLOW_TRACKING_URI": f"sqlite:///{tmp_path / 'mlflow.db'}"}
    out = tmp_path / "out"
    killed(13, path, **store)
    done = command(path, "--resume", **store)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["steps"] == 40
    with closing(sqlite3.connect(tmp_path / "mlflow.db")) as kept:
        runs = kept.execute("select run_uuid, name, status from runs").fetchall()
        told = dict(kept.execute("select step, value from metrics where key = 'loss'"))
        params = dict(kept.execute("select key, value from params"))
        (project,) = kept.execute("select name from experiments where experiment_id = 1").fetchone()
    assert [(status, name.startswith("out-")) for _, name, status in runs] == [("FINISHED", True)]
    assert told == pytest.approx(losses(json.loads((out / "closeread.json").read_text())))
    assert (params["batch_size"], params["learning_rate"]) == ("2", "3e-05")
    assert json.loads(params["datasets"]) == [{"path": few}]
    assert project == "closeread"


def test_mlflow_without_its_server_is_told_soon(tmp_path, encoder, few):
    """Left to itself it asks for four minutes."""
    pytest.importorskip("mlflow", reason="needs mlflow, which no extra brings: pip install mlflow")
    path = recipe(tmp_path / "r.toml", encoder, few, max_steps=2, track='["mlflow"]')
    done = command(path, MLFLOW_TRACKING_URI="http://127.0.0.1:9")
    assert (done.returncode, "Traceback" in done.stderr) == (2, False), done.stderr
    assert "mlflow, which cannot start" in done.stderr
    assert not (tmp_path / "out").exists()


def test_tensorboard_in_the_folder(tmp_path, encoder, few):
    pytest.importorskip("tensorboard", reason="needs tensorboard, which no extra brings")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    settings = {"max_steps": 6, "batch_size": 2, "save_every": 2, "track": ["tensorboard"]}
    with pytest.raises(Killed):
        train(tmp_path / "out", encoder, few, begin=killed_at(5), **settings)
    record = train(tmp_path / "out", encoder, few, resume=True, **settings)
    read = EventAccumulator(str(tmp_path / "out" / "curves")).Reload()
    told = {row.step: row.value for row in read.Scalars("train/loss")}
    assert told == pytest.approx(losses(record))
    (text,) = read.Tensors("recipe/text_summary")[0].tensor_proto.string_val
    asked = json.loads(text.decode().removeprefix("```json\n").removesuffix("\n```"))
    assert (asked["max_steps"], asked["datasets"][0]["path"]) == (6, few)
