"""Readers answer questions about passages; ``make`` creates one from its name and options."""

from collections.abc import Mapping
from typing import Any

from closeread import catalog
from closeread.errors import UsageError
from closeread.protocols import Reader
from closeread.registry import factory


def make(name: str, options: Mapping[str, Any] | None = None) -> tuple[Reader, dict[str, Any]]:
    """Make a reader; return it with all of its options, defaults included.

    Args:
        name: A name from ``closeread ls readers``, ``package.module:factory``, or the address of a
            server: ``http:localhost:8000`` is the reader ``http`` with this ``url``.
        options: Keyword arguments of its factory.

    Raises:
        UnknownNameError: There is no such reader.
        UsageError: It has no such option, or the value is of the wrong kind.
        MissingExtraError: It needs an optional dependency that is not installed.
    """
    if name.startswith(catalog.ADDRESS):
        if "url" in (options or {}):
            raise UsageError(
                "the server's address is given twice",
                where=f"--reader {name}",
                cure="leave out -o url=",
            )
        return factory.make("reader", "http", {"url": name, **(options or {})})
    return factory.make("reader", name, options)
