"""Question + passage -> prediction; and how a reader is made from its name and options."""

import inspect
from collections.abc import Mapping
from typing import Any

from closeread import catalog
from closeread.errors import UsageError
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
    factory = catalog.resolve("reader", name)
    given = dict(options or {})
    parameters = inspect.signature(factory).parameters.values()
    open_ended = any(one.kind is one.VAR_KEYWORD for one in parameters)
    known = {
        one.name: one
        for one in parameters
        if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)
    }
    for option, value in given.items():
        if option in known:
            given[option] = _fitting(name, known[option], value)
        elif not open_ended:
            raise _unknown_option(name, option, list(known))
    missing = [
        one for one in known if one not in given and known[one].default is inspect.Parameter.empty
    ]
    if missing:
        raise UsageError(
            f"the reader {name} needs the option {missing[0]!r}",
            cure=f"give it with -o {missing[0]}=VALUE",
        )
    reader: Reader = factory(**given)
    return reader, {one: parameter.default for one, parameter in known.items()} | given


def _unknown_option(reader: str, option: str, known: list[str]) -> UsageError:
    valid = "one of " + ", ".join(known) if known else "no options at all"
    return UsageError(f"the reader {reader} has no option {option!r}", expected=valid)


def _fitting(reader: str, parameter: inspect.Parameter, value: Any) -> Any:
    wanted = parameter.annotation
    if wanted is str and isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if wanted is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if wanted in (str, int, float, bool) and type(value) is not wanted:
        raise UsageError(
            f"the reader {reader} cannot take {value!r} for {parameter.name!r}",
            expected={str: "text", int: "a whole number", float: "a number"}.get(
                wanted, "true or false"
            ),
        )
    return value
