"""Where the outcome of some work is to be kept: told before the work what is wrong with it.

A disk may fill up and a folder vanish while the work is done, so whoever writes is told again.
Folders that are missing are made by whoever writes, and not before.
"""

import errno
import os
from pathlib import Path

from closeread.errors import StorageError, UsageError

_TRIED_BYTES = 4096  # a full disk may still make an empty file


def must_take_file(target: Path) -> None:
    """Try whether a file can be written; nothing stays behind.

    Args:
        target: The file, which may be there already; its folder need not be.

    Raises:
        StorageError: It cannot; says why.
    """
    must_be_no_folder(target)
    if not is_stream(target):
        target = resolve_link(target)
        _try_writing(_nearest_existing(target.parent), target)


def must_not_replace(
    target: Path, source: str | Path, what: str = "the data set that closeread reads"
) -> None:
    """Refuse to write over what is read, however either is spelled.

    Args:
        target: The file, which may be there already.
        source: The path of what is read; it need not be a file.
        what: What that is.

    Raises:
        UsageError: Both are one file.
    """
    if target.exists() and Path(source).is_file() and target.samefile(source):
        raise UsageError(
            f"would overwrite {what}",
            where=str(target),
            cure="name another file",
        )


def must_take_folder(target: Path) -> None:
    """Try whether files can be written into a folder, which need not be there yet.

    Raises:
        StorageError: They cannot; says why.
    """
    _try_writing(_nearest_existing(target), target)


def must_be_no_folder(target: Path) -> None:
    """Refuse a folder where a file is to be written.

    Raises:
        StorageError: It is one.
    """
    if target.is_dir():
        raise StorageError(
            "cannot be written: it is a folder",
            where=str(target),
            expected="a file",
            cure="name a file in it",
        )


def output_file_in(folder: Path, name: str) -> Path:
    """Return the place of a file in a folder that others may have filled.

    Raises:
        StorageError: A link stands there, which may lead to any file of the user's, or a pipe.
    """
    target = folder / name
    if target.is_symlink():
        found = f"cannot be written: it is a link to {os.path.realpath(target)}"
    elif is_stream(target):
        found = "cannot be written: it is not a regular file"
    else:
        return target
    raise StorageError(found, where=str(target), cure="remove it if the folder is yours")


def is_stream(target: Path) -> bool:
    """Whether a path is a pipe or a device, which is written to and never replaced."""
    return target.exists() and not (target.is_file() or target.is_dir())


def resolve_link(target: Path) -> Path:
    """Return what is to be replaced: where a link leads, so that it stays one; else the path."""
    return Path(os.path.realpath(target)) if target.is_symlink() else target


def write_error(error: OSError, target: Path) -> StorageError:
    """Return the error of a file or folder that the system does not let us write."""
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
    return next((one for one in (folder, *folder.parents) if one.exists()), folder)


def _try_writing(folder: Path, target: Path) -> None:
    import tempfile  # costs more than all else here

    try:
        with tempfile.TemporaryFile(dir=folder) as stream:
            stream.write(bytes(_TRIED_BYTES))
            stream.flush()
    except OSError as error:
        raise write_error(error, target) from error
