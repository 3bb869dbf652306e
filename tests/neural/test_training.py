"""`closeread train` for an encoder: it learns, is killed, goes on, and runs on two processes."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra `neural`: make neural")

import torch
from transformers import AutoModelForQuestionAnswering, AutoTokenizer

from command_line import run_in_subprocess
from neural.colours import inference, squad

pytestmark = [pytest.mark.neural, pytest.mark.filterwarnings("default")]
LAUNCHERS = {
    "torchrun": ("-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2"),
    "accelerate": ("-m", "accelerate.commands.launch", "--multi_gpu", "--num_processes", "2"),
}

KILLED = """
import os, signal
from closeread.training.neural.callbacks import Progress
plain = Progress.on_step_end
def end(self, args, state, control, **named):
    plain(self, args, state, control, **named)
    if state.global_step == int(os.environ["KILLED_BEHIND"]):
        os.kill(os.getpid(), signal.SIGKILL)
Progress.on_step_end = end
from closeread.cli import main
main()
"""


def recipe(path: Path, model: str, data: str, **settings) -> Path:
    """Write a recipe; every setting is TOML as it stands."""
    dev = settings.pop("dev", "")
    lines = [f"{name} = {value}" for name, value in settings.items()]
    text = "\n".join(
        [
            f'out = "{path.parent / "out"}"',
            "[reader]",
            'name = "span"',
            "options = { max_length = 96, stride = 16 }",
            "[train]",
            f'model = "{model}"',
            'device = "cpu"',
            *lines,
            "[[train.datasets]]",
            f'path = "{data}"',
            *(["[[train.dev]]", f'path = "{dev}"'] if dev else []),
        ]
    )
    path.write_text(text + "\n", "utf-8")
    return path


def train(
    *arguments: object, launcher: tuple[str, ...] = ("-m", "closeread"), path: Path | None = None
):
    given = {"OMP_NUM_THREADS": "1"} | ({"PYTHONPATH": str(path)} if path else {})
    return subprocess.run(
        [sys.executable, *launcher, "train", *map(str, arguments)],
        capture_output=True, text=True, check=False, env=os.environ | given,
    )  # fmt: skip


def killed(step: int, *arguments: object, **environment: str) -> None:
    """Begin a training that is killed behind a step, whatever else the machine does."""
    done = subprocess.run(
        [sys.executable, "-c", KILLED, "train", *map(str, arguments)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
        env=os.environ | {"OMP_NUM_THREADS": "1", "KILLED_BEHIND": str(step)} | environment,
    )  # fmt: skip
    assert done.returncode == -signal.SIGKILL


def history(out: Path) -> dict[int, float]:
    told = json.loads((out / "closeread.json").read_text())
    return {row["step"]: row["loss"] for row in told["history"] if "loss" in row}


@pytest.mark.slow
def test_it_learns_and_keeps_the_best_by_the_dev_metric(tmp_path, encoder, data):
    dev = squad(tmp_path / "dev.json", 60, seed=1)
    path = recipe(
        tmp_path / "r.toml", encoder, data, epochs=6, batch_size=16, learning_rate=3e-3, dev=dev
    )
    done = train(path, "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["metric"] == "squad.f1"
    assert told["best"] > 0.9
    values = [
        row["eval_metric"]
        for row in json.loads((tmp_path / "out" / "closeread.json").read_text())["history"]
        if "eval_metric" in row
    ]
    assert max(values) == told["best"]
    read = run_in_subprocess(
        "read", dev, "--reader", "span", "-o", f"model={tmp_path / 'out'}", "--out",
        tmp_path / "run",
    )  # fmt: skip
    assert read.returncode == 0, read.stderr
    scored = run_in_subprocess("score", tmp_path / "run", "--json", "--metric", "squad")
    assert json.loads(scored.stdout)["metrics"]["squad.f1"]["value"] == pytest.approx(told["best"])


def test_the_folder_is_one_that_transformers_opens(tmp_path, encoder, data):
    path = recipe(tmp_path / "r.toml", encoder, data, max_steps=2)
    done = train(path)
    assert done.returncode == 0, done.stderr
    model = AutoModelForQuestionAnswering.from_pretrained(tmp_path / "out")
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "out")
    assert model(**tokenizer("which box", "the red box", return_tensors="pt")).start_logits.shape
    told = json.loads((tmp_path / "out" / "closeread.json").read_text())
    assert told["data"][0]["sha256"]
    assert told["recipe"]["train"]["max_steps"] == 2
    assert not (tmp_path / "out" / "states").exists()


def test_a_killed_training_goes_on_along_the_same_curve(tmp_path, encoder, data):
    settings = {"max_steps": 60, "batch_size": 4, "save_every": 10}
    whole = recipe(tmp_path / "whole.toml", encoder, data, **settings)
    assert train(whole, "--out", tmp_path / "whole").returncode == 0
    out = tmp_path / "killed"
    killed(24, whole, "--out", out)
    assert not (out / "closeread.json").exists()
    refused = train(whole, "--out", out)
    assert refused.returncode == 2
    assert "--resume" in refused.stderr
    resumed = train(whole, "--out", out, "--resume")
    assert resumed.returncode == 0, resumed.stderr
    assert history(out) == pytest.approx(history(tmp_path / "whole"), abs=1e-6)
    first, second = (
        AutoModelForQuestionAnswering.from_pretrained(folder).state_dict()
        for folder in (tmp_path / "whole", out)
    )
    for name, weights in first.items():
        assert torch.allclose(weights, second[name], atol=1e-6), name


def test_a_killed_stage_goes_on_too(tmp_path, encoder, data):
    """The stage is taken up at its last state, and the training after it begins from it."""
    path = recipe(tmp_path / "r.toml", encoder, data, max_steps=5, batch_size=4)
    with path.open("a", encoding="utf-8") as stream:
        stream.write(
            '[[before]]\nreader = { name = "span", options = { max_length = 96, stride = 16 } }\n'
            '[before.train]\ndevice = "cpu"\nmax_steps = 40\nbatch_size = 4\nsave_every = 10\n'
            f'datasets = [{{ path = "{data}" }}]\n'
        )
    out, whole = tmp_path / "out", tmp_path / "whole"
    killed(24, path)
    assert not (out / "before" / "1" / "closeread.json").exists()
    refused = train(path)
    assert (refused.returncode, "--resume" in refused.stderr) == (2, True)
    resumed = train(path, "--resume")
    assert resumed.returncode == 0, resumed.stderr
    assert train(path, "--out", whole).returncode == 0
    for folder in ("before/1", "."):
        assert history(out / folder) == pytest.approx(history(whole / folder), abs=1e-6)
        first, second = (
            AutoModelForQuestionAnswering.from_pretrained(one / folder).state_dict()
            for one in (out, whole)
        )
        for name, weights in first.items():
            assert torch.allclose(weights, second[name], atol=1e-6), (folder, name)


def test_a_state_that_was_cut_short_is_passed_over(tmp_path, encoder, data):
    """A kill may hit the writing of a state itself."""
    settings = {"max_steps": 20, "batch_size": 4, "save_every": 5, "keep": 4}
    path = recipe(tmp_path / "r.toml", encoder, data, **settings)
    out = tmp_path / "out"
    killed(11, path)
    last = max((out / "states").glob("checkpoint-*"), key=lambda one: int(one.name[11:]))
    weights = last / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    done = train(path, "--resume")
    assert done.returncode == 0, done.stderr
    assert json.loads((out / "closeread.json").read_text())["steps"] == 20


def test_another_recipe_is_not_resumed(tmp_path, encoder, data):
    path = recipe(tmp_path / "r.toml", encoder, data, max_steps=2)
    assert train(path).returncode == 0
    other = recipe(tmp_path / "other.toml", encoder, data, max_steps=3)
    for flags, found in (
        ((), "the folder already holds a finished training"),
        (("--resume",), "started with another recipe"),
    ):
        done = train(other, *flags)
        assert done.returncode == 2
        assert found in done.stderr
        assert "Traceback" not in done.stderr
    done = train(path, "--resume")
    assert (done.returncode, "is finished" in done.stderr) == (2, True)
    assert train(other, "--overwrite").returncode == 0


def test_two_processes_learn_what_one_does_with_twice_the_batch(tmp_path, encoder, data):
    """Over gloo, with the same recipe but for the batch: the same losses."""
    one = recipe(tmp_path / "one.toml", encoder, data, max_steps=20, batch_size=8)
    assert train(one, "--out", tmp_path / "one").returncode == 0
    two = recipe(tmp_path / "two.toml", encoder, data, max_steps=20, batch_size=4)
    for name, launcher in LAUNCHERS.items():
        done = train(two, "--out", tmp_path / name, launcher=(*launcher, "-m", "closeread"))
        assert done.returncode == 0, done.stderr
        assert history(tmp_path / name) == pytest.approx(history(tmp_path / "one"), abs=1e-5)


def test_a_launcher_that_begins_one_of_two_is_refused(tmp_path, encoder, data):
    """What `accelerate launch` does on a processor: half of the batch would be learned from."""
    path = recipe(tmp_path / "r.toml", encoder, data, max_steps=2)
    launcher = ("-m", "accelerate.commands.launch", "--cpu", "--num_processes", "2")
    done = train(path, launcher=(*launcher, "-m", "closeread"))
    assert done.returncode != 0
    assert "the launcher started one process instead of several" in done.stderr
    assert "torchrun" in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_mistake_leaves_nothing_behind(tmp_path, encoder, data):
    for settings, found in (
        ({"epochs": 0}, "train.epochs is out of range"),
        ({"epoch": 2}, "did you mean train.epochs"),
        ({"learning_rate": '"fast"'}, "learning_rate"),
    ):
        path = recipe(tmp_path / "r.toml", encoder, data, **settings)
        done = train(path)
        assert done.returncode == 2
        assert found in done.stderr
        assert not (tmp_path / "out").exists()
    done = train(recipe(tmp_path / "r.toml", "$NO_SUCH_MODEL", data))
    assert done.returncode == 2
    assert "the environment variable NO_SUCH_MODEL is not set" in done.stderr
    assert not (tmp_path / "out").exists()
    done = train(recipe(tmp_path / "r.toml", encoder, str(tmp_path / "none.json")))
    assert (done.returncode, (tmp_path / "out").exists()) == (2, False)
    path = recipe(tmp_path / "r.toml", encoder, data)
    for weight in ("0.0", "1e9"):  # so many passes could not be listed
        with path.open("a", encoding="utf-8") as stream:
            stream.write(f'[[train.datasets]]\npath = "{data}"\nweight = {weight}\n')
        done = train(path)
        assert done.returncode == 2
        assert "weight is out of range" in done.stderr
        assert "above 0, at most 1,000" in done.stderr


def test_a_precision_and_a_tracker_that_are_not_there_are_told(tmp_path, encoder, data):
    done = train(recipe(tmp_path / "r.toml", encoder, data, max_steps=1, track='["mlflow"]'))
    assert done.returncode == 2
    assert "mlflow" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_tracker_that_cannot_begin_is_told(tmp_path, encoder, data):
    """Here one that is no more than a name; nothing was trained, and nothing is left."""
    (tmp_path / "path" / "mlflow").mkdir(parents=True)
    (tmp_path / "path" / "mlflow" / "__init__.py").write_text(
        "class utils:\n    class validation:\n"
        "        MAX_PARAM_VAL_LENGTH = MAX_PARAMS_TAGS_PER_BATCH = 1\n",
        "utf-8",
    )
    path = recipe(tmp_path / "r.toml", encoder, data, max_steps=1, track='["mlflow"]')
    done = train(path, path=tmp_path / "path")
    assert (done.returncode, "Traceback" in done.stderr) == (2, False), done.stderr
    assert "mlflow, which cannot start" in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_second_task_learns_on_the_same_encoder(tmp_path, encoder, data):
    """Batches are of one task each; the second head is kept beside a model that opens as usual."""
    pairs = inference(tmp_path / "pairs.jsonl", 101)
    path = recipe(tmp_path / "r.toml", encoder, data, epochs=1, batch_size=8, save_every=20)
    with path.open("a", encoding="utf-8") as stream:
        stream.write(f'[[train.beside.datasets]]\npath = "{pairs}"\nweight = 0.5\n')
    done = train(path, "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["n_features"] == 501
    assert told["steps"] == 400 // 8 + 7  # half of 101 pairs, the last batch filled up
    from safetensors.torch import load_file

    head = load_file(tmp_path / "out" / "second_head.safetensors")
    assert sorted(tuple(one.shape) for one in head.values()) == [(3,), (3, 32)]
    _, loading = AutoModelForQuestionAnswering.from_pretrained(
        tmp_path / "out", output_loading_info=True
    )
    assert not loading["missing_keys"]
    assert not loading["unexpected_keys"]
