"""A wrong recipe is told before torch is loaded, and where it is not installed at all."""

import subprocess
import sys

import pytest

import closeread
from closeread.errors import (
    CloseReadError,
    InputError,
    MismatchError,
    MissingExtraError,
    UsageError,
)

WHOLE = """
out = "{out}"
[reader]
name = "{name}"
options = {{ {options} }}
[train]
{model}
{settings}
[[train.datasets]]
path = "exam/zh"
"""
VOCABULARY = 'vocabulary = "words.txt"'


@pytest.fixture(autouse=True)
def without_torch(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setitem(sys.modules, "transformers", None)


@pytest.fixture
def train(tmp_path):
    """Train by a recipe; nothing may come of it but what is told."""

    def trained(name, options="", settings="", model='model = "bert"', more="", **given):
        path = tmp_path / "recipe.toml"
        given = {"out": tmp_path / "out", **given}
        text = WHOLE.format(
            name=name, options=options, settings=settings, model=model, out=given["out"]
        )
        path.write_text(text + more, "utf-8")
        with pytest.raises(CloseReadError) as told:
            closeread.train(path)
        assert not (tmp_path / "out").exists()
        assert told.value.cure or told.value.expected
        return told.value

    return trained


NEURAL = ["span", "cloze", "choice", "chunk", "verifier", "extract-integrate-compete", "entailment"]


@pytest.mark.parametrize("name", NEURAL)
def test_an_unknown_key_is_reported_without_torch(train, name):
    told = train(name, settings="max_stepz = 2")
    assert isinstance(told, InputError)
    assert "did you mean train.max_steps?" in told.found
    told = train(name, options="max_length = 4")
    assert "reader.options.max_length" in told.where


@pytest.mark.parametrize(
    ("name", "options", "settings", "said"),
    [
        ("span", "strides = 8", "", "did you mean reader.options.stride?"),
        ("span", 'teachers = ["x"]', "", "teachers is set, but distillation is 0"),
        ("cloze", "left_out = 1.5", "", ""),
        ("choice", "", "epochs = 0", "train.epochs is out of range"),
        ("choice", "", "options = { margin = 1 }", "train.options is set"),
        ("chunk", "", 'options = { learn = "all" }', "all"),
        (
            "verifier",
            "",
            'options = { unit = "option" }',
            "unit is option, which loss hinge does not take",
        ),
        (
            "verifier",
            "",
            'options = { loss = "cross-entropy", unit = "pair" }',
            "unit is pair, which loss cross-entropy does not take",
        ),
        ("verifier", "", 'options = { reduction = "sum", unit = "pair" }', "reduction is sum"),
        ("verifier", "", "options = { margin = 0.0 }", "train.options.margin is out of range"),
        ("verifier", "", "options = { margin = nan }", "train.options.margin is out of range"),
        ("verifier", 'retriever = "bm25", kk = 2', "", "the retriever bm25 has no option 'kk'"),
        ("verifier", 'retriever = "bmx"', "", "there is no retriever named 'bmx'"),
        ("verifier", 'retriever = "dense", kk = 2', "", "the retriever dense has no option 'kk'"),
        ("entailment", "", "batch_size = 0", "train.batch_size is out of range"),
        ("span", "", "beside = { datasets = [] }", "train.beside.datasets is out of range"),
        ("span", "", 'exclude = ["nowhere.json"]', ""),
    ],
)
def test_invalid_values_are_reported_without_torch(train, name, options, settings, said):
    told = train(name, options, settings)
    assert not isinstance(told, MissingExtraError)
    assert said in told.found


@pytest.mark.parametrize(
    ("options", "settings", "said"),
    [
        (VOCABULARY, "lenght = 64", "did you mean train.length?"),
        (VOCABULARY, "length = 9999", "train.length is out of range"),
        ("", "", "sets neither vocabulary nor model"),
    ],
)
def test_invalid_values_of_an_encoder_are_reported_without_torch(train, options, settings, said):
    assert said in train("encoder", options, settings, model="").found


@pytest.mark.parametrize(
    ("stage", "said"),
    [
        ('reader = { name = "span" }\n[before.train]\nepoch = 1', "before[0].train.epochs?"),
        (
            'reader = { name = "cloze", options = { around = 1 } }\n[before.train]',
            "before[0].reader.options.around",
        ),
        ('reader = { name = "cues" }\n[before.train]', "before[0].reader is cues"),
        (
            'reader = { name = "span" }\n[before.train]\ndatasets = [{ path = "no.json" }]',
            "no.json",
        ),
    ],
)
def test_stages_are_checked_without_torch(train, stage, said):
    assert said in str(train("span", more=f"\n[[before]]\n{stage}\n"))


@pytest.mark.parametrize("name", ["span", "encoder"])
def test_a_taken_folder_is_reported_without_torch(tmp_path, name):
    """Who repeats a command by mistake need not wait for libraries to learn it."""
    path, out = tmp_path / "recipe.toml", tmp_path / "out"
    model = 'model = "bert"' if name == "span" else ""
    given = {"name": name, "out": out, "options": VOCABULARY if not model else ""}
    path.write_text(WHOLE.format(model=model, settings="", **given), "utf-8")
    with pytest.raises(UsageError, match="there is no training to resume"):
        closeread.train(path, resume=True)
    out.mkdir()
    (out / "mine").touch()
    with pytest.raises(UsageError, match="holds no training"):
        closeread.train(path)
    (out / "mine").rename(out / "training.json")
    (out / "states" / "checkpoint-2").mkdir(parents=True)
    with pytest.raises(UsageError, match="the folder already holds a training") as told:
        closeread.train(path)
    assert told.value.where == f"{path}: {out}"
    with pytest.raises(MismatchError, match="started with another recipe"):
        closeread.train(path, resume=True)
    (out / "closeread.json").touch()
    with pytest.raises(UsageError, match="holds a finished training"):
        closeread.train(path)
    with pytest.raises(MissingExtraError):
        closeread.train(path, overwrite=True)
    assert (out / "closeread.json").exists()


def test_a_valid_recipe_needs_torch(train):
    for name in NEURAL:
        told = train(name)
        assert isinstance(told, MissingExtraError), told
        assert told.cure == "pip install 'closeread[train]'"


def test_only_the_first_of_several_processes_reports(train, monkeypatch):
    """The others wait until they are ended, or learn of it where all wait for each other."""
    waited = []
    monkeypatch.setattr("time.sleep", waited.append)
    monkeypatch.setenv("RANK", "1")
    assert isinstance(train("span"), MissingExtraError)
    assert not waited
    assert isinstance(train("span", settings="max_stepz = 2"), MissingExtraError)
    assert len(waited) == 1


def test_an_external_trainer_checks_its_own_recipe(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "own_trainer.py").write_text(
        "from closeread.errors import UsageError\n"
        "def train(request): raise UsageError('mine', expected='nothing')\n",
        "utf-8",
    )
    path = tmp_path / "recipe.toml"
    path.write_text(
        'out = "out"\n[reader]\nname = "own_trainer:train"\n[train]\nanything = 1\n', "utf-8"
    )
    with pytest.raises(UsageError, match="mine"):
        closeread.train(path)


@pytest.mark.parametrize(
    ("made", "said"), [("train = 3", "object of the type int"), ("def train(): pass", "Request")]
)
def test_an_invalid_trainer_is_reported(tmp_path, monkeypatch, made, said):
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "no_trainer.py").write_text(made, "utf-8")
    monkeypatch.delitem(sys.modules, "no_trainer", raising=False)
    path = tmp_path / "recipe.toml"
    path.write_text('out = "out"\nreader.name = "no_trainer:train"\ntrain = {}\n', "utf-8")
    with pytest.raises(UsageError, match=said) as told:
        closeread.train(path)
    assert told.value.where == str(path)


@pytest.mark.parametrize("name", ["cues", "span", "vectors"])
def test_nothing_is_loaded_to_say_what_is_wrong_with_a_recipe(tmp_path, name):
    """What makes who mistyped a word wait: the libraries that compute."""
    path = tmp_path / "recipe.toml"
    path.write_text(f'out = "x"\nreader.name = "{name}"\ntrain.datasetz = 1\n', "utf-8")
    code = (
        "import sys, closeread\n"
        "try: closeread.train(sys.argv[1])\n"
        "except closeread.CloseReadError as told: print(told)\n"
        "print({'torch', 'transformers', 'scipy', 'gensim', 'pandas'} & {*sys.modules})"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
    )
    assert "did you mean train.datasets?" in done.stdout
    assert done.stdout.endswith("set()\n")


def test_missing_files_of_stages_and_training_are_reported_together(tmp_path, monkeypatch):
    """All at once, be they of the training, of what it watches or of a stage."""
    monkeypatch.chdir(tmp_path)
    text = WHOLE.format(name="span", options="", settings="", model='model = "bert"', out="out")
    stage = (
        '[[before]]\nreader = {{ name = "{}" }}\n[before.train]\ndatasets = [{{ path = "{}" }}]\n'
    )
    dev = '[[train.dev]]\npath = "dev.json"\n'
    stages = stage.format("entailment", "pairs.json") + stage.format("span", "squad.json")
    (tmp_path / "r.toml").write_text(text + dev + stages, "utf-8")
    with pytest.raises(InputError) as told:
        closeread.train("r.toml")
    head, *files = told.value.found.splitlines()
    assert head == "3 files cannot be opened:"
    names = ("dev.json", "pairs.json", "squad.json")
    assert all(name in line for name, line in zip(names, files, strict=True))
