"""Settings out of their range: those that are, each with what it may be."""

from collections.abc import Mapping
from typing import Any

from closeread.errors import UsageError


def check_ranges(settings: Any, ranges: Mapping[str, tuple[bool, str]], where: str = "") -> None:
    """Refuse numbers that make no sense; those that do are not named.

    Args:
        settings: What was asked for.
        ranges: Of each field whether its value may be, and which values may.
        where: In what the fields stand, for messages.

    Raises:
        UsageError: One is out of its range.
    """
    wrong = {name: told for name, (fits, told) in ranges.items() if not fits}
    if wrong:
        raise UsageError(
            ", ".join(f"{name}={getattr(settings, name):g}" for name in wrong),
            where=where,
            expected=", ".join(f"{name} {told}" for name, told in wrong.items()),
        )
