"""A span reader that learns what others say, and the models that it may learn from."""

import json
import shutil
from random import Random

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra `neural`: make neural")

import torch

from closeread.api.datasets import open_dataset
from closeread.errors import InputError, UsageError
from closeread.readers.neural.checkpoint_opening import open_checkpoint
from closeread.training.neural.distil import N_VOTES, votes
from closeread.training.neural.material import flat
from closeread.training.neural.span_task import SpanOptions, SpanTask
from closeread.training.neural.task import collate
from closeread.training.recipe import Stage, TrainedReader
from neural.colours import COLOURS, squad
from neural.tiny_bert import make_encoder
from neural.trained import Killed, killed_at, losses, stage, train

pytestmark = [pytest.mark.neural, pytest.mark.filterwarnings("default")]

OPTIONS = {"max_length": 96, "stride": 16}
STEPS = {"max_steps": 30, "batch_size": 8, "learning_rate": 2e-3}


def taught(**options):
    return TrainedReader(name="span", options={**OPTIONS, "distillation": 0.7, **options})


@pytest.fixture(scope="module")
def soup(tmp_path_factory, encoder, data):
    """Two that know a little of colours, in the folder of their mean."""
    out = tmp_path_factory.mktemp("soup") / "soup"
    train(out, encoder, data, soup=2, **STEPS)
    return out


def test_votes_by_hand():
    """Of 100, 40 go to the answers, one given twice, and 60 to what the teachers say."""
    said = np.array([[0.0, 0.5, 0.5, 0.0], [0.0, 0.0, 0.25, 0.75]])
    found = votes([(1, 1), (1, 2)], said, 0.6)
    starts, ends = (np.bincount(one, minlength=4).tolist() for one in zip(*found, strict=True))
    assert starts == [0, 70, 30, 0]
    assert ends == [0, 20, 35, 45]
    thirds = votes([(0, 0)], np.full((2, 3), 1 / 3), 1.0)
    assert np.bincount([start for start, _ in thirds]).tolist() == [34, 33, 33]


def test_what_is_learned_is_the_mean_of_what_the_teachers_say(soup, data):
    """By transformers' own forward pass, a question at a time."""
    pupil = open_checkpoint(str(soup), "span")
    teachers = [open_checkpoint(str(soup / "members" / one), "span") for one in "12"]
    items = [*flat(open_dataset(data))][:20]
    task = SpanTask(SpanOptions(**OPTIONS, distillation=0.7))
    made = list(task.features(pupil, items, Random(0)))
    golds = SpanTask(SpanOptions(**OPTIONS)).features(pupil, items, Random(0))
    for feature, gold in zip(made, golds, strict=True):
        assert feature.sequences == gold.sequences
        first, last = feature.target[:2]
        assert (first, last) == gold.target[:2]
        batch = collate([gold], 0)
        names = ("input_ids", "attention_mask", "token_type_ids")
        with torch.inference_mode():
            told = [one.model(**{name: batch[name] for name in names}) for one in teachers]
        for place, name in enumerate(("start_logits", "end_logits")):
            chances = [torch.softmax(getattr(one, name)[0, first:last], 0) for one in told]
            wanted = 0.7 * (chances[0] + chances[1]).double().numpy() / 2
            wanted[gold.target[2 + place] - first] += 0.3
            counts = np.bincount(np.array(feature.target[2 + place :: 2]) - first)
            counts = np.pad(counts, (0, last - first - len(counts)))
            assert counts.sum() == N_VOTES
            assert np.abs(counts / N_VOTES - wanted).max() < 1 / N_VOTES
    assert any(len(set(one.target[2::2])) > 1 for one in made), "the teachers are sure of all"


def test_no_answer_is_taught_where_it_can_be_said(soup, data):
    pupil = open_checkpoint(str(soup), "span")
    items = [*flat(open_dataset(data))][:20]
    for null in (False, True):
        task = SpanTask(SpanOptions(**OPTIONS, distillation=1.0, null=null))
        starts = {
            start for one in task.features(pupil, items, Random(0)) for start in one.target[2::2]
        }
        assert (0 in starts) == null


def test_one_is_trained_by_the_members_of_the_soup_before(tmp_path, encoder, data):
    """After a kill it goes on alike, and the record tells of every teacher."""
    before = (stage(data, soup=2, **STEPS),)
    given = {"before": before, "reader": taught(length_penalty=0.25), **STEPS, "save_every": 10}
    whole = train(tmp_path / "whole", encoder, data, **given)
    with pytest.raises(Killed):
        train(tmp_path / "out", encoder, data, begin=killed_at(2 * 30 + 15), **given)
    record = train(tmp_path / "out", encoder, data, resume=True, **given)
    assert losses(record) == pytest.approx(losses(whole), abs=1e-5)
    stages = record["lineage"]["stages"]
    assert [one["options"].get("distillation") for one in stages] == [None, 0.7]
    assert [one["stages"][0]["settings"].get("seed", 0) for one in stages[1]["taught_by"]] == [0, 1]
    config = json.loads((tmp_path / "out" / "config.json").read_text("utf-8"))
    assert config["answer_length_penalty"] == 0.25
    assert (
        SpanTask(SpanOptions())
        .reader(open_checkpoint(str(tmp_path / "out"), "span"))
        .record["length_penalty"]
        == 0.0
    )  # as the task says, whatever the model was before


def test_a_soup_can_be_taught_and_a_teacher_named(tmp_path, soup, data):
    """The members of a soup all learn from those of the one before."""
    teachers = [str(soup / "members" / "2")]
    record = train(
        tmp_path / "out", str(soup), data, soup=2, max_steps=2, reader=taught(teachers=teachers)
    )
    assert [len(one.get("taught_by", ())) for one in record["lineage"]["stages"]] == [0, 1]
    for member in "12":
        told = json.loads((tmp_path / "out" / "members" / member / "closeread.json").read_text())
        assert [len(one.get("taught_by", ())) for one in told["lineage"]["stages"]] == [0, 1]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (({}, {}), (InputError, "nobody to learn from: there is no model in members/")),
        (({}, {"soup": 1}), (InputError, "nobody to learn from: the stage before makes one model")),
        (({"distillation": 1.5}, {}), (InputError, "reader.options.distillation")),
        (({"length_penalty": -1}, {}), (InputError, "reader.options.length_penalty")),
        (
            ({"distillation": 0.0, "teachers": ["x"]}, {}),
            (UsageError, "nothing is learned from them"),
        ),
        (({"teachers": ["nowhere/at/all"]}, {"soup": 2}), (InputError, "nowhere/at/all")),
    ],
)
def test_whom_it_cannot_learn_from_is_told_first(tmp_path, encoder, few, asked, told):
    (options, stages), (error, said) = asked, told
    before = (stage(few, **stages),) if stages else ()
    with pytest.raises(error) as found:
        train(
            tmp_path / "out", encoder, few, reader=taught(**options), before=before,
            begin=killed_at(0),
        )  # fmt: skip
    assert said in str(found.value)
    assert not (tmp_path / "out").exists()


def test_a_stage_between_is_told_when_it_begins_and_nothing_made_is_lost(tmp_path, encoder, few):
    last = Stage(reader=taught(), train=stage(few).train)
    with pytest.raises(InputError, match="there is no model in members"):
        train(tmp_path / "out", encoder, few, before=(stage(few), last), max_steps=2)
    assert (tmp_path / "out" / "before" / "1" / "closeread.json").exists()


def test_a_teacher_of_other_words_is_refused(tmp_path, soup, few):
    make_encoder(tmp_path / "other", [*COLOURS, "other words"], labels=None, positions=96)
    train(
        tmp_path / "teacher", str(tmp_path / "other"), squad(tmp_path / "some.json", 8), max_steps=1
    )
    with pytest.raises(InputError, match="its tokenizer is not that of the model that learns"):
        train(
            tmp_path / "out", str(soup), few,
            reader=taught(teachers=[str(tmp_path / "teacher")]), max_steps=1,
        )  # fmt: skip


def test_a_soup_whose_members_were_deleted_teaches_nobody(tmp_path, soup, few):
    shutil.copytree(soup, tmp_path / "soup")
    shutil.rmtree(tmp_path / "soup" / "members")
    with pytest.raises(InputError, match="whose members are there still"):
        train(tmp_path / "out", str(tmp_path / "soup"), few, reader=taught(), max_steps=1)
