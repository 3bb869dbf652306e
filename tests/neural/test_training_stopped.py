"""A training that a signal ends: the step is finished, a state saved, and all else is the same."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

pytest.importorskip("torch", reason="needs the extra `neural`: make neural")

import torch
from safetensors.torch import load_file

from closeread.system.signals import StoppedBySignal
from closeread.training.neural import train as trainer
from closeread.training.neural.saving import states
from closeread.training.recipe import Stage, TrainedReader
from neural.colours import inference
from neural.test_training import recipe
from neural.trained import stage, train

pytestmark = [
    pytest.mark.neural,
    pytest.mark.usefixtures("signals_heard"),
    pytest.mark.filterwarnings("default"),
    pytest.mark.skipif(os.name == "nt", reason="no such signals on Windows"),
]
TWO = ("-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2")
# `closeread`, but that a process signals itself after a step, also twice, and takes its time then.
SIGNALLED = """
import os, time
from closeread.training.neural.callbacks import Progress
plain = Progress.on_step_end
def end(self, args, state, control, **named):
    plain(self, args, state, control, **named)
    rank, step, numbers, seconds = os.environ["SIGNALLED"].split()
    if state.global_step == int(step) and os.environ.get("RANK", "0") == rank:
        for number in numbers.split(","):
            os.kill(os.getpid(), int(number))
        time.sleep(float(seconds))
Progress.on_step_end = end
from closeread.cli import main
main()
"""

EARLY = """
import os, signal
from closeread.training.neural import train
plain = train._open_model
def opened(*given):
    os.kill(os.getpid(), signal.SIGTERM)
    return plain(*given)
train._open_model = opened
from closeread.cli import main
main()
"""


def signalled_at(*steps, number=signal.SIGTERM):
    """Get a signal after so many steps of all, or of none, before the first."""
    left, done = list(steps), 0

    def advance(n):
        nonlocal done
        done += n
        while left and done >= left[0]:
            left.pop(0)
            signal.raise_signal(number)

    return lambda total: advance


def rows(record):
    """Return the curve, without what hangs on the clock; with the rows of a soup's members."""
    return [
        {name: value for name, value in row.items() if "second" not in name and "time" not in name}
        for row in record["history"]
        if "train_runtime" not in row
    ]


def assert_alike(resumed, whole):
    """See that two folders hold the same curves and the same weights, bit for bit."""
    folders = [one.parent.relative_to(whole) for one in whole.rglob("closeread.json")]
    assert folders
    for folder in folders:
        told, wanted = (
            json.loads((one / folder / "closeread.json").read_text()) for one in (resumed, whole)
        )
        assert rows(told) == rows(wanted), folder
        assert [told.get(key) for key in ("steps", "loss", "best")] == [
            wanted.get(key) for key in ("steps", "loss", "best")
        ]
        first, second = (load_file(one / folder / "model.safetensors") for one in (resumed, whole))
        assert all(torch.equal(weights, second[name]) for name, weights in first.items()), folder


def saved(out):
    return sorted(int(one.name[11:]) for one in out.glob("states/checkpoint-*"))


@pytest.mark.parametrize("at", [(0,), (3,), (6, 8), (13,), (20,), (26,), (33,)])
def test_whenever_it_is_stopped_the_rows_are_the_same(tmp_path, encoder, few, at):
    """Before a step, within a row, twice within one, at the end of one, of an epoch, of all."""
    settings = {"epochs": 3, "batch_size": 2, "accumulation": 2, "max_steps": 33}
    train(tmp_path / "whole", encoder, few, **settings)
    out = tmp_path / "out"
    for step in at:
        with pytest.raises(StoppedBySignal) as stopped:
            train(out, encoder, few, resume=out.exists(), begin=signalled_at(step), **settings)
        assert stopped.value.code == 128 + signal.SIGTERM
        assert saved(out)[-1] == max(step, 1)
        assert f"by SIGTERM after step {max(step, 1)} of 33; a state" in str(stopped.value)
    train(out, encoder, few, resume=True, **settings)
    assert_alike(out, tmp_path / "whole")


@pytest.mark.parametrize("case", [(0, "before"), (0, "in"), (5, "before"), (5, "in")])
def test_no_look_is_lost_or_taken_twice(tmp_path, encoder, few, monkeypatch, case):
    """A signal in the step before a look, and in the look itself, which is finished."""
    evaluate_every, where = case
    settings = {"epochs": 2, "batch_size": 8, "evaluate_every": evaluate_every, "patience": 9}
    settings |= {"dev": [{"path": few, "at_most": 20}]}
    whole = train(tmp_path / "whole", encoder, few, **settings)
    first = next(row["step"] for row in whole["history"] if "eval_metric" in row)
    plain, looks = trainer.measure_dev, []

    def measured(*given):
        looks.append(given)
        if where == "in" and len(looks) == 1:
            signal.raise_signal(signal.SIGTERM)
        return plain(*given)

    monkeypatch.setattr(trainer, "measure_dev", measured)
    out = tmp_path / "out"
    begin = signalled_at(*([first] if where == "before" else []))
    with pytest.raises(StoppedBySignal):
        train(out, encoder, few, begin=begin, **settings)
    assert (saved(out), len(looks)) == ([first], 1)
    train(out, encoder, few, resume=True, **settings)
    assert len(looks) == sum("eval_metric" in row for row in whole["history"])
    assert_alike(out, tmp_path / "whole")


def test_stages_members_and_a_second_task_are_stopped_and_gone_on_with(tmp_path, encoder, few):
    """A soup behind a stage that teaches the encoder, each ended once in the midst of a row."""
    teaches = Stage(
        reader=TrainedReader(name="encoder", options={"model": str(encoder)}),
        train={
            "datasets": [{"path": few}], "length": 16, "held_out": 0.05,
            "batch_size": 4, "max_steps": 14, "device": "cpu",
        },
    )  # fmt: skip
    pairs = {"datasets": [{"path": inference(tmp_path / "pairs.jsonl", 17)}]}
    given = {
        "before": (teaches, stage(few, max_steps=12, beside=pairs)),
        "soup": 2, "max_steps": 13,
    }  # fmt: skip
    train(tmp_path / "whole", encoder, few, **given)
    out = tmp_path / "out"
    ends = {"before/1": 5, "before/2": 7, "members/1": 11, "members/2": 3}
    for part, step in ends.items():
        with pytest.raises(StoppedBySignal, match=f"after step {step} of"):
            train(out, encoder, few, resume=out.exists(), begin=_in(out / part, step), **given)
        assert saved(out / part)[-1] == step
    train(out, encoder, few, resume=True, **given)
    assert_alike(out, tmp_path / "whole")


def _in(part, step):
    """Get a signal after a step of the part of a training that stands in a folder."""

    def begin(total):
        if not (part / "states").exists():
            return lambda n: None
        return signalled_at(step)(total)

    return begin


def test_the_clock_saves_states_and_leaves_the_curve_alone(tmp_path, encoder, few, monkeypatch):
    settings = {"max_steps": 14, "batch_size": 4, "dev": [{"path": few, "at_most": 10}]}
    train(tmp_path / "whole", encoder, few, **settings)
    seen = []

    def begin(total):
        return lambda n: seen.append(max(saved(tmp_path / "out"), default=0))

    monkeypatch.setattr(states, "_MAX_SECONDS_UNSAVED", 0)
    train(tmp_path / "out", encoder, few, begin=begin, **settings)
    assert seen == [0, *range(14)]  # before the first step, and after each before it is saved
    assert_alike(tmp_path / "out", tmp_path / "whole")


def started(path, *arguments, launcher=(), script=(), **environment):
    return subprocess.Popen(
        [sys.executable, *launcher, *(script or ("-m", "closeread")), "train", path, *arguments],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"} | environment,
    )  # fmt: skip


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "signalled.py"
    path.write_text(SIGNALLED, "utf-8")
    return (path,)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_process_says_where_it_stopped_and_ends_with_the_signal_s_code(
    tmp_path, encoder, data, number
):
    """From outside, wherever it is; the same command goes on."""
    path = recipe(tmp_path / "r.toml", encoder, data, max_steps=5_000, batch_size=4, save_every=5)
    process = started(path)
    while not saved(tmp_path / "out") and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(number)
    told = process.communicate()[1]
    assert process.returncode == 128 + number, told
    step = saved(tmp_path / "out")[-1]
    assert f"stopped by {number.name} after step {step:,} of 5,000; a state" in told
    assert told.count("--resume") == 1
    assert "Traceback" not in told


def test_the_second_signal_ends_at_once(tmp_path, encoder, data, script):
    """One that comes with the first, as launchers and `timeout` send it, is the first."""
    path = recipe(tmp_path / "r.toml", encoder, data, max_steps=9, batch_size=4)
    process = started(
        path, script=script, SIGNALLED=f"0 3 {signal.SIGTERM:d},{signal.SIGTERM:d} 600"
    )
    told = ""
    while "a second signal ends at once" not in told:
        told = process.stderr.readline()
        assert told
    time.sleep(3)  # what comes now is another one
    assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    told = process.communicate(timeout=60)[1]
    assert process.returncode == 128 + signal.SIGTERM
    assert "interrupted" in told
    assert not (tmp_path / "out").exists()  # no state was saved: nothing is left


def test_a_signal_before_there_is_anything_to_save_leaves_nothing(tmp_path, encoder, data):
    """It comes when the data are read and the model is to be opened."""
    path = recipe(tmp_path / "r.toml", encoder, data, max_steps=2)
    process = started(path, script=("-c", EARLY))
    told = process.communicate()[1]
    assert "400 questions" in told
    assert process.returncode == 128 + signal.SIGTERM, told
    assert "Traceback" not in told
    assert not (tmp_path / "out").exists()


def test_a_signal_that_is_ignored_stays_so(tmp_path, encoder, few, script):
    """As SIGINT is in what a script starts with `&`, and SIGHUP under `nohup`."""
    path = recipe(tmp_path / "r.toml", encoder, few, max_steps=4)
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        process = started(path, script=script, SIGNALLED=f"0 2 {signal.SIGINT:d} 0")
    finally:
        signal.signal(signal.SIGINT, before)
    told = process.communicate()[1]
    assert process.returncode == 0, told
    assert "SIGINT" not in told


@pytest.mark.slow
def test_two_processes_stop_at_the_same_step_whichever_is_signalled(tmp_path, encoder, few, script):
    path = recipe(tmp_path / "r.toml", encoder, few, max_steps=16, batch_size=2)
    whole, out = tmp_path / "whole", tmp_path / "out"
    done = started(path, "--out", whole, launcher=TWO)
    told = done.communicate()[1]
    assert done.returncode == 0, told[-6000:]
    for rank, step in ((1, 3), (0, 13)):
        resume = ["--resume"] if out.exists() else []
        process = started(
            path, "--out", out, *resume, launcher=TWO, script=script,
            SIGNALLED=f"{rank} {step} {signal.SIGTERM:d} 0",
        )  # fmt: skip
        told = process.communicate()[1]
        assert told.count(f"stopped by SIGTERM after step {step} of 16") == 1, told[-3000:]
        assert saved(out)[-1] == step
        last = out / "states" / f"checkpoint-{step}"
        assert len(list(last.glob("rng_state_*.pth"))) == 2
    done = started(path, "--out", out, "--resume", launcher=TWO)
    assert (done.communicate()[1], done.returncode)[1] == 0
    told, wanted = (json.loads((one / "closeread.json").read_text()) for one in (out, whole))
    assert [row["step"] for row in told["history"]] == [row["step"] for row in wanted["history"]]
    for found, expected in zip(rows(told), rows(wanted), strict=True):
        assert found == pytest.approx(expected, abs=1e-6)
    first, second = (load_file(one / "model.safetensors") for one in (out, whole))
    assert all(torch.allclose(weights, second[name], atol=1e-6) for name, weights in first.items())


@pytest.mark.slow
def test_a_launcher_that_is_signalled_lets_its_processes_save(tmp_path, encoder, data):
    """As a scheduler signals it, and as Ctrl+C does: then the processes get it twice."""
    path = recipe(tmp_path / "r.toml", encoder, data, max_steps=5_000, batch_size=4, save_every=5)
    for number in (signal.SIGTERM, signal.SIGINT):
        out = tmp_path / number.name
        process = subprocess.Popen(
            [sys.executable, *TWO, "-m", "closeread", "train", path, "--out", out],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True,
            env=os.environ | {"OMP_NUM_THREADS": "1"},
        )  # fmt: skip
        while not saved(out) and process.poll() is None:
            time.sleep(0.01)
        if number == signal.SIGTERM:
            process.send_signal(number)
        else:
            os.killpg(process.pid, number)
        told = process.communicate()[1]
        step = saved(out)[-1]
        assert told.count(f"stopped by {number.name} after step {step:,} of 5,000") == 1, told


def test_a_terminal_that_is_closed_ends_it_as_a_signal_does(tmp_path, encoder, data):
    """What is still told has nowhere to go; the state is saved nevertheless."""
    import pty

    path = recipe(tmp_path / "r.toml", encoder, data, max_steps=5_000, batch_size=1)
    process, terminal = pty.fork()
    if process == 0:
        os.environ["OMP_NUM_THREADS"] = "1"
        os.execv(sys.executable, [sys.executable, "-m", "closeread", "train", str(path)])
    seen = b""
    while seen.count(b"/5000") < 2:  # steps are shown, of an epoch of 400
        seen += os.read(terminal, 65_536)
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 128 + signal.SIGHUP
    assert saved(tmp_path / "out")
