"""Which of several processes speaks and writes: the first, as launchers number them."""

import os


def is_first() -> bool:
    """Whether this process is the only one, or the first of those that train together."""
    return os.environ.get("RANK", "0") == "0"
