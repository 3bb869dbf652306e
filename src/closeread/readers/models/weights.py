"""Hashes a model's weights and the files that configure it.

A folder's name says nothing of what lies in it. Readers keep the hashes in the run's record, so
that a run is not gone on with after a model was changed for another under the same name.
"""

import hashlib
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import TypeVar

import msgspec

from closeread.errors import InputError
from closeread.system.checksums import sha256_of

# In the order in which transformers looks for them; an index names the parts of one model.
_SINGLE = ("model.safetensors", "pytorch_model.bin")
_INDEX = ".index.json"
_MODULES = "modules.json"  # of sentence-transformers: each part of a model has a folder
# What makes other answers of the same weights: their layers' settings, words, prompts, ends.
SETTINGS = (
    "added_tokens.json",
    "chat_template.jinja",
    "config.json",
    "config_sentence_transformers.json",
    "generation_config.json",
    "merges.txt",
    _MODULES,
    "sentence_bert_config.json",
    "sentencepiece.bpe.model",
    "special_tokens_map.json",
    "spiece.model",
    "spm.model",
    "tokenizer.json",
    "tokenizer.model",
    "tokenizer_config.json",
    "vocab.json",
    "vocab.txt",
)
T = TypeVar("T")


class _Index(msgspec.Struct, frozen=True):
    """Which tensor lies in which file."""

    weight_map: dict[str, str]


class _Module(msgspec.Struct, frozen=True):
    """A part of a model of sentence-transformers, and its folder: empty for the model's own."""

    path: str = ""


def weights_sha256(name: str) -> str:
    """Return a hash of a model's weights; empty where they do not lie where they are looked for.

    Of a single file it is what ``sha256sum`` prints; of weights in several files, or folders, that
    of the lines ``sha256sum`` prints of them, by name.

    Args:
        name: A folder, or a hub name that was loaded before: what is hashed is its copy here.

    Raises:
        InputError: A file of the weights cannot be read.
    """
    found = {
        part: file
        for folder in _module_prefixes(name)
        for part, file in _weight_files(name, folder)
    }
    return _hash_file(*found.values()) if len(found) == 1 else _hash_files(found)


def settings_sha256(name: str) -> str:
    """Return a hash of what says how a model's weights are used; empty where there is nothing.

    It is that of the lines that ``sha256sum`` prints of its configuration and its tokenizer's
    files, by name.

    Args:
        name: As of ``weights_sha256``.

    Raises:
        InputError: One of them cannot be read.
    """
    places = [folder + setting for folder in _module_prefixes(name) for setting in SETTINGS]
    return _hash_files({it: file for it in places if (file := _locate_file(name, it)) is not None})


def _module_prefixes(name: str) -> list[str]:
    """Return where a model's weights may lie within it, each as what a file's name begins with."""
    modules: list[_Module] = []
    if (listed := _locate_file(name, _MODULES)) is not None:
        modules = _decode_json(listed, list[_Module])
    return ["", *(f"{one.path.rstrip('/')}/" for one in modules if one.path.strip("./"))]


def _weight_files(name: str, folder: str) -> list[tuple[str, Path]]:
    """Return the files of the weights in a folder, each by its name within the model."""
    for single in _SINGLE:
        if (file := _locate_file(name, folder + single)) is not None:
            return [(folder + single, file)]
        if (index := _locate_file(name, folder + single + _INDEX)) is not None:
            listed = sorted(set(_decode_json(index, _Index).weight_map.values()))
            parts = [(part, _locate_file(name, folder + part)) for part in listed]
            return [(folder + part, file or index.with_name(part)) for part, file in parts]
    return []


def _decode_json(path: Path, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise _unreadable_error(path, error) from error


def _locate_file(name: str, file: str) -> Path | None:
    """Return where a file of a model lies; None where it has no such file."""
    if Path(name).exists():
        path = Path(name, file)
        return path if path.is_file() else None
    try:
        hub = import_module("huggingface_hub")  # comes with what loads models of that name
        found = hub.try_to_load_from_cache(name, file)
    except (ModuleNotFoundError, ValueError):  # or no name that the hub could have
        return None
    return Path(found) if isinstance(found, str) else None


def _hash_files(files: Mapping[str, Path]) -> str:
    lines = [f"{_hash_file(file)}  {name}\n" for name, file in sorted(files.items())]
    return hashlib.sha256("".join(lines).encode()).hexdigest() if lines else ""


def _hash_file(path: Path) -> str:
    try:
        return sha256_of(path)
    except OSError as error:
        raise _unreadable_error(path, error) from error


def _unreadable_error(path: Path, error: Exception) -> InputError:
    return InputError(
        f"a file of the model cannot be read: {error}",
        where=str(path),
        expected="the files that the model was loaded from",
        cure="leave the model's files in place while it is in use",
    )
