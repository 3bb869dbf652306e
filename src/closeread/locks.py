"""Locks on files: one process keeps the others out, and the system ends them with the process."""

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
