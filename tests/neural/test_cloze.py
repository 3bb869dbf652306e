"""Trains a span reader on questions made from passages, alone and as a stage before real ones."""

import json
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra `neural`: make neural")

from closeread.errors import InputError
from closeread.training.recipe import TrainedReader, load_recipe, parse_table
from closeread.training.recipes.settings import NeuralSettings, check_settings
from neural import few_steps
from neural.tiny_bert import make_encoder
from neural.trained import train
from project_paths import ROOT

pytestmark = [pytest.mark.neural, pytest.mark.filterwarnings("default")]

RECIPE = ROOT / "recipes" / "train" / "span-minilm.toml"
CLOZE = TrainedReader(name="cloze", options={"max_length": 96, "stride": 16, "words_a_question": 8})
TEXTS = (
    "The ferry left Marl in March 1850 because of a heavy storm over the bay. It carried 14 sheep.",
    "The keeper of the lighthouse paid $3 million to Alice Brown by selling his boats.",
    "About 40 percent of the families moved to Aldbrook with their brothers and the old harbour.",
)
OTHER = "Glass is made of sand, and its makers lived in Venice until the end of the trade."


def squad(path: Path, *texts: str, asked: bool = True) -> str:
    """Write passages; each has the question of its first word where questions are asked."""
    answer = [{"text": "the", "answer_start": 0}]
    paragraphs = [
        {
            "context": text,
            "qas": [
                {"id": f"{path.stem}-{number}-{turn}", "question": "which word?",
                 "answers": [{**answer[0], "text": text.split()[0]}]}
                for turn in range(2)
            ] if asked else [],
        }
        for number, text in enumerate(texts)
    ]  # fmt: skip
    raw = {"version": "1.1", "data": [{"title": "things", "paragraphs": paragraphs}]}
    path.write_text(json.dumps(raw, ensure_ascii=False), "utf-8")
    return str(path)


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    texts = [*TEXTS, OTHER, "who what when where why how which many much ?"]
    return make_encoder(tmp_path_factory.mktemp("bert"), texts, labels=None, positions=256)


def test_passages_without_questions_are_learned_from(tmp_path, encoder):
    """Each text once, whatever is asked about it; what comes of it is a span reader's model."""
    said = []
    for name, asked in (("asked", True), ("bare", False)):
        data = squad(tmp_path / "data.json", *TEXTS, TEXTS[0], asked=asked)  # draws go by it
        record = train(
            tmp_path / name, encoder, data, reader=CLOZE, max_steps=2, batch_size=2, seed=5
        )
        said.append(record["n_features"])
        assert record["data"][0]["n_questions"] == len(TEXTS)
        assert record["lineage"]["stages"][0]["reader"] == "cloze"
        config = json.loads((tmp_path / name / "config.json").read_text("utf-8"))
        assert config["architectures"] == ["BertForQuestionAnswering"]
    assert said[0] == said[1] > 0


def test_what_gives_no_question_is_told(tmp_path, encoder):
    """Chinese passages, and passages without a phrase."""
    for text in ("灯塔建于 1850 年，它有 14 只羊，后来停用了。", "and so on"):
        data = squad(tmp_path / "data.json", text)
        with pytest.raises(InputError, match="no question can be made") as caught:
            train(tmp_path / "out", encoder, data, reader=CLOZE)
        assert "English" in caught.value.expected
        assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("asked", [True, False])
def test_passages_that_are_all_excluded_are_called_passages(tmp_path, encoder, asked):
    """Nobody is told of questions where the data have none, whether or not the other set has."""
    held = squad(tmp_path / "held.json", *TEXTS, asked=asked)
    data = squad(tmp_path / "data.json", *TEXTS, asked=False)
    with pytest.raises(InputError, match="all passages overlap an excluded set") as caught:
        train(tmp_path / "out", encoder, data, reader=CLOZE, exclude=[held])
    assert caught.value.cure.startswith("remove it, or name fewer sets under exclude")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("name", "value"), [("words_a_question", 0), ("around", 1), ("left_out", 1.0), ("left_out", -1)]
)
def test_options_out_of_their_range_are_refused(tmp_path, encoder, name, value):
    """Before anything is trained or written."""
    reader = TrainedReader(name="cloze", options={name: value})
    with pytest.raises(InputError, match=rf"reader\.options\.{name}: out of range"):
        train(tmp_path / "out", encoder, squad(tmp_path / "data.json", *TEXTS), reader=reader)
    assert not (tmp_path / "out").exists()


def test_the_small_reader_s_recipe():
    """An epoch of made questions, then two of real ones by three seeds; again, taught by these."""
    recipe = load_recipe(RECIPE)
    first, second = recipe.before
    before, middle, last = (
        parse_table(RECIPE, train, NeuralSettings, "train.")
        for train in ({**first.train, "model": "m"}, {**second.train, "model": "m"}, recipe.train)
    )
    for settings in (before, middle, last):
        check_settings(settings)
        assert (settings.batch_size, settings.warmup) == (16, 0.1)
        assert (settings.precision, settings.attention_dropout) == ("bfloat16", 0.0)
    assert (first.reader.name, recipe.reader.name) == ("cloze", "span")
    assert (before.epochs, before.learning_rate) == (1, 3e-4)
    assert (middle.epochs, middle.learning_rate, middle.seed, middle.soup) == (2, 2e-4, 0, 3)
    assert (last.epochs, last.learning_rate, last.seed, last.soup) == (2, 1e-4, 3, 3)
    assert middle.datasets == last.datasets
    assert (second.reader.name, recipe.reader.name) == ("span", "span")
    windows = {"max_length": 256, "stride": 128}
    assert second.reader.options == windows | {"all_answers": True}
    taught = {"distillation": 0.7, "length_penalty": 0.025}
    assert recipe.reader.options == second.reader.options | taught
    assert first.reader.options == windows | {"words_a_question": 24}
    read = ("xquad.en.json", "dev-context-en-question-en.json", "sample1k-HCVerifyAll.json")
    assert [Path(one).name for one in before.exclude] == list(read)


def test_a_few_steps_of_it(tmp_path, encoder):
    """The stage leaves its model where the real questions begin."""
    data = squad(tmp_path / "learn.json", *TEXTS)
    other = squad(tmp_path / "other.json", OTHER)
    away = {"xquad": other, "mlqa": other, "squad_adv": other}
    done = few_steps.run(RECIPE, encoder, data, tmp_path / "out", **away)
    assert done.summary["steps"] == 3 * 2
    second = json.loads((tmp_path / "out" / "before" / "2" / "closeread.json").read_text("utf-8"))
    assert second["steps"] == 3 * 2
    first = json.loads((tmp_path / "out" / "before" / "1" / "closeread.json").read_text("utf-8"))
    assert (first["reader"], first["steps"]) == ("cloze", 2)
    assert [one["n_excluded"] for one in first["data"]] == [0, 0, 0, 0]
    record = json.loads((tmp_path / "out" / "closeread.json").read_text("utf-8"))
    assert [one["reader"] for one in record["lineage"]["stages"]] == ["cloze", "span", "span"]
    assert len(record["lineage"]["stages"][-1]["taught_by"]) == 3
    same = {"xquad": data, "mlqa": other, "squad_adv": other}
    with pytest.raises(InputError, match="all passages overlap an excluded set"):
        few_steps.run(RECIPE, encoder, data, tmp_path / "none", **same)
