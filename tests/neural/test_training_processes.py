"""Two processes over gloo: stages, a second task, a kill; they speak with one voice."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra `neural`: make neural")

from neural.colours import inference, squad
from neural.trained import losses

pytestmark = [pytest.mark.neural, pytest.mark.slow, pytest.mark.filterwarnings("default")]

RECIPE = """
out = "{out}"
[reader]
name = "span"
options = {{ max_length = 96, stride = 16 }}
[train]
model = "{model}"
device = "cpu"
epochs = 3
batch_size = {batch}
save_every = 4
patience = 5
[train.beside]
datasets = [{{ path = "{pairs}" }}]
[[train.datasets]]
path = "{data}"
[[train.dev]]
path = "{dev}"
[[before]]
reader = {{ name = "span", options = {{ max_length = 96, stride = 16 }} }}
[before.train]
device = "cpu"
max_steps = 2
batch_size = {batch}
datasets = [{{ path = "{data}" }}]
"""
TAUGHT = """
out = "{out}"
[reader]
name = "span"
options = {{ max_length = 96, stride = 16, distillation = 0.5 }}
[train]
model = "{model}"
device = "cpu"
max_steps = 20
learning_rate = 1e-3
batch_size = {batch}
datasets = [{{ path = "{data}" }}]
[[before]]
reader = {{ name = "span", options = {{ max_length = 96, stride = 16 }} }}
[before.train]
device = "cpu"
max_steps = 2
soup = 2
batch_size = {batch}
datasets = [{{ path = "{data}" }}]
"""
TWO = ("-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2")


def closeread(*arguments: object, launcher: tuple[str, ...] = ()):
    return subprocess.run(
        [sys.executable, *launcher, "-m", "closeread", "train", *map(str, arguments)],
        capture_output=True, text=True, check=False, env=os.environ | {"OMP_NUM_THREADS": "1"},
    )  # fmt: skip


def killed_in(folder: Path, step: int, ranks: tuple[str, ...], *arguments: object):
    """Train, and kill some of the processes at a step of the training after the stage."""
    module = folder / "killed.py"
    module.write_text(
        "import os, signal\n"
        "from closeread.training.neural.callbacks import Progress\n"
        "def end(self, args, state, control, **_):\n"
        f"    if state.global_step == {step} and os.environ['RANK'] in {ranks}:\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "Progress.on_step_end = end\n"
        "from closeread.cli import main\n"
        "main()\n",
        "utf-8",
    )
    return subprocess.run(
        [sys.executable, *TWO, str(module), "train", *map(str, arguments)],
        capture_output=True, text=True, check=False, env=os.environ | {"OMP_NUM_THREADS": "1"},
    )  # fmt: skip


@pytest.fixture
def write(tmp_path, encoder):
    given = {
        "model": encoder,
        "pairs": inference(tmp_path / "pairs.jsonl", 17),
        "data": squad(tmp_path / "few.json", 50),
        "dev": squad(tmp_path / "dev.json", 8, seed=1),
    }

    def written(name: str, recipe: str = RECIPE, **other: object) -> Path:
        path = tmp_path / f"{name}.toml"
        path.write_text(recipe.format(**(given | {"out": tmp_path / name} | other)), "utf-8")
        return path

    return written


def record(path: Path) -> dict:
    return json.loads((path.with_suffix("") / "closeread.json").read_text())


def test_two_processes_are_one_with_twice_the_batch(write):
    """After a stage, with a second head and a dev metric; and again after a state was taken up."""
    one, two = write("one", batch=8), write("two", batch=4)
    assert closeread(one).returncode == 0
    done = closeread(two, "--json", launcher=TWO)
    assert done.returncode == 0, done.stderr[-3000:]
    told = json.loads(done.stdout)  # one object: the second process says nothing
    assert done.stderr.count("few.json: 50 examples") == 2  # stage and training
    assert losses(record(two)) == pytest.approx(losses(record(one)), abs=1e-5)
    assert told["best"] == pytest.approx(record(one)["best"])


def test_two_processes_are_taught_as_one(write, tmp_path):
    """By the members of a soup that two processes made."""
    data = squad(tmp_path / "full.json", 48)  # so that the last step of an epoch is full
    one, two = (write(name, TAUGHT, batch=n, data=data) for name, n in (("one", 8), ("two", 4)))
    for path, launcher in ((one, ()), (two, TWO)):
        done = closeread(path, launcher=launcher)
        assert done.returncode == 0, done.stderr[-3000:]
    assert 20 in losses(record(two))
    assert losses(record(two)) == pytest.approx(losses(record(one)), abs=1e-5)
    assert len(record(two)["lineage"]["stages"][-1]["taught_by"]) == 2


def test_two_processes_go_on_in_a_later_epoch(write, tmp_path, encoder):
    """The order of the epoch and the dropout are the same in both.

    The kill hit the second one before it had written what it draws by: that state is passed over.
    """
    model = tmp_path / "dropping"
    shutil.copytree(encoder, model)
    config = json.loads((model / "config.json").read_text()) | {"hidden_dropout_prob": 0.2}
    (model / "config.json").write_text(json.dumps(config))
    two = write("two", batch=4, model=model)
    assert closeread(two, launcher=TWO).returncode == 0
    out = tmp_path / "killed"
    done = killed_in(tmp_path, 14, ("0", "1"), two, "--out", out)
    assert done.returncode != 0
    assert (out / "states" / "checkpoint-12").exists(), done.stderr[-3000:]
    (out / "states" / "checkpoint-12" / "rng_state_1.pth").unlink()
    done = closeread(two, "--out", out, "--resume", launcher=TWO)
    assert done.returncode == 0, done.stderr[-3000:]
    resumed = json.loads((out / "closeread.json").read_text())
    assert losses(resumed) == pytest.approx(losses(record(two)), abs=1e-6)


@pytest.mark.parametrize("rank", ["0", "1"])
def test_a_process_that_is_gone_is_told_by_the_other(write, tmp_path, rank):
    """Once, be it the first that is gone, and with what was saved before."""
    done = killed_in(tmp_path, 6, (rank,), write("two", batch=4))
    assert done.returncode != 0
    assert done.stderr.count("another process of this training ended: ") == 1, done.stderr
    assert "closeread/training" not in done.stderr.replace(os.sep, "/")  # a traceback's lines
    assert (tmp_path / "two" / "states" / "checkpoint-4").exists()


@pytest.mark.parametrize("epochs", ["epochs", "epoch"])
def test_a_mistake_is_told_once(write, tmp_path, epochs):
    """In the data or the recipe; the second process is ended while it loads, or learns of it."""
    wrong = RECIPE.replace("epochs", epochs)
    done = closeread(write("two", wrong, batch=4, dev=tmp_path / "none.json"), launcher=TWO)
    assert done.returncode != 0
    assert done.stderr.count("closeread: ") == 1, done.stderr
    assert "closeread.system.signals.StoppedBySignal" not in done.stderr
    assert not (tmp_path / "two").exists()
