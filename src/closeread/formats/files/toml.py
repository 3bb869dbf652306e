"""Reads TOML files, and describes their errors in TOML's terms."""

import difflib
import re
import tomllib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from closeread.errors import CloseReadError, InputError
from closeread.formats.files.expected_types import expects_tables, split_message
from closeread.formats.files.parse_errors import FIX_FILE, explain

_INDEX = re.compile(r"\[\d+\]")


def read_toml(path: Path, *, cure: str = FIX_FILE) -> dict[str, Any]:
    """Return the tables of a file.

    Args:
        path: The file.
        cure: What to do if it is not TOML.

    Raises:
        InputError: It cannot be read, or is not TOML.
    """
    try:
        return tomllib.loads(path.read_text("utf-8-sig"))
    except OSError as error:
        raise InputError(
            f"cannot be read: {error.strerror}",
            where=str(path),
            cure="check the path and its permissions",
        ) from error
    except UnicodeDecodeError as error:
        raise InputError("not UTF-8 text", where=str(path), cure=cure) from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"not TOML: {error}", where=str(path), cure=cure) from error


@contextmanager
def locate_errors(path: Path) -> Iterator[None]:
    """Put the file in front of the place that an error names."""
    try:
        yield
    except CloseReadError as error:
        if f"{error.where}:".startswith((f"{path}:", f"{path}, at ")):
            raise
        where = f"{path}: {error.where}" if error.where else str(path)
        cure = _relative_path_cure(path) if _exists_beside(path, error.where) else error.cure
        raise type(error)(error.found, where=where, expected=error.expected, cure=cure) from error


def _exists_beside(path: Path, name: str) -> bool:
    """Whether a path that does not exist here exists relative to the file's folder."""
    try:
        return bool(name) and not Path(name).exists() and (path.parent / name).exists()
    except OSError:  # not a path, but a text that is too long for one
        return False


def _relative_path_cure(path: Path) -> str:
    return (
        "paths in it are relative to the working directory, not to the file: write absolute "
        f"paths, or run closeread in {path.parent}"
    )


def describe_unknown_key(key: str, known: Collection[str], prefix: str = "") -> str:
    """Describe an unknown key, with the nearest known one, or all known ones.

    Args:
        key: The key in its table.
        known: The keys of that table.
        prefix: What messages put before each key, such as ``reader.``.
    """
    close_keys = difflib.get_close_matches(key, known, n=1, cutoff=0.5)
    hint = f"did you mean {prefix}{close_keys[0]}?" if close_keys else "known: " + ", ".join(known)
    return f"unknown key {prefix}{key} ({hint})"


def explain_toml(
    error: Exception, file: str, kind: Any, *, within: str = "", cure: str = FIX_FILE
) -> InputError:
    """Turn a value's error into TOML's terms, which has tables and no null.

    Args:
        error: The error of the conversion to a record.
        file: The file's name.
        kind: The type of the record.
        within: The path in the file, such as ``train``.
        cure: What to do.
    """
    json_error = explain(error, file, value={}, within=within, cure=cure, kind=kind)
    found, expected = (
        text.replace("an object", "a table").replace("objects", "tables").replace(" or null", "")
        for text in (json_error.found, json_error.expected)
    )
    _, path = split_message(error)
    header = "[[" + _INDEX.sub("", (within + path.removeprefix("$")).removeprefix(".")) + "]]"
    if expected == "a list" and expects_tables(kind, path):
        expected = f"a list of tables, each under the header {header}"
    elif expected == "a table" and path.endswith("]"):
        expected = f"a table under the header {header}"
    return InputError(found, where=json_error.where, expected=expected, cure=cure)
