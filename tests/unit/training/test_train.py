"""`closeread train`: from a recipe to weights that the reader takes."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from click.testing import CliRunner

import closeread
from closeread.cli.train import command
from closeread.errors import CloseReadError, InputError, UsageError
from closeread.readers.cues.reader import cues, load_weights
from toy_cues import before_recipe, run, write_changed_set, write_toy_pairs, write_toy_set


@pytest.mark.parametrize("loss", ["logistic", "hinge"])
def test_training_learns_what_makes_options_wrong(tmp_path, loss):
    """Over 95% on passages held out, both polarities, and the weights say why."""
    result, out = run(tmp_path, f'loss = "{loss}"\nl2 = 1.0\nrisk = 0.4')
    assert result.exit_code == 0, result.exception
    told = json.loads(result.stdout)
    assert told["held_out_accuracy"] > 0.95
    assert told["n_questions"] == 40
    assert told["threshold"]["n_answered"] > 0
    learned = load_weights(out)
    assert learned.weights["cue:都"] < 0
    assert learned.languages == ("zh",)
    assert cues(str(out), selective=True)


def test_the_requested_risk_is_reported(tmp_path):
    """Not rounded: half a percent is neither none nor one."""
    run(tmp_path, "l2 = 1.0\nrisk = 0.375\ndelta = 0.125")
    again = [str(tmp_path / "recipe.toml"), "--overwrite"]
    told = CliRunner().invoke(command, again, catch_exceptions=False).stderr
    assert "keeps wrong answers to 37.5% (with 87.5% certainty) and answers" in told


def test_training_is_reproducible(tmp_path):
    """Trained twice, byte for byte the same."""
    _, out = run(tmp_path)
    first = out.read_bytes()
    run(tmp_path)
    assert out.read_bytes() == first


def test_weights_are_equal_in_every_process(tmp_path):
    """Whatever order sets have there: the last passages hold one of the first and one behind."""
    data = write_toy_set(tmp_path / "toy.jsonl")
    texts = ["".join(chr(0x4E00 + 20 * number + at) for at in range(20)) for number in range(40)]
    for number in range(13):
        texts[26 + number] = texts[number] + texts[25 - number]
    rows = []
    for number, line in enumerate(data.read_text("utf-8").splitlines()):
        row = json.loads(line.replace("这里", f"这里{number}号"))  # no option stands twice
        row["passage"]["text"] = texts[number]
        rows.append(json.dumps(row) + "\n")
    data.write_text("".join(rows), "utf-8")
    result, out = run(tmp_path, "", data)
    assert result.exit_code == 0, result.exception
    here = out.read_bytes()
    call = [sys.executable, "-m", "closeread", "train", str(tmp_path / "recipe.toml")]
    subprocess.run(call, env=os.environ | {"PYTHONHASHSEED": "1"}, check=True)
    assert out.read_bytes() == here


def test_licence_terms_of_training_data_are_reported(tmp_path):
    """Those of a set that gave nothing do not count."""
    nli = write_toy_pairs(tmp_path / "nli.jsonl")
    result, _ = run(tmp_path, before_recipe(tmp_path, data=f'exam/zh", "{nli}'))
    assert json.loads(result.stdout)["licenses"] == {
        str(tmp_path / "toy.jsonl"): "unknown",
        "exam/zh": "Apache-2.0",
        str(nli): "unknown",
    }
    result = CliRunner().invoke(command, [str(tmp_path / "recipe.toml")])
    assert "terms of the training data: unknown; Apache-2.0\n" in result.stderr


def test_the_output_is_given_in_the_recipe_or_as_an_option(tmp_path):
    """One of them is enough: a recipe that others train by need not say where."""
    data, recipe = write_toy_set(tmp_path / "toy.jsonl"), tmp_path / "recipe.toml"
    for line in ("", 'out = ""\n'):
        recipe.write_text(f'{line}reader.name = "cues"\ntrain.datasets = ["{data}"]\n', "utf-8")
        with pytest.raises(
            UsageError, match="does not say where to write the trained reader"
        ) as told:
            closeread.train(recipe)
        assert told.value.where == str(recipe)
        out = tmp_path / f"weights{len(line)}.json"
        result = CliRunner().invoke(command, [str(recipe), "--out", str(out)])
        assert result.exit_code == 0, result.exception
        assert load_weights(out)


def test_only_a_weights_file_is_replaced(tmp_path):
    """A name mistaken costs nobody his data; weights give way to new ones."""
    _, out = run(tmp_path)
    data = tmp_path / "toy.jsonl"
    kept = data.read_bytes()
    again = [str(tmp_path / "recipe.toml"), "--out", str(data)]
    result = CliRunner().invoke(command, again)
    assert isinstance(result.exception, UsageError)
    assert "holds no cues weights" in str(result.exception)
    assert data.read_bytes() == kept
    assert CliRunner().invoke(command, [*again, "--overwrite"]).exit_code == 0
    assert load_weights(data) == load_weights(out)


def test_overlapping_questions_are_left_out(tmp_path):
    """A set excluded from itself leaves nothing to learn from, and says so."""
    data = write_toy_set(tmp_path / "toy.jsonl")
    result, out = run(tmp_path, f'exclude = ["{data}"]', data)
    assert isinstance(result.exception, InputError)
    assert "only 0 passages" in str(result.exception)
    assert not out.exists()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("losss = 'hinge'", "did you mean train.loss?"),
        ("loss = 'square'", "train.loss: found 'square'"),
        ("l2 = 0.0", "train: l2=0\n  expected: l2 above 0"),
        ("least = 0", "train: least=0\n  expected: least 1 or more"),
        ("risk = 1.5", "train: risk=1.5\n  expected: risk from 0 to below 1"),
        ("delta = 1", "train: delta=1\n  expected: delta above 0, below 1"),
        ("l2 = nan", "train: l2=nan\n  expected: l2 above 0"),
        ("l2 = inf", "train: l2=inf\n  expected: l2 above 0"),
        ("prior = nan", "train: prior=nan\n  expected: prior 0 or more"),
        (
            "prior = inf\nrisk = -1.0",
            "train: risk=-1, prior=inf\n  expected: risk from 0 to below 1, prior 0 or more",
        ),
    ],
)
def test_an_invalid_setting_is_rejected(tmp_path, more, said):
    """The message names the key and what is expected, of a number its range, and no other."""
    result, _ = run(tmp_path, more)
    assert isinstance(result.exception, InputError | UsageError)
    assert said in f"{result.exception}\n"


def test_answers_that_are_not_options_are_skipped(tmp_path):
    """A defect of one question does not end the training of the others."""

    def change(number, question):
        if number == 0:
            question["answers"][0]["label"] = "E"

    result, _ = run(tmp_path, "", write_changed_set(tmp_path, change))
    assert result.exit_code == 0, result.exception
    assert json.loads(result.stdout)["n_questions"] == 39


def test_any_accepted_answer_is_right(tmp_path):
    """Where two are, no option but the others is learned as wrong, as `choice.accuracy` counts."""

    def change(_, question):
        first = question["answers"][0]["label"]
        second = "ABCD"["ABCD".index(first) - 1]
        texts = {option["label"]: option for option in question["options"]}
        texts[second]["text"] = texts[first]["text"]
        question["answers"].insert(0, {"kind": "choice", "label": second})

    result, _ = run(tmp_path, "", write_changed_set(tmp_path, change))
    assert result.exit_code == 0, result.exception
    assert json.loads(result.stdout)["held_out_accuracy"] > 0.95


def test_a_set_without_features_is_reported(tmp_path):
    """All options true; no feature often enough; and no weights are written."""
    same = write_changed_set(tmp_path, lambda _, question: question.update(option_truth=[True] * 4))
    for more, data, said in (
        ("", same, "a true and a false option"),
        ("least = 1000", None, "no feature occurs in 1,000 options"),
    ):
        result, out = run(tmp_path, more, data)
        assert isinstance(result.exception, InputError), result.exception
        assert said in str(result.exception)
        assert not out.exists()


def test_a_training_of_cues_cannot_be_resumed(tmp_path):
    """Nothing is saved on the way; it is said, not passed over."""
    run(tmp_path)
    result = CliRunner().invoke(command, [str(tmp_path / "recipe.toml"), "--resume"])
    assert isinstance(result.exception, UsageError)
    assert "cues cannot be resumed" in str(result.exception)


def test_an_interrupted_training_without_states_does_not_mention_them(tmp_path):
    """Nothing is kept of it, and nothing else is said."""
    (tmp_path / "slow.py").write_text(
        "import time\n"
        "from pathlib import Path\n"
        "class Slow:\n"
        "    def retrieve(self, *asked):\n"
        "        Path('begun').touch()\n"
        "        time.sleep(60)\n"
        "make = Slow\n"
    )
    (tmp_path / "mine.toml").write_text(
        'out = "mine.json"\n'
        'reader = {name = "cues", options = {retriever = "slow:make"}}\n'
        'train = {datasets = ["exam/zh"]}\n'
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "closeread", "train", "mine.toml"],
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        # Where the tests run in the background SIGINT is ignored, and children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )
    while not (tmp_path / "begun").exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate()
    assert process.returncode == 130
    assert told == "interrupted; cues saves no states, and nothing is kept\n"
    assert not (tmp_path / "mine.json").exists()


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ('exclude = ["none.jsonl"]', "recipe.toml: none.jsonl"),
        ('exclude = ["exam/zhh"]', "recipe.toml"),
        ("risk = 2", "recipe.toml: train"),
        ("least = 9999", "recipe.toml: TMP/toy.jsonl"),
    ],
)
def test_an_error_in_a_recipe_names_the_recipe(tmp_path, more, told):
    """Also where what it names is not there."""
    result, out = run(tmp_path, more)
    assert isinstance(result.exception, CloseReadError)
    assert result.exception.where == f"{tmp_path}/{told}".replace("TMP", str(tmp_path))
    assert not out.exists()


def test_an_untrainable_reader_is_reported_with_its_recipe(tmp_path):
    run(tmp_path)
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(recipe.read_text("utf-8").replace('"cues"', '"clues"'), "utf-8")
    result = CliRunner().invoke(command, [str(recipe)])
    assert result.exception.where == str(recipe)
