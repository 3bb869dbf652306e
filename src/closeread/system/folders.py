"""Missing folders: made by whoever writes into them, and gone where nothing was written."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def made(folder: Path) -> Iterator[None]:
    """Make a folder, and those that it lies in, for what is written meanwhile.

    Where that fails, those of them that are empty go again.

    Raises:
        OSError: It cannot be made.
    """
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException:
        with suppress(OSError):
            for path in missing:
                path.rmdir()
        raise
