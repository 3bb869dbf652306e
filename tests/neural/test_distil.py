"""A span reader that learns what others say, and the models that it may learn from."""

import json
import shutil
from random import Random

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra `neural`: make neural")

import torch
from safetensors.torch import load_file, save_file

from closeread.api.datasets import open_dataset
from closeread.errors import InputError, MismatchError, UsageError
from closeread.readers import make
from closeread.readers.neural.checkpoint_opening import open_checkpoint
from closeread.readers.windows import Encoded, Window
from closeread.training.neural.distillation import distil
from closeread.training.neural.distillation.distil import N_VOTES, allocate_votes
from closeread.training.neural.distillation.kept_votes import VoteCache
from closeread.training.neural.task import collate
from closeread.training.neural.tasks.span import SpanTask
from closeread.training.neural.training_data import iter_questions
from closeread.training.recipe import Stage, TrainedReader
from closeread.training.recipes.span import SpanOptions
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
    found = allocate_votes([(1, 1), (1, 2)], said, 0.6)
    starts, ends = (np.bincount(one, minlength=4).tolist() for one in zip(*found, strict=True))
    assert starts == [0, 70, 30, 0]
    assert ends == [0, 20, 35, 45]
    thirds = allocate_votes([(0, 0)], np.full((2, 3), 1 / 3), 1.0)
    assert np.bincount([start for start, _ in thirds]).tolist() == [34, 33, 33]


def test_what_is_learned_is_the_mean_of_what_the_teachers_say(soup, data):
    """By transformers' own forward pass, a question at a time."""
    pupil = open_checkpoint(str(soup), "span")
    teachers = [open_checkpoint(str(soup / "members" / one), "span") for one in "12"]
    items = [*iter_questions(open_dataset(data))][:20]
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


def test_no_answer_is_taught_by_who_has_learned_it(tmp_path, soup, data):
    items = [*iter_questions(open_dataset(data))][:20]
    known = tmp_path / "known"
    shutil.copytree(soup, known)
    for one in (known, known / "members" / "1", known / "members" / "2"):
        config = json.loads((one / "config.json").read_text("utf-8"))
        (one / "config.json").write_text(json.dumps(config | {"null_answers": True}), "utf-8")
    for null in (False, True):
        task = SpanTask(SpanOptions(**OPTIONS, distillation=1.0, null=null))
        made = task.features(open_checkpoint(str(known), "span"), items, Random(0))
        assert (0 in {start for one in made for start in one.target[2::2]}) == null
    task = SpanTask(SpanOptions(**OPTIONS, distillation=1.0, null=True))
    with pytest.raises(InputError, match="the teacher has not learned questions without an answer"):
        list(task.features(open_checkpoint(str(soup), "span"), items, Random(0)))


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
    model = str(tmp_path / "out")
    assert make("span", {"model": model})[0].record["length_penalty"] == 0.25
    assert "length_penalty" not in make("span", {"model": model, "length_penalty": 0.0})[0].record


def test_what_teachers_said_is_kept_beside_the_states(tmp_path, soup, data, monkeypatch):
    """Who goes on need not ask them again, and learns the same; it goes with the states."""
    teacher = tmp_path / "teacher"
    shutil.copytree(soup / "members" / "1", teacher)
    given = {"reader": taught(teachers=[str(teacher)]), **STEPS, "save_every": 10}
    whole = train(tmp_path / "whole", str(soup), data, **given)
    for name in ("out", "broken", "changed"):
        with pytest.raises(Killed):
            train(tmp_path / name, str(soup), data, begin=killed_at(15), **given)
    asked = []
    compute = distil.Teachers.probabilities
    monkeypatch.setattr(
        distil.Teachers, "probabilities", lambda *args: asked.append(1) or compute(*args)
    )
    record = train(tmp_path / "out", str(soup), data, resume=True, **given)
    assert not asked
    assert losses(record) == losses(whole)
    assert not (tmp_path / "out" / "states").exists()
    for kept in (tmp_path / "broken" / "states" / "votes").iterdir():
        kept.write_bytes(kept.read_bytes()[:-1])
    record = train(tmp_path / "broken", str(soup), data, resume=True, **given)
    assert losses(record) == losses(whole)
    assert len(asked) == 1, "half a file is made anew"
    weights = load_file(teacher / "model.safetensors")
    weights["qa_outputs.bias"] += 1
    save_file(weights, teacher / "model.safetensors", {"format": "pt"})
    with pytest.raises(MismatchError, match="started with other teachers, or their files changed"):
        train(tmp_path / "changed", str(soup), data, resume=True, **given)
    (tmp_path / "changed" / "states" / "taught_by.json").unlink()  # as earlier versions left it
    train(tmp_path / "changed", str(soup), data, resume=True, **given)
    assert len(asked) == 2, "another teacher is asked"


def test_votes_are_kept_by_all_that_they_follow_from(tmp_path):
    def example(*golds, first=5):
        return Window(Encoded([1, first, 3, 2], [0, 0, 1, 1]), 2, 0, 1), [*golds]

    made = []

    def make(examples):
        made.append(len(examples))
        return np.full((len(examples), N_VOTES, 2), len(made), np.int32)

    asked = [example((2, 2))]
    for follows_from, examples, number in (
        ([0.5, "a"], asked, 1),
        ([0.5, "a"], asked, 1),
        ([0.6, "a"], asked, 2),
        ([0.5, "b"], asked, 3),
        ([0.5, "a"], [example((2, 2), (2, 2))], 4),
        ([0.5, "a"], [example((2, 2), first=6)], 5),
        ([0.5, ""], asked, 6),
        ([0.5, ""], asked, 7),
    ):
        found = VoteCache(tmp_path / "votes", follows_from).get(examples, make)
        assert found.shape == (1, N_VOTES, 2)
        assert int(found[0, 0, 0]) == number
    assert len([*(tmp_path / "votes").iterdir()]) == 5
    assert int(VoteCache(None, [0.5, "a"]).get(asked, make)[0, 0, 0]) == 8


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
        (({}, {}), (InputError, "distillation has no teacher: there is no model in members/")),
        (
            ({}, {"soup": 1}),
            (InputError, "distillation has no teacher: before[0].train trains no soup"),
        ),
        (({"distillation": 1.5}, {}), (InputError, "reader.options.distillation")),
        (({"length_penalty": -1}, {}), (InputError, "reader.options.length_penalty")),
        (
            ({"distillation": 0.0, "teachers": ["x"]}, {}),
            (UsageError, "teachers is set, but distillation is 0"),
        ),
        (({"teachers": [""]}, {}), (UsageError, "contains an empty name")),
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


@pytest.mark.parametrize("first", [{}, {"soup": 2}], ids=["no-soup", "a-soup-of-another-reader"])
def test_a_stage_that_nobody_could_teach_is_told_first(tmp_path, encoder, few, first):
    """Behind one that makes no soup of span readers; nothing is trained before it is told."""
    before = stage(few, **first)
    if first:
        before = Stage(reader=TrainedReader(name="entailment"), train=before.train)
    last = Stage(reader=taught(), train=stage(few).train)
    with pytest.raises(InputError, match=r"before\[0\]\.train trains no soup"):
        train(
            tmp_path / "out", encoder, few, before=(before, last), max_steps=2, begin=killed_at(0)
        )


@pytest.mark.parametrize("staged", [False, True])
def test_a_teacher_of_other_words_is_refused(tmp_path, encoder, few, staged):
    """Before a stage is trained."""
    make_encoder(tmp_path / "other", [*COLOURS, "other words"], labels=None, positions=96)
    data = squad(tmp_path / "some.json", 8)
    train(tmp_path / "teacher", str(tmp_path / "other"), data, max_steps=1)
    with pytest.raises(InputError, match="tokenizer differs from that of the student"):
        train(
            tmp_path / "out", encoder, few, reader=taught(teachers=[str(tmp_path / "teacher")]),
            max_steps=1, before=(stage(few),) if staged else (), begin=killed_at(0),
        )  # fmt: skip


def test_a_teacher_that_takes_fewer_tokens_is_refused(tmp_path, soup, few):
    config = json.loads((soup / "config.json").read_text("utf-8"))
    shutil.copytree(soup / "members" / "1", tmp_path / "short")
    tokenizer = tmp_path / "short" / "tokenizer_config.json"
    told = json.loads(tokenizer.read_text("utf-8")) | {"model_max_length": 40}
    tokenizer.write_text(json.dumps(told), "utf-8")
    assert config["max_position_embeddings"] == 96
    with pytest.raises(InputError, match="takes 40 tokens, fewer than the windows' 96"):
        train(
            tmp_path / "out", str(soup), few, reader=taught(teachers=[str(tmp_path / "short")]),
            max_steps=1,
        )  # fmt: skip


@pytest.mark.parametrize("at", ["open_checkpoint", "forward"])
def test_teachers_that_the_device_does_not_hold_are_told(tmp_path, soup, few, monkeypatch, at):
    """With a cure that there is in a training: no recipe for one sets a budget of tokens."""

    def full(*given, **named):
        raise UsageError("no room", cure="token_budget=") from torch.OutOfMemoryError("CUDA: none")

    monkeypatch.setattr(f"closeread.training.neural.distillation.distil.{at}", full)
    with pytest.raises(
        UsageError, match=r"the student with its teachers does not fit in .*CUDA"
    ) as told:
        train(tmp_path / "out", str(soup), few, reader=taught(), max_steps=1)
    assert "`teachers`" in told.value.cure
    assert "token_budget" not in told.value.cure
    assert not (tmp_path / "out").exists()


def test_a_teacher_whose_weights_are_broken_is_told(tmp_path, soup, few):
    shutil.copytree(soup / "members" / "1", tmp_path / "broken")
    path = tmp_path / "broken" / "model.safetensors"
    weights = load_file(path)
    weights["qa_outputs.bias"].fill_(float("nan"))
    save_file(weights, path, {"format": "pt"})
    with pytest.raises(InputError, match="outputs are not finite"):
        train(
            tmp_path / "out", str(soup), few, reader=taught(teachers=[str(path.parent)]),
            max_steps=1,
        )  # fmt: skip


def test_pickled_weights_of_a_teacher_are_read_where_the_recipe_allows_it(tmp_path, soup, few):
    shutil.copytree(soup / "members" / "1", tmp_path / "old")
    weights = load_file(tmp_path / "old" / "model.safetensors")
    (tmp_path / "old" / "model.safetensors").unlink()
    torch.save(weights, tmp_path / "old" / "pytorch_model.bin")
    given = {"reader": taught(teachers=[str(tmp_path / "old")]), "max_steps": 1}
    with pytest.raises(InputError, match=r"train\.pickled"):
        train(tmp_path / "out", str(soup), few, **given)
    record = train(tmp_path / "out", str(soup), few, pickled=True, **given)
    assert len(record["lineage"]["stages"][-1]["taught_by"]) == 1


def test_who_wrote_what_a_teacher_learned_from_can_be_declared(tmp_path, soup, few):
    """Of one whose making nothing records; a record that cannot be read is told before training."""
    shutil.copytree(soup / "members" / "1", tmp_path / "found")
    record = tmp_path / "found" / "closeread.json"
    record.write_text("{", "utf-8")
    name = str(tmp_path / "found")
    given = {"reader": taught(teachers=[name]), "max_steps": 1, "made_by": {name: "people"}}
    with pytest.raises(InputError, match="not a training record"):
        train(tmp_path / "out", str(soup), few, begin=killed_at(0), **given)
    record.unlink()
    made = train(tmp_path / "out", str(soup), few, **given)
    (teacher,) = made["lineage"]["stages"][-1]["taught_by"]
    assert (teacher["origin"], teacher["origin_made_by"]) == (name, "people")
    assert teacher["n_parameters"] == made["n_parameters"]


def test_a_teacher_of_a_finished_stage_may_be_gone(tmp_path, soup, few):
    """When the training goes on after a kill."""
    shutil.copytree(soup / "members" / "1", tmp_path / "teacher")
    first = stage(few)
    first = Stage(reader=taught(teachers=[str(tmp_path / "teacher")]), train=first.train)
    given = {"before": (first,), "max_steps": 4, "save_every": 2}
    with pytest.raises(Killed):
        train(tmp_path / "out", str(soup), few, begin=killed_at(2 + 3), **given)
    shutil.rmtree(tmp_path / "teacher")
    assert train(tmp_path / "out", str(soup), few, resume=True, **given)["steps"] == 4


@pytest.mark.parametrize("told", [None, "x", -3, True, 2.5])
def test_a_penalty_that_is_none_is_told(tmp_path, soup, told):
    shutil.copytree(soup / "members" / "1", tmp_path / "model")
    path = tmp_path / "model" / "config.json"
    config = json.loads(path.read_text("utf-8")) | {"answer_length_penalty": told}
    path.write_text(json.dumps(config), "utf-8")
    with pytest.raises(InputError, match=r"config\.json has answer_length_penalty"):
        make("span", {"model": str(tmp_path / "model")})
    make("span", {"model": str(tmp_path / "model"), "length_penalty": 0.1})


def test_a_soup_whose_members_were_deleted_teaches_nobody(tmp_path, soup, few):
    shutil.copytree(soup, tmp_path / "soup")
    shutil.rmtree(tmp_path / "soup" / "members")
    with pytest.raises(InputError, match="with its members still in place"):
        train(tmp_path / "out", str(tmp_path / "soup"), few, reader=taught(), max_steps=1)
