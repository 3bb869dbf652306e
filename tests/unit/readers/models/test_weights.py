"""Weights are told apart by what they hold, wherever and in however many files they lie."""

import hashlib
import json
import os

import pytest

from closeread.errors import InputError
from closeread.readers.lineage import lineage_record
from closeread.readers.models.weights import settings_sha256, weights_sha256


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def test_a_single_weights_file_has_its_own_hash(tmp_path):
    """Safetensors go before pickled weights, as they do when they are loaded."""
    (tmp_path / "pytorch_model.bin").write_bytes(b"pickled")
    assert weights_sha256(str(tmp_path)) == sha256(b"pickled")
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    assert weights_sha256(str(tmp_path)) == sha256(b"weights")
    assert lineage_record(str(tmp_path), 7)["weights_sha256"] == sha256(b"weights")


def test_other_weights_under_the_same_name_are_noticed(tmp_path):
    """In the same process, too, and though they are as long."""
    path = tmp_path / "model.safetensors"
    path.write_bytes(b"one")
    before = path.stat()
    assert weights_sha256(str(tmp_path)) == sha256(b"one")
    path.write_bytes(b"two")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + 1))
    assert weights_sha256(str(tmp_path)) == sha256(b"two")


def test_weights_in_parts_are_hashed_part_by_part(tmp_path):
    """What ``sha256sum PARTS | sha256sum`` prints; a change in any of them changes it."""
    parts = {"model-1-of-2.safetensors": b"first", "model-2-of-2.safetensors": b"second"}
    for name, content in parts.items():
        (tmp_path / name).write_bytes(content)
    index = {"weight_map": {"a": "model-2-of-2.safetensors", "b": "model-1-of-2.safetensors"}}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps(index))
    lines = "".join(f"{sha256(content)}  {name}\n" for name, content in parts.items())
    assert weights_sha256(str(tmp_path)) == sha256(lines.encode())
    (tmp_path / "model-2-of-2.safetensors").unlink()
    with pytest.raises(InputError, match="a file of the model cannot be read"):
        weights_sha256(str(tmp_path))


def test_weights_in_the_folders_of_a_model_s_parts(tmp_path):
    """As sentence-transformers keeps them: an encoder, and what stands behind it."""
    parts = ("0_Transformer", "1_Pooling", "2_Dense")
    listed = [{"idx": at, "name": str(at), "path": path} for at, path in enumerate(parts)]
    (tmp_path / "modules.json").write_text(json.dumps(listed))
    for name in parts:
        (tmp_path / name).mkdir()
    encoder, dense = (tmp_path / parts[at] / "model.safetensors" for at in (0, 2))
    encoder.write_bytes(b"encoder")
    assert weights_sha256(str(tmp_path)) == sha256(b"encoder")
    dense.write_bytes(b"dense")
    sums = {"0_Transformer": sha256(b"encoder"), "2_Dense": sha256(b"dense")}
    lines = "".join(f"{found}  {name}/model.safetensors\n" for name, found in sums.items())
    assert weights_sha256(str(tmp_path)) == sha256(lines.encode())
    dense.rename(dense.with_name("pytorch_model.bin"))
    encoder.rename(tmp_path / "model.safetensors")
    listed[0]["path"] = ""
    (tmp_path / "modules.json").write_text(json.dumps(listed))
    sums = {"2_Dense/pytorch_model.bin": b"dense", "model.safetensors": b"encoder"}
    lines = "".join(f"{sha256(content)}  {name}\n" for name, content in sums.items())
    assert weights_sha256(str(tmp_path)) == sha256(lines.encode())


def test_settings_are_hashed_separately(tmp_path):
    """Of every part of a model; what is about the model alone, as its README, does not count."""
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    assert settings_sha256(str(tmp_path)) == ""
    (tmp_path / "modules.json").write_text(json.dumps([{"path": ""}, {"path": "1_Pooling"}]))
    (tmp_path / "1_Pooling").mkdir()
    (tmp_path / "1_Pooling" / "config.json").write_text("{}")
    (tmp_path / "vocab.txt").write_text("[UNK]")
    (tmp_path / "README.md").write_text("A model.")
    files = ("1_Pooling/config.json", "modules.json", "vocab.txt")
    lines = "".join(f"{sha256((tmp_path / name).read_bytes())}  {name}\n" for name in files)
    assert settings_sha256(str(tmp_path)) == sha256(lines.encode())
    told = lineage_record(str(tmp_path), 7)
    assert told["settings_sha256"] == sha256(lines.encode())
    assert told["weights_sha256"] == sha256(b"weights")


@pytest.mark.parametrize("name", ["spm.model", "config_sentence_transformers.json"])
def test_vocabulary_and_prompts_of_encoders_are_settings(tmp_path, name):
    """DeBERTa's words lie in the one; what an encoder puts before a text in the other."""
    (tmp_path / "config.json").write_text("{}")
    before = settings_sha256(str(tmp_path))
    (tmp_path / name).write_text('{"prompts": {"query": "Question: "}}')
    assert settings_sha256(str(tmp_path)) != before


def test_weights_outside_the_folder_have_no_hash(tmp_path):
    """An empty hash stands in no record."""
    assert weights_sha256(str(tmp_path)) == ""
    assert "weights_sha256" not in lineage_record(str(tmp_path), 7)


@pytest.mark.parametrize("name", ["nobody/has-such-weights", "/no/such/folder", "a model"])
def test_missing_models_have_no_hash(name):
    """With or without the hub's library, and whether or not the hub could have such a name."""
    assert weights_sha256(name) == ""
