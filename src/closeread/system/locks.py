"""Locks files against other processes; the system releases a lock when its process ends."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Any


def lock_file(file: int | IO[Any], *, wait: bool = False) -> bool:
    """Lock a file until it is closed, at the latest until the process ends.

    Args:
        file: A file open for writing, or its descriptor.
        wait: Wait while another process holds the lock.

    Returns:
        Whether the file is locked. Windows and the file systems of some clusters have no such
        locks; the caller then continues unlocked, because an error would stop only itself.

    Raises:
        BlockingIOError: Another process holds the lock, and ``wait`` is false.
    """
    try:
        import fcntl
    except ImportError:  # Windows
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError:
        return False
    return True


@contextmanager
def exclusive_lock(path: Path) -> Iterator[bool]:
    """Hold an exclusive lock, by a file that exists only during the block; a kill may leave it.

    Args:
        path: The lock file, which serves no other purpose.

    Yields:
        Whether the lock excludes other processes; see ``lock_file``.

    Raises:
        BlockingIOError: Another process holds the lock.
        OSError: The lock file cannot be written.
    """
    with ExitStack() as open_files:
        while True:
            file = open_files.enter_context(path.open("a", encoding="utf-8"))
            locked = lock_file(file)
            if not locked or _has_name(file, path):
                break
            open_files.close()  # the last owner removed the file before it released the lock
        try:
            yield locked
        finally:
            if not locked:  # Windows does not remove open files
                open_files.close()
            # Remove the file before the lock is released: afterwards another process may own it.
            with suppress(OSError):
                path.unlink()


def _has_name(file: IO[Any], path: Path) -> bool:
    """Whether the open file still has its name."""
    try:
        return os.path.samestat(path.stat(), os.fstat(file.fileno()))
    except FileNotFoundError:
        return False
