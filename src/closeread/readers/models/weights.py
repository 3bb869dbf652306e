"""Hashes a model's weights and the files that configure it.

Another model may be stored under the same name. Readers keep the hashes in the run's record, so
that a run is not resumed with another model.
"""

import hashlib
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import TypeVar

import msgspec

from closeread.errors import InputError
from closeread.system.checksums import sha256_of

# In the order in which transformers looks for them. An index file lists the parts of split weights.
_SINGLE_FILES = ("model.safetensors", "pytorch_model.bin")
_INDEX_SUFFIX = ".index.json"
_MODULES = "modules.json"  # of sentence-transformers: lists the folders of a model's modules
# Files that change the answers of the same weights: layers, vocabulary, prompts, end tokens.
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
    """The index file of split weights: tensor name -> file name."""

    weight_map: dict[str, str]


class _Module(msgspec.Struct, frozen=True):
    """A module of a sentence-transformers model; an empty path is the model's own folder."""

    path: str = ""


def weights_sha256(name: str) -> str:
    """Return the sha256 of a model's weights; "" if no files of weights are found.

    For a single file it is the file's sha256. For several files it is the sha256 of the lines that
    ``sha256sum`` prints for them, sorted by name.

    Args:
        name: A folder, or a hub name that was loaded before: its cached copy is hashed.

    Raises:
        InputError: A file of the weights cannot be read.
    """
    files = {
        part: file
        for folder in _module_prefixes(name)
        for part, file in _find_weight_files(name, folder)
    }
    return _hash_file(*files.values()) if len(files) == 1 else _hash_files(files)


def settings_sha256(name: str) -> str:
    """Return the sha256 of a model's settings; "" if no settings files are found.

    It is the sha256 of the lines that ``sha256sum`` prints for the files of ``SETTINGS``, sorted by
    name.

    Args:
        name: As for ``weights_sha256``.

    Raises:
        InputError: One of the files cannot be read.
    """
    names = [folder + setting for folder in _module_prefixes(name) for setting in SETTINGS]
    return _hash_files(
        {
            name_in_model: file
            for name_in_model in names
            if (file := _locate_file(name, name_in_model)) is not None
        }
    )


def _module_prefixes(name: str) -> list[str]:
    """Return the prefixes of file names in the model's folder ("") and its modules' ("0_X/")."""
    modules: list[_Module] = []
    if (module_list := _locate_file(name, _MODULES)) is not None:
        modules = _decode_json(module_list, list[_Module])
    return ["", *(f"{module.path.rstrip('/')}/" for module in modules if module.path.strip("./"))]


def _find_weight_files(name: str, folder: str) -> list[tuple[str, Path]]:
    """Return the files of the weights in one folder, each with its name within the model."""
    for single in _SINGLE_FILES:
        if (file := _locate_file(name, folder + single)) is not None:
            return [(folder + single, file)]
        if (index := _locate_file(name, folder + single + _INDEX_SUFFIX)) is not None:
            names = sorted(set(_decode_json(index, _Index).weight_map.values()))
            parts = [(part, _locate_file(name, folder + part)) for part in names]
            return [(folder + part, file or index.with_name(part)) for part, file in parts]
    return []


def _decode_json(path: Path, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise _unreadable_error(path, error) from error


def _locate_file(name: str, file: str) -> Path | None:
    """Return the path of a model's file, in its folder or the hub's cache; None if absent."""
    if Path(name).exists():
        path = Path(name, file)
        return path if path.is_file() else None
    try:
        hub = import_module("huggingface_hub")  # installed with every library that uses hub names
        cached = hub.try_to_load_from_cache(name, file)
    except (ModuleNotFoundError, ValueError):  # ValueError: not a valid hub name
        return None
    return Path(cached) if isinstance(cached, str) else None


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
