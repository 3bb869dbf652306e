"""The same curve: resumed in a later epoch, in smaller batches, with states saved in between."""

import json
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra `neural`: make neural")

import torch
from safetensors.torch import load_file

from closeread.readers.neural.checkpoint import Checkpoint
from closeread.readers.neural.span import open_reader
from closeread.readers.windows import Encoded
from closeread.training.neural import train as trainer
from closeread.training.neural.packed_features import PackedFeatures
from closeread.training.neural.task import Feature
from neural.colours import inference, squad
from neural.encoders import make_encoder
from neural.trained import Killed, killed_at, losses, train

pytestmark = [pytest.mark.neural, pytest.mark.filterwarnings("default")]


def test_features_are_kept_small_and_come_back_as_they_were():
    features = [
        Feature((Encoded([5, 70_000, 2], [0, 1, 1]), Encoded([9], [0])), (3, -100)),
        Feature((Encoded([1], [0]),), ()),
        Feature((Encoded([4] * 300, [1] * 300),), (1,)),
    ]
    packed = PackedFeatures(iter(features))
    assert list(packed) == features
    assert packed[-1] == features[-1]
    assert packed[:2] == features[:2]
    assert list(packed.lengths) == [one.length for one in features]
    assert packed.n_bytes < 305 * 5 + 200
    with pytest.raises(IndexError):
        packed[3]
    assert PackedFeatures([features[0]._replace(beside=True)])[0].beside
    assert not PackedFeatures()


def test_resumed_in_a_later_epoch(tmp_path, encoder, few):
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


def test_patience_is_not_forgotten(tmp_path, encoder, few):
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
def test_a_look_that_was_broken_off_is_taken_again(tmp_path, encoder, few, monkeypatch, case):
    """After an epoch, or where steps end within one, at a step at which a state is due as well."""
    killed, max_steps = case
    settings = {"epochs": 2, "max_steps": max_steps, "batch_size": 8, "save_every": max_steps or 7}
    settings |= {"dev": [{"path": few}]}
    whole = train(tmp_path / "whole", encoder, few, **settings)
    plain, looks = trainer.measure_dev, iter(range(1, 100))

    def measured(*given):
        if next(looks) == killed:
            raise Killed
        return plain(*given)

    monkeypatch.setattr(trainer, "measure_dev", measured)
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


def test_weights_that_are_one_are_saved_beside_a_second_head(tmp_path, few):
    """BART's embeddings are its encoder's and its decoder's: killed, it goes on with them."""
    from transformers import BartConfig, BartModel

    model = make_encoder(tmp_path / "model", positions=96)
    config = BartConfig(
        vocab_size=240, d_model=32, encoder_layers=1, decoder_layers=1, max_position_embeddings=96,
        encoder_attention_heads=2, decoder_attention_heads=2, encoder_ffn_dim=64,
        decoder_ffn_dim=64, pad_token_id=0, bos_token_id=2, eos_token_id=3,
        decoder_start_token_id=3,
    )  # fmt: skip
    BartModel(config).save_pretrained(model)
    settings = {"max_steps": 6, "save_every": 2, "batch_size": 4, "dev": [{"path": few}]}
    settings["beside"] = {"datasets": [{"path": inference(tmp_path / "pairs.jsonl", 8)}]}
    whole, out = tmp_path / "whole", tmp_path / "killed"
    train(whole, model, few, **settings)
    with pytest.raises(Killed):
        train(out, model, few, begin=killed_at(5), **settings)
    train(out, model, few, resume=True, **settings)
    for name in ("model", "second_head"):
        once, again = (load_file(one / f"{name}.safetensors") for one in (whole, out))
        assert all(torch.equal(weights, again[key]) for key, weights in once.items())


def test_four_batches_of_two_are_one_of_eight(tmp_path, encoder):
    """Also where an epoch ends with three questions: two in one batch, one in the other."""
    odd = squad(tmp_path / "odd.json", 51)
    settings = {"epochs": 2, "save_every": 1, "learning_rate": 1e-3}
    one = train(tmp_path / "one", encoder, odd, batch_size=8, **settings)
    four = train(tmp_path / "four", encoder, odd, batch_size=2, accumulation=4, **settings)
    assert losses(four) == pytest.approx(losses(one), abs=1e-5)
    assert four["steps"] == 2 * 7


def test_states_are_saved_between_two_looks(tmp_path, encoder, few):
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


def test_ids_of_two_dev_sets_may_be_the_same(tmp_path, encoder, few):
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


@pytest.mark.parametrize("extra", [{"precision": "bfloat16"}, {"gradient_checkpointing": True}])
def test_it_runs_in_less_memory(tmp_path, encoder, few, extra):
    """The same losses, nearly; with a second head, which the library does not know."""
    pairs = inference(tmp_path / "pairs.jsonl", 16)
    settings = {"max_steps": 4, "beside": {"datasets": [{"path": pairs}]}}
    plain = train(tmp_path / "plain", encoder, few, **settings)
    less = train(tmp_path / "less", encoder, few, **settings, **extra)
    assert losses(less) == pytest.approx(losses(plain), rel=0.02)


def test_it_learns_to_give_no_answer(tmp_path, encoder):
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
        read = open_reader(
            str(tmp_path / "out"), device="cpu", dtype="float32", pickled=False, runtime="torch",
            null="auto", max_length=96, stride=16, null_threshold=threshold,
        )  # fmt: skip
        return sum(found.answer.kind == "none" for found in read.read(items))

    assert 17 <= none(0.5) <= 23
    assert none(0.0) >= none(0.5) >= none(1.0)


def test_a_kill_while_the_finished_model_is_written(tmp_path, encoder, few, monkeypatch):
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


def test_a_state_with_numbers_that_are_none_is_gone_on_from(tmp_path, encoder, few):
    """As float16 tells them of a step that overflowed, and the Trainer's JSON keeps them."""
    settings = {"max_steps": 12, "evaluate_every": 4, "dev": [{"path": few, "at_most": 5}]}
    with pytest.raises(Killed):
        train(tmp_path / "out", encoder, few, begin=killed_at(9), **settings)
    moved = (tmp_path / "out").rename(tmp_path / "moved")  # the best state is found there
    state = moved / "states" / "checkpoint-8" / "trainer_state.json"
    told = json.loads(state.read_text("utf-8"))
    rows = [row for row in told["log_history"] if "loss" in row]
    rows[0] |= {"grad_norm": float("inf"), "loss": float("nan")}
    state.write_text(json.dumps(told), "utf-8")
    steps = []
    record = train(
        moved, encoder, few, resume=True, begin=lambda total: steps.append, **settings
    )  # fmt: skip
    assert (steps[0], record["steps"]) == (8, 12)
