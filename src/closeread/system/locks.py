"""Locks on files: one process keeps the others out, and the system ends them with the process."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Any


def take(file: int | IO[Any], *, wait: bool = False) -> bool:
    """Lock a file until it is closed, at the latest until the process ends.

    Args:
        file: Open for writing, or its descriptor.
        wait: Wait for another process that has it.

    Returns:
        Whether it can be locked: on Windows, and on the file systems of some clusters, none can.
        Work goes on without: to refuse it would keep out the one who asks, and no other.

    Raises:
        BlockingIOError: Another process has it, and ``wait`` is not asked for.
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
def alone(path: Path) -> Iterator[bool]:
    """Keep others out by a locked file, which is there only meanwhile; a kill may leave it behind.

    Args:
        path: Its name, for this alone.

    Returns:
        Whether others are kept out; see ``take``.

    Raises:
        BlockingIOError: Another process has it.
        OSError: It cannot be written.
    """
    with ExitStack() as held:
        while True:
            file = held.enter_context(path.open("a", encoding="utf-8"))
            locked = take(file)
            if not locked or _is_there(file, path):
                break
            held.close()  # its owner removed it before giving up the lock
        try:
            yield locked
        finally:
            if not locked:  # no one is kept out, and Windows removes no file that is open
                held.close()
            # A locked file goes before its lock does: afterwards it may be another's.
            with suppress(OSError):
                path.unlink()


def _is_there(file: IO[Any], path: Path) -> bool:
    """Whether the open file still has its name."""
    try:
        return os.path.samestat(path.stat(), os.fstat(file.fileno()))
    except FileNotFoundError:
        return False
