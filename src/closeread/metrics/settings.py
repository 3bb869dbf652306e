"""Format settings for signatures and notes so that they can be read back exactly."""


def format_exactly(number: float) -> str:
    """Return the shortest text that reads back as the number: ``1``, ``0.95``, ``0.123456789``."""
    return repr(float(number)).removesuffix(".0")
