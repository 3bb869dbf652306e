"""Reads the members of a zipped log, compressed with deflate or Zstandard, even if it was cut.

The standard library reads method 93 (Zstandard) only since Python 3.14, and it does not open an
archive without its directory, at the end of the file. The members follow each other, each after its
own header, and can be read up to the cut.
"""

import os
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from closeread.errors import InputError
from closeread.formats.files.size_limits import MAX_RATIO
from closeread.formats.logs.records import Problems
from closeread.registry import extras

_LOCAL = struct.Struct("<4sHHHHHLLLHH")
_STORED, _DEFLATED, _ZSTANDARD = 0, 8, 93
_MAX_BYTES = 512 * 2**20  # of an unpacked member: parsed, it takes several times as much
_CHUNK = 2**20


class Member(NamedTuple):
    """The place of a member's bytes, and their compression method."""

    name: str
    method: int
    start: int
    size: int


def iter_members(path: Path, problems: Problems) -> list[Member]:
    """Return the members in the directory; of a cut archive those before the cut, and count it."""
    try:
        with zipfile.ZipFile(path) as archive:
            entries = [(entry.filename, entry.header_offset) for entry in archive.infolist()]
            sizes = {entry.header_offset: entry.compress_size for entry in archive.infolist()}
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        problems.bad.add("cut-log", "the archive is cut off before its directory")
        return list(_walk_members(path))
    members = []
    with path.open("rb") as stream:
        for name, offset in entries:
            stream.seek(max(offset, 0))
            header = _header(stream.read(_LOCAL.size))
            if header is None or offset < 0:  # a manipulated directory may have negative offsets
                problems.bad.add("cut-log", f"the member {name} is missing at its offset")
                continue
            method, _, name_length, extra_length = header
            start = offset + _LOCAL.size + name_length + extra_length
            members.append(Member(name, method, start, sizes[offset]))
    return members


def _header(raw: bytes) -> tuple[int, int, int, int] | None:
    if len(raw) < _LOCAL.size:
        return None
    fields = _LOCAL.unpack(raw)
    if fields[0] != b"PK\x03\x04":
        return None
    return fields[3], fields[7], fields[9], fields[10]


def _walk_members(path: Path) -> Iterator[Member]:
    end = path.stat().st_size
    with path.open("rb") as stream:
        offset = 0
        while header := _header(stream.read(_LOCAL.size)):
            method, size, name_length, extra_length = header
            name = stream.read(name_length).decode("utf-8", "replace")
            start = offset + _LOCAL.size + name_length + extra_length
            if start + size > end or (not size and name.endswith(".json")):
                return  # cut off, or written without its size
            yield Member(name, method, start, size)
            offset = start + size
            stream.seek(offset)


class UnpackedBudget:
    """The limit of the unpacked size of all members of an archive: that of a gzip file.

    Args:
        path: The archive.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._most = self._left = max(_MAX_BYTES, MAX_RATIO * path.stat().st_size)

    def spend(self, n_bytes: int) -> None:
        """Count the bytes of a member.

        Raises:
            InputError: The members so far exceed the limit: a few megabytes may fill a disk.
        """
        self._left -= n_bytes
        if self._left < 0:
            raise InputError(
                f"its members unpack to more than {self._most >> 20:,} MiB together, "
                f"over {MAX_RATIO} times their compressed size",
                where=str(self._path),
                expected="a log",
                cure="if you trust its origin, convert it first: inspect log convert --to json",
            )


def unpack(path: Path, member: Member) -> bytes:
    """Return a member's bytes.

    Raises:
        ValueError: They are damaged, of an unknown compression method, or more than 512 MiB.
        MissingExtraError: They are compressed with Zstandard, and zstandard is not installed.
    """
    with path.open("rb") as stream:
        if member.start + member.size > stream.seek(0, os.SEEK_END):
            raise ValueError("damaged: it extends past the end of the archive")
        if member.size > _MAX_BYTES:
            raise _too_large()
        stream.seek(member.start)
        raw = stream.read(member.size)
    if member.method == _STORED:
        return raw
    if member.method == _DEFLATED:
        return _inflate(raw)
    if member.method != _ZSTANDARD:
        raise ValueError(f"compressed with the unknown method {member.method}")
    return _decompress(raw)


def _inflate(raw: bytes) -> bytes:
    unpacking = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        content = unpacking.decompress(raw, _MAX_BYTES + 1)
    except zlib.error as error:
        raise ValueError(f"damaged: {error}") from error
    if len(content) > _MAX_BYTES:
        raise _too_large()
    if not unpacking.eof:
        raise ValueError("damaged: it is cut off")
    return content


def _decompress(raw: bytes) -> bytes:
    try:
        import zstandard
    except ModuleNotFoundError as error:
        raise extras.missing_extra("inspect's .eval", "zstandard", "logs") from error
    content = bytearray()
    try:
        with zstandard.ZstdDecompressor().stream_reader(raw, read_across_frames=True) as stream:
            while piece := stream.read(_CHUNK):
                content += piece
                if len(content) > _MAX_BYTES:
                    raise _too_large()
    except zstandard.ZstdError as error:
        raise ValueError(f"damaged: {error}") from error
    return bytes(content)


def _too_large() -> ValueError:
    return ValueError(f"unpacks to more than {_MAX_BYTES:,} bytes")
