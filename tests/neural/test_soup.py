"""A soup: the mean of trainings by several seeds, gone on with after a kill, told as it is."""

import pytest

pytest.importorskip("torch", reason="needs the extra `neural`: make neural")

import torch
from safetensors.torch import load_file

from closeread.api.datasets import open_dataset
from closeread.errors import UsageError
from closeread.training.neural.training_data import draw_questions
from closeread.training.recipes.settings import Source
from neural.colours import inference
from neural.trained import Killed, killed_at, stage, train

pytestmark = [pytest.mark.neural, pytest.mark.filterwarnings("default")]


def test_a_soup_is_the_mean_of_trainings_by_other_seeds(tmp_path, encoder, few):
    """Gone on with after a kill, in a folder that was moved; its parts are trainings like any."""
    settings = {"max_steps": 6, "save_every": 2, "batch_size": 8}
    stages = (stage(few), stage(few, soup=2, seed=1))
    given = {"soup": 2, "seed": 3, "before": stages, "dev": [{"path": few}], **settings}
    begun, first, out = (tmp_path / name for name in ("begun", "first", "out"))
    with pytest.raises(Killed):  # in the second member of the second stage
        train(begun, encoder, few, begin=killed_at(2 + 2 + 1), **given)
    begun.rename(first)
    member = first / "before" / "2" / "members" / "1" / "closeread.json"
    made = member.stat().st_mtime_ns
    with pytest.raises(Killed):  # in the second member of the whole
        train(first, encoder, few, begin=killed_at(2 + 6 + 5), resume=True, **given)
    assert member.stat().st_mtime_ns == made
    assert (first / "members" / "1" / "closeread.json").exists()
    assert (first / "members" / "2" / "states" / "checkpoint-4").exists()
    first.rename(out)
    done = [out / one / "closeread.json" for one in ("before/2/members/2", "before/2", "members/1")]
    when = [one.stat().st_mtime_ns for one in done]
    told = train(out, encoder, few, resume=True, **given)
    assert [one.stat().st_mtime_ns for one in done] == when
    parts = [out / "members" / number for number in "12"]
    alone = [train(tmp_path / f"{seed}", str(out / "before" / "2"), few, seed=seed, **settings)
             for seed in (3, 4)]  # fmt: skip
    states = [load_file(one / "model.safetensors") for one in (*parts, out)]
    for seed, state in zip((3, 4), states, strict=False):
        for name, tensor in load_file(tmp_path / f"{seed}" / "model.safetensors").items():
            assert torch.allclose(tensor, state[name], atol=1e-6), (seed, name)
    assert any((states[0][name] != states[1][name]).any() for name in states[0])
    for name, tensor in states[2].items():
        mean = (states[0][name].double() + states[1][name].double()) / 2
        assert torch.allclose(tensor.double(), mean, atol=1e-7), name
    assert told["steps"] == 12
    assert told["loss"] == pytest.approx(sum(one["loss"] for one in alone) / 2, abs=1e-6)
    assert {row["member"] for row in told["history"]} == {1, 2}
    assert 0 <= told["best"] <= 1
    assert [one["settings"].get("soup", 1) for one in told["lineage"]["stages"]] == [1, 2, 2]
    bare = {**settings, "max_steps": 2, "learning_rate": 1e-9}  # where each of them begins
    train(tmp_path / "bare", encoder, few, soup=2, seed=7, **bare)
    heads = [
        load_file(tmp_path / "bare" / "members" / number / "model.safetensors")["qa_outputs.weight"]
        for number in "12"
    ]
    assert torch.allclose(*heads, atol=1e-6), "a head that is made is that of all"
    with pytest.raises(UsageError, match=r"train\.soup"):
        train(tmp_path / "none", encoder, few, soup=0)
    beside = {"datasets": [{"path": inference(tmp_path / "pairs.jsonl", 4)}]}
    with pytest.raises(UsageError, match=r"train\.soup"):
        train(tmp_path / "none", encoder, few, soup=2, beside=beside)


def test_the_record_tells_of_the_questions_of_all_seeds(tmp_path, encoder, few):
    """Each draws its own: the first one's number alone would leave out what others learned from."""
    given = {"soup": 3, "datasets": [{"path": few, "at_most": 5}], "max_steps": 1}
    with pytest.raises(Killed):
        train(tmp_path / "out", encoder, few, begin=killed_at(2), save_every=1, **given)
    record = train(tmp_path / "out", encoder, few, resume=True, save_every=1, **given)
    source = Source(path=few, at_most=5)
    drawn_by = [
        {
            question.question_id
            for _, question in draw_questions(source, open_dataset, None, seed)[0]
        }
        for seed in range(3)
    ]
    every = len(set().union(*drawn_by))
    assert every > 5
    (told,) = record["data"]
    assert (told["n_questions"], told["n_each"]) == (every, 5)
    assert record["lineage"]["stages"][0]["learned_from"][0]["n_items"] == every
    assert record["n_features"] == 3 * 5
    alone = train(tmp_path / "alone", encoder, few, **{**given, "soup": 1})
    assert alone["data"][0]["n_questions"] == 5
    assert "n_each" not in alone["data"][0]


def test_a_soup_and_its_members_are_looked_at_by_the_same_questions(
    tmp_path, encoder, few, monkeypatch
):  # fmt: skip
    """Else nobody could tell by `dev` whether the mean is better than they are."""
    seen = set()

    def looked(reader, items, name):
        seen.add(tuple(question.question_id for _, question in items))
        return 0.5

    monkeypatch.setattr("closeread.training.neural.train.measure_dev", looked)
    dev = [{"path": few, "at_most": 10}]
    train(tmp_path / "out", encoder, few, soup=2, seed=3, max_steps=1, evaluate_every=1, dev=dev)
    assert [len(one) for one in seen] == [10]
