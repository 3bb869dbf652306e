"""Checks before some work whether its output can be written.

A disk may fill up and a folder vanish during the work, so the writer checks again. Missing folders
are made by the writer, not before.
"""

import errno
import os
from pathlib import Path

from closeread.errors import StorageError, UsageError

_TRIED_BYTES = 4096  # on a full disk an empty file may still be made


def must_take_file(target: Path) -> None:
    """Check that a file can be written, and leave nothing behind.

    Args:
        target: The file, which may exist; its folder need not.

    Raises:
        StorageError: It cannot be written; says why.
    """
    must_be_no_folder(target)
    if not is_stream(target):
        target = resolve_link(target)
        _try_writing(_nearest_existing(target.parent), target)


def must_not_replace(
    target: Path, source: str | Path, role: str = "the data set that closeread reads"
) -> None:
    """Refuse to overwrite the input, however either path is spelled.

    Args:
        target: The file, which may exist.
        source: The path of the input; it need not be a file.
        role: What messages call the input.

    Raises:
        UsageError: Both are the same file.
    """
    if target.exists() and Path(source).is_file() and target.samefile(source):
        raise UsageError(
            f"would overwrite {role}",
            where=str(target),
            cure="name another file",
        )


def must_take_folder(target: Path) -> None:
    """Check that files can be written into a folder, which need not exist.

    Raises:
        StorageError: They cannot be written; says why.
    """
    _try_writing(_nearest_existing(target), target)


def must_be_no_folder(target: Path) -> None:
    """Refuse a folder where a file is to be written.

    Raises:
        StorageError: It is a folder.
    """
    if target.is_dir():
        raise StorageError(
            "cannot be written: it is a folder",
            where=str(target),
            expected="a file",
            cure="name a file in it",
        )


def output_file_in(folder: Path, name: str) -> Path:
    """Return the path of an output file in a folder that others may have filled.

    Raises:
        StorageError: The path is a link, which may lead to any file of the user's, or a pipe.
    """
    target = folder / name
    if target.is_symlink():
        problem = f"cannot be written: it is a link to {os.path.realpath(target)}"
    elif is_stream(target):
        problem = "cannot be written: it is not a regular file"
    else:
        return target
    raise StorageError(problem, where=str(target), cure="remove it if the folder is yours")


def is_stream(target: Path) -> bool:
    """Whether a path is a pipe or a device, which is written to, not replaced."""
    return target.exists() and not (target.is_file() or target.is_dir())


def resolve_link(target: Path) -> Path:
    """Return the file to replace: the target of a link, so that the link stays; else the path."""
    return Path(os.path.realpath(target)) if target.is_symlink() else target


def write_error(error: OSError, target: Path) -> StorageError:
    """Return the error for a file or folder that the system does not allow to be written."""
    why, cure = str(error.strerror), "free disk space or choose another folder"
    if error.errno == errno.ENOENT:
        why, cure = (
            f"the folder {target.parent} does not exist",
            "create it, or choose another folder",
        )
    elif error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        cure = "choose another folder, or get permission to write there"
    elif error.errno in (errno.ENOTDIR, errno.EEXIST):
        why, cure = "a file is in the place of a folder", "choose another folder"
    return StorageError(f"cannot be written: {why}", where=str(target), cure=cure)


def _nearest_existing(folder: Path) -> Path:
    return next((ancestor for ancestor in (folder, *folder.parents) if ancestor.exists()), folder)


def _try_writing(folder: Path, target: Path) -> None:
    import tempfile  # costs more than all else here

    try:
        with tempfile.TemporaryFile(dir=folder) as stream:
            stream.write(bytes(_TRIED_BYTES))
            stream.flush()
    except OSError as error:
        raise write_error(error, target) from error
