"""Refuses settings that are out of range."""

from collections.abc import Mapping
from typing import Any

from closeread.errors import UsageError


def check_ranges(settings: Any, ranges: Mapping[str, tuple[bool, str]], where: str = "") -> None:
    """Refuse settings that are out of range, all in one message.

    Args:
        settings: A record with the fields that ``ranges`` names.
        ranges: By field, whether its value is in range, and the range in words.
        where: The table of the fields, for messages.

    Raises:
        UsageError: A value is out of range.
    """
    wrong = {name: expected for name, (is_in_range, expected) in ranges.items() if not is_in_range}
    if wrong:
        raise UsageError(
            ", ".join(f"{name}={getattr(settings, name):g}" for name in wrong),
            where=where,
            expected=", ".join(f"{name} {expected}" for name, expected in wrong.items()),
        )
