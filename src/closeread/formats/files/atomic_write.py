"""Writes files atomically: whole or not at all."""

import contextlib
import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

import msgspec

from closeread.formats.files import output_place
from closeread.system import folders, partial_files


def save_json(path: Path, value: Any, *, indent: int = 0, by_name: bool = False) -> None:
    """Write a value as JSON with a final line feed.

    Args:
        path: The file.
        value: Any value that msgspec can encode.
        indent: Spaces of indentation; 0 writes one line.
        by_name: Sort the keys of mappings by name, so that equal values give equal files.

    Raises:
        StorageError: See ``replacing``.
    """
    raw = msgspec.json.encode(value, order="deterministic" if by_name else None)
    if indent:
        raw = msgspec.json.format(raw, indent=indent)
    with replacing(path) as stream:
        stream.write(raw + b"\n")


@contextlib.contextmanager
def writing(target: Path) -> Iterator[BinaryIO]:
    """Write as ``replacing`` does; compress, without a time stamp, if the path ends in ``.gz``.

    Raises:
        StorageError: See ``replacing``.
    """
    with replacing(target) as stream:
        if target.suffix != ".gz":
            yield stream
            return
        import gzip

        packed = gzip.GzipFile(filename="", fileobj=stream, mode="wb", mtime=0)
        with packed, io.BufferedWriter(cast(Any, packed)) as buffered:
            yield buffered


@contextlib.contextmanager
def replacing(target: Path) -> Iterator[BinaryIO]:
    """Write to a temporary file beside the target and rename it at the end.

    Makes missing folders. A link stays, and its target is replaced; a pipe or device is written to
    directly. Temporary files that killed writers of the same file left are removed first.

    Raises:
        StorageError: The folder cannot be made or written, or the disk is full.
    """
    import tempfile  # slow to import, and readers do not need it

    output_place.must_be_no_folder(target)
    if output_place.is_stream(target):
        with _open_stream(target) as stream:
            yield stream
        return
    target = output_place.resolve_link(target)
    partial_files.remove_abandoned(target)
    try:
        with folders.create_folder(target.parent):
            handle, name = tempfile.mkstemp(
                dir=target.parent,
                prefix=partial_files.name_prefix(target),
                suffix=partial_files.SUFFIX,
            )
            try:
                with os.fdopen(handle, "wb") as stream:
                    yield stream
                Path(name).chmod(0o666 & ~_umask())
                Path(name).replace(target)
            except BaseException:
                Path(name).unlink(missing_ok=True)
                raise
    except OSError as error:
        raise output_place.write_error(error, target) from error


@contextlib.contextmanager
def _open_stream(target: Path) -> Iterator[BinaryIO]:
    """Write to a pipe or a device, which cannot be replaced; its reader may close it."""
    try:
        with target.open("wb") as stream:
            yield stream
    except BrokenPipeError:
        raise
    except OSError as error:
        raise output_place.write_error(error, target) from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
