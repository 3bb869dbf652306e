"""What a model is given: padding and segments change nothing, or are not given."""

import sys
from pathlib import Path

import msgspec
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the extra `neural`: make neural")
transformers = pytest.importorskip("transformers", reason="needs the extra `neural`: make neural")
pytestmark = [pytest.mark.neural, pytest.mark.filterwarnings("default")]

sys.path.insert(0, str(Path(__file__).parent))

from encoders import TEXTS, make_encoder  # noqa: E402

from closeread.errors import InputError, UsageError  # noqa: E402
from closeread.readers import make  # noqa: E402
from closeread.readers.neural.checkpoint import Checkpoint  # noqa: E402
from closeread.readers.neural.checkpoint_opening import open_checkpoint  # noqa: E402
from closeread.readers.neural.engine import forward  # noqa: E402
from closeread.readers.windows import Encoded  # noqa: E402
from closeread.training.neural.task import Feature, collate  # noqa: E402
from closeread.types import Option, Passage, Question  # noqa: E402


@pytest.mark.parametrize("head", ["span", "choice", "pair"])
@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_rows_are_those_of_the_plain_model(tmp_path, kind, head):
    """Padding, masks and segments change nothing, for any head."""
    checkpoint = open_checkpoint(make_encoder(tmp_path, head, kind=kind, positions=40), head)
    rng = np.random.default_rng(3)
    sequences = []
    for length in (1, 3, 8, 9, 24, 24, 39, 40):
        types = [0] * (length // 2) + [checkpoint.template.second] * (length - length // 2)
        sequences.append(Encoded(rng.integers(5, 60, length).tolist(), types))
    found = dict(forward(checkpoint, sequences))
    assert sorted(found) == list(range(len(sequences)))
    for index, one in enumerate(sequences):
        given = {"input_ids": torch.tensor([one.ids]), "token_type_ids": torch.tensor([one.types])}
        if head == "choice":
            given = {name: tensor[None] for name, tensor in given.items()}
        with torch.no_grad():
            out = checkpoint.model(**given)
        row = (
            torch.cat([out.start_logits, out.end_logits]) if head == "span" else out.logits[0]
        ).numpy()
        assert found[index].shape == row.shape
        assert found[index] == pytest.approx(row, abs=1e-5)


@pytest.mark.parametrize(
    ("kind", "head", "minds"),
    [("ConvBert", "span", True), ("RoFormer", "choice", True), ("FNet", "pair", True),
     ("Bert", "span", False), ("Roberta", "choice", False), ("DistilBert", "pair", False)],
)  # fmt: skip
def test_a_model_that_minds_padding_is_given_none(tmp_path, kind, head, minds):
    """Convolutions, Fourier's transform, or a head that takes the last token, padding or not."""
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    sizes |= {"intermediate_size": 64, "vocab_size": 60, "initializer_range": 0.4}
    config = getattr(transformers, f"{kind}Config")(**sizes, pad_token_id=0)
    torch.manual_seed(5)
    name = {"span": "QuestionAnswering", "choice": "MultipleChoice"}.get(
        head, "SequenceClassification"
    )
    model = getattr(transformers, f"{kind}For{name}")(config).eval()
    tokenizer = open_checkpoint(make_encoder(tmp_path), "span").tokenizer
    checkpoint = Checkpoint(name=kind, head=head, model=model, tokenizer=tokenizer)
    assert checkpoint.padding_changes_output == minds
    sequences = [Encoded(list(range(5, 5 + n)), [0] * n) for n in (3, 9, 9, 14, 23)]
    for index, row in forward(checkpoint, sequences):
        ids = torch.tensor([sequences[index].ids])
        with torch.no_grad():
            out = model(input_ids=ids[None] if head == "choice" else ids)
        alone = torch.cat([out.start_logits, out.end_logits]) if head == "span" else out.logits[0]
        assert row == pytest.approx(alone.numpy(), abs=1e-4)


@pytest.mark.parametrize("told", [None, 7, -1, 10_000])
def test_a_decoder_has_a_padding_where_its_tokenizer_names_none(tmp_path, told):
    """GPT-2's head takes the last token before the padding, and is published without one."""
    name = make_encoder(tmp_path, "pair", kind="roberta")
    tokenizer = transformers.AutoTokenizer.from_pretrained(name)
    tokenizer.pad_token = None
    tokenizer.save_pretrained(name)
    config = transformers.GPT2Config(
        vocab_size=len(tokenizer), n_embd=32, n_layer=2, n_head=2, n_positions=64,
        initializer_range=0.4, pad_token_id=told, bos_token_id=0, eos_token_id=2,
    )  # fmt: skip
    torch.manual_seed(5)
    model = transformers.GPT2ForSequenceClassification(config).eval()
    model.save_pretrained(name)
    checkpoint = open_checkpoint(name, "pair")
    sequences = [Encoded(list(range(30, 30 + n)), [0] * n) for n in (3, 9, 9, 14, 23)]
    found = dict(forward(checkpoint, sequences))
    with torch.no_grad():
        alone = [model(input_ids=torch.tensor([one.ids])).logits[0].numpy() for one in sequences]
    assert np.stack([found[at] for at in range(5)]) == pytest.approx(np.stack(alone), abs=1e-4)
    learned = collate([Feature((one,), (0,)) for one in sequences], checkpoint.padding_id)
    given = {name: learned[name] for name in ("input_ids", "attention_mask")}
    with torch.no_grad():
        rows = checkpoint.model(**given).logits.numpy()
    assert rows == pytest.approx(np.stack(alone), abs=1e-4)


def test_rounding_is_not_taken_for_padding(tmp_path):
    """In bfloat16 a sequence has other last digits beside padding, whatever the model."""
    for seed in range(4, 7):
        folder = make_encoder(tmp_path / str(seed), seed=seed, num_hidden_layers=4, hidden_size=64)
        assert not open_checkpoint(folder, "span", dtype="bfloat16").padding_changes_output


@pytest.mark.parametrize("runtime", ["torch", "onnx"])
def test_segments_are_kept_from_a_model_that_has_one(tmp_path, monkeypatch, runtime):
    """BERT's tokenizer with a model of RoBERTa's kind, as some Chinese ones are published."""
    if runtime == "onnx":
        pytest.importorskip("onnxruntime", reason="needs the extra `onnx`: make neural")
    monkeypatch.setenv("CLOSEREAD_CACHE", str(tmp_path / "cache"))
    question = Question(question_id="q", passage_id="p", text="How many sheep?", kind="span")
    item = (Passage(passage_id="p", text=TEXTS["en"][0]), question)
    reader, _ = make(
        "span", {"model": make_encoder(tmp_path / "m", type_vocab_size=1), "runtime": runtime}
    )
    assert reader._checkpoint.template.second == 1
    assert all(one.answer.kind == "span" for one in reader.read([item]))


def test_a_model_that_cannot_compute_what_its_tokenizer_frames_is_told(tmp_path):
    """Longformer counts RoBERTa's separators; some Chinese ones have BERT's tokenizer."""
    name = make_encoder(tmp_path / "m")
    tokenizer = open_checkpoint(name, "span").tokenizer
    config = transformers.LongformerConfig(
        vocab_size=len(tokenizer), attention_window=[16, 16], sep_token_id=tokenizer.sep_token_id,
        hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64,
    )  # fmt: skip
    transformers.LongformerForQuestionAnswering(config).save_pretrained(name)
    question = Question(question_id="q", passage_id="p", text="How many sheep?", kind="span")
    reader = make("span", {"model": name})[0]
    with pytest.raises(InputError, match=r"as its tokenizer encodes them: .*separator"):
        list(reader.read([(Passage(passage_id="p", text=TEXTS["en"][0]), question)]))


def test_models_that_look_for_their_separators_are_opened(tmp_path):
    """Longformer for spans, BART for pairs: neither takes just any ids, nor is tried by them."""
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    sizes |= {"intermediate_size": 64, "bos_token_id": 0, "pad_token_id": 1, "eos_token_id": 2}
    name = make_encoder(tmp_path / "span", kind="roberta")
    tokenizer = open_checkpoint(name, "span").tokenizer
    longformer = transformers.LongformerConfig(
        vocab_size=len(tokenizer), attention_window=[16, 16], sep_token_id=2, **sizes
    )
    transformers.LongformerForQuestionAnswering(longformer).save_pretrained(name)
    bart = transformers.BartConfig(
        vocab_size=len(tokenizer), d_model=32, encoder_layers=2, decoder_layers=2,
        encoder_attention_heads=2, decoder_attention_heads=2, encoder_ffn_dim=64,
        decoder_ffn_dim=64, decoder_start_token_id=2, forced_eos_token_id=None,
        bos_token_id=0, pad_token_id=1, eos_token_id=2,
    )  # fmt: skip
    pair = make_encoder(tmp_path / "pair", "pair", kind="roberta")
    transformers.BartForSequenceClassification(bart).save_pretrained(pair)
    passage = Passage(passage_id="p", text=TEXTS["en"][0])
    question = Question(question_id="q", passage_id="p", text="How many sheep?", kind="span")
    options = (Option(label="A", text="It left at six."), Option(label="B", text="It sank."))
    choice = msgspec.structs.replace(question, kind="choice", options=options)
    for reader, options, asked in (
        ("span", {"model": name}, question),
        ("chunk", {"model": pair, "label": "label_2"}, choice),
    ):
        (one,) = make(reader, options)[0].read([(passage, asked)])
        assert one.answer.kind == asked.kind

    # More separators than those of the frame: marks, one spelt out, and neighbours without.
    texts = ("[DOC] The ferry left. [PAR] It", "The </s> ferry sank", "The ferry left", "[PAR] It")
    passages = [Passage(passage_id=text, text=text) for text in texts]
    for reader, options, asked in (
        ("span", {"model": name}, question),
        ("chunk", {"model": pair, "label": "label_2"}, choice),
        ("verifier", {"model": pair, "label": "label_2"}, choice),
    ):
        items = [
            (one, msgspec.structs.replace(asked, question_id=one.text, passage_id=one.text))
            for one in passages
        ]
        made = make(reader, options)[0]
        together = {found.question_id: found for found in made.read(items)}
        assert len(together) == len(items)
        for item in items:
            (alone,) = made.read([item])
            said = together[alone.question_id]
            assert said.answer == alone.answer
            assert said.option_scores == pytest.approx(alone.option_scores, abs=1e-5)


@pytest.mark.parametrize(("kind", "separator"), [("bert", 3), ("roberta", 2)])
def test_marks_are_separators_where_a_model_takes_any_number(tmp_path, kind, separator):
    checkpoint = open_checkpoint(make_encoder(tmp_path, kind=kind), "span")
    assert checkpoint.mark_id == separator
    found = checkpoint.marked_tokens("[TLE] ferry [DOC] sheep")
    assert found.ids[0] == separator
    assert found.ids.count(separator) == 2


def test_a_tokenizer_without_separators_leaves_marks_out(tmp_path):
    checkpoint = open_checkpoint(make_encoder(tmp_path), "span")
    for name in ("sep_token", "mask_token", "unk_token"):
        setattr(checkpoint.tokenizer, name, None)
    text = "[TLE] ferry [DOC] sheep"
    found = checkpoint.marked_tokens(text)
    assert None not in found.ids
    told = [text[start:end] for start, end in zip(found.starts, found.ends, strict=True)]
    assert "".join(told).replace(" ", "") == "ferrysheep"


def test_a_sequence_that_the_device_does_not_hold_is_one_message(tmp_path, monkeypatch):
    checkpoint = open_checkpoint(make_encoder(tmp_path), "span")
    assert not checkpoint.padding_changes_output

    def full(**given):
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 GiB. GPU 0 ...")

    monkeypatch.setattr(checkpoint.model, "forward", full)
    with pytest.raises(UsageError, match=r"a sequence does not fit in .*: CUDA out of") as told:
        list(forward(checkpoint, [Encoded([5, 6, 7], [0, 0, 0])] * 3))
    assert "device=cpu" in told.value.cure


@pytest.mark.parametrize("head", ["span", "choice", "pair"])
def test_a_batch_that_the_device_does_not_hold_is_computed_in_parts(tmp_path, monkeypatch, head):
    """As large as it holds; of what follows no batch is tried that is larger."""
    checkpoint = open_checkpoint(make_encoder(tmp_path, head), head)
    sequences = [checkpoint.make_probe_pair(20, variant=place) for place in range(50)]
    needed_positions = [range(3, 3 + place % 9) for place in range(50)] if head == "span" else None

    def rows():
        found = forward(checkpoint, sequences, needed_positions=needed_positions, token_budget=500)
        return [row for _, row in sorted(found, key=lambda one: one[0])]

    wanted, compute, shapes = rows(), checkpoint.model.forward, []

    def holds_eight(**given):
        shapes.append(given["input_ids"].shape[0])
        if shapes[-1] > 8:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0")
        return compute(**given)

    monkeypatch.setattr(checkpoint.model, "forward", holds_eight)
    for found, one in zip(rows(), wanted, strict=True):
        assert found == pytest.approx(one, abs=1e-5)
    assert sum(shape > 8 for shape in shapes) <= 3
    assert sum(shape for shape in shapes if shape <= 8) == 50


def beyond_the_processor():
    torch.empty(10**15)


def beyond_an_accelerator():
    raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 GiB. GPU 0 ...")


@pytest.mark.parametrize("fills", [beyond_the_processor, beyond_an_accelerator])
@pytest.mark.parametrize("asked", ["padding_changes_output", "mark_id"])
def test_a_memory_that_is_full_is_no_model_that_does_not_fit(tmp_path, monkeypatch, fills, asked):
    """A mark would become another token, and every answer another one, without a word."""
    checkpoint = open_checkpoint(make_encoder(tmp_path), "span")
    monkeypatch.setattr(checkpoint.model, "forward", lambda **given: fills())
    with pytest.raises(UsageError, match="memory ran out") as told:
        getattr(checkpoint, asked)
    assert told.value.where == str(tmp_path)


def test_what_cannot_be_exported_is_not_printed(tmp_path, monkeypatch, capfd):
    """Torch would print the whole graph on stdout, where results stand."""
    pytest.importorskip("onnxruntime", reason="needs the extra `onnx`: make neural")
    monkeypatch.setenv("CLOSEREAD_CACHE", str(tmp_path / "cache"))
    name = make_encoder(tmp_path / "m")
    config = transformers.FNetConfig(
        vocab_size=transformers.AutoConfig.from_pretrained(name).vocab_size, hidden_size=32,
        num_hidden_layers=1, intermediate_size=64,
    )  # fmt: skip
    transformers.FNetForQuestionAnswering(config).save_pretrained(name)
    capfd.readouterr()
    with pytest.raises(InputError, match="fft"):
        make("span", {"model": name, "runtime": "onnx"})
    assert capfd.readouterr().out == ""


def test_a_model_that_cannot_be_a_graph_is_one_message(tmp_path, monkeypatch):
    pytest.importorskip("onnxruntime", reason="needs the extra `onnx`: make neural")
    monkeypatch.setenv("CLOSEREAD_CACHE", str(tmp_path / "cache"))
    name = make_encoder(tmp_path / "m", kind="roberta")
    config = transformers.LongformerConfig(
        vocab_size=400, hidden_size=32, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=64, attention_window=[16], pad_token_id=1, sep_token_id=2,
    )  # fmt: skip
    transformers.LongformerForQuestionAnswering(config).save_pretrained(name)
    with pytest.raises(InputError, match="graph"):
        make("span", {"model": name, "runtime": "int8"})
