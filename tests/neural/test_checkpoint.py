"""Opening a checkpoint: what is broken is said; what its tokenizer tells is put right."""

import json
import shutil
import sys
from itertools import pairwise
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="needs the extra `neural`: make neural")
pytest.importorskip("transformers", reason="needs the extra `neural`: make neural")
pytestmark = [pytest.mark.neural, pytest.mark.filterwarnings("default")]

sys.path.insert(0, str(Path(__file__).parent))

from encoders import TEXTS, make_encoder  # noqa: E402

from closeread.errors import InputError, UsageError  # noqa: E402
from closeread.readers import make  # noqa: E402
from closeread.readers.neural.checkpoint import Checkpoint, open_checkpoint  # noqa: E402
from closeread.types import Passage, Question  # noqa: E402


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return make_encoder(tmp_path_factory.mktemp("bert"))


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("model.safetensors", lambda raw: raw[: len(raw) // 2]),
        ("model.safetensors", lambda _: b""),
        ("config.json", lambda _: b"[]"),
        ("config.json", lambda raw: raw[: len(raw) // 2]),
        ("config.json", lambda raw: raw.replace(b'_heads": 2', b'_heads": 3')),
        ("tokenizer.json", lambda _: b'{"version": "1.0"}'),
    ],
)
def test_a_broken_file_is_one_message(tmp_path, model, name, change):
    folder = Path(shutil.copytree(model, tmp_path / "broken"))
    whole = (folder / name).read_bytes()
    (folder / name).write_bytes(change(whole))
    assert (folder / name).read_bytes() != whole
    with pytest.raises(InputError, match=r"broken: the model cannot be opened: \S"):
        make("span", {"model": str(folder)})


def test_a_model_that_would_answer_with_tuples_answers_all_the_same(tmp_path, model):
    folder = Path(shutil.copytree(model, tmp_path / "tuples"))
    settings = json.loads((folder / "config.json").read_text())
    settings["return_dict"] = False
    (folder / "config.json").write_text(json.dumps(settings))
    question = Question(question_id="q", passage_id="p", text="How many sheep?", kind="span")
    item = (Passage(passage_id="p", text=TEXTS["en"][0]), question)
    wanted, found = (make("span", {"model": one})[0].read([item]) for one in (model, str(folder)))
    assert [*found] == [*wanted]


@pytest.mark.parametrize("device", ["nowhere", "cuda:99"])
def test_a_device_that_is_not_there_is_one_message(model, device):
    with pytest.raises(UsageError, match=f"device={device}: "):
        make("span", {"model": model, "device": device})


def test_half_a_surrogate_pair_is_a_character_like_others(model):
    """No tokenizer takes it; it must not end the run, nor move what stands behind it."""
    reader, _ = make("span", {"model": model, "n_best": 20})
    text = "The \ud83d ferry left \udc00 Marl."
    question = Question(question_id="q", passage_id="p", text="Who \ud83d left?", kind="span")
    (one,) = reader.read([(Passage(passage_id="p", text=text), question)])
    for candidate in one.candidates:
        (span,) = candidate.answer.spans
        assert candidate.answer.texts == (span.of(text),)
    assert any(candidate.answer.texts[0].endswith("Marl") for candidate in one.candidates)


def test_positions_begin_behind_the_paddings(tmp_path):
    """Told by the model itself, whatever its kind is called."""
    folder = Path(make_encoder(tmp_path / "roberta", kind="roberta", positions=40))
    settings = json.loads((folder / "tokenizer_config.json").read_text())
    settings.pop("model_max_length", None)  # many published tokenizers do not tell
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    opened = open_checkpoint(str(folder), "span")
    assert opened.model.config.max_position_embeddings == 42
    opened.model.config.model_type = "xlm-roberta-xl"
    assert opened.max_length == 40


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_blank_put_before_a_text_is_no_character_of_it(language):
    """Tokenizers of the XLM-R kind: an answer begins with its own first token."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    pieces = Tokenizer(models.Unigram())
    pieces.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=90, special_tokens=["<unk>"], unk_token="<unk>", show_progress=False
    )
    pieces.train_from_iterator(TEXTS[language] * 3, trainer)
    fast = PreTrainedTokenizerFast(tokenizer_object=pieces, unk_token="<unk>", sep_token="<unk>")
    checkpoint = Checkpoint(name="", head="span", model=None, tokenizer=fast)
    text = TEXTS[language][0]
    found = checkpoint.tokens(text)
    names = fast.convert_ids_to_tokens(found.ids)
    assert names[0] == "\u2581"
    assert (found.starts[0], found.ends[0]) == (0, 0)
    assert found.starts[1] == 0
    behind = checkpoint.tokens(" " + text)
    assert (behind.starts[0], behind.ends[0]) != (0, 0)


def test_an_answer_longer_than_what_windows_would_share_is_found(model):
    """128 tokens, a question that fills half of them: windows move less than they were told."""
    text = " ".join(f"{n % 10}" for n in range(400))
    question = Question(question_id="q", passage_id="p", text="who " * 80, kind="span")
    item = (Passage(passage_id="p", text=text), question)
    reader, _ = make("span", {"model": model, "max_length": 128, "stride": 128})
    shown = reader._asked(*item).shown
    shared = [one.first + one.length - two.first for one, two in pairwise(shown)]
    assert len(shared) > 1
    assert min(shared) >= 29
