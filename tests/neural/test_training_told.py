"""What a training tells while it goes on and at its end, and which mistakes it names and where."""

import json
import logging
import logging.handlers
import re
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra `neural`: make neural")

from click.testing import CliRunner

from closeread.api.running import train as train_recipe
from closeread.cli.train import command
from closeread.errors import CloseReadError, InputError, UsageError
from closeread.training.overlap import Overlap
from closeread.training.recipe import TrainedReader
from neural.colours import inference, squad
from neural.test_training import recipe
from neural.trained import stage, train

pytestmark = [pytest.mark.neural, pytest.mark.filterwarnings("default")]
CHUNK = TrainedReader(name="chunk", options={"max_length": 40, "chunk_tokens": 10})


def never(total):
    raise AssertionError("a training was begun")


def licensed(path: Path, terms: str) -> str:
    """Write a set of one question under terms of its own."""
    question = {
        "question_id": "1",
        "passage_id": "p",
        "text": "which colour is it",
        "kind": "span",
        "answers": [{"kind": "span", "texts": ["red"], "spans": [[8, 11]]}],
    }
    rows = [
        {"dataset": {"name": path.stem, "license": terms}},
        {"passage": {"passage_id": "p", "text": "the box red holds"}, "questions": [question]},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def test_the_terms_of_an_earlier_stage_are_named_at_the_end(tmp_path, encoder, data):
    """What a stage learned from binds the model that comes of it, and so does a model's own."""
    stage_toml = tmp_path / "recipe.toml"
    first = licensed(tmp_path / "first.jsonl", "not for sale")
    stages = (
        f'\n[[before]]\nreader = {{ name = "span", options = {{ max_length = 96 }} }}\n'
        f'[before.train]\nmax_steps = 1\ndevice = "cpu"\n'
        f'[[before.train.datasets]]\npath = "{first}"\n'
    )
    recipe(stage_toml, encoder, data, max_steps=1)
    stage_toml.write_text(stage_toml.read_text() + stages)
    told = train_recipe(stage_toml)
    assert told.remarks[1:] == ("terms of the training data: first (not for sale)",)
    again = recipe(tmp_path / "again.toml", str(told.out), data, max_steps=1)
    assert "first (not for sale)" in train_recipe(again, out=tmp_path / "again").remarks[1]


def test_pieces_are_not_called_questions(tmp_path, encoder):
    """A chunk reader learns from options or chunks, a verifier perhaps from pairs."""
    said = []
    made = train(
        tmp_path / "out",
        encoder,
        "exam/zh",
        reader=CHUNK,
        max_steps=1,
        say=said.append,
        options={"learn": "each"},
    )
    assert made["n_features"] > 108
    assert said[:2] == ["exam/zh: 108 questions", f"exam/zh: {made['n_features']:,} examples"]


def test_a_vocabulary_of_another_language_is_told(tmp_path, encoder, few):
    """All its words are one token; of the language that the model knows nothing is said."""
    said = []
    train(tmp_path / "zh", encoder, "exam/zh", reader=CHUNK, max_steps=1, say=said.append)
    (line,) = (one for one in said if "vocabulary" in one)
    share = re.match(r"exam/zh: (\d+)% of the tokens are unknown to the model's vocabulary", line)
    assert 90 < int(share[1]) < 100  # all but the marks between the texts
    train(tmp_path / "en", encoder, few, max_steps=1, say=said.append)
    assert sum("vocabulary" in one for one in said) == 1


def test_a_set_that_gives_no_example_is_told(tmp_path, encoder, few):
    """The others are learned from, and nobody believes that it was."""
    said = []
    both = [{"path": "exam/zh"}, {"path": few}]
    train(tmp_path / "out", encoder, few, datasets=both, max_steps=1, say=said.append)
    assert "exam/zh: 0 examples: span learns nothing from it" in said
    assert f"{few}: 50 examples" in said


def test_no_file_system_is_suspected_where_states_are_saved_at_once(tmp_path, encoder, few):
    """A small model's states are of one second; the Trainer would warn of it."""
    heard = logging.handlers.BufferingHandler(100)
    logger = logging.getLogger("transformers")
    logger.addHandler(heard)
    type(logger).warning_once.cache_clear()  # it is said once a process
    try:
        train(tmp_path / "out", encoder, few, max_steps=5, save_every=1, keep=1)
    finally:
        logger.removeHandler(heard)
    assert not [one.getMessage() for one in heard.buffer if "mtime" in one.getMessage()]


@pytest.mark.parametrize(("seed", "shared"), [(0, 12), (7, 0)])
def test_questions_of_dev_that_are_learned_from_are_told(
    tmp_path,
    encoder,
    data,
    seed,
    shared,
):
    said = []
    few = squad(tmp_path / "few.json", 12, seed)
    train(tmp_path / "out", encoder, data, max_steps=1, dev=[{"path": few}], say=said.append)
    told = [line for line in said if "train.dev" in line]
    assert [line.partition(":")[0] for line in told] == (
        [f"{shared} of 12 questions of train.dev also in the training sets"] if shared else []
    )


def test_options_that_a_trainer_does_not_have_are_not_passed_over(
    tmp_path,
    encoder,
    data,
):
    with pytest.raises(UsageError, match=r"train\.options is set, but span takes none") as told:
        train(tmp_path / "out", encoder, data, begin=never, options={"margin": 1})
    assert told.value.where == str(tmp_path / "recipe.toml")
    assert not (tmp_path / "out").exists()


def test_going_on_and_beginning_anew_exclude_each_other(tmp_path, encoder, data):
    path = recipe(tmp_path / "recipe.toml", encoder, data, max_steps=1)
    out = train_recipe(path).out
    before = (out / "model.safetensors").read_bytes()
    with pytest.raises(UsageError, match="cannot be used together"):
        train_recipe(path, resume=True, overwrite=True)
    assert (out / "model.safetensors").read_bytes() == before


def test_folders_are_left_as_they_were_where_nothing_is_made(tmp_path, encoder, data):
    """One that the user made stays; those made on the way to a new one go."""
    (tmp_path / "mine").mkdir()
    short = TrainedReader(name="span", options={"max_length": 20})  # found when the model is open
    for out in (tmp_path / "mine", tmp_path / "made" / "on" / "the-way"):
        with pytest.raises(UsageError, match="max_length=20"):
            train(out, encoder, data, reader=short, begin=never)
    assert [one.name for one in tmp_path.iterdir()] == ["mine"]
    (tmp_path / "mine" / "training.json").write_text("{}")  # of a training that was killed early
    with pytest.raises(UsageError, match="max_length=20"):
        train(tmp_path / "mine", encoder, data, reader=short, begin=never)
    assert not any(tmp_path.iterdir())


def test_no_stage_is_trained_for_data_without_gold(tmp_path, encoder, data):
    """The last training's data were judged by hours of a stage before."""
    rows = [{"id": "1", "passage": "the box holds the cup", "question": "which colour is it"}]
    silent = tmp_path / "silent.jsonl"
    silent.write_text(json.dumps(rows[0]) + "\n")
    with pytest.raises(InputError, match="no question that span can learn from"):
        train(tmp_path / "out", encoder, str(silent), before=(stage(data),), begin=never)
    settings = {"before": (stage(data),), "beside": {"datasets": [{"path": data}]}}
    with pytest.raises(InputError, match=r"train\.beside has no pair to learn from"):
        train(tmp_path / "out", encoder, data, begin=never, **settings)


def test_what_is_excluded_is_read_once(tmp_path, encoder, data, monkeypatch):
    """For what is learned beside, too; a set that will be read may be large."""
    made = []

    def counted(*held):
        made.append(Overlap(*held))
        return made[-1]

    monkeypatch.setattr("closeread.training.neural.training_data.Overlap", counted)
    pairs = {"datasets": [{"path": inference(tmp_path / "pairs.jsonl", 4)}]}
    train(tmp_path / "out", encoder, data, max_steps=1, beside=pairs, exclude=["exam/zh"])
    assert len(made) == 1


def test_what_is_learned_beside_is_not_called_the_reader_s(tmp_path, encoder, data):
    with pytest.raises(InputError, match=r"train\.beside has no pair to learn from"):
        train(
            tmp_path / "out", encoder, data, begin=never, beside={"datasets": [{"path": "exam/zh"}]}
        )
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("settings", "found"),
    [
        ({"dev": [{"path": "x"}, {"path": "y", "at_most": 0}]}, r"train\.dev\[1\]\.at_most"),
        ({"dev": [{"path": "x", "weight": -1}]}, r"train\.dev\[0\]\.weight"),
    ],
)
def test_a_number_of_a_source_is_named_with_its_place(
    tmp_path,
    encoder,
    data,
    settings,
    found,
):
    with pytest.raises(UsageError, match=found):
        train(tmp_path / "out", encoder, data, begin=never, **settings)


def test_no_model(tmp_path, data):
    with pytest.raises(UsageError, match=r"train\.model is empty") as told:
        train(tmp_path / "out", "", data, begin=never)
    assert "-o" not in told.value.expected


@pytest.mark.parametrize(
    ("name", "options", "settings"),
    [
        ("extract-integrate-compete", {}, {}),
        ("verifier", {"retriever": "dense"}, {}),
        ("verifier", {}, {"margin": 0}),
        ("verifier", {}, {"unit": "option"}),
    ],
)
def test_a_verifier_s_options_are_told_as_a_recipe_writes_them(
    tmp_path,
    encoder,
    name,
    options,
    settings,
):
    """There is no -o in a recipe."""
    reader = TrainedReader(name=name, options=options)
    with pytest.raises(CloseReadError) as told:
        train(tmp_path / "out", encoder, "exam/zh", reader=reader, begin=never, options=settings)
    assert told.value.where == str(tmp_path / "recipe.toml")
    assert "-o " not in f"{told.value.expected} {told.value.cure}"


def test_how_far_the_making_of_examples_is_is_told_before_the_training(
    tmp_path, encoder, data, monkeypatch
):
    """Of 75,000 questions it takes minutes, in which nothing was to be seen."""
    monkeypatch.setattr("closeread.cli.terminal.progress._FIRST", 0.0)
    monkeypatch.setattr("closeread.cli.terminal.progress._MOST", 0.0)
    path = recipe(tmp_path / "recipe.toml", encoder, data, max_steps=2)
    result = CliRunner().invoke(command, [str(path)], catch_exceptions=False)
    told = result.stderr.splitlines()
    made = [place for place, line in enumerate(told) if line.startswith("making examples: ")]
    trained = [place for place, line in enumerate(told) if line.startswith("training: ")]
    assert "400 of 400 (100%)" in told[made[-1]]
    assert max(made) < min(trained)
