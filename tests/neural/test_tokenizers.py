"""A checkpoint's tokenizer: what is missing or broken is said; what it tells is put right."""

import json
import re
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("torch", reason="needs the extra `neural`: make neural")
pytest.importorskip("transformers", reason="needs the extra `neural`: make neural")

import torch
from transformers import AutoTokenizer

from closeread.errors import InputError
from closeread.readers import make
from closeread.readers.encoders import bi_encoder
from closeread.readers.models.location import check_vocabulary
from closeread.readers.neural.checkpoint import Checkpoint
from closeread.readers.neural.checkpoint_opening import open_checkpoint
from closeread.types import Passage, Question
from command_line import run_in_subprocess
from neural.encoders import TEXTS, make_encoder
from neural.tiny import ITEMS, make_model

pytestmark = [pytest.mark.neural, pytest.mark.filterwarnings("default")]

TOKENIZER = ("tokenizer.json", "tokenizer_config.json")


def without_tokenizer(model, folder):
    folder = Path(shutil.copytree(model, folder))
    for name in TOKENIZER:
        (folder / name).unlink()
    return folder


@pytest.mark.parametrize("kind", ["bert", "roberta"])
@pytest.mark.parametrize("left", [(), ("tokenizer_config.json",)])
def test_a_folder_without_its_tokenizer_is_refused(tmp_path, kind, left):
    """The library would make one that knows no words, and every text would read alike."""
    whole = Path(make_encoder(tmp_path / "whole", kind=kind))
    folder = without_tokenizer(whole, tmp_path / "bare")
    for name in left:
        shutil.copy(whole / name, folder)
    with pytest.raises(InputError, match=r"bare: .*no tokenizer") as told:
        make("span", {"model": str(folder)})
    assert told.value.expected.endswith("such as tokenizer.json")
    assert told.value.cure.startswith("copy the tokenizer's files")


def test_a_half_of_a_download_is_not_mended_by_copying():
    """Of a model of the hub there is no folder that files could be copied into."""
    wordless = SimpleNamespace(
        all_special_tokens=["[UNK]"], added_tokens_decoder={}, get_vocab=lambda: {"[UNK]": 0}
    )
    with pytest.raises(InputError, match="owner/model: the model has no tokenizer") as told:
        check_vocabulary("owner/model", wordless)
    assert "download the whole model" in told.value.cure


def test_reading_without_a_tokenizer_ends_with_2_and_leaves_nothing(tmp_path):
    folder = without_tokenizer(make_encoder(tmp_path / "whole"), tmp_path / "bare")
    done = run_in_subprocess(
        "read", "exam/en", "--reader", "span", "-o", f"model={folder}", "--out", tmp_path / "run"
    )
    assert done.returncode == 2, done.stderr
    assert "has no vocabulary" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "run").exists()


def test_a_vocabulary_of_another_language_is_warned_of(tmp_path):
    """Before anything is read; a byte-level vocabulary knows every word."""
    for head, name in (
        ("span", "span"),
        ("choice", "choice"),
        ("pair", "chunk"),
        ("pair", "verifier"),
    ):
        reader, _ = make(name, {"model": make_encoder(tmp_path / name, head)})
        assert reader.unknown_share(TEXTS["en"]) == reader.unknown_share([]) == 0
        assert reader.unknown_share(TEXTS["zh"]) > 0.5
    every, _ = make("span", {"model": make_encoder(tmp_path / "bytes", kind="roberta")})
    assert every.unknown_share(TEXTS["zh"]) == 0
    chinese = make_encoder(tmp_path / "chinese", language="zh", head="choice")
    question = {"question": "?", "options": ["a", "b"], "answer": "A"}
    rows = [{"id": text, "passage": text, **question} for text in TEXTS["en"]]
    (tmp_path / "en.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = run_in_subprocess(
        "read", tmp_path / "en.jsonl", "--reader", "choice", "-o", f"model={chinese}",
        "--out", tmp_path / "run",
    )  # fmt: skip
    assert re.search(r"choice: \d+% of the tokens are unknown to the model's vocab", done.stderr)


def words_of(folder):
    found = json.loads((Path(folder) / "tokenizer.json").read_text("utf-8"))["model"]["vocab"]
    return sorted(found, key=found.__getitem__)


def test_a_vocabulary_of_lines_is_a_tokenizer_and_a_piece_of_it_is_none(tmp_path):
    """As older checkpoints have it; cut short, most words would be unknown."""
    model = make_encoder(tmp_path / "whole")
    folder, words = without_tokenizer(model, tmp_path / "lines"), words_of(model)
    (folder / "vocab.txt").write_text("\n".join(words) + "\n", "utf-8")
    new, old = (open_checkpoint(str(one), "span").tokens(TEXTS["en"][0]) for one in (folder, model))
    assert new.ids == old.ids
    (folder / "vocab.txt").write_text("\n".join(words[: len(words) // 3]) + "\n", "utf-8")
    with pytest.raises(InputError, match="the tokenizer has 50 tokens, but the model 150"):
        open_checkpoint(str(folder), "span")


def test_bytes_and_merges_are_a_tokenizer(tmp_path):
    whole = Path(make_encoder(tmp_path / "whole", kind="roberta"))
    folder = without_tokenizer(whole, tmp_path / "merges")
    pairs = json.loads((whole / "tokenizer.json").read_text("utf-8"))["model"]
    (folder / "vocab.json").write_text(json.dumps(pairs["vocab"]), "utf-8")
    merges = [one if isinstance(one, str) else " ".join(one) for one in pairs["merges"]]
    (folder / "merges.txt").write_text("\n".join(["#version: 0.2", *merges]) + "\n", "utf-8")
    new, old = (open_checkpoint(str(one), "span").tokens(TEXTS["en"][0]) for one in (folder, whole))
    assert new.ids == old.ids


@pytest.mark.parametrize(
    ("vocabulary", "merges", "told"),
    [
        ("whole", None, "its tokenizer has no merges.txt"),
        (None, "whole", "its tokenizer has no vocab.json"),
        ("cut", "whole", "vocab.json or merges.txt is broken: EOF"),
        ("whole", "cut", "vocab.json or merges.txt is broken: Merges text file invalid"),
    ],
)
def test_a_half_of_bytes_and_merges_is_told_by_its_name(tmp_path, vocabulary, merges, told):
    whole = Path(make_encoder(tmp_path / "whole", kind="roberta"))
    folder = without_tokenizer(whole, tmp_path / "half")
    pairs = json.loads((whole / "tokenizer.json").read_text("utf-8"))["model"]
    pieces = ["#version: 0.2"]
    pieces += [one if isinstance(one, str) else " ".join(one) for one in pairs["merges"]]
    texts = {"vocab.json": (vocabulary, json.dumps(pairs["vocab"]))}
    texts["merges.txt"] = (merges, "\n".join(pieces) + "\n")
    for name, (state, text) in texts.items():
        if state:
            (folder / name).write_text(text if state == "whole" else text[:-3], "utf-8")
    with pytest.raises(InputError, match=f"half: the model cannot be opened: {told}") as wrong:
        make("span", {"model": str(folder)})
    assert wrong.value.expected.endswith("such as tokenizer.json")
    assert wrong.value.cure.startswith("copy the tokenizer's files")


def test_a_word_that_the_model_does_not_know_is_told(tmp_path):
    """Of a tokenizer with more words than the model has: an index beyond its embeddings."""
    folder = make_encoder(tmp_path / "m", vocab_size=140)
    opened = open_checkpoint(folder, "span")
    beyond = [word for word, place in opened.tokenizer.get_vocab().items() if place >= 140]
    known = next(word for word, place in opened.tokenizer.get_vocab().items() if place == 139)
    assert opened.tokens(known.removeprefix("##")).ids
    whole = next(word for word in beyond if not word.startswith("##"))
    question = Question(question_id="q", passage_id="p", text="How many sheep?", kind="span")
    item = (Passage(passage_id="p", text=f"The {whole} left."), question)
    with pytest.raises(InputError, match=f"the tokenizer has the token '{whole}' with id") as told:
        list(make("span", {"model": folder})[0].read([item]))
    assert told.value.where == folder


def test_a_vocabulary_of_a_few_characters_is_one(tmp_path):
    """Of another language than what it is tried on, and of four characters."""
    folder = Path(make_encoder(tmp_path / "few", vocab_size=10))
    found = json.loads((folder / "tokenizer.json").read_text("utf-8"))
    special = [one["content"] for one in found["added_tokens"]]
    found["model"]["vocab"] = {one: place for place, one in enumerate([*special, *"кошт"])}
    (folder / "tokenizer.json").write_text(json.dumps(found), "utf-8")
    assert open_checkpoint(str(folder), "span").tokens("к").ids == [5]


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


def test_a_frame_of_three_kinds_of_segments_is_refused(tmp_path):
    """XLNet's: what stands last is of a third, and the second text would be told as of that."""
    from tokenizers import processors
    from transformers import AutoTokenizer

    folder = make_encoder(tmp_path, "pair")
    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokenizer._tokenizer.post_processor = processors.TemplateProcessing(
        single="$A:0 [SEP]:0 [CLS]:2",
        pair="$A:0 [SEP]:0 $B:1 [SEP]:1 [CLS]:2",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    tokenizer.save_pretrained(folder)
    with pytest.raises(InputError, match="more than two segment types") as told:
        make("verifier", {"model": folder})
    assert told.value.where == folder


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("names", [["input_ids"], ["input_ids", "token_type_ids"]])
@pytest.mark.parametrize("reader", ["span", "choice", "chunk", "verifier"])
def test_xlnet_is_refused_for_its_frame_and_not_for_a_length(tmp_path, reader, names, side):
    """Whether or not segments are told; its configuration has a length of -1."""
    import transformers
    from tokenizers import processors
    from transformers import AutoTokenizer

    head, kind = {
        "span": ("span", "QuestionAnsweringSimple"), "choice": ("choice", "MultipleChoice"),
    }.get(reader, ("pair", "SequenceClassification"))  # fmt: skip
    folder = make_encoder(tmp_path, head)
    config = transformers.XLNetConfig(vocab_size=240, d_model=32, n_layer=2, n_head=2, d_inner=64)
    getattr(transformers, f"XLNetFor{kind}")(config).save_pretrained(folder)
    settings = {"model_input_names": [*names, "attention_mask"], "padding_side": side}
    tokenizer = AutoTokenizer.from_pretrained(folder, **settings)
    bert = tokenizer._tokenizer.post_processor
    tokenizer._tokenizer.post_processor = processors.TemplateProcessing(
        single="$A:0 [SEP]:0 [CLS]:1",
        pair="$A:0 [SEP]:0 $B:1 [SEP]:1 [CLS]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    tokenizer.save_pretrained(folder)
    with pytest.raises(InputError, match=r"\[CLS\] after the texts, like XLNet's") as told:
        make(reader, {"model": folder})
    assert told.value.where == folder
    tokenizer._tokenizer.post_processor = bert
    tokenizer.save_pretrained(folder)
    assert open_checkpoint(folder, head).max_length == 512


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
    model = torch.nn.Module()
    model.get_input_embeddings = lambda: torch.nn.Embedding(90, 1)
    checkpoint = Checkpoint(name="", head="span", model=model, tokenizer=fast)
    text = TEXTS[language][0]
    found = checkpoint.tokens(text)
    names = fast.convert_ids_to_tokens(found.ids)
    assert names[0] == "\u2581"
    assert (found.starts[0], found.ends[0]) == (0, 0)
    assert found.starts[1] == 0
    behind = checkpoint.tokens(" " + text)
    assert (behind.starts[0], behind.ends[0]) != (0, 0)


def _never_end(folder):
    made = json.loads((folder / "tokenizer.json").read_text())
    pattern = {"type": "Split", "pattern": {"Regex": "(.*)*x"}, "behavior": "Isolated"}
    made["pre_tokenizer"] = pattern | {"invert": False}
    (folder / "tokenizer.json").write_text(json.dumps(made))


def test_a_pattern_that_does_not_come_to_an_end_is_one_message(tmp_path):
    """The library's own failure is no Exception of Python's, and ended a run with its traceback."""
    folder = Path(make_encoder(tmp_path / "endless"))
    _never_end(folder)
    checkpoint = open_checkpoint(str(folder), "span")
    assert checkpoint.tokens("a").ids
    with pytest.raises(InputError, match="endless: the tokenizer crashed on a text: "):
        checkpoint.tokens("The ferry left Marl at six. It carried 14 sheep.")


def test_it_is_so_with_a_language_model_and_with_an_encoder_of_sentences(tmp_path):
    writes = Path(make_model(tmp_path / "endless"))
    _never_end(writes)
    reader, _ = make("local", {"model": str(writes)})
    with pytest.raises(InputError, match="endless: the tokenizer crashed on a text: "):
        list(reader.read(ITEMS))
    pytest.importorskip("sentence_transformers")
    encodes = Path(make_encoder(tmp_path / "unending"))
    _never_end(encodes)
    with pytest.raises(InputError, match="unending: the tokenizer crashed on a text: "):
        bi_encoder(str(encodes)).encode(["The ferry left Marl at six. It carried 14 sheep."])


def test_a_vocabulary_is_not_handed_out_whole_to_see_that_it_has_words(tmp_path):
    """Of three million words that took 20 seconds."""
    tokenizer = AutoTokenizer.from_pretrained(make_encoder(tmp_path / "words"))

    class Counting:
        asked = 0

        def __getattr__(self, name):
            return getattr(tokenizer, name)

        def __len__(self):
            return len(tokenizer)

        def get_vocab(self):
            self.asked += 1
            return tokenizer.get_vocab()

    counting = Counting()
    check_vocabulary("words", counting)
    assert counting.asked == 0
