"""The recipes of the MRQA baseline: their numbers, and a few steps of each by the same code."""

import json

import pytest

pytest.importorskip("torch", reason="needs the extra `neural`: make neural")

from closeread.pipeline.recipe import load_recipe as load_reading
from closeread.training.recipe import load_recipe, parse_table
from closeread.training.recipes.settings import NeuralSettings, check_settings
from neural import few_steps
from neural.colours import inference
from project_paths import ROOT

pytestmark = [pytest.mark.neural, pytest.mark.filterwarnings("default")]

FOLDER = ROOT / "recipes" / "train"
SETS = ("SQuAD", "NewsQA", "TriviaQA", "SearchQA", "HotpotQA", "NaturalQuestions")
SINGLE = [f"mrqa-bert-base-{name.lower()}" for name in SETS]


def loaded(name: str) -> NeuralSettings:
    path = FOLDER / f"{name}.toml"
    found = parse_table(path, load_recipe(path).train, NeuralSettings, "train.")
    check_settings(found)
    return found


@pytest.mark.parametrize(
    "name", ["mrqa-bert-base", "mrqa-bert-large", "mrqa-bert-base-nli", *SINGLE]
)
def test_the_numbers_are_those_of_the_baseline(name):
    found = loaded(name)
    assert found.model == ("bert-large-uncased" if "large" in name else "bert-base-uncased")
    assert (found.epochs, found.batch_size, found.learning_rate, found.warmup) == (2, 6, 3e-5, 0.1)
    assert {one.at_most for one in found.datasets} == {75_000}
    assert {one.at_most for one in found.dev} == {1_000}
    steps = {"mrqa-bert-base": 120_000, "mrqa-bert-large": 145_000}
    assert found.max_steps == steps.get(name)
    options = load_recipe(FOLDER / f"{name}.toml").reader.options
    assert (options["max_length"], options["stride"]) == (512, 128)
    wanted = [one for one in SETS if name.endswith(one.lower())] or SETS
    for split, sources in (("train", found.datasets), ("in-domain-dev", found.dev)):
        paths = [f"data/mrqa/{split}/{one}.jsonl.gz" for one in wanted]
        assert [one.path for one in sources] == paths


def test_all_12_sets_are_read_in_the_windows_that_were_learned_from():
    recipe = load_reading(ROOT / "recipes" / "mrqa-span.toml")
    trained = load_recipe(FOLDER / "mrqa-bert-base.toml").reader
    assert recipe.reader.name == trained.name
    assert recipe.reader.options == trained.options | {"max_answer_tokens": 30}
    assert len(recipe.datasets) == 12


@pytest.mark.parametrize("name", ["mrqa-bert-base", "mrqa-bert-large", *SINGLE])
def test_a_few_steps_of_it(tmp_path, name, long_encoder, data):
    done = few_steps.run(FOLDER / f"{name}.toml", long_encoder, data, tmp_path / "out")
    assert done.summary["steps"] == 2
    assert done.summary["metric"] == "mrqa.f1"
    kept = json.loads((tmp_path / "out" / "closeread.json").read_text())["recipe"]["train"]
    assert (kept["batch_size"], kept["learning_rate"]) == (6, 3e-5)


def test_a_few_steps_with_inference_beside(tmp_path, long_encoder, data):
    pairs = inference(tmp_path / "pairs.jsonl", 40)
    path = FOLDER / "mrqa-bert-base-nli.toml"
    done = few_steps.run(path, long_encoder, data, tmp_path / "out", steps=8, nli=pairs)
    assert done.summary["n_features"] == 6 * 400 + 2 * 40
    assert (tmp_path / "out" / "second_head.safetensors").exists()
