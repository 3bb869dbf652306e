"""Make the parts that the catalog names, with options checked against factory parameters."""

import difflib
import inspect
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from numbers import Integral, Real
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin

from closeread import catalog
from closeread.errors import UsageError
from closeread.registry import lookup
from closeread.registry.contracts import (
    check_part,
    find_external_part,
    require_metric_factory,
)

# Declares an option of a factory or a record that is, or may be, the path of a file or folder;
# further metadata name the files that are read in such a folder.
PathText = Annotated[str, "path"]
# Maps an option's name and its value, as the user wrote it, to the path.
PathRule = Callable[[str, str], str]
_path_rule: ContextVar[PathRule] = ContextVar("path_rule", default=lambda _, path: path)


@contextmanager
def use_path_rule(rule: PathRule) -> Iterator[None]:
    """Set the rule that expands paths among options: as in a recipe, or as in a shell."""
    token = _path_rule.set(rule)
    try:
        yield
    finally:
        _path_rule.reset(token)


def resolve_path(option: str, value: str) -> str:
    """Return the path of an option, expanded by the rule that ``use_path_rule`` set."""
    return _path_rule.get()(option, value)


# The parameters of a factory that an option may name.
_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
_IN_WORDS: dict[type, str] = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
}
# The method that a part of each kind must have (``protocols.py``).
_METHODS: dict[str, str] = {
    "reader": "read",
    "retriever": "retrieve",
    "metric": "score",
    "perturbation": "propose",
}


class Options(dict[str, Any]):
    """All options that a part was made from.

    Attributes:
        files: The files in these options, or in those of its own parts, that affect results.
    """

    files: tuple[str, ...] = ()


def make(
    kind: catalog.Kind, name: str, options: Mapping[str, Any] | None = None
) -> tuple[Any, Options]:
    """Make the named part; return it with all its options, defaults included.

    Args:
        kind: Which table of the catalog.
        name: A name in it, or ``package.module:factory``.
        options: Keyword arguments of its factory. A factory that passes further ones on returns
            an object whose ``options`` lists all of them.

    Raises:
        UnknownNameError: There is no such name.
        UsageError: It has no such option, the value has the wrong type, or the factory makes
            something of another kind.
        OutsideError: The user's own factory fails.
        MissingExtraError: It needs an optional dependency that is not installed.
    """
    factory, parameters, converted, open_ended = _bind_options(kind, name, options)
    label = f"the {catalog.called(kind)} {name}"
    external = find_external_part(kind, name)
    if external and kind == "metric":
        require_metric_factory(external, factory)
    with external.explain_errors("cannot be made") if external else nullcontext():
        part = _check_method(kind, label, factory(**converted))
    checked = check_part(external, part) if external else part
    passed_on = getattr(part, "options", {}) if open_ended else {}
    own_options = {
        option: parameter.default for option, parameter in parameters.items()
    } | converted
    all_options = Options(own_options | passed_on)
    passing = getattr(part, "passing_options", ())
    files = _iter_files(
        (parameter for parameter in parameters.values() if parameter.name not in passing),
        own_options,
    )
    all_options.files = tuple(dict.fromkeys([*files, *getattr(passed_on, "files", ())]))
    return checked, all_options


def check_options(kind: catalog.Kind, name: str, options: Mapping[str, Any] | None = None) -> None:
    """Check a name and its options as ``make`` does, without making the part.

    Args and errors are those of ``make``; options that a factory passes on are not checked.
    """
    _bind_options(kind, name, options)


def has_option(kind: catalog.Kind, name: str, option: str) -> bool:
    """Return whether a named part has an option; raises as ``make`` for an unknown name."""
    parameters = _parameters(_find_factory(kind, name, f"the {catalog.called(kind)} {name}"))
    return any(
        parameter.name == option or parameter.kind is parameter.VAR_KEYWORD
        for parameter in parameters
    )


class DeclaredOption(NamedTuple):
    """An option as its factory declares it.

    Attributes:
        name: Its name.
        takes: Its type in words.
        default: Its default; None also if it is required.
        needed: Whether it is required.
    """

    name: str
    takes: str
    default: Any
    needed: bool


def declared_options(kind: catalog.Kind, name: str) -> tuple[list[DeclaredOption], bool]:
    """Return the options of a named part, and whether it passes further ones on.

    Raises:
        UnknownNameError: There is no such name.
        MissingExtraError: It needs an optional dependency that is not installed.
        OutsideError: The user's own module cannot be imported.
    """
    parameters = _parameters(_find_factory(kind, name, f"the {catalog.called(kind)} {name}"))
    declared = [
        DeclaredOption(
            name=parameter.name,
            takes="a path"
            if _path_marks(_value_type(parameter.annotation))
            else _type_in_words(_value_type(parameter.annotation)),
            default=None if parameter.default is parameter.empty else parameter.default,
            needed=parameter.default is parameter.empty,
        )
        for parameter in parameters
        if parameter.kind in _NAMED
    ]
    return declared, any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters)


def _bind_options(
    kind: catalog.Kind, name: str, options: Mapping[str, Any] | None
) -> tuple[Callable[..., Any], dict[str, inspect.Parameter], dict[str, Any], bool]:
    """Return a factory, its parameters by name, the given options converted, and ``open_ended``.

    A factory is open-ended if it passes further options on.
    """
    label = f"the {catalog.called(kind)} {name}"
    factory = _find_factory(kind, name, label)
    converted = dict(options or {})
    parameters = _parameters(factory)
    open_ended = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters)
    declared = {parameter.name: parameter for parameter in parameters if parameter.kind in _NAMED}
    for option, value in converted.items():
        if option in declared:
            converted[option] = _convert_value(label, declared[option], value)
        elif not open_ended:
            raise _unknown_option_error(label, option, list(declared))
    missing = [
        parameter
        for parameter in declared
        if parameter not in converted and declared[parameter].default is inspect.Parameter.empty
    ]
    if missing:
        raise UsageError(
            f"{label} requires the option {missing[0]!r}",
            cure=f"pass -o {missing[0]}=VALUE",
        )
    return factory, declared, converted, open_ended


def make_from(kind: catalog.Kind, name: str, argument: Any) -> Any:
    """Make a named part from a single argument, such as a strategy from its surroundings.

    Raises:
        UnknownNameError: There is no such name.
        UsageError: Its factory takes another argument, or makes something of another kind.
    """
    label = f"the {catalog.called(kind)} {name}"
    factory = _find_factory(kind, name, label)
    try:
        inspect.signature(factory).bind(argument)
    except (TypeError, ValueError) as error:
        raise UsageError(
            f"{label} cannot be made from {type(argument).__name__}: {error}",
            expected="a factory that takes it (docs/extend.md)",
        ) from error
    external = find_external_part(kind, name)
    if external is None:
        return _check_method(kind, label, factory(argument))
    with external.explain_errors("failed"):
        part = _check_method(kind, label, factory(argument))
    return check_part(external, part)


def _find_factory(kind: catalog.Kind, name: str, label: str) -> Callable[..., Any]:
    factory: Callable[..., Any] = lookup.resolve(kind, name)
    if not callable(factory):
        raise UsageError(
            f"{label} is an object of the type {type(factory).__name__}",
            expected="a class or function that makes one (docs/extend.md)",
        )
    return factory


def _check_method(kind: str, label: str, part: Any) -> Any:
    """Return a part that has the method of its kind; refuse others."""
    method = _METHODS.get(kind)
    if method is not None and not callable(getattr(part, method, None)):
        raise UsageError(
            f"{label} makes an object of the type {type(part).__name__}",
            expected=f"an object with the method {method!r} (docs/extend.md)",
        )
    return part


def _iter_files(
    parameters: Iterable[inspect.Parameter], options: Mapping[str, Any]
) -> Iterator[str]:
    """Yield the files in the options, and the files read in folders among the options."""
    for parameter in parameters:
        marks = _path_marks(_value_type(parameter.annotation))
        path = options[parameter.name]
        if marks and isinstance(path, str) and path:
            inside = (str(Path(path, name)) for name in marks[1:])
            yield from filter(os.path.isfile, (path, *inside))


def _path_marks(type_: Any) -> tuple[Any, ...]:
    """Return the metadata of a path annotation, ``path`` first; empty for other annotations."""
    marks = getattr(type_, "__metadata__", ())
    return marks if marks[:1] == PathText.__metadata__ else ()  # type: ignore[attr-defined]


def _parameters(factory: Callable[..., Any]) -> list[inspect.Parameter]:
    """Return a factory's parameters; string annotations (PEP 563) are evaluated if possible."""
    try:
        signature = inspect.signature(factory, eval_str=True)
    except (NameError, AttributeError, TypeError, SyntaxError):
        signature = inspect.signature(factory)  # names imported only for type checkers
    except ValueError:  # some built-ins have no signature and take no options
        return []
    return list(signature.parameters.values())


def _unknown_option_error(label: str, option: str, names: list[str]) -> UsageError:
    valid = "one of " + ", ".join(names) if names else "no options"
    close_names = difflib.get_close_matches(option, names, n=1)
    cure = f"did you mean {close_names[0]}?" if close_names else ""
    return UsageError(f"{label} has no option {option!r}", expected=valid, cure=cure)


def _value_type(annotation: Any) -> Any:
    """Return the type of an option's value: ``float`` for ``float | None``."""
    union = isinstance(annotation, UnionType) or get_origin(annotation) is Union
    return get_args(annotation)[0] if union else annotation


def _type_in_words(type_: Any) -> str:
    """Return a type in words; empty if the factory declares none."""
    return _IN_WORDS.get(type_, "") if isinstance(type_, type) else ""


def _convert_value(label: str, parameter: inspect.Parameter, value: Any) -> Any:
    type_ = _value_type(parameter.annotation)
    if value is None and type_ is not parameter.annotation:
        return value
    if _path_marks(type_):
        type_ = str
        if isinstance(value, str):
            value = resolve_path(parameter.name, value)
    if type_ is str and isinstance(value, os.PathLike):
        return os.fspath(value)
    if type_ is str and isinstance(value, str | int | float) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, bool):
        # also numpy's numbers, which a run folder cannot store
        if type_ is float and isinstance(value, Real):
            return float(value)
        if type_ is int and isinstance(value, Integral):
            return int(value)
    if type_ in (str, int, float, bool) and type(value) is not type_:
        raise UsageError(
            f"{value!r} is not a valid value for {parameter.name!r} of {label}",
            expected=_type_in_words(type_),
        )
    return value
