"""Turns the write errors of several libraries into one clear message."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from safetensors import SafetensorError

from closeread.errors import StorageError

_WRITE_ERRNOS = (
    errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO,
)  # fmt: skip
# torch and safetensors wrap the system's errors in their own.
_TORCH_WRITE_ERRORS = ("PytorchStreamWriter", "inline_container.cc", "iostream error")


@contextmanager
def explain_write_errors(folder: Path) -> Iterator[None]:
    """Turn write errors in the block into a ``StorageError``.

    Raises:
        StorageError: The folder cannot be written, for example because the disk is full.
    """
    try:
        yield
    except (OSError, SafetensorError, RuntimeError) as error:
        message = str(error).strip().partition("\n")[0]
        is_from_torch = any(part in message for part in _TORCH_WRITE_ERRORS)
        if not (
            is_from_torch or "os error" in message or getattr(error, "errno", None) in _WRITE_ERRNOS
        ):
            raise
        if is_from_torch:
            message = "torch wrote only a part of a file, as it does on a full disk"
        raise StorageError(
            f"cannot be written: {message}",
            where=str(folder),
            cure="free space, then use --resume; complete states are kept",
        ) from error
