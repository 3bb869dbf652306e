"""The number of processes that train together, and which is first, from the environment."""

import os

from closeread.errors import UsageError


class LostProcessError(UsageError):
    """Another process of this training ended; only one of the remaining processes raises this."""


def is_first_process() -> bool:
    """Return whether this process is the only one, or the first of those that train together."""
    return os.environ.get("RANK", "0") == "0"


def process_count() -> int:
    """Return how many processes train together; 1 without a launcher."""
    return int(os.environ.get("WORLD_SIZE", "1"))
