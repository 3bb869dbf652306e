"""What a recipe asks for that cannot be: told before anything is trained, and nothing is left."""

import errno
import json
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra `neural`: make neural")

import msgspec
import torch
import transformers
from safetensors.torch import load_file, save_file

import closeread
from closeread.errors import CloseReadError, InputError, MissingExtraError, StorageError, UsageError
from closeread.readers.neural.checkpoint import Checkpoint
from closeread.readers.neural.checkpoint_opening import open_checkpoint
from closeread.training.neural.capabilities import max_model_tokens
from closeread.training.neural.saving import folder
from closeread.training.recipe import TrainedReader
from neural.colours import inference, squad
from neural.test_training import recipe
from neural.trained import stage, train

pytestmark = [pytest.mark.neural, pytest.mark.filterwarnings("default")]


def never(total):
    raise AssertionError("a training was begun")


@pytest.mark.parametrize(
    ("settings", "found"),
    [
        ({"seed": -1}, "train.seed"),
        ({"epochs": float("inf")}, "train.epochs"),
        ({"epochs": float("nan")}, "train.epochs"),
        ({"epochs": 1e308}, "train.epochs"),
        ({"batch_size": 10**20}, "train.batch_size"),
        ({"max_steps": 10**20}, "train.max_steps"),
        ({"temperature": 0.0}, "train.temperature"),
        ({"weight_decay": -1.0}, "train.weight_decay"),
        ({"attention_dropout": 1.0}, "train.attention_dropout"),
        ({"save_every": -1}, "train.save_every"),
        ({"patience": 2}, "train.patience is set, but there is no dev set to evaluate on"),
        ({"evaluate_every": 2}, "train.evaluate_every is set"),
        ({"metric": "squad.f1"}, "train.metric is set"),
        ({"device": "cuda:1"}, "train.device is cuda:1"),
        ({"beside": {"datasets": []}}, "train.beside.datasets"),
        ({"soup": 0}, "(?s)train.soup.*from 1 to 4,294,967,296"),
        ({"soup": 2**32, "seed": 1}, "(?s)train.soup.*from 1 to 4,294,967,295"),
        (
            {"soup": 2, "beside": {"datasets": [{"path": "x"}]}},
            "(?s)train.soup.*: 1, with tr",
        ),
    ],
)
def test_a_setting_that_makes_no_sense(tmp_path, encoder, data, settings, found):
    with pytest.raises(UsageError, match=found):
        train(tmp_path / "out", encoder, data, begin=never, **settings)
    assert not (tmp_path / "out").exists()


def test_several_sets_that_stand_beside_the_recipe_are_told_from_what_is_not_there(
    tmp_path, encoder, monkeypatch
):
    """Whoever calls a recipe from elsewhere learns from where its paths count, as for one set."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/r.toml").write_text(
        f'out = "made"\nreader.name = "span"\ntrain.model = "{encoder}"\n'
        'train.datasets = [{ path = "a.json" }, { path = "b.json" }]',
        "utf-8",
    )
    for name in "ab":
        (tmp_path / f"mine/{name}.json").write_text("")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as told:
        closeread.train("mine/r.toml")
    assert told.value.found.count("are relative to the working directory, not to the file") == 2
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize(
    "settings",
    [{"epochs": 0.0}, {"patience": 2}, {"device": "tpu"}, {"device": "cuda:1"}],
)
def test_a_mistake_names_its_recipe_and_the_cure(tmp_path, encoder, data, settings):
    with pytest.raises(UsageError) as told:
        train(tmp_path / "out", encoder, data, begin=never, **settings)
    assert told.value.where == str(tmp_path / "recipe.toml")
    assert told.value.expected
    assert told.value.cure
    with pytest.raises(UsageError) as told:
        train(tmp_path / "out", encoder, data, before=(stage(data, **settings),), begin=never)
    assert told.value.where == str(tmp_path / "recipe.toml")


def test_a_library_that_loses_weights_of_a_state(monkeypatch, tmp_path, encoder, data):
    """Before 5.6 it saved those of BERT's norms by names by which it did not look for them."""
    version = "closeread.training.neural.device.transformers.__version__"
    monkeypatch.setattr(version, "5.5.4")
    with pytest.raises(MissingExtraError, match=r"transformers 5\.5\.4 loses weights") as told:
        train(tmp_path / "out", encoder, data, begin=never)
    assert "transformers>=5.6" in told.value.cure
    monkeypatch.setattr(version, "5.10.0.dev0")
    assert train(tmp_path / "out", encoder, data, max_steps=1)["steps"] == 1


def test_another_accelerator_than_the_one_there(monkeypatch, tmp_path, encoder, data):
    monkeypatch.setattr(torch.accelerator, "is_available", lambda: True)
    monkeypatch.setattr(torch.accelerator, "current_accelerator", lambda: torch.device("cuda"))
    with pytest.raises(UsageError, match=r"train\.device is tpu, but this machine has only cuda"):
        train(tmp_path / "out", encoder, data, device="tpu", begin=never)


def test_a_number_of_a_stage_is_told_by_its_place(tmp_path, encoder, data):
    before = (stage(data), stage(data, epochs=0.0))
    with pytest.raises(UsageError, match=r"before\[1\]\.train\.epochs is out of range"):
        train(tmp_path / "out", encoder, data, before=before, begin=never)


@pytest.mark.parametrize(
    "case",
    [
        ("ACCELERATE_MIXED_PRECISION", "bf16", "(?s)mixed precision bf16.*is float32.*= .bfloat16"),
        ("ACCELERATE_MIXED_PRECISION", "fp8", "(?s)mixed precision fp8.*--mixed_precision no"),
        ("ACCELERATE_USE_FSDP", "true", "FSDP"),
        ("ACCELERATE_USE_DEEPSPEED", "true", "DeepSpeed"),
    ],
)
def test_a_launcher_that_asks_for_something_else(monkeypatch, tmp_path, encoder, data, case):
    """The Trainer obeys it, and the record would tell what the recipe says."""
    name, value, found = case
    monkeypatch.setenv(name, value)
    with pytest.raises(UsageError, match=found):
        closeread.train(recipe(tmp_path / "r.toml", encoder, data))
    assert not (tmp_path / "out").exists()


def test_a_launcher_that_asks_for_the_same(monkeypatch, tmp_path, encoder, data):
    monkeypatch.setenv("ACCELERATE_MIXED_PRECISION", "bf16")
    given = {"max_steps": 1, "precision": '"bfloat16"'}
    assert (
        closeread.train(recipe(tmp_path / "r.toml", encoder, data, **given)).summary["steps"] == 1
    )


@pytest.mark.skipif(torch.accelerator.is_available(), reason="there is an accelerator")
def test_float16_on_a_processor(tmp_path, encoder, data):
    with pytest.raises(UsageError, match="float16"):
        train(tmp_path / "out", encoder, data, precision="float16")
    assert not (tmp_path / "out").exists()


def test_a_metric_that_is_not_there(tmp_path, encoder, data):
    for name in ("squad.f2", "nothing.f1"):
        with pytest.raises(UsageError, match=name.partition(".")[0]):
            train(tmp_path / "out", encoder, data, dev=[{"path": data}], metric=name, begin=never)
        assert not (tmp_path / "out").exists()


def test_what_cannot_be_watched_or_is_not_there_is_told_with_its_recipe(tmp_path, encoder, data):
    """By the function that users call: one says the metric, the other a path that has moved."""
    gone = str(tmp_path / "gone")
    for dev, model, settings, named in (
        (data, encoder, {"metric": '"squad.f2"'}, ""),
        (data, encoder, {"metric": '"nothing.f1"'}, ""),
        (data, encoder, {"metric": '"choice.accuracy"'}, ""),
        (gone, encoder, {}, f": {gone}"),
        (data, gone, {}, f": {gone}"),
    ):
        path = recipe(tmp_path / "r.toml", model, data, dev=dev, max_steps=1, **settings)
        with pytest.raises(CloseReadError) as told:
            closeread.train(path, begin=never)
        assert told.value.where == f"{path}{named}"


def test_a_dev_set_without_gold(tmp_path, encoder, data):
    paragraph = {"context": "a red cup", "qas": [{"id": "1", "question": "which colour is it"}]}
    blind = tmp_path / "blind.json"
    blind.write_text(json.dumps({"data": [{"title": "", "paragraphs": [paragraph]}]}), "utf-8")
    with pytest.raises(InputError, match="has a gold answer to compute"):
        train(tmp_path / "out", encoder, data, dev=[{"path": str(blind)}], begin=never)
    assert not (tmp_path / "out").exists()


def test_a_dev_set_that_the_reader_does_not_answer(tmp_path, encoder, data):
    """Every state would be worth nothing, and the best one be drawn by lot; of a stage too."""
    pairs = inference(tmp_path / "pairs.jsonl", 4)
    settings = {"max_steps": 2, "dev": [{"path": pairs}]}
    with pytest.raises(InputError, match=r"span answers no question of train\.dev"):
        train(tmp_path / "out", encoder, data, begin=never, **settings)
    before = (stage(data), stage(data, dev=[{"path": pairs}]))
    with pytest.raises(InputError, match="span answers no question of before"):
        train(tmp_path / "out", encoder, data, before=before, begin=never)
    for name in ("choice", "chunk", "verifier"):
        reader = TrainedReader(name=name)
        with pytest.raises(InputError, match=f"{name} answers no question of"):
            dev = [{"path": data}]
            train(tmp_path / "out", encoder, pairs, reader=reader, dev=dev, begin=never)
    assert not (tmp_path / "out").exists()


def test_a_dev_set_of_which_the_reader_answers_a_part(tmp_path, encoder, data):
    """A mixture is watched as a whole: what it does not answer is worth nothing throughout."""
    dev = [{"path": inference(tmp_path / "pairs.jsonl", 4)}, {"path": data, "at_most": 4}]
    assert train(tmp_path / "out", encoder, data, dev=dev, max_steps=1)["steps"] == 1


def test_a_metric_that_judges_none_of_what_the_reader_answers(tmp_path, encoder, data):
    dev = [{"path": inference(tmp_path / "pairs.jsonl", 4)}, {"path": data, "at_most": 4}]
    for found in (dev[1:], dev):
        settings = {"dev": found, "metric": "choice.accuracy", "max_steps": 2}
        with pytest.raises(UsageError, match=r"choice\.accuracy scores no question of train\.dev"):
            train(tmp_path / "out", encoder, data, begin=never, **settings)
        assert not (tmp_path / "out").exists()


def test_a_data_set_of_another_kind_or_empty(tmp_path, encoder, data):
    pairs = inference(tmp_path / "pairs.jsonl", 4)
    with pytest.raises(InputError, match="no question that span can learn from"):
        train(tmp_path / "out", encoder, pairs, begin=never)
    empty = squad(tmp_path / "empty.json", 0)
    with pytest.raises(InputError):
        train(tmp_path / "out", encoder, empty, begin=never)
    assert not (tmp_path / "out").exists()


def test_a_set_of_no_known_format_is_told_with_what_the_recipe_can_say(tmp_path, encoder, data):
    """Beside its path, where sets are tables; `train` has no option --format."""
    odd = tmp_path / "odd.json"
    odd.write_text('[{"what": 1}]', "utf-8")
    path = tmp_path / "recipe.toml"
    head = f'out = "{tmp_path / "out"}"\n[reader]\nname = "span"\n[train]\nmodel = "{encoder}"\n'
    of = f'[[train.datasets]]\npath = "{odd}"\n'
    for text, cure in (
        (head + of, 'name the format with format = "..." beside its path in the recipe'),
        (
            f'{head}exclude = ["{odd}"]\n' + of.replace(str(odd), data),
            "name the format with `closeread convert FILE NEW.jsonl --from F`, and NEW.jsonl in",
        ),
    ):
        path.write_text(text, "utf-8")
        with pytest.raises(InputError) as told:
            closeread.train(path)
        assert told.value.cure.startswith(cure)
    assert not (tmp_path / "out").exists()


def test_a_folder_that_is_a_file(tmp_path, encoder, data):
    (tmp_path / "out").write_text("mine")
    with pytest.raises(UsageError, match="this is a file"):
        train(tmp_path / "out", encoder, data, begin=never)
    assert (tmp_path / "out").read_text() == "mine"


def test_a_stage_of_which_no_model_comes(tmp_path, encoder, data):
    for name in ("cues", "vectors"):
        before = (msgspec.structs.replace(stage(data), reader=TrainedReader(name=name)),)
        with pytest.raises(UsageError, match=rf"before\[0\]\.reader is {name}") as told:
            train(tmp_path / "out", encoder, data, before=before, begin=never)
        assert told.value.where == str(tmp_path / "recipe.toml")
    assert not (tmp_path / "out").exists()


def test_tables_are_called_as_a_recipe_writes_them(tmp_path, encoder, data):
    with pytest.raises(InputError, match=r"at train\.datasets: found a table") as told:
        train(tmp_path / "out", encoder, data, begin=never, datasets={"path": data})
    assert told.value.expected == "a list of tables, each under the header [[train.datasets]]"
    with pytest.raises(InputError, match="found a number") as told:
        train(tmp_path / "out", encoder, data, begin=never, max_steps=1.5)
    assert told.value.expected == "an integer"
    before = (stage(data, patience=2),)
    with pytest.raises(UsageError, match=r"before\[0\]\.train\.patience is set") as told:
        train(tmp_path / "out", encoder, data, before=before, begin=never)
    assert told.value.expected == "a data set under [[before.train.dev]]"


def test_a_later_stage_is_looked_at_before_the_first_begins(tmp_path, encoder, data):
    for wrong, found in (
        ({"max_stepz": 2}, r"did you mean before\[1\]\.train\.max_steps"),
        ({"datasets": [{"path": str(tmp_path / "none.json")}]}, "none.json"),
        ({"exclude": [str(tmp_path / "none.json")]}, "none.json"),
        ({"beside": {"datasets": [{"path": str(tmp_path / "none.json")}]}}, "none.json"),
    ):
        stages = (stage(data), stage(data, **wrong))
        with pytest.raises(CloseReadError, match=found):
            train(tmp_path / "out", encoder, data, before=stages, begin=never)
        assert not (tmp_path / "out").exists()
    later = TrainedReader(name="cloze", options={"words_a_questions": 8})
    stages = (stage(data), msgspec.structs.replace(stage(data), reader=later))
    with pytest.raises(
        InputError, match=r"did you mean before\[1\]\.reader\.options\.words_a_question"
    ):
        train(tmp_path / "out", encoder, data, before=stages, begin=never)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("reader", "options"),
    [
        ("span", {"stride": 0}),
        ("span", {"max_length": 8}),
        ("cloze", {"stride": -1}),
        ("choice", {"max_length": 3}),
        ("chunk", {"max_length": -5}),
        ("chunk", {"chunk_tokens": 0}),
        ("verifier", {"max_length": 0}),
        ("entailment", {"max_length": 1}),
    ],
)
def test_lengths_that_cannot_be_are_told_before_the_first_stage(
    tmp_path, encoder, data, reader, options
):  # fmt: skip
    """By their names; a sequence of a few tokens used to be trained on without a word."""
    given = TrainedReader(name=reader, options=options)
    with pytest.raises(InputError) as told:
        train(tmp_path / "out", encoder, data, reader=given, before=(stage(data),), begin=never)
    name = next(iter(options))
    assert told.value.where == f"{tmp_path / 'recipe.toml'}, at reader.options.{name}"
    assert told.value.expected.startswith("at least")
    assert not (tmp_path / "out").exists()


def test_sequences_longer_than_the_model_takes_are_told_before_the_first_stage(
    tmp_path, encoder, data, few
):
    """Shorter ones were learned without a word; what is left out is what the model takes."""
    long = TrainedReader(name="span", options={"max_length": 97, "stride": 16})
    pairs = {"datasets": [{"path": inference(tmp_path / "pairs.jsonl", 4)}], "max_length": 97}
    first = msgspec.structs.replace(stage(data), reader=long)
    for settings, name in (
        ({"reader": long}, "reader.options.max_length"),
        ({"reader": long, "soup": 2}, "reader.options.max_length"),
        ({"reader": long, "before": (stage(data),)}, "reader.options.max_length"),
        ({"before": (stage(data), first)}, r"before\[1\].reader.options.max_length"),
        ({"beside": pairs}, "train.beside.max_length"),
    ):
        with pytest.raises(UsageError, match=f"{name} is 97, but the model takes 96") as told:
            train(tmp_path / "out", encoder, data, begin=never, **settings)
        assert told.value.where == str(tmp_path / "recipe.toml")
        assert told.value.expected == "at most 96"
    assert not (tmp_path / "out").exists()
    given = TrainedReader(name="span")
    assert train(tmp_path / "out", encoder, few, reader=given, max_steps=1)["steps"] == 1


def test_what_a_model_takes_is_known_without_its_weights(tmp_path, encoder):
    """Of RoBERTa's positions the first ones are the padding's."""
    roberta = tmp_path / "roberta"
    shutil.copytree(encoder, roberta)
    config = transformers.RobertaConfig(
        vocab_size=60, hidden_size=32, intermediate_size=64, num_hidden_layers=1,
        num_attention_heads=2, max_position_embeddings=66, pad_token_id=1,
    )  # fmt: skip
    transformers.RobertaModel(config).save_pretrained(roberta)
    for one in (encoder, str(roberta)):
        assert max_model_tokens(one) == open_checkpoint(one, "span", new_head=True).max_length
    (roberta / "model.safetensors").unlink()
    assert max_model_tokens(str(roberta)) == 64


def test_a_kind_of_model_that_cannot_compute_twice_is_told_before_the_first_stage(
    tmp_path, encoder, data
):
    """The library's own refusal was a traceback, behind the stages and the making of examples."""
    albert = tmp_path / "albert"
    shutil.copytree(encoder, albert)
    config = transformers.AlbertConfig(
        vocab_size=transformers.AutoConfig.from_pretrained(encoder).vocab_size, embedding_size=16,
        hidden_size=32, intermediate_size=64, num_hidden_layers=1, num_attention_heads=2,
        max_position_embeddings=96,
    )  # fmt: skip
    transformers.AlbertModel(config).save_pretrained(albert)
    twice = {"gradient_checkpointing": True}
    for settings, within in (
        ({"before": (stage(data),), **twice}, ""),
        ({"before": (stage(data, **twice),)}, r"before\[0\]."),
        ({"soup": 2, **twice}, ""),
    ):
        with pytest.raises(UsageError, match=f"{within}train.gradient_checkpointing") as told:
            train(tmp_path / "out", str(albert), data, begin=never, **settings)
        assert "albert" in told.value.found
        assert told.value.where == str(tmp_path / "recipe.toml")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("reader", ["choice", "chunk", "verifier", "entailment"])
def test_sequences_too_short_for_the_model_are_told_without_a_dev_set(tmp_path, encoder, reader):
    given = TrainedReader(name=reader, options={"max_length": 10})
    with pytest.raises(UsageError, match="max_length=10") as told:
        train(tmp_path / "out", encoder, "exam/zh", reader=given, begin=never)
    assert told.value.cure == "give max_length=11 or more, or leave it out"
    assert not (tmp_path / "out").exists()


def test_options_that_the_reader_refuses_are_told_before_the_first_step(tmp_path, encoder, data):
    """Windows that can be learned from may be too short to be read in, whether `dev` is or not."""
    reader = TrainedReader(name="span", options={"max_length": 40, "stride": 16})
    for soup, dev in ((1, []), (1, [{"path": data}]), (2, [{"path": data}])):
        settings = {"max_steps": 2, "dev": dev, "begin": never}
        with pytest.raises(UsageError, match="max_length=40"):
            train(tmp_path / "out", encoder, data, reader=reader, soup=soup, **settings)
        assert not (tmp_path / "out").exists()


def test_pickled_weights_are_read_only_where_that_is_asked_for(tmp_path, encoder, data):
    """By the same word as the readers' option, also where an encoder goes on learning."""
    pickled = tmp_path / "pickled"
    shutil.copytree(encoder, pickled)
    torch.save(load_file(pickled / "model.safetensors"), pickled / "pytorch_model.bin")
    (pickled / "model.safetensors").unlink()
    with pytest.raises(InputError, match="its weights are not safetensors") as told:
        train(tmp_path / "out", str(pickled), data, max_steps=1)
    assert "train.pickled" in told.value.cure
    assert not (tmp_path / "out").exists()
    assert train(tmp_path / "out", str(pickled), data, max_steps=1, pickled=True)["steps"] == 1
    assert (tmp_path / "out" / "model.safetensors").exists()
    before = (stage(data), stage(data))  # the first begins from the model that is named last
    settings = {"before": before, "max_steps": 1, "pickled": True}
    assert train(tmp_path / "staged", str(pickled), data, **settings)["steps"] == 1


def test_a_model_that_breaks_is_told(tmp_path, encoder, data):
    """Its states, whose weights are no numbers, are of no use: but they are not ours to discard."""
    broken = tmp_path / "broken"
    shutil.copytree(encoder, broken)
    weights = load_file(broken / "model.safetensors")
    weights["embeddings.word_embeddings.weight"].fill_(torch.nan)
    save_file(weights, broken / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(InputError, match="at step 10 weights are NaN or infinite"):
        train(tmp_path / "out", str(broken), data, max_steps=30)
    assert not (tmp_path / "out").exists()


def test_a_batch_that_the_device_does_not_hold(tmp_path, encoder, data, monkeypatch):
    """One message with the cure, and nothing that was begun in vain is left."""
    from transformers import BertForQuestionAnswering

    def full(self, **given):
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 GiB. GPU 0 ...")

    monkeypatch.setattr(BertForQuestionAnswering, "forward", full)
    monkeypatch.setattr(Checkpoint, "padding_changes_output", False)
    with pytest.raises(
        UsageError, match="a batch does not fit in the device's memory: CUDA out of"
    ) as told:
        train(tmp_path / "out", encoder, data, max_steps=2)
    assert "train.batch_size" in told.value.cure
    assert not (tmp_path / "out").exists()


def test_a_look_that_the_device_does_not_hold(tmp_path, encoder, data, monkeypatch):
    """The cure is one that there is in a recipe: the reader's budget of tokens is not."""

    def full(*given, **named):
        raise UsageError("no room", cure="token_budget=") from torch.OutOfMemoryError("CUDA: none")

    monkeypatch.setattr("closeread.training.neural.train.measure_dev", full)
    for soup in (1, 2):
        with pytest.raises(UsageError, match="the evaluation on dev does not fit in") as told:
            train(
                tmp_path / "out", encoder, data, dev=[{"path": data}], max_steps=1, soup=soup,
                overwrite=True,
            )  # fmt: skip
        assert "train.dev" in told.value.cure
        assert "token_budget" not in told.value.cure


def test_a_model_that_the_device_does_not_hold(tmp_path, encoder, data, monkeypatch):
    from transformers import BertForQuestionAnswering

    def full(self, device):
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 GiB. GPU 0 ...")

    monkeypatch.setattr(BertForQuestionAnswering, "to", full)
    with pytest.raises(
        UsageError, match="the model does not fit in the device's memory: CUDA out of"
    ) as told:
        train(tmp_path / "out", encoder, data, max_steps=2)
    assert told.value.where == encoder
    assert "smaller model" in told.value.cure


def test_a_disk_that_is_full(tmp_path, encoder, data):
    """Files of this process may not grow beyond some size: what a full disk is like.

    The recipe has no room, or the model, or what the optimizer knows, which is torch's to write.
    """
    path = recipe(tmp_path / "r.toml", encoder, data, max_steps=4, save_every=2)
    for most in (10, 60_000, 120_000):
        done = subprocess.run(
            [sys.executable, "-m", "closeread", "train", str(path)],
            capture_output=True, text=True, check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)),  # noqa: B023
        )  # fmt: skip
        assert (done.returncode, "Traceback" in done.stderr) == (2, False), done.stderr[-2000:]
        assert "cannot be written" in done.stderr
        assert (tmp_path / "out").exists() == (most > 10), "what is there could not be resumed"
        shutil.rmtree(tmp_path / "out", ignore_errors=True)


def test_a_disk_that_holds_folders_and_not_a_file_more(tmp_path, encoder, data, monkeypatch):
    """As where a file system has no inodes left: the next training finds nothing in its way."""

    def full(path):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(folder, "lock_folder", full)
    with pytest.raises(StorageError, match="cannot be created: No space left on device"):
        train(tmp_path / "new" / "out", encoder, data, max_steps=2)
    assert not (tmp_path / "new").exists()


def test_the_path_of_a_model_is_read_as_any_in_a_recipe(tmp_path, encoder, data, monkeypatch):
    """Home folder and variables; the record tells what was written, the lineage what was meant."""
    where = Path(encoder)
    monkeypatch.setenv("HOME", str(where.parent))
    monkeypatch.delenv("WHERE", raising=False)
    path = recipe(tmp_path / "recipe.toml", f"$WHERE/{where.name}", data, max_steps=1)
    with pytest.raises(InputError, match=r"model is .*the environment variable WHERE is not set"):
        closeread.train(path)
    assert not (tmp_path / "out").exists()
    monkeypatch.setenv("WHERE", str(where.parent))
    for written in (f"$WHERE/{where.name}", f"~/{where.name}"):
        recipe(path, written, data, max_steps=1)
        closeread.train(path, overwrite=True)
        told = json.loads((tmp_path / "out" / "closeread.json").read_text("utf-8"))
        assert told["recipe"]["train"]["model"] == written
        assert told["lineage"]["origin"] == str(where)


def test_what_cannot_be_opened_is_told_before_anything_is_read(tmp_path, encoder, data):
    """Reading the shared task's six sets takes minutes; the first is broken in its middle here."""
    broken = tmp_path / "broken.jsonl"
    row = {"context": "a red cup", "qas": [{"qid": "1", "question": "?", "answers": ["red"]}]}
    broken.write_text(json.dumps(row) + "\n{\n", "utf-8")
    with pytest.raises(InputError, match="line 2"):
        train(tmp_path / "out", encoder, str(broken), begin=never)
    nowhere = [{"path": str(tmp_path / "nowhere.json")}]
    for settings in (
        {"datasets": [{"path": str(broken)}, *nowhere]},
        {"dev": nowhere},
        {"exclude": [nowhere[0]["path"]]},
        {"beside": {"datasets": nowhere}},
    ):
        with pytest.raises(InputError, match=r"nowhere\.json"):
            train(tmp_path / "out", encoder, str(broken), begin=never, **settings)
    with pytest.raises(InputError, match="nobody: there is no such folder"):
        train(tmp_path / "out", str(tmp_path / "nobody"), str(broken), begin=never)
    with pytest.raises(UsageError, match="there is no metric"):
        dev = [{"path": data}]
        train(tmp_path / "out", encoder, str(broken), dev=dev, metric="squad.f2", begin=never)
    with pytest.raises(StorageError, match="a file is in the place of a folder"):
        train(broken / "out", encoder, str(broken), begin=never)
    assert not (tmp_path / "out").exists()
