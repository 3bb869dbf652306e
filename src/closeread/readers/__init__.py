"""Question + passage -> prediction; and how a reader is made from its name and options."""

from collections.abc import Mapping
from typing import Any

from closeread import making
from closeread.protocols import Reader


def make(name: str, options: Mapping[str, Any] | None = None) -> tuple[Reader, dict[str, Any]]:
    """Make a reader; return it with all of its options, defaults included.

    Args:
        name: A name from ``closeread ls readers``, or ``package.module:factory``.
        options: Keyword arguments of its factory.

    Raises:
        UnknownNameError: There is no such reader.
        UsageError: It has no such option, or the value is of the wrong kind.
        MissingExtraError: It needs an optional dependency that is not installed.
    """
    return making.make("reader", name, options)
