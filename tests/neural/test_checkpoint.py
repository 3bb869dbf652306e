"""Opening a checkpoint: what is broken is said; what its tokenizer tells is put right."""

import json
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch", reason="needs the extra `neural`: make neural")
pytest.importorskip("transformers", reason="needs the extra `neural`: make neural")
pytestmark = [pytest.mark.neural, pytest.mark.filterwarnings("default")]

sys.path.insert(0, str(Path(__file__).parent))

from encoders import TEXTS, make_encoder  # noqa: E402

from closeread.errors import InputError, UsageError  # noqa: E402
from closeread.readers import make  # noqa: E402
from closeread.readers.neural.checkpoint import Checkpoint  # noqa: E402
from closeread.readers.neural.checkpoint_opening import open_checkpoint  # noqa: E402
from closeread.readers.places import check_place, check_words  # noqa: E402
from closeread.types import Passage, Question  # noqa: E402
from verbs import apart  # noqa: E402


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
    with pytest.raises(InputError, match="owner/model: it has no tokenizer") as told:
        check_words("owner/model", wordless)
    assert "fetch the whole model" in told.value.cure


def test_reading_without_a_tokenizer_ends_with_2_and_leaves_nothing(tmp_path, model):
    folder = without_tokenizer(model, tmp_path / "bare")
    done = apart(
        "read", "exam/en", "--reader", "span", "-o", f"model={folder}", "--out", tmp_path / "run"
    )
    assert done.returncode == 2, done.stderr
    assert "knows no words" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "run").exists()


def words_of(folder):
    found = json.loads((Path(folder) / "tokenizer.json").read_text("utf-8"))["model"]["vocab"]
    return sorted(found, key=found.__getitem__)


def test_a_vocabulary_of_lines_is_a_tokenizer_and_a_piece_of_it_is_none(tmp_path, model):
    """As older checkpoints have it; cut short, most words would be unknown."""
    folder, words = without_tokenizer(model, tmp_path / "lines"), words_of(model)
    (folder / "vocab.txt").write_text("\n".join(words) + "\n", "utf-8")
    new, old = (open_checkpoint(str(one), "span").tokens(TEXTS["en"][0]) for one in (folder, model))
    assert new.ids == old.ids
    (folder / "vocab.txt").write_text("\n".join(words[: len(words) // 3]) + "\n", "utf-8")
    with pytest.raises(InputError, match="its tokenizer knows 50 tokens, and its model 150"):
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
    with pytest.raises(InputError, match=f"its tokenizer knows '{whole}' as number") as told:
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


@pytest.mark.parametrize("name", ["config.json", "model.safetensors"])
def test_a_file_is_no_model(model, name):
    given = str(Path(model) / name)
    with pytest.raises(InputError, match="it is a file") as told:
        make("span", {"model": given})
    assert told.value.cure == f"name its folder: {model}"


@pytest.mark.parametrize("name", ["./x", "../x", "/x/y", "a/b/c", "x/", "~/x", "there/x"])
@pytest.mark.parametrize("reader", ["span", "local"])
def test_a_mistyped_path_is_not_looked_for_on_the_hub(tmp_path, monkeypatch, name, reader):
    (tmp_path / "there").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("socket.socket.connect", lambda *of: pytest.fail("the hub was asked"))
    with pytest.raises(InputError, match="there is no such folder"):
        make(reader, {"model": name})


def test_what_may_be_a_hubs_name_is_taken_as_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("bert-base-chinese", "hfl/chinese-macbert-base", "owner/name.v1_2"):
        check_place(name)


@pytest.mark.parametrize(
    ("head", "reader", "named"),
    [("choice", "verifier", "choice"), ("choice", "chunk", "choice"), ("pair", "choice", "chunk")],
)
def test_a_model_of_another_head_is_told_by_its_kind(tmp_path, head, reader, named):
    with pytest.raises(InputError, match="whose head has another shape") as told:
        make(reader, {"model": make_encoder(tmp_path / "other", head)})
    assert "it is a Bert" in told.value.found
    assert told.value.cure.endswith(named)


@pytest.mark.parametrize("kind", ["bert", "roberta"])
@pytest.mark.parametrize(
    ("head", "reader", "named"),
    [("choice", "verifier", "choice"), ("choice", "chunk", "choice"), ("pair", "choice", "chunk")],
)
def test_one_number_is_read_as_what_it_was_trained_for(tmp_path, kind, head, reader, named):
    """Heads of options and of pairs have one shape then; what they say is not the same."""
    model = make_encoder(tmp_path / "one", head, kind=kind, num_labels=1)
    with pytest.raises(
        InputError, match=f"no {'choice' if head == 'pair' else 'pair'} head: it is"
    ):
        make(reader, {"model": model})
    with pytest.raises(InputError) as told:
        make(reader, {"model": model})
    assert told.value.cure.endswith(named)
    assert make(named, {"model": model})


def test_a_training_begins_with_no_encoder_of_random_weights(tmp_path):
    """Weights of another model under the configuration of this one: none of them is found."""
    from safetensors.torch import load_file, save_file

    folder = Path(make_encoder(tmp_path / "other", "none"))
    weights = load_file(folder / "model.safetensors")
    renamed = {f"foreign.{name}": one for name, one in weights.items()}
    for head in ("span", "choice", "pair"):
        assert open_checkpoint(str(folder), head, new_head=True)
    save_file(renamed, folder / "model.safetensors", metadata={"format": "pt"})
    for head in ("span", "choice", "pair"):
        with pytest.raises(InputError, match=r"lacks weights of its encoder: bert\.embeddings"):
            open_checkpoint(str(folder), head, new_head=True)


@pytest.mark.parametrize("n_classes", [1, 3])
def test_a_span_reader_begins_from_a_model_of_any_number_of_classes(tmp_path, n_classes):
    """As one of natural language inference; for a span there is a beginning and an end."""
    names = {f"LABEL_{place}": place for place in range(n_classes)}
    classes = {"id2label": {place: name for name, place in names.items()}, "label2id": names}
    folder = make_encoder(tmp_path / "pair", "pair", **classes)
    checkpoint = open_checkpoint(folder, "span", new_head=True)
    checkpoint.save(tmp_path / "span")
    item = (
        Passage(passage_id="p", text="The ferry left Marl."),
        Question(question_id="q", passage_id="p", text="What left?", kind="span"),
    )
    (found,) = make("span", {"model": str(tmp_path / "span")})[0].read([item])
    assert found.answer.kind == "span"


def test_weights_of_other_shapes_than_the_configuration_tells(tmp_path, model):
    folder = Path(shutil.copytree(model, tmp_path / "shapes"))
    settings = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(settings | {"intermediate_size": 48}))
    with pytest.raises(InputError, match=r"shapes that its config\.json tells"):
        make("span", {"model": str(folder)})


def test_a_folder_of_something_else(tmp_path):
    with pytest.raises(InputError, match=r"the folder has no config\.json"):
        make("span", {"model": str(tmp_path)})


@pytest.mark.parametrize("head", ["span", "choice", "pair"])
def test_too_short_sequences_name_the_model_and_the_cure(tmp_path, model, head):
    reader = {"pair": "verifier"}.get(head, head)
    other = make_encoder(tmp_path / "m", head)
    with pytest.raises(UsageError, match="max_length=9") as told:
        make(reader, {"model": other, "max_length": 9})
    assert told.value.where == other
    assert told.value.cure.startswith("give max_length=")
    short = make_encoder(tmp_path / "short", head, positions=9)
    with pytest.raises(UsageError, match="the most that the model takes") as told:
        make(reader, {"model": short})
    assert told.value.cure == "take a model of longer sequences"


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
    with pytest.raises(InputError, match="more than two kinds of segments") as told:
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
    with pytest.raises(InputError, match=r"\[CLS\], behind the texts, as XLNet's") as told:
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


def test_threads_that_open_models_give_each_its_own_type(model):
    """While one is loaded its type is the process's default, and another's would get it."""

    def parts(dtype):
        opened = open_checkpoint(model, "span", dtype=dtype).model
        tensors = [*opened.parameters(), *opened.buffers()]
        return {str(one.dtype) for one in tensors if one.is_floating_point()}

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(4) as threads:
            found = list(threads.map(parts, ["float32", "bfloat16"] * 6))
    finally:
        sys.setswitchinterval(before)
    assert found == [{"torch.float32"}, {"torch.bfloat16"}] * 6
