"""Weights are told apart by what they hold, wherever and in however many files they lie."""

import hashlib
import json
import os

import pytest

from closeread.errors import InputError
from closeread.readers.lineage import lineage_record
from closeread.readers.weights import weights_sha256


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def test_a_single_file_has_its_own_sum(tmp_path):
    """Safetensors go before pickled weights, as they do when they are loaded."""
    (tmp_path / "pytorch_model.bin").write_bytes(b"pickled")
    assert weights_sha256(str(tmp_path)) == sha256(b"pickled")
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    assert weights_sha256(str(tmp_path)) == sha256(b"weights")
    assert lineage_record(str(tmp_path), 7)["weights_sha256"] == sha256(b"weights")


def test_others_under_the_same_name_are_noticed(tmp_path):
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
    with pytest.raises(InputError, match="the weights cannot be read"):
        weights_sha256(str(tmp_path))


def test_weights_that_lie_elsewhere_are_not_told(tmp_path):
    """An empty hash stands in no record."""
    assert weights_sha256(str(tmp_path)) == ""
    assert "weights_sha256" not in lineage_record(str(tmp_path), 7)
