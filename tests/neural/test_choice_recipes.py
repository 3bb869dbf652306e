"""The recipes of the MacBERT and the chunk baseline: their numbers, and a few steps of each.

A tiny BERT stands for the large ones and questions written here for the training sets, which cannot
be had.
"""

import json
from pathlib import Path

import msgspec
import pytest

pytest.importorskip("torch", reason="needs the extra `neural`: make neural")

from closeread.api.datasets import open_dataset
from closeread.formats import dump
from closeread.pipeline.execute import execute
from closeread.pipeline.recipe import load_recipe as load_reading
from closeread.readers.lineage import lineage_of
from closeread.registry import lookup
from closeread.runs.closed_track import closed_track
from closeread.training.recipe import TrainRecipe, load_recipe, parse_table
from closeread.training.recipes.chunk import ChunkSettings
from closeread.training.recipes.encoder import EncoderOptions, PretrainSettings, check_pretraining
from closeread.training.recipes.settings import NeuralSettings, check_settings
from closeread.training.request import Request, Trained
from format_samples import write_sample
from neural import relative
from neural.tiny_bert import make_encoder
from project_paths import ROOT

pytestmark = [pytest.mark.neural, pytest.mark.filterwarnings("default")]

_CHARACTERS = "甲乙丙丁对空可信无水是湿的不干。"


def training(name: str) -> tuple[Path, TrainRecipe, NeuralSettings]:
    path = ROOT / "recipes" / "train" / f"{name}.toml"
    recipe = load_recipe(path)
    settings = parse_table(path, recipe.train, NeuralSettings, "train.")
    check_settings(settings)
    return path, recipe, settings


def test_macbert_has_the_numbers_of_the_published_program():
    """16 questions a step in 8 parts, 384 tokens, 1e-5, 3 epochs, a tenth of warm-up, seed 42."""
    _, recipe, settings = training("gcrc-macbert")
    assert recipe.reader.name == "choice"
    assert recipe.reader.options == {"max_length": 384}
    assert settings.model == "hfl/chinese-macbert-large"
    assert (settings.batch_size, settings.accumulation) == (2, 8)
    assert (settings.learning_rate, settings.epochs, settings.warmup) == (1e-5, 3, 0.1)
    assert (settings.weight_decay, settings.max_gradient_norm) == (0.01, 1.0)
    assert (settings.group_by_length, settings.seed) == (False, 42)
    assert settings.metric == "gcrc.score"
    assert [one.path for one in settings.datasets] == ["data/gcrc-train/train.json"]
    reading = load_reading(ROOT / "recipes" / "gcrc-macbert.toml")
    assert reading.reader.options == recipe.reader.options | {"model": recipe.out}
    assert reading.score.metrics[0] == "gcrc"


def test_chunk_has_the_papers_numbers():
    """Section 3.4 and 4: 200-token chunks, 8 epochs, 256 tokens, batch 64, 2e-5, after OCNLI."""
    path, recipe, settings = training("vgaokao-chunk")
    assert recipe.reader.name == "chunk"
    assert recipe.reader.options == {"max_length": 256, "chunk_tokens": 200}
    assert settings.model == "hfl/chinese-roberta-wwm-ext-large"
    assert settings.batch_size * settings.accumulation == 64
    assert (settings.learning_rate, settings.epochs, settings.warmup) == (2e-5, 8, 0)
    assert (settings.group_by_length, settings.seed) == (False, 42)
    assert parse_table(path, settings.options, ChunkSettings) == ChunkSettings(nli_head="fold")
    (first,) = recipe.before
    assert first.reader.name == "entailment"
    assert [one["path"] for one in first.train["datasets"]] == ["data/ocnli/train.50k.json"]
    reading = load_reading(ROOT / "recipes" / "vgaokao-chunk.toml")
    assert reading.reader.options == recipe.reader.options | {"model": recipe.out}


@pytest.mark.parametrize("name", ["choice-zh-c3", "choice-zh"])
def test_the_small_ones_are_valid(name):
    """They leave out what overlaps the sets that they are read on."""
    _, recipe, settings = training(name)
    assert recipe.reader.name == "choice"
    read = {"vgaokao/test.json", "dev_GCRCadvrobust.json", "test_GCRCadvrobust_public.json"}
    kept_out = {one for one in read if any(path.endswith(one) for path in settings.exclude)}
    assert kept_out == (read if name == "choice-zh" else set())


def test_the_encoder_s_recipe_is_valid():
    """Blocks are as long as what the small readers are shown, so that all positions are learned."""
    path = ROOT / "recipes" / "train" / "encoder-zh.toml"
    recipe = load_recipe(path)
    settings = parse_table(path, recipe.train, PretrainSettings, "train.")
    options = parse_table(path, recipe.reader.options, EncoderOptions, "reader.options.")
    check_pretraining(settings, options)
    assert settings.length >= training("choice-zh")[1].reader.options["max_length"]


@pytest.fixture(scope="module")
def things(tmp_path_factory):
    """A tiny encoder and data sets in the forms that the recipes name."""
    folder: Path = tmp_path_factory.mktemp("things")
    make_encoder(folder / "bert", [_CHARACTERS], labels=None, layers=1, hidden=16, positions=512)
    relative.write(folder / "train.json", 24, 1)
    dump(open_dataset(str(folder / "train.json")), folder / "gcrc.json", "gcrc")
    relative.write(folder / "test.json", 4, 2)
    rows = [("水是湿的", "水不干", "entailment"), ("水是干的", "水不干", "contradiction")]
    lines = [
        json.dumps({"sentence1": first, "sentence2": second, "label": label, "id": number})
        for number, (first, second, label) in enumerate(rows)
    ]
    (folder / "ocnli.json").write_text("\n".join(lines) + "\n", "utf-8")
    return folder


def trained(path: Path, recipe: TrainRecipe, out: Path) -> Trained:
    trainer = lookup.resolve("trainer", recipe.reader.name)
    return trainer(Request(recipe=recipe, path=path, out=out, open_dataset=open_dataset))


def test_macbert_runs_and_is_held_against_the_closed_track(things, tmp_path):
    """A step of 16 questions; then triples are read, scored and ruled on."""
    path, recipe, _ = training("gcrc-macbert")
    out, data = tmp_path / "model", str(things / "gcrc.json")
    triples = str(write_sample(tmp_path, "gcrc-advrobust"))
    put = msgspec.structs.replace
    recipe = put(
        recipe,
        train=recipe.train
        | {
            "model": str(things / "bert"), "max_steps": 1, "device": "cpu",
            "datasets": [{"path": data, "format": "gcrc"}],
            "dev": [{"path": triples, "format": "gcrc-advrobust"}],
            "made_by": {data: "people", str(things / "bert"): "people"},
        },
    )  # fmt: skip
    done = trained(path, recipe, out)
    assert done.summary["n_features"] == 24
    assert (done.summary["steps"], done.summary["metric"]) == (1, "gcrc.score")
    lineage = lineage_of(str(out), 0)
    assert lineage.origin == str(things / "bert")
    assert [one.n_items for one in lineage.stages[0].learned_from] == [24]
    reading = load_reading(ROOT / "recipes" / "gcrc-macbert.toml")
    reading = put(
        reading,
        datasets=(triples,),
        out=str(tmp_path / "run"),
        reader=put(reading.reader, options=reading.reader.options | {"model": str(out)}),
        score=put(reading.score, resamples=0),
    )
    outcome = execute(reading, lambda found, kind, strict: open_dataset(found, kind))
    (run,) = outcome.runs
    assert run.info.n_failed == 0
    assert "gcrc.score" in outcome.summaries[0].metrics
    assert {one.verdict for one in closed_track(run.info)} == {"kept"}


def test_chunk_runs(things, tmp_path):
    """A step of inference, a step of 64 options with all their chunks, then questions answered."""
    path, recipe, _ = training("vgaokao-chunk")
    out = tmp_path / "model"
    put = msgspec.structs.replace
    (first,) = recipe.before
    short = {"max_steps": 1, "device": "cpu"}
    ocnli = [{"path": str(things / "ocnli.json"), "format": "nli"}]
    recipe = put(
        recipe,
        train=recipe.train
        | short
        | {
            "model": str(things / "bert"),
            "datasets": [{"path": str(things / "train.json"), "format": "vgaokao"}],
        },
        before=(put(first, train=first.train | short | {"datasets": ocnli}),),
    )
    done = trained(path, recipe, out)
    assert (done.summary["steps"], done.summary["n_features"]) == (1, 96)
    config = json.loads((out / "config.json").read_text("utf-8"))
    assert config["id2label"] == {"0": "not supported", "1": "supported"}
    assert [stage.reader for stage in lineage_of(str(out), 0).stages] == ["entailment", "chunk"]
    reading = load_reading(ROOT / "recipes" / "vgaokao-chunk.toml")
    reading = put(
        reading,
        datasets=(str(things / "test.json"),),
        out=str(tmp_path / "run"),
        reader=put(reading.reader, options=reading.reader.options | {"model": str(out)}),
        score=put(reading.score, resamples=0),
    )
    outcome = execute(reading, lambda found, kind, strict: open_dataset(found, kind))
    assert outcome.runs[0].info.n_failed == 0
    assert "choice.accuracy" in outcome.summaries[0].metrics
