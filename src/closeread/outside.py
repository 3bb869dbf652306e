"""What parts that others wrote give: taken where it holds, and else told with whose it is."""

from numbers import Integral, Real
from typing import Any, TypeVar

import msgspec

from closeread.errors import UsageError

T = TypeVar("T")


def plain(value: object) -> int | float:
    """Return a number of another library's (numpy's, torch's) as Python's own.

    Raises:
        TypeError: It is no number; the text says of which type it is.
    """
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value)
    kind = type(value)
    raise TypeError(f"there is an object of the type {kind.__module__}.{kind.__qualname__}")


def sound(found: T) -> T:
    """Return a record with every field of the type that it promises: plain numbers, real spans.

    Raises:
        ValueError: A field is of another type; the text says which.
        TypeError: As of ``plain``.
    """
    fields = msgspec.to_builtins(found, enc_hook=plain)
    return msgspec.convert(fields, type(found))


def must_be(found: Any, wanted: type[T], whose: str) -> T:
    """Return what a part gave as the record that it promised.

    Raises:
        UsageError: It is something else, or a field of it is.
    """
    if not isinstance(found, wanted):
        raise UsageError(
            f"{whose} gave an object of the type {type(found).__name__}",
            expected=f"one of the type {wanted.__name__} (docs/extend.md)",
        )
    try:
        return sound(found)
    except (TypeError, ValueError) as error:
        raise UsageError(
            f"{whose} gave a {wanted.__name__} that does not hold: {error}",
            expected="fields of the types that closeread/types.py says",
        ) from error
