"""A stranger's model folder: nothing is waited for, or read, without end."""

import os
from pathlib import Path

import pytest

from closeread.errors import InputError
from closeread.readers.models.location import check_location


@pytest.fixture
def folder(tmp_path):
    """A folder as models have them, one of its parts in a folder of its own."""
    (tmp_path / "config.json").write_text('{"num_hidden_layers": 24, "num_labels": 3}')
    (tmp_path / "model.safetensors").write_bytes(b"")
    (tmp_path / "1_Pooling").mkdir()
    (tmp_path / "1_Pooling" / "config.json").write_text("{}")
    return tmp_path


def refusal(folder: Path) -> InputError:
    with pytest.raises(InputError, match="the model cannot be opened") as told:
        check_location(str(folder))
    return told.value


def test_usual_model_configurations_pass(folder):
    (folder / "vocab.txt").symlink_to(folder / "gone")  # the library tells of it
    (folder / "merges.txt").symlink_to(folder / "config.json")  # as the hub keeps files
    check_location(str(folder))


@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "1_Pooling/config.json"])
@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_pipes_and_devices_are_rejected(folder, name, kind):
    (folder / name).unlink()
    if kind == "pipe":
        os.mkfifo(folder / name)
    else:
        (folder / name).symlink_to("/dev/zero")
    told = refusal(folder)
    assert told.where == str(folder / name)
    assert "is a pipe or a device" in told.found


def test_huge_settings_files_are_rejected(folder):
    with (folder / "tokenizer.json").open("wb") as stream:
        stream.truncate(500 * 2**20)
    assert "tokenizer.json has 524,288,000 bytes" in refusal(folder).found


def test_large_weights_are_accepted(folder):
    with (folder / "model.safetensors").open("wb") as stream:
        stream.truncate(500 * 2**20)
    check_location(str(folder))


@pytest.mark.parametrize("name", ["num_hidden_layers", "n_layer", "decoder_layers", "num_labels"])
def test_impossible_model_sizes_are_rejected(folder, name):
    (folder / "config.json").write_text(f'{{"{name}": 1000000000}}')
    assert f"{name} = 1,000,000,000" in refusal(folder).found


def test_sizes_of_model_parts_are_limited_too(folder):
    """As its text's beside its pictures', and theirs, however deep."""
    inner = '{"num_hidden_layers": 1000000000}'
    for _ in range(400):
        inner = f'{{"other": 1, "text_config": {inner}}}'
    (folder / "config.json").write_text(inner)
    assert "num_hidden_layers = 1,000,000,000" in refusal(folder).found


@pytest.mark.parametrize("text", ["", "[]", "{", '{"num_hidden_layers": "many"}', "[" * 100_000])
def test_other_errors_in_settings_are_left_to_the_library(folder, text):
    (folder / "config.json").write_text(text)
    check_location(str(folder))
