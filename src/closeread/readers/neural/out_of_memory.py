"""Tells exhausted memory from a model that cannot compute its input."""

import torch

from closeread.errors import UsageError
from closeread.readers.models.location import first_line

_OF_A_PROCESSOR = "DefaultCPUAllocator"  # torch raises a plain RuntimeError for that


def check_memory(name: str, error: Exception) -> None:
    """Tell of memory that is used up, where that is why a model that is tried failed.

    Args:
        name: The model's folder or hub name.
        error: How it failed.

    Raises:
        UsageError: No memory was left.
    """
    if isinstance(error, (torch.OutOfMemoryError, MemoryError)) or _OF_A_PROCESSOR in str(error):
        raise UsageError(
            f"memory ran out on two short texts: {first_line(error)}",
            where=name,
            cure="stop other programs that use the device's memory, or use a smaller model",
        ) from error
