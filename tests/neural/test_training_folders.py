"""The folder of a training: one at a time, gone on with, moved or taken, never half discarded."""

import json
import os
from itertools import islice
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra `neural`: make neural")

import msgspec

from closeread.errors import InputError, MismatchError, UsageError
from closeread.training.neural.saving.folder import TrainingFolder
from closeread.training.neural.tasks.span import SpanTask
from closeread.training.recipe import TrainRecipe
from neural.colours import inference, squad
from neural.trained import Killed, killed_at, losses, stage, train

pytestmark = [pytest.mark.neural, pytest.mark.filterwarnings("default")]


def test_another_number_of_processes_does_not_go_on(tmp_path, encoder, few):
    """A step would learn from another number of questions, in another order."""
    settings = {"max_steps": 4, "save_every": 1}
    with pytest.raises(Killed):
        train(tmp_path / "out", encoder, few, begin=killed_at(2), **settings)
    begun = tmp_path / "out" / "states" / "begun_with.json"
    told = json.loads(begun.read_text())
    begun.write_text(json.dumps(told | {"processes": 2}))
    with pytest.raises(MismatchError, match="started with 2 processes, not 1, so each step"):
        train(tmp_path / "out", encoder, few, resume=True, **settings)
    begun.write_text(json.dumps([[few, "another"]]))  # as earlier versions wrote it
    with pytest.raises(MismatchError, match="started with other data"):
        train(tmp_path / "out", encoder, few, resume=True, **settings)
    begun.write_text(json.dumps(told["data"]))
    assert train(tmp_path / "out", encoder, few, resume=True, **settings)["steps"] == 4


@pytest.mark.parametrize("soup", [1, 2])
def test_other_examples_of_the_same_data_are_not_gone_on_with(
    tmp_path, encoder, few, soup, monkeypatch
):
    """A version that finds more answers: the record would tell of steps that nobody took."""
    settings = {"max_steps": 4, "save_every": 1, "soup": soup}
    settings |= {"dev": [{"path": few}]} if soup > 1 else {}
    out = tmp_path / "out"
    with monkeypatch.context() as earlier, pytest.raises(Killed):
        whole = SpanTask.features
        earlier.setattr(SpanTask, "features", lambda self, *of: islice(whole(self, *of), 10))
        train(out, encoder, few, begin=killed_at(2), **settings)
    with pytest.raises(
        MismatchError, match="started with 10 examples, and the same data now give 50"
    ):
        train(out, encoder, few, resume=True, **settings)
    assert list(out.rglob("checkpoint-*")), "it can be gone on with by the version that began it"
    (kept,) = out.rglob("examples.json")
    kept.unlink()  # as earlier versions left it
    assert train(out, encoder, few, resume=True, **settings)["steps"]


def test_one_folder_has_one_training_at_a_time(tmp_path, encoder, few):
    """Two would write over each other's states; a killed one stands in nobody's way."""
    settings = {"max_steps": 4, "save_every": 2}
    out, refused = tmp_path / "out", []

    def begin(total):
        def advance(n):
            for flag in ({}, {"resume": True}, {"overwrite": True}):
                with pytest.raises(
                    UsageError, match="another training is running in this folder"
                ) as told:
                    train(out, encoder, few, **flag, **settings)
                refused.append(told.value.where)

        return advance

    assert train(out, encoder, few, begin=begin, **settings)["steps"] == 4
    assert set(refused) == {str(out)}
    assert not (out / "states").exists()


def test_what_was_broken_off_before_a_state_leaves_no_curve(tmp_path, encoder, few):
    """It would stand beside that of the training that is begun anew."""
    out = tmp_path / "out"
    train(out, encoder, few, max_steps=1)
    (out / "closeread.json").unlink()  # as after a kill
    (out / "curves").mkdir()
    (out / "curves" / "events").write_text("of before")
    train(out, encoder, few, max_steps=1)
    assert not (out / "curves").exists()


def test_a_taken_folder_is_told_before_data_are_read(tmp_path, encoder, few):
    train(tmp_path / "out", encoder, few, max_steps=1)
    with pytest.raises(UsageError, match="the folder already holds a finished training"):
        train(tmp_path / "out", encoder, "nowhere.json", max_steps=1)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").touch()
    with pytest.raises(UsageError, match="the folder is not empty and holds no training"):
        train(tmp_path / "other", encoder, "nowhere.json", max_steps=1)
    with pytest.raises(UsageError, match="there is no training to resume"):
        train(tmp_path / "new", encoder, "nowhere.json", max_steps=1, resume=True)


def test_stages_are_gone_on_with_and_not_repeated(tmp_path, encoder, few):
    settings = {"max_steps": 6, "save_every": 2}
    stages = (stage(few, max_steps=6, save_every=2),)
    out = tmp_path / "out"
    with pytest.raises(Killed):
        train(out, encoder, few, before=stages, begin=killed_at(3), **settings)
    assert (out / "before" / "1" / "states" / "checkpoint-2").exists()
    with pytest.raises(UsageError, match="the folder already holds a training"):
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


def test_a_stage_that_was_finished_outlives_a_mistake(tmp_path, encoder, few):
    """The last training fails at its data: what came first is kept, and can be gone on from."""
    lost = tmp_path / "lost.jsonl"
    row = {"id": "1", "passage": "the box", "question": "which colour", "answer": "not there"}
    lost.write_text(json.dumps(row) + "\n")
    out, stages = tmp_path / "out", (stage(few),)
    for resume in (False, True):
        with pytest.raises(Exception, match="no question that span can learn from"):
            train(out, encoder, str(lost), before=stages, resume=resume, max_steps=2)
        assert (out / "before" / "1" / "closeread.json").exists()


def test_data_that_changed_are_not_gone_on_with(tmp_path, encoder, few):
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


def test_the_best_is_found_again_in_a_folder_that_was_moved(tmp_path, encoder, few):
    """A state names the best by its path; no look after the kill is better here."""
    settings = {
        "epochs": 2, "batch_size": 8, "learning_rate": 1e-12, "evaluate_every": 2,
        "dev": [{"path": few, "at_most": 10}],
    }  # fmt: skip
    with pytest.raises(Killed):
        train(tmp_path / "out", encoder, few, begin=killed_at(5), **settings)
    (tmp_path / "out").rename(tmp_path / "moved")
    with TrainingFolder(tmp_path / "moved", recipe_of(tmp_path / "moved"), True, False) as begun:
        told = json.loads((begun.last_state() / "trainer_state.json").read_text())
    assert Path(told["best_model_checkpoint"]) == tmp_path / "moved" / "states" / "checkpoint-2"
    assert train(tmp_path / "moved", encoder, few, resume=True, **settings)["steps"] == 14


def test_a_folder_of_stages_that_was_moved_goes_on(tmp_path, encoder, few):
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


def test_what_a_training_needs_is_looked_for_before_anything_is_discarded(tmp_path, encoder, few):
    train(tmp_path / "out", encoder, few, max_steps=1)
    weights = (tmp_path / "out" / "model.safetensors").read_bytes()
    model = str(tmp_path / "out" / ".." / "out")
    with pytest.raises(UsageError, match=r"would delete .*, which the training begins from"):
        train(tmp_path / "out", model, few, max_steps=1, overwrite=True)
    wrong = str(tmp_path / "none")
    for before in ((), (stage(few),)):
        with pytest.raises(InputError, match="there is no such folder"):
            train(tmp_path / "out", wrong, few, max_steps=1, before=before, overwrite=True)
    assert (tmp_path / "out" / "model.safetensors").read_bytes() == weights


def test_a_reader_is_trained_into_a_folder_of_its_own_name(tmp_path, encoder, few, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        train(Path("span"), encoder, few, max_steps=1, overwrite=True)
    assert (tmp_path / "span" / "closeread.json").exists()


def recipe_of(folder):
    """Return what a training was asked, from its folder."""
    asked = json.loads((folder / "training.json").read_text())
    return msgspec.convert(asked | {"out": str(folder)}, TrainRecipe)


def test_a_stage_that_fails_leaves_nothing_in_the_way(tmp_path, encoder, few):
    """The same command again meets the same mistake, not a folder that holds something else."""
    pairs = inference(tmp_path / "pairs.jsonl", 4)
    for _ in range(2):
        with pytest.raises(InputError, match="no question that span can learn from"):
            train(tmp_path / "out", encoder, few, before=(stage(pairs),))
        assert not (tmp_path / "out").exists()


@pytest.mark.skipif(os.name != "posix", reason="the system has no modes of files")
def test_who_may_read_the_folder_may_read_the_weights(tmp_path, encoder, few):
    """safetensors 0.8 writes them for their owner alone: a service's user could not open them."""
    beside = {"datasets": [{"path": inference(tmp_path / "pairs.jsonl", 8)}]}
    mask = os.umask(0o027)
    settings = {"max_steps": 2, "save_every": 1, "beside": beside}
    try:
        with pytest.raises(Killed):
            train(tmp_path / "out", encoder, few, begin=killed_at(2), **settings)
        state = tmp_path / "out" / "states" / "checkpoint-1"
        modes = {one.name: one.stat().st_mode & 0o777 for one in state.iterdir()}
        train(tmp_path / "out", encoder, few, resume=True, **settings)
    finally:
        os.umask(mask)
    assert "model.safetensors" in modes
    assert set(modes.values()) == {0o640}, modes
    modes = {one.name: one.stat().st_mode & 0o777 for one in (tmp_path / "out").iterdir()}
    assert {"model.safetensors", "second_head.safetensors"} < set(modes)
    assert set(modes.values()) == {0o640}, modes
