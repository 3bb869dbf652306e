"""Creates missing folders, and removes them again if nothing could be written into them."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def create_folder(folder: Path) -> Iterator[None]:
    """Create a folder and its missing parents; if the block fails, remove those still empty.

    Raises:
        OSError: The folder cannot be created.
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
