"""What tests with torch share."""

import json

import pytest

from neural.colours import COLOURS, THINGS, squad


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """Keep graphs in a folder of the test's own; return it."""
    monkeypatch.setenv("CLOSEREAD_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "onnx"


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    """Write a BERT that knows the words of things and boxes, without dropout; return its folder."""
    return _encoder(tmp_path_factory.mktemp("encoder"), positions=96)


@pytest.fixture(scope="module")
def long_encoder(tmp_path_factory):
    """Write one that takes as long sequences as the published ones; return its folder."""
    return _encoder(tmp_path_factory.mktemp("encoder"), positions=512)


def _encoder(folder, positions):
    from neural.tiny_bert import make_encoder  # torch, which may be missing

    texts = [*COLOURS, *THINGS, "which colour is it", "the box holds ."]
    made = make_encoder(folder, texts, labels=None, positions=positions)
    config = json.loads((folder / "config.json").read_text())
    config |= {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
    (folder / "config.json").write_text(json.dumps(config))
    return made


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Write 400 questions about things; return the file."""
    return squad(tmp_path_factory.mktemp("data") / "things.json", 400)


@pytest.fixture(scope="module")
def few(tmp_path_factory):
    """Write 50 of them."""
    return squad(tmp_path_factory.mktemp("few") / "things.json", 50)
