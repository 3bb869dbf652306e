"""Reads files that a closeread command learned and wrote, such as a calibrator."""

from pathlib import Path
from typing import TypeVar

import msgspec

from closeread.errors import InputError

T = TypeVar("T")


def read_learned(path: Path, kind: type[T], *, called: str, command: str) -> T:
    """Read a file that a command wrote.

    Args:
        path: The file.
        kind: The record in it.
        called: The name in messages, such as ``a calibrator``.
        command: The command that writes such a file.

    Raises:
        InputError: It cannot be read, or does not hold such a record.
    """
    try:
        # Its checksum is recorded, and a pipe can be read only once, and may never deliver.
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise InputError(
                "not a regular file", where=str(path), cure="save the content to a file first"
            )
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except OSError as error:
        raise InputError(
            f"cannot be read: {error.strerror}",
            where=str(path),
            cure=f"`{command}` writes one"
            if isinstance(error, FileNotFoundError)
            else "check the path and its permissions",
        ) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(
            f"not {called}: {error}",
            where=str(path),
            expected=f"the JSON that `{command}` writes",
        ) from error
