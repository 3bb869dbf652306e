"""How many of something there are, in words."""


def count_of(count: int, one: str, several: str = "") -> str:
    """Return ``1 passage``, ``2,431 passages``.

    Args:
        count: How many.
        one: What one of them is called, with what is said of it.
        several: The same of several; by default with an ``s`` behind it.
    """
    return f"{count:,} {one if count == 1 else several or one + 's'}"
