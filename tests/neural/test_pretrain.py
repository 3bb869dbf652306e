"""An encoder learns a toy language from passages; how training begins and goes on."""

import json
import logging
import logging.handlers
import re
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra `neural`: make neural")
pytest.importorskip("transformers", reason="needs the extra `neural`: make neural")
pytest.importorskip("accelerate", reason="needs the extra `train`: make neural")

import torch
from safetensors.torch import load_file
from transformers import AutoTokenizer, BertForMaskedLM, BertModel

from closeread.cli import main
from closeread.readers.lineage import lineage_of
from closeread.readers.neural.checkpoint_opening import open_checkpoint
from closeread.training.neural.callbacks import Progress
from closeread.training.neural.pretraining.masking import masked_loss
from neural.encoders import make_encoder
from neural.toy_words import WORDS, write_vocabulary

pytestmark = [pytest.mark.neural, pytest.mark.filterwarnings("default")]


@pytest.fixture(scope="module")
def vocabulary(tmp_path_factory):
    return write_vocabulary(tmp_path_factory.mktemp("vocabulary") / "vocab.txt")


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    """Sixty passages that say one word again and again; the first comes twice."""
    path = tmp_path_factory.mktemp("texts") / "toy.jsonl"
    passages = [word * (8 + longer) + "。" for word in WORDS for longer in range(10)]
    rows = [
        {"passage": passage, "question": "哪个？", "answer": passage[:2], "id": f"q{at}"}
        for at, passage in enumerate([*passages, passages[0]])
    ]
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return path


def recipe(folder, texts, vocabulary, *lines, **changed):
    """Write a recipe for the toy; return its path."""
    settings = {
        "length": 32, "dropout": 0.0, "batch_size": 8, "max_steps": 100, "learning_rate": 5e-3,
        "held_out": 0.1, "device": '"cpu"', **changed,
    }  # fmt: skip
    path = folder / "recipe.toml"
    path.write_text(
        f'out = "{folder / "out"}"\n[reader]\nname = "encoder"\n[reader.options]\n'
        f'vocabulary = "{vocabulary}"\nlayers = 2\nhidden = 32\nheads = 2\npositions = 64\n'
        f'[train]\ndatasets = [{{ path = "{texts}" }}]\n'
        + "".join(f"{name} = {str(value).lower()}\n" for name, value in settings.items())
        + "\n".join(lines),
        "utf-8",
    )
    return path


class Train:
    """``closeread train`` in this process."""

    def __init__(self, capsys):
        self._capsys = capsys

    def __call__(self, *given):
        """Return the exit code and what stood on stderr."""
        with pytest.raises(SystemExit) as ended:
            main(["train", *map(str, given), "--json"])
        self._printed, error = self._capsys.readouterr()
        return ended.value.code, error

    def told(self, *given):
        """Return what it printed."""
        code, error = self(*given)
        assert code == 0, error
        return json.loads(self._printed)


@pytest.fixture
def train(capsys):
    return Train(capsys)


def test_it_learns_what_stands_around_a_hidden_character(train, tmp_path, texts, vocabulary):
    """Of a word that is said again and again, half of the characters are either one."""
    found = train.told(recipe(tmp_path, texts, vocabulary))
    assert found["n_texts"] == 60  # the text that comes twice is read once
    assert found["steps"] == 100
    assert found["held_out_right"] > 0.4  # chance is 1 in 12


def test_the_folder_is_a_checkpoint_to_begin_from(train, tmp_path, texts, vocabulary):
    """Every head opens on it, AutoModel reads it, and it says where it comes from."""
    from transformers import AutoModel

    train.told(recipe(tmp_path, texts, vocabulary, max_steps=2))
    out = tmp_path / "out"
    assert AutoModel.from_pretrained(out).config.hidden_dropout_prob == 0.1
    checkpoint = open_checkpoint(str(out), "choice", new_head=True)
    assert checkpoint.tokenizer.convert_ids_to_tokens(checkpoint.tokens("海水").ids) == ["海", "水"]
    assert checkpoint.max_length == 64
    lineage = lineage_of(str(out), 0)
    assert (lineage.origin, lineage.origin_made_by) == ("", "")
    (stage,) = lineage.stages
    assert (stage.reader, stage.options["hidden"]) == ("encoder", 32)
    (source,) = stage.learned_from
    assert (source.n_items, len(source.sha256), source.made_by) == (60, 64, "")


def begin_from(model, path):
    """Let a recipe go on with a checkpoint."""
    asked = path.read_text("utf-8")
    begin, end = asked.index("vocabulary"), asked.index("[train]")
    path.write_text(f'{asked[:begin]}model = "{model}"\n{asked[end:]}', "utf-8")


def test_a_checkpoint_goes_on_learning(train, tmp_path, texts, vocabulary):
    """What was learned first is where it begins, and the record holds both trainings."""
    first = train.told(recipe(tmp_path, texts, vocabulary))
    later = tmp_path / "later"
    later.mkdir()
    path = recipe(later, texts, vocabulary, max_steps=1, learning_rate=1e-6)
    begin_from(tmp_path / "out", path)
    second = train.told(path)
    assert second["held_out_right"] == pytest.approx(first["held_out_right"], abs=0.02)
    assert len(lineage_of(str(later / "out"), 0).stages) == 2
    path.write_text(path.read_text("utf-8").replace("length = 32", "length = 65"), "utf-8")
    code, error = train(path, "--overwrite")
    assert code == 2
    assert f"{path}: " in error
    assert "at most 64, the tokens that the model takes" in error
    assert len(lineage_of(str(later / "out"), 0).stages) == 2  # nothing was discarded for it


def test_half_precision_is_not_learned_in(train, tmp_path, texts, vocabulary):
    """Many checkpoints are published so, and small steps are lost in such weights."""
    train.told(recipe(tmp_path, texts, vocabulary, max_steps=1))
    half = BertForMaskedLM.from_pretrained(tmp_path / "out").to(torch.bfloat16)
    half.save_pretrained(tmp_path / "out")
    later = tmp_path / "later"
    later.mkdir()
    path = recipe(later, texts, vocabulary, max_steps=2, learning_rate=1e-6)
    begin_from(tmp_path / "out", path)
    train.told(path)
    learned = load_file(later / "out" / "model.safetensors")
    name = "bert.encoder.layer.0.attention.self.query.weight"
    assert learned[name].dtype == torch.float32
    assert (learned[name] != half.state_dict()[name].float()).float().mean() > 0.9


def test_an_encoder_that_cannot_be_is_refused(train, tmp_path, texts, vocabulary):
    """By the name of what is wrong; a width of 0 used to end in a traceback."""
    path = recipe(tmp_path, texts, vocabulary, max_steps=1)
    whole = path.read_text("utf-8")
    for name, wrong in (
        ("hidden", "0"), ("hidden", "-32"), ("layers", "0"), ("heads", "0"), ("heads", "3"),
        ("positions", "8"), ("layers", "10000000000"), ("positions", "99999999999999999999"),
    ):  # fmt: skip
        path.write_text(re.sub(rf"(?m)^{name} = .*$", f"{name} = {wrong}", whole), "utf-8")
        code, error = train(path)
        assert (code, "range" in error) == (2, True), error
        assert f"reader.options.{name}" in error
    assert not (tmp_path / "out").exists()


def test_a_length_is_measured_by_what_the_recipe_can_know(train, tmp_path, texts, vocabulary):
    """The positions of a model that goes on learning stand in its folder, not in the recipe."""
    path = recipe(tmp_path, texts, vocabulary, length=100_001)
    assert "from 8 to 64 (positions)" in train(path)[1]
    begin_from(tmp_path / "first", path)
    assert "from 8 to 100,000\n" in train(path)[1]


def test_a_vocabulary_that_is_not_there(train, tmp_path, texts):
    code, error = train(recipe(tmp_path, texts, tmp_path / "none.txt"))
    assert code == 2
    assert f"{tmp_path}/recipe.toml: {tmp_path}/none.txt: cannot be read: No such file" in error


def test_accumulated_batches_are_one_large_one(train, tmp_path, texts, vocabulary):
    """The loss of two batches of four that a step sums up is their mean, as that of eight is."""
    found = []
    for name, batch, parts in (("one", 8, 1), ("two", 4, 2)):
        folder = tmp_path / name
        folder.mkdir()
        settings = {"max_steps": 1, "batch_size": batch, "accumulation": parts}
        told = train.told(recipe(folder, texts, vocabulary, **settings))
        assert told["steps"] == 1
        record = json.loads((folder / "out" / "closeread.json").read_text("utf-8"))
        found.append(record["history"][-1]["train_loss"])
    assert found[0] == pytest.approx(found[1], rel=0.1)


def test_layers_learn_in_the_precision_that_is_asked_for(
    train, tmp_path, texts, vocabulary, monkeypatch
):
    """The weights stay float32, and what is told of blocks held out is computed in it."""
    seen = []

    def looking(model, **given):
        hook = model.bert.encoder.layer[0].intermediate.dense.register_forward_hook(
            lambda layer, given, found: seen.append((model.training, str(found.dtype)))
        )
        found = masked_loss(model, **given)
        hook.remove()
        return found

    monkeypatch.setattr("closeread.training.neural.pretraining.train.masked_loss", looking)
    train.told(recipe(tmp_path, texts, vocabulary, max_steps=2, precision='"bfloat16"'))
    assert set(seen) == {(True, "torch.bfloat16"), (False, "torch.float32")}
    assert load_file(tmp_path / "out" / "model.safetensors").popitem()[1].dtype == torch.float32


def break_off(train, path, monkeypatch):
    """Begin a training and interrupt it behind its last save."""

    def stop(self, args, state, control, **_):
        if state.global_step == 7:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Progress, "on_step_end", stop)
        assert train(path)[0] == 130


def test_training_goes_on_where_it_was_broken_off(train, tmp_path, texts, vocabulary, monkeypatch):
    """Broken off after a saved state and resumed, it ends with the weights of one that was not."""
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    for folder in (whole, broken):
        folder.mkdir()
    settings = {"max_steps": 12, "save_every": 5}
    train.told(recipe(whole, texts, vocabulary, **settings))
    path = recipe(broken, texts, vocabulary, **settings)

    break_off(train, path, monkeypatch)
    assert not (broken / "out" / "closeread.json").exists()
    train.told(path, "--resume")
    one, other = (load_file(folder / "out" / "model.safetensors") for folder in (whole, broken))
    assert one.keys() == other.keys()
    assert all(torch.equal(one[name], other[name]) for name in one)


def test_other_texts_under_the_same_name_are_not_gone_on_with(
    train, tmp_path, texts, vocabulary, monkeypatch
):
    """The record would name what was learned from in part alone."""
    data = tmp_path / "toy.jsonl"
    data.write_bytes(texts.read_bytes())
    path = recipe(tmp_path, data, vocabulary, max_steps=12, save_every=5)

    break_off(train, path, monkeypatch)
    data.write_text(texts.read_text("utf-8").replace("海水", "河流"), "utf-8")
    code, error = train(path, "--resume")
    assert code == 2
    assert f"started with other data; changed since: {data}" in error
    data.write_bytes(texts.read_bytes())
    assert train.told(path, "--resume")["steps"] == 12


def test_positions_behind_the_paddings_are_no_room_for_a_block(train, tmp_path, texts):
    """RoBERTa's are two fewer than its configuration tells: an index beyond them is a crash."""
    model = Path(make_encoder(tmp_path / "m", "none", kind="roberta", positions=32))
    settings = json.loads((model / "tokenizer_config.json").read_text())
    settings.pop("model_max_length", None)  # many published tokenizers do not tell
    (model / "tokenizer_config.json").write_text(json.dumps(settings))
    path = recipe(tmp_path, texts, "", length=33, max_steps=1)
    begin_from(model, path)
    code, error = train(path)
    assert (code, "at most 32" in error) == (2, True), error
    assert not (tmp_path / "out").exists()


def test_a_kill_while_the_finished_model_is_written(train, tmp_path, texts, vocabulary):
    """What was saved last is what is written; not a step more is learned."""
    path = recipe(tmp_path, texts, vocabulary, max_steps=10, save_every=5)
    train.told(path, "--out", tmp_path / "whole")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BertForMaskedLM, "save_pretrained", _interrupted(BertForMaskedLM))
        assert train(path)[0] == 130
    found = train.told(path, "--resume")
    assert found["steps"] == 10
    one, other = (load_file(tmp_path / name / "model.safetensors") for name in ("whole", "out"))
    assert all(torch.equal(one[name], other[name]) for name in one)


def _interrupted(model):
    save = model.save_pretrained

    def interrupted(self, folder, **given):
        if Path(folder).name == "out":
            raise KeyboardInterrupt
        save(self, folder, **given)

    return interrupted


def test_curves_arrive(train, tmp_path, texts, vocabulary):
    """TensorBoard's files hold the losses that the folder's own curve does."""
    pytest.importorskip("tensorboard", reason="needs the package tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    train.told(recipe(tmp_path, texts, vocabulary, max_steps=20, track='["tensorboard"]'))
    curves = EventAccumulator(str(tmp_path / "out" / "curves"))
    curves.Reload()
    record = json.loads((tmp_path / "out" / "closeread.json").read_text("utf-8"))
    kept = {row["step"]: row["loss"] for row in record["history"] if "loss" in row}
    arrived = {one.step: one.value for one in curves.Scalars("train/loss")}
    assert arrived == pytest.approx(kept, rel=1e-5)
    assert {10, 20} <= kept.keys()


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"length": 65}, "train.length"),
        ({"mask_share": 1.5}, "train.mask_share"),
        ({"epochs": 0}, "train.epochs"),
        ({"lenght": 64}, "did you mean train.length?"),
        ({"precision": '"float16"'}, "train.precision is float16"),
        ({"device": '"cuda"'}, "train.device is cuda"),
    ],
)
@pytest.mark.skipif(torch.accelerator.is_available(), reason="there is an accelerator")
def test_settings_out_of_range_are_refused(  # noqa: PLR0917 - fixtures
    train, tmp_path, texts, vocabulary, changed, expected
):
    """With exit code 2, before anything is written."""
    path = recipe(tmp_path, texts, vocabulary, **changed)
    code, error = train(path)
    assert code == 2
    assert expected in error
    assert not (tmp_path / "out").exists()


def test_a_vocabulary_without_the_mask_is_refused(train, tmp_path, texts):
    """It says what it lacks."""
    lacking = tmp_path / "vocab.txt"
    lacking.write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\n海\n", "utf-8")
    code, error = train(recipe(tmp_path, texts, lacking))
    assert code == 2
    assert "[MASK]" in error


def test_a_head_that_is_new_is_told_in_our_words_alone(train, tmp_path, texts, vocabulary):
    """The library's own report of such a checkpoint calls it corrupted."""
    heard = logging.handlers.BufferingHandler(100)
    logger = logging.getLogger("transformers")
    path = recipe(tmp_path, texts, vocabulary, max_steps=1)
    train.told(path)
    whole, bare = tmp_path / "out", tmp_path / "bare"
    AutoTokenizer.from_pretrained(whole).save_pretrained(bare)
    BertModel.from_pretrained(whole).save_pretrained(bare)
    logger.addHandler(heard)
    try:
        for model, is_new in ((bare, True), (whole, False)):
            options = f'[reader.options]\nmodel = "{model}"\n[train]'
            given = re.sub(r"(?s)\[reader.options\].*\[train\]", options, path.read_text("utf-8"))
            again = tmp_path / "again.toml"
            again.write_text(given, "utf-8")
            code, error = train(again, "--out", tmp_path / f"again-{model.name}")
            assert code == 0, error
            assert (f"{model}: the model has no masked-language-model head" in error) == is_new
    finally:
        logger.removeHandler(heard)
    assert not [one.getMessage() for one in heard.buffer if "LOAD REPORT" in one.getMessage()]
