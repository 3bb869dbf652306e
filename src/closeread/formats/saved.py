"""Writes a record as a JSON file, whole or not at all."""

from pathlib import Path
from typing import Any

import msgspec

from closeread.formats.files.outcome import refused
from closeread.formats.registry import replacing


def save_json(path: Path, value: Any, *, indent: int = 0, by_name: bool = False) -> None:
    """Write a value as JSON with a line feed behind it; missing folders are made.

    Args:
        path: The file.
        value: What msgspec can encode.
        indent: Spaces by which inner lines are moved; 0 writes one line.
        by_name: Keys of mappings in the order of their names, not in their own: the same file
            however they were come by.

    Raises:
        StorageError: The folder cannot be made, or the file cannot be written.
    """
    raw = msgspec.json.encode(value, order="deterministic" if by_name else None)
    if indent:
        raw = msgspec.json.format(raw, indent=indent)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise refused(error, path) from error
    with replacing(path) as stream:
        stream.write(raw + b"\n")
