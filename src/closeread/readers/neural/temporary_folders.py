"""Temporary folders inside a permanent one; those of killed processes are removed.

Whoever writes holds a lock on a file in its folder, and the system ends a lock with its process,
however that ends. So a folder whose lock can be had is nobody's.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from closeread.system.locks import take

_PREFIX = "making-"
_LOCK = "lock"


@contextmanager
def temporary_folder(within: Path) -> Iterator[Path]:
    """Lend a folder inside of another, and remove those that nobody writes in any more.

    Args:
        within: A folder that is there.

    Raises:
        OSError: It cannot be written.
    """
    for left in within.glob(f"{_PREFIX}*"):
        _remove_if_left(left)
    folder, lock = _locked(within)
    try:
        yield folder
    finally:
        lock.close()  # some systems remove no file that is open
        shutil.rmtree(folder, ignore_errors=True)


def _locked(within: Path) -> tuple[Path, IO[str]]:
    """Make a folder and lock it; another process may take it for left before it is locked."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=within))
        try:
            lock = (folder / _LOCK).open("a", encoding="utf-8")
        except FileNotFoundError:
            continue
        try:
            # Where nothing can be locked, nobody takes it for left.
            if not take(lock) or (folder / _LOCK).stat().st_ino == os.fstat(lock.fileno()).st_ino:
                return folder, lock
        except (BlockingIOError, FileNotFoundError):
            pass
        lock.close()


def _remove_if_left(folder: Path) -> None:
    try:
        with (folder / _LOCK).open("a", encoding="utf-8") as lock:
            if take(lock):
                shutil.rmtree(folder, ignore_errors=True)
    except OSError:  # somebody writes in it, has just removed it, or it is another user's
        return
