"""Extracts named members of a verified zip archive, each completely or not at all."""

import os
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

from closeread.downloads.published import Member
from closeread.errors import MismatchError, StorageError


def extract(
    archive: Path, members: tuple[Member, ...], folder: Path, check: Callable[[Path, Member], None]
) -> list[Path]:
    """Extract members of a zip archive, under closeread's names, never under the archive's.

    An existing file is left alone if its size and CRC are those of the member.

    Args:
        archive: A zip archive with a correct checksum.
        members: What to extract.
        folder: The folder that the members' names are relative to.
        check: Inspects a complete member before it gets its name; raises if it is wrong.

    Raises:
        MismatchError: Not a zip archive, or a member is missing or damaged.
        StorageError: The disk is full.
    """
    try:
        with zipfile.ZipFile(archive) as opened:
            return [_extract_member(opened, member, folder, check) for member in members]
    except (zipfile.BadZipFile, zlib.error, KeyError, NotImplementedError) as error:
        raise MismatchError(
            f"not the expected archive ({error})",
            where=str(archive),
            cure="delete it and download it again",
        ) from error
    except OSError as error:
        raise StorageError(
            f"cannot be unpacked: {error.strerror}", where=str(archive), cure="free space"
        ) from error


def _extract_member(
    opened: zipfile.ZipFile, member: Member, folder: Path, check: Callable[[Path, Member], None]
) -> Path:
    info = opened.getinfo(member.inside)
    target = folder / member.name
    if target.exists() and target.stat().st_size == info.file_size and _crc(target) == info.CRC:
        check(target, member)
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(target.name + ".part")
    try:
        with opened.open(info) as source, partial.open("wb") as stream:
            while block := source.read(1 << 20):
                stream.write(block)
            stream.flush()
            os.fsync(stream.fileno())
        check(partial, member)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
    return target


def _crc(path: Path) -> int:
    crc = 0
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            crc = zlib.crc32(block, crc)
    return crc
