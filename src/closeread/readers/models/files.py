"""Checks a model's folder before a library opens it, since it may come from an unknown source.

A library would wait for ever on a pipe and read a device without end. It reads whole settings files
and builds as many layers as the configuration names before it looks for their weights.
"""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from closeread.errors import InputError
from closeread.readers.models.weights import SETTINGS

_MAX_BYTES = 256 * 2**20  # of a settings or vocabulary file; the largest published have 40 MiB
_LAYERS = ("num_hidden_layers", "num_layers", "n_layer", "n_layers", "encoder_layers",
           "decoder_layers")  # fmt: skip
# Published models have fewer than 200 layers; a hundred thousand take minutes and gigabytes.
_MAX_SIZES = dict.fromkeys(_LAYERS, 1000) | {"num_labels": 100_000}


def check_files(folder: Path) -> None:
    """Reject a model's folder that would make a library hang or use up the memory.

    Args:
        folder: An existing folder; its direct subfolders are checked too.

    Raises:
        InputError: It contains a pipe or a device, a settings file of more than 256 MiB, or a
            configuration with more layers or classes than any published model has.
    """
    for file in _iter_files(folder):
        if not file.is_file():
            raise _unsafe_model_error(
                f"{file.name} is a pipe or a device", file, "regular files and folders only"
            )
        if file.name in SETTINGS and file.stat().st_size > _MAX_BYTES:
            problem = f"{file.name} has {file.stat().st_size:,} bytes"
            raise _unsafe_model_error(problem, file, f"at most {_MAX_BYTES:,}")
        if file.name == "config.json":
            _check_sizes(file)


def _iter_files(folder: Path) -> Iterator[Path]:
    with suppress(OSError):  # the library reports what it may not read
        for entry in sorted(folder.iterdir()):
            files = sorted(entry.iterdir()) if entry.is_dir() else [entry]
            yield from (file for file in files if file.exists() and not file.is_dir())


def _check_sizes(file: Path) -> None:
    try:
        config = msgspec.json.decode(file.read_bytes(), type=dict[str, Any])
    except (OSError, ValueError, RecursionError):  # the library reports a broken file
        return
    parts: list[dict[str, Any]] = [config]
    while parts:  # nested configurations of composite models, such as `text_config`
        part = parts.pop()
        for name, limit in _MAX_SIZES.items():
            if isinstance(part.get(name), int) and part[name] > limit:
                raise _unsafe_model_error(f"{name} = {part[name]:,}", file, f"at most {limit:,}")
        parts += [inner for inner in part.values() if isinstance(inner, dict)]


def _unsafe_model_error(problem: str, file: Path, expected: str) -> InputError:
    return InputError(
        f"the model cannot be opened: {problem}",
        where=str(file),
        expected=expected,
        cure="check where the folder comes from: no published model is like this",
    )
