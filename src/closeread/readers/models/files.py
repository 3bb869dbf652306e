"""Checks a model's folder before a library opens it, since it may come from a stranger.

A library waits for ever on a pipe and reads a device without end. It reads settings whole, and
builds as many layers as they name before it looks for their weights.
"""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from closeread.errors import InputError
from closeread.readers.models.weights import SETTINGS

_MAX_BYTES = 256 * 2**20  # of settings or words; the largest that are published have 40 MiB
_LAYERS = ("num_hidden_layers", "num_layers", "n_layer", "n_layers", "encoder_layers",
           "decoder_layers")  # fmt: skip
# The deepest that are published have fewer than 200; a hundred thousand take minutes and gigabytes.
_MAX_SIZES = dict.fromkeys(_LAYERS, 1000) | {"num_labels": 100_000}


def check_files(folder: Path) -> None:
    """Reject a model's folder that would make a library run without end.

    Args:
        folder: That is there; parts of a model may have folders of their own in it.

    Raises:
        InputError: A pipe or a device lies in it, settings of more than 256 MiB, or a configuration
            that tells of more layers or classes than any model has.
    """
    for file in _iter_files(folder):
        if not file.is_file():
            raise _refusal(
                f"{file.name} is a pipe or a device", file, "regular files and folders only"
            )
        if file.name in SETTINGS and file.stat().st_size > _MAX_BYTES:
            found = f"{file.name} has {file.stat().st_size:,} bytes"
            raise _refusal(found, file, f"at most {_MAX_BYTES:,}")
        if file.name == "config.json":
            _check_sizes(file)


def _iter_files(folder: Path) -> Iterator[Path]:
    with suppress(OSError):  # what may not be read is told by whoever opens it
        for one in sorted(folder.iterdir()):
            inner = sorted(one.iterdir()) if one.is_dir() else [one]
            yield from (file for file in inner if file.exists() and not file.is_dir())


def _check_sizes(file: Path) -> None:
    try:
        told = msgspec.json.decode(file.read_bytes(), type=dict[str, Any])
    except (OSError, ValueError, RecursionError):  # the library says what is wrong with it
        return
    parts: list[dict[str, Any]] = [told]
    while parts:  # `text_config`, and what a model of several models has in it, however deep
        part = parts.pop()
        for name, most in _MAX_SIZES.items():
            if isinstance(part.get(name), int) and part[name] > most:
                raise _refusal(f"{name} = {part[name]:,}", file, f"at most {most:,}")
        parts += [inner for inner in part.values() if isinstance(inner, dict)]


def _refusal(found: str, file: Path, expected: str) -> InputError:
    return InputError(
        f"the model cannot be opened: {found}",
        where=str(file),
        expected=expected,
        cure="check where the folder comes from: no published model is like this",
    )
