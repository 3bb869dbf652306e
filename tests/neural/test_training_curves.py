"""The same curve: resumed in a later epoch, in smaller batches, with states saved in between."""

import json
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra `neural`: make neural")

import msgspec
import torch
from safetensors.torch import load_file

from closeread.errors import InputError, MismatchError, UsageError
from closeread.readers.neural.checkpoint import Checkpoint
from closeread.readers.neural.span import opened
from closeread.readers.windows import Encoded
from closeread.training.neural import train as trainer
from closeread.training.neural.folder import Folder
from closeread.training.neural.packed import Packed
from closeread.training.neural.task import Feature
from closeread.training.recipe import TrainRecipe
from neural.encoders import make_encoder
from neural.test_training import data, encoder, inference, squad  # noqa: F401
from neural.trained import losses, stage, train

pytestmark = [pytest.mark.neural, pytest.mark.filterwarnings("default")]


class Killed(BaseException):
    """Stands for a kill: nothing of ours catches it."""


def killed_at(step):
    """Break a training off after a step."""
    done = 0

    def begin(total):
        def advance(n):
            nonlocal done
            done += n
            if done >= step:
                raise Killed

        return advance

    return begin


@pytest.fixture(scope="module")
def few(tmp_path_factory):
    return squad(tmp_path_factory.mktemp("few") / "things.json", 50)


def test_features_are_kept_small_and_come_back_as_they_were():
    features = [
        Feature((Encoded([5, 70_000, 2], [0, 1, 1]), Encoded([9], [0])), (3, -100)),
        Feature((Encoded([1], [0]),), ()),
        Feature((Encoded([4] * 300, [1] * 300),), (1,)),
    ]
    packed = Packed(iter(features))
    assert list(packed) == features
    assert packed[-1] == features[-1]
    assert packed[:2] == features[:2]
    assert list(packed.lengths) == [one.length for one in features]
    assert packed.n_bytes < 305 * 5 + 200
    with pytest.raises(IndexError):
        packed[3]
    assert Packed([features[0]._replace(beside=True)])[0].beside
    assert not Packed()


def test_resumed_in_a_later_epoch(tmp_path, encoder, few):  # noqa: F811
    """States between the rows of the curve, batches by length, and accumulated."""
    settings = {"epochs": 4, "batch_size": 2, "accumulation": 2, "save_every": 4}
    whole = train(tmp_path / "whole", encoder, few, **settings)
    out = tmp_path / "killed"
    with pytest.raises(Killed):
        train(out, encoder, few, begin=killed_at(19), **settings)  # of the second epoch, 13 each
    assert max(one.name for one in (out / "states").glob("checkpoint-*")) == "checkpoint-16"
    resumed = train(out, encoder, few, resume=True, **settings)
    assert losses(resumed) == pytest.approx(losses(whole), abs=1e-6)
    assert resumed["loss"] == pytest.approx(whole["loss"], abs=1e-6)
    assert whole["steps"] == 52


def test_patience_is_not_forgotten(tmp_path, encoder, few):  # noqa: F811
    """A metric that stands still: the looks before the kill count."""
    settings = {
        "epochs": 3, "batch_size": 8, "learning_rate": 1e-12, "evaluate_every": 2, "patience": 3,
        "dev": [{"path": few, "at_most": 10}],
    }  # fmt: skip
    whole = train(tmp_path / "whole", encoder, few, **settings)
    assert whole["steps"] == 8  # the first look, and three no better
    out = tmp_path / "killed"
    with pytest.raises(Killed):
        train(out, encoder, few, begin=killed_at(5), **settings)
    assert train(out, encoder, few, resume=True, **settings)["steps"] == 8


@pytest.mark.parametrize("case", [(1, None), (2, None), (1, 4)])
def test_a_look_that_was_broken_off_is_taken_again(tmp_path, encoder, few, monkeypatch, case):  # noqa: F811
    """After an epoch, or where steps end within one, at a step at which a state is due as well."""
    killed, max_steps = case
    settings = {"epochs": 2, "max_steps": max_steps, "batch_size": 8, "save_every": max_steps or 7}
    settings |= {"dev": [{"path": few}]}
    whole = train(tmp_path / "whole", encoder, few, **settings)
    plain, looks = trainer.measured, iter(range(1, 100))

    def measured(*given):
        if next(looks) == killed:
            raise Killed
        return plain(*given)

    monkeypatch.setattr(trainer, "measured", measured)
    out = tmp_path / "out"
    with pytest.raises(Killed):
        train(out, encoder, few, **settings)
    resumed = train(out, encoder, few, resume=any(out.glob("states/checkpoint-*")), **settings)
    found, wanted = (
        {row["step"]: row["eval_metric"] for row in one["history"] if "eval_metric" in row}
        for one in (resumed, whole)
    )
    assert found == pytest.approx(wanted)
    assert resumed["best"] == pytest.approx(whole["best"])


def test_segments_are_kept_from_a_model_that_has_one(tmp_path, few):
    """BERT's tokenizer tells them; the model has no embeddings for two."""
    model = make_encoder(tmp_path / "model", positions=96, type_vocab_size=1)
    told = train(tmp_path / "out", model, few, max_steps=2, dev=[{"path": few}])
    assert told["best"] is not None


def test_a_model_that_calls_its_dropout_otherwise(tmp_path, few):
    """DistilBERT: of its attention, and of the layers, which a second head takes."""
    from transformers import DistilBertConfig, DistilBertForQuestionAnswering

    model = make_encoder(tmp_path / "model", positions=96)
    config = DistilBertConfig(
        vocab_size=240, dim=32, n_layers=1, n_heads=2, hidden_dim=64, max_position_embeddings=96
    )
    DistilBertForQuestionAnswering(config).save_pretrained(model)
    pairs = {"datasets": [{"path": inference(tmp_path / "pairs.jsonl", 4)}]}
    out = tmp_path / "out"
    train(out, model, few, max_steps=2, attention_dropout=0.0, beside=pairs)
    assert json.loads((out / "config.json").read_text())["attention_dropout"] == 0.0


def test_four_batches_of_two_are_one_of_eight(tmp_path, encoder):  # noqa: F811
    """Also where an epoch ends with three questions: two in one batch, one in the other."""
    odd = squad(tmp_path / "odd.json", 51)
    settings = {"epochs": 2, "save_every": 1, "learning_rate": 1e-3}
    one = train(tmp_path / "one", encoder, odd, batch_size=8, **settings)
    four = train(tmp_path / "four", encoder, odd, batch_size=2, accumulation=4, **settings)
    assert losses(four) == pytest.approx(losses(one), abs=1e-5)
    assert four["steps"] == 2 * 7


def test_another_number_of_processes_does_not_go_on(tmp_path, encoder, few):  # noqa: F811
    """A step would learn from another number of questions, in another order."""
    settings = {"max_steps": 4, "save_every": 1}
    with pytest.raises(Killed):
        train(tmp_path / "out", encoder, few, begin=killed_at(2), **settings)
    begun = tmp_path / "out" / "states" / "begun_with.json"
    told = json.loads(begun.read_text())
    begun.write_text(json.dumps(told | {"processes": 2}))
    with pytest.raises(MismatchError, match="begun by 2 processes, and now there are 1"):
        train(tmp_path / "out", encoder, few, resume=True, **settings)
    begun.write_text(json.dumps([[few, "another"]]))  # as earlier versions wrote it
    with pytest.raises(MismatchError, match="begun with other data"):
        train(tmp_path / "out", encoder, few, resume=True, **settings)
    begun.write_text(json.dumps(told["data"]))
    assert train(tmp_path / "out", encoder, few, resume=True, **settings)["steps"] == 4


def test_states_are_saved_between_two_looks(tmp_path, encoder, few):  # noqa: F811
    """Looks after each epoch, states more often: both, and the best is kept."""
    seen = []

    def begin(total):
        def advance(n):
            seen.append({one.name for one in (tmp_path / "out" / "states").glob("checkpoint-*")})

        return advance

    settings = {"epochs": 2, "batch_size": 8, "save_every": 3, "dev": [{"path": few}], "keep": 9}
    told = train(tmp_path / "out", encoder, few, begin=begin, **settings)
    looks = [row["step"] for row in told["history"] if "eval_metric" in row]
    assert looks == [7, 14]
    assert {"checkpoint-3", "checkpoint-6", "checkpoint-7", "checkpoint-9"} <= seen[-1]
    assert told["best"] == max(row.get("eval_metric", 0.0) for row in told["history"])
    assert told["dev"][0]["sha256"]


def test_ids_of_two_dev_sets_may_be_the_same(tmp_path, encoder, few):  # noqa: F811
    """Answers to one set are not taken for those to the other."""
    other = squad(tmp_path / "other.json", 50, seed=5)
    raw = json.loads(Path(other).read_text())
    for number, paragraph in enumerate(raw["data"][0]["paragraphs"]):
        paragraph["qas"][0]["id"] = f"0-{number}"
    Path(other).write_text(json.dumps(raw))
    settings = {"batch_size": 8, "max_steps": 1, "evaluate_every": 1, "learning_rate": 1e-12}
    both, first, second = (
        train(tmp_path / name, encoder, few, dev=[{"path": one} for one in dev], **settings)["best"]
        for name, dev in (("both", (few, other)), ("first", (few,)), ("second", (other,)))
    )
    assert both == pytest.approx((first + second) / 2, abs=1e-9)


def test_one_folder_has_one_training_at_a_time(tmp_path, encoder, few):  # noqa: F811
    """Two would write over each other's states; a killed one stands in nobody's way."""
    settings = {"max_steps": 4, "save_every": 2}
    out, refused = tmp_path / "out", []

    def begin(total):
        def advance(n):
            for flag in ({}, {"resume": True}, {"overwrite": True}):
                with pytest.raises(UsageError, match="a training is going on there") as told:
                    train(out, encoder, few, **flag, **settings)
                refused.append(told.value.where)

        return advance

    assert train(out, encoder, few, begin=begin, **settings)["steps"] == 4
    assert set(refused) == {str(out)}
    assert not (out / "states").exists()


def test_what_was_broken_off_before_a_state_leaves_no_curve(tmp_path, encoder, few):  # noqa: F811
    """It would stand beside that of the training that is begun anew."""
    out = tmp_path / "out"
    train(out, encoder, few, max_steps=1)
    (out / "closeread.json").unlink()  # as after a kill
    (out / "curves").mkdir()
    (out / "curves" / "events").write_text("of before")
    train(out, encoder, few, max_steps=1)
    assert not (out / "curves").exists()


def test_a_taken_folder_is_told_before_data_are_read(tmp_path, encoder, few):  # noqa: F811
    train(tmp_path / "out", encoder, few, max_steps=1)
    with pytest.raises(UsageError, match="a training is there already, and it is finished"):
        train(tmp_path / "out", encoder, "nowhere.json", max_steps=1)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").touch()
    with pytest.raises(UsageError, match="the folder holds something else"):
        train(tmp_path / "other", encoder, "nowhere.json", max_steps=1)
    with pytest.raises(UsageError, match="there is no training to resume"):
        train(tmp_path / "new", encoder, "nowhere.json", max_steps=1, resume=True)


def test_stages_are_gone_on_with_and_not_repeated(tmp_path, encoder, few):  # noqa: F811
    settings = {"max_steps": 6, "save_every": 2}
    stages = (stage(few, max_steps=6, save_every=2),)
    out = tmp_path / "out"
    with pytest.raises(Killed):
        train(out, encoder, few, before=stages, begin=killed_at(3), **settings)
    assert (out / "before" / "1" / "states" / "checkpoint-2").exists()
    with pytest.raises(UsageError, match="a training is there already"):
        train(out, encoder, few, before=stages, **settings)
    with pytest.raises(Killed):  # three steps into the last training
        train(out, encoder, few, before=stages, resume=True, begin=killed_at(6 + 3), **settings)
    finished = out / "before" / "1" / "closeread.json"
    when = finished.stat().st_mtime_ns
    told = train(out, encoder, few, before=stages, resume=True, **settings)
    assert finished.stat().st_mtime_ns == when
    assert [one["reader"] for one in told["lineage"]["stages"]] == ["span", "span"]
    assert told["lineage"]["origin"] == encoder
    whole = train(tmp_path / "whole", encoder, few, before=stages, **settings)
    assert losses(told) == pytest.approx(losses(whole), abs=1e-6)
    assert (out / "before" / "1" / "model.safetensors").exists()


def test_a_stage_that_was_finished_outlives_a_mistake(tmp_path, encoder, few):  # noqa: F811
    """The last training fails at its data: what came first is kept, and can be gone on from."""
    lost = tmp_path / "lost.jsonl"
    row = {"id": "1", "passage": "the box", "question": "which colour", "answer": "not there"}
    lost.write_text(json.dumps(row) + "\n")
    out, stages = tmp_path / "out", (stage(few),)
    for resume in (False, True):
        with pytest.raises(Exception, match="no question that span can learn from"):
            train(out, encoder, str(lost), before=stages, resume=resume, max_steps=2)
        assert (out / "before" / "1" / "closeread.json").exists()


@pytest.mark.parametrize("extra", [{"precision": "bfloat16"}, {"gradient_checkpointing": True}])
def test_it_runs_in_less_memory(tmp_path, encoder, few, extra):  # noqa: F811
    """The same losses, nearly; with a second head, which the library does not know."""
    pairs = inference(tmp_path / "pairs.jsonl", 16)
    settings = {"max_steps": 4, "beside": {"datasets": [{"path": pairs}]}}
    plain = train(tmp_path / "plain", encoder, few, **settings)
    less = train(tmp_path / "less", encoder, few, **settings, **extra)
    assert losses(less) == pytest.approx(losses(plain), rel=0.02)


def test_it_learns_to_give_no_answer(tmp_path, encoder):  # noqa: F811
    """SQuAD 2.0's way, from the recipe to the reader that opens the folder."""
    from closeread.api.datasets import open_dataset
    from closeread.training.recipe import TrainedReader

    def two(path, many, seed):
        raw = json.loads(Path(squad(path, many, seed)).read_text())
        for number, paragraph in enumerate(raw["data"][0]["paragraphs"]):
            asked = paragraph["qas"][0]
            asked["is_impossible"] = number % 2 == 1
            if asked["is_impossible"]:
                colour = asked["answers"].pop()["text"]
                paragraph["context"] = paragraph["context"].replace(colour, "box")
        raw["version"] = "v2.0"
        path.write_text(json.dumps(raw))
        return str(path)

    learn, dev = two(tmp_path / "learn.json", 300, 1), two(tmp_path / "dev.json", 40, 2)
    reader = TrainedReader(name="span", options={"max_length": 96, "stride": 16, "null": True})
    told = train(
        tmp_path / "out", encoder, learn, reader=reader, epochs=6, learning_rate=3e-3,
        dev=[{"path": dev}],
    )  # fmt: skip
    assert told["metric"] == "squad2.f1"
    assert told["best"] > 0.95
    assert json.loads((tmp_path / "out" / "config.json").read_text())["null_answers"] is True
    items = [(passage, one) for passage, asked in open_dataset(dev) for one in asked]

    def none(threshold):
        read = opened(
            str(tmp_path / "out"), device="cpu", dtype="float32", pickled=False, runtime="torch",
            null="auto", max_length=96, stride=16, null_threshold=threshold,
        )  # fmt: skip
        return sum(found.answer.kind == "none" for found in read.read(items))

    assert 17 <= none(0.5) <= 23
    assert none(0.0) >= none(0.5) >= none(1.0)


def test_a_kill_while_the_finished_model_is_written(tmp_path, encoder, few, monkeypatch):  # noqa: F811
    """Nothing is left to be learned: the same steps, curve and best model, not a step more."""
    write = Checkpoint.save

    def cut_short(self, folder):
        write(self, folder)
        raise Killed

    for name, settings in {
        "best": {"max_steps": 6, "save_every": 2, "dev": [{"path": few}]},
        "last": {"max_steps": 6, "save_every": 3},
        "patience": {
            "epochs": 3, "batch_size": 8, "learning_rate": 1e-12, "evaluate_every": 2,
            "patience": 3, "dev": [{"path": few, "at_most": 10}],
        },
    }.items():  # fmt: skip
        whole, out = tmp_path / f"whole-{name}", tmp_path / name
        told = train(whole, encoder, few, **settings)
        with monkeypatch.context() as patched, pytest.raises(Killed):
            patched.setattr(Checkpoint, "save", cut_short)
            train(out, encoder, few, **settings)
        (out / "model.safetensors").write_bytes(b"cut short")
        resumed = train(out, encoder, few, resume=True, **settings)
        for key in ("steps", "best", "loss"):
            assert resumed[key] == told[key], (name, key)
        assert losses(resumed) == losses(told)
        first, second = (load_file(one / "model.safetensors") for one in (whole, out))
        assert all(torch.equal(weights, second[key]) for key, weights in first.items()), name


def test_data_that_changed_are_not_gone_on_with(tmp_path, encoder, few):  # noqa: F811
    """Under the same name; a part would be learned of each, and the last alone be recorded."""
    for soup in (1, 2):
        name, out = tmp_path / f"{soup}.json", tmp_path / f"out-{soup}"
        name.write_bytes(Path(few).read_bytes())
        settings = {"max_steps": 4, "save_every": 1, "soup": soup, "dev": [{"path": few}]}
        with pytest.raises(Killed):
            train(out, encoder, str(name), begin=killed_at(4 * soup - 1), **settings)
        squad(name, 50, seed=9)
        with pytest.raises(MismatchError, match=rf"changed since: \S+{soup}\.json"):
            train(out, encoder, str(name), resume=True, **settings)
        name.write_bytes(Path(few).read_bytes())
        assert train(out, encoder, str(name), resume=True, **settings)["steps"] == 4 * soup


def test_the_best_is_found_again_in_a_folder_that_was_moved(tmp_path, encoder, few):  # noqa: F811
    """A state names the best by its path; no look after the kill is better here."""
    settings = {
        "epochs": 2, "batch_size": 8, "learning_rate": 1e-12, "evaluate_every": 2,
        "dev": [{"path": few, "at_most": 10}],
    }  # fmt: skip
    with pytest.raises(Killed):
        train(tmp_path / "out", encoder, few, begin=killed_at(5), **settings)
    (tmp_path / "out").rename(tmp_path / "moved")
    with Folder(tmp_path / "moved", recipe_of(tmp_path / "moved"), True, False) as begun:
        told = json.loads((begun.last_state() / "trainer_state.json").read_text())
    assert Path(told["best_model_checkpoint"]) == tmp_path / "moved" / "states" / "checkpoint-2"
    assert train(tmp_path / "moved", encoder, few, resume=True, **settings)["steps"] == 14


def test_a_folder_of_stages_that_was_moved_goes_on(tmp_path, encoder, few):  # noqa: F811
    """A later stage begins from the one before it, whose place is another now."""
    settings = {"max_steps": 3, "batch_size": 4, "save_every": 1, "made_by": {few: "people"}}
    stages = (stage(few), stage(few, max_steps=3, save_every=1))
    for step, then in ((4, "within a stage"), (7, "after the stages")):  # 2 + 3 + 3 steps
        out, moved = tmp_path / "out", tmp_path / then
        with pytest.raises(Killed):
            train(out, encoder, few, before=stages, begin=killed_at(step), **settings)
        out.rename(moved)
        record = train(moved, encoder, few, before=stages, resume=True, **settings)
        assert record["steps"] == 3
        learned = [one["learned_from"][0] for one in record["lineage"]["stages"]]
        assert [one["made_by"] for one in learned] == ["people"] * 3  # declared once for all


def test_what_a_training_needs_is_looked_for_before_anything_is_discarded(tmp_path, encoder, few):  # noqa: F811
    train(tmp_path / "out", encoder, few, max_steps=1)
    weights = (tmp_path / "out" / "model.safetensors").read_bytes()
    model = str(tmp_path / "out" / ".." / "out")
    with pytest.raises(UsageError, match="would discard what the training begins from"):
        train(tmp_path / "out", model, few, max_steps=1, overwrite=True)
    wrong = str(tmp_path / "none")
    for before in ((), (stage(few),)):
        with pytest.raises(InputError, match="there is no such folder"):
            train(tmp_path / "out", wrong, few, max_steps=1, before=before, overwrite=True)
    assert (tmp_path / "out" / "model.safetensors").read_bytes() == weights


def recipe_of(folder):
    """Return what a training was asked, from its folder."""
    asked = json.loads((folder / "training.json").read_text())
    return msgspec.convert(asked | {"out": str(folder)}, TrainRecipe)


def test_a_stage_that_fails_leaves_nothing_in_the_way(tmp_path, encoder, few):  # noqa: F811
    """The same command again meets the same mistake, not a folder that holds something else."""
    pairs = inference(tmp_path / "pairs.jsonl", 4)
    for _ in range(2):
        with pytest.raises(InputError, match="no question that span can learn from"):
            train(tmp_path / "out", encoder, few, before=(stage(pairs),))
        assert not (tmp_path / "out").exists()
