"""Arguments that are one name or several."""

from collections.abc import Iterable
from typing import Any, TypeVar

from closeread.errors import UsageError

Name = TypeVar("Name", bound=str)


def as_names(names: Name | Iterable[Name]) -> tuple[Name, ...]:
    """Return the given names, one or several, as a tuple.

    Raises:
        UsageError: A name is not text, such as an object instead of its name.
    """
    value: Any = names
    result = (value,) if isinstance(value, str) or not isinstance(value, Iterable) else tuple(value)
    for name in result:
        if not isinstance(name, str):
            raise UsageError(
                f"{name!r:.80} is not a name",
                expected="text; for your own code package.module:Name, in a notebook __main__:Name",
            )
    return result
