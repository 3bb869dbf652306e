"""How many processes train together, and which of them speaks and writes, as launchers tell."""

import os

from closeread.errors import UsageError


class LostProcessError(UsageError):
    """Another of those that train together is gone; whoever has it to tell is the one who does."""


def is_first_process() -> bool:
    """Whether this process is the only one, or the first of those that train together."""
    return os.environ.get("RANK", "0") == "0"


def process_count() -> int:
    """Return how many processes train together; one where no launcher began them."""
    return int(os.environ.get("WORLD_SIZE", "1"))
