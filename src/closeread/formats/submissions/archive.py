"""Reads the one file of predictions in a zip archive, in any of its folders."""

import zipfile
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from closeread.errors import InputError
from closeread.formats.files.size_limits import MAX_PREDICTIONS_BYTES
from closeread.formats.submissions import gcrc_package
from closeread.wording import count_of, first_names

_ENDINGS = (".json", ".jsonl")
_CURE = "unpack it and pass the file of predictions"


class Packed(NamedTuple):
    """The predictions of an archive: the member's name, and its bytes."""

    name: str
    raw: bytes


def read_packed(path: Path, *, of_triples: bool) -> Packed | None:
    """Return the predictions of an archive, without a byte-order mark; None if it is not a zip.

    Args:
        path: The file.
        of_triples: Whether GCRC_advRobust's package is expected, with all of its parts.

    Raises:
        InputError: The archive is broken, or holds no such file or several. For the evaluation's
            package see ``gcrc_package.unpack``.
    """
    if not gcrc_package.is_zip(path):
        return None
    try:
        with zipfile.ZipFile(path) as archive:
            members = [info for info in archive.infolist() if not info.is_dir()]
            names = {PurePosixPath(member.filename).name for member in members}
            if not (of_triples or names & {gcrc_package.PREDICTIONS, *gcrc_package.BESIDE}):
                return _only_member(path, archive, members)
    except InputError:
        raise
    except Exception as error:  # a damaged archive raises any of many errors
        if not of_triples:
            raise _archive_error(path, f"the archive cannot be read: {error}") from error
    return Packed(gcrc_package.PREDICTIONS, gcrc_package.unpack(path))


def _only_member(path: Path, archive: zipfile.ZipFile, members: list[zipfile.ZipInfo]) -> Packed:
    candidates = [
        member for member in members if _may_be_predictions(PurePosixPath(member.filename))
    ]
    if len(candidates) != 1:
        names = [entry.filename for entry in candidates or members]
        n_candidates = count_of(len(candidates), "file that may hold", "files that may hold")
        raise _archive_error(
            path, f"{n_candidates} predictions in the archive: {first_names(names)}"
        )
    (member,) = candidates
    if member.file_size > MAX_PREDICTIONS_BYTES:
        raise _archive_error(
            path, f"{member.filename} unpacks to more than {MAX_PREDICTIONS_BYTES:,} bytes"
        )
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise _archive_error(path, f"{member.filename} is not compressed with deflate")
    if not member.file_size:
        raise _archive_error(path, f"{member.filename} is empty")
    return Packed(member.filename, gcrc_package.read_member(archive, member.filename))


def _may_be_predictions(name: PurePosixPath) -> bool:
    """Whether a member may be predictions, and is not one of macOS's shadow files."""
    hidden = any(part.startswith(".") or part == "__MACOSX" for part in name.parts)
    return name.suffix.lower() in _ENDINGS and not hidden


def _archive_error(path: Path, problem: str) -> InputError:
    return InputError(
        problem,
        where=str(path),
        expected="one file of predictions, " + " or ".join(_ENDINGS),
        cure=_CURE,
    )
