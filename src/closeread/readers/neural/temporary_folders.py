"""Temporary folders inside a permanent one; those of killed processes are removed.

A process locks a file in its folder while it writes, and the system releases the lock when the
process ends in any way. So a folder whose lock is free is abandoned.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from closeread.system.locks import lock_file

_PREFIX = "making-"
_LOCK = "lock"


@contextmanager
def temporary_folder(within: Path) -> Iterator[Path]:
    """Make a folder inside another for the duration of a block, and remove abandoned ones.

    Args:
        within: An existing folder.

    Raises:
        OSError: The folder cannot be written.
    """
    for abandoned in within.glob(f"{_PREFIX}*"):
        _remove_if_abandoned(abandoned)
    folder, lock = _make_locked_folder(within)
    try:
        yield folder
    finally:
        lock.close()  # some systems cannot remove an open file
        shutil.rmtree(folder, ignore_errors=True)


def _make_locked_folder(within: Path) -> tuple[Path, IO[str]]:
    """Return a new folder and its lock; retries if another process removes it before the lock."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=within))
        try:
            lock = (folder / _LOCK).open("a", encoding="utf-8")
        except FileNotFoundError:
            continue
        try:
            # On a system without locks, no folder counts as abandoned.
            if (
                not lock_file(lock)
                or (folder / _LOCK).stat().st_ino == os.fstat(lock.fileno()).st_ino
            ):
                return folder, lock
        except (BlockingIOError, FileNotFoundError):
            pass
        lock.close()


def _remove_if_abandoned(folder: Path) -> None:
    try:
        with (folder / _LOCK).open("a", encoding="utf-8") as lock:
            if lock_file(lock):
                shutil.rmtree(folder, ignore_errors=True)
    except OSError:  # in use, just removed by another process, or another user's
        return
