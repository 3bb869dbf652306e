"""Turns the errors of libraries that cannot write a folder into one clear message."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from safetensors import SafetensorError

from closeread.errors import StorageError

_WRITE_ERRNOS = (
    errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO,
)  # fmt: skip
# torch and safetensors have errors of their own for what the system tells them.
_TORCH_WRITE_ERRORS = ("PytorchStreamWriter", "inline_container.cc", "iostream error")


@contextmanager
def explain_write_errors(folder: Path) -> Iterator[None]:
    """Turn write errors in the block into a ``StorageError``.

    Raises:
        StorageError: The disk is full, or the like.
    """
    try:
        yield
    except (OSError, SafetensorError, RuntimeError) as error:
        found = str(error).strip().partition("\n")[0]
        of_torch = any(one in found for one in _TORCH_WRITE_ERRORS)
        if not (of_torch or "os error" in found or getattr(error, "errno", None) in _WRITE_ERRNOS):
            raise
        if of_torch:
            found = "torch wrote only a part of a file, as it does on a full disk"
        raise StorageError(
            f"cannot be written: {found}",
            where=str(folder),
            cure="free space, then use --resume; complete states are kept",
        ) from error
