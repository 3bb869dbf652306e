"""Distinguishes exhausted memory from a model that fails on its input."""

import torch

from closeread.errors import UsageError
from closeread.readers.models.location import first_line

_CPU_ALLOCATOR = "DefaultCPUAllocator"  # its errors are plain RuntimeErrors


def check_memory(name: str, error: Exception) -> None:
    """Raise a clear error if a model failed on short texts because memory ran out.

    Args:
        name: The model's folder or hub name.
        error: The error of the model.

    Raises:
        UsageError: Memory ran out.
    """
    if isinstance(error, (torch.OutOfMemoryError, MemoryError)) or _CPU_ALLOCATOR in str(error):
        raise UsageError(
            f"memory ran out on two short texts: {first_line(error)}",
            where=name,
            cure="stop other programs that use the device's memory, or use a smaller model",
        ) from error
