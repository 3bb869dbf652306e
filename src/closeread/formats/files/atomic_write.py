"""A file on its way out: written whole, or not at all."""

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
    """Write a value as JSON with a line feed behind it.

    Args:
        path: The file.
        value: What msgspec can encode.
        indent: Spaces by which inner lines are moved; 0 writes one line.
        by_name: Keys of mappings in the order of their names, not in their own: the same file
            however they were come by.

    Raises:
        StorageError: As of ``replacing``.
    """
    raw = msgspec.json.encode(value, order="deterministic" if by_name else None)
    if indent:
        raw = msgspec.json.format(raw, indent=indent)
    with replacing(path) as stream:
        stream.write(raw + b"\n")


@contextlib.contextmanager
def writing(target: Path) -> Iterator[BinaryIO]:
    """Write as ``replacing`` does; compressed, without a time stamp, where it ends in ``.gz``.

    Raises:
        StorageError: As of ``replacing``.
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
    """Write to a neighbour and rename at the end, so that no half file bears the name.

    Missing folders are made. A link stays one, and what it leads to is replaced; a pipe or device
    is written to as it is. Neighbours that killed writers of the same file left are removed first.

    Raises:
        StorageError: The folder cannot be made or written, or the disk is full.
    """
    import tempfile  # costs more than all else here, and readers never need it

    output_place.must_be_no_folder(target)
    if output_place.is_stream(target):
        with _open_stream(target) as stream:
            yield stream
        return
    target = output_place.resolve_link(target)
    partial_files.sweep(target)
    try:
        with folders.made(target.parent):
            handle, name = tempfile.mkstemp(
                dir=target.parent, prefix=partial_files.prefix(target), suffix=partial_files.SUFFIX
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
    """Write to a pipe or a device, which cannot be replaced; its reader may leave."""
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
