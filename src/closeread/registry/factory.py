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
from closeread.registry.contracts import check_part, find_outsider, must_promise_metric

# Declares an option of a factory or a record that is, or may be, the path of a file or folder;
# further metadata name the files that are read in such a folder.
PathText = Annotated[str, "path"]
# Maps an option's name and its value, as the user wrote it, to the path.
PathRule = Callable[[str, str], str]
_path_rule: ContextVar[PathRule] = ContextVar("written", default=lambda _, path: path)


@contextmanager
def use_path_rule(rule: PathRule) -> Iterator[None]:
    """Set the rule that expands paths among options: as in a recipe, or as in a shell."""
    before = _path_rule.set(rule)
    try:
        yield
    finally:
        _path_rule.reset(before)


def resolve_path(option: str, value: str) -> str:
    """Return the path of an option by the rule in force."""
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
    """All options that a part was made with.

    Attributes:
        files: The files in these options, or in those of its own parts, that affect results.
    """

    files: tuple[str, ...] = ()


def make(
    kind: catalog.Kind, name: str, options: Mapping[str, Any] | None = None
) -> tuple[Any, Options]:
    """Make the part that a name stands for; return it with all options, defaults included.

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
    factory, known, given, open_ended = _bind_options(kind, name, options)
    label = f"the {catalog.called(kind)} {name}"
    theirs = find_outsider(kind, name)
    if theirs and kind == "metric":
        must_promise_metric(theirs, factory)
    with theirs.failing("cannot be made") if theirs else nullcontext():
        made = _check_method(kind, label, factory(**given))
    of_kind = check_part(theirs, made) if theirs else made
    passed_on = getattr(made, "options", {}) if open_ended else {}
    own = {one: found.default for one, found in known.items()} | given
    resolved = Options(own | passed_on)
    passing = getattr(made, "passing_options", ())
    files = _iter_files((one for one in known.values() if one.name not in passing), own)
    resolved.files = tuple(dict.fromkeys([*files, *getattr(passed_on, "files", ())]))
    return of_kind, resolved


def check_options(kind: catalog.Kind, name: str, options: Mapping[str, Any] | None = None) -> None:
    """Check a name and its options as ``make`` does, without making the part.

    Args and errors are those of ``make``; options that a factory passes on are not checked.
    """
    _bind_options(kind, name, options)


def has_option(kind: catalog.Kind, name: str, option: str) -> bool:
    """Whether a named part has an option; raises as ``make`` for an unknown name."""
    parameters = _parameters(_find_factory(kind, name, f"the {catalog.called(kind)} {name}"))
    return any(one.name == option or one.kind is one.VAR_KEYWORD for one in parameters)


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
    own = [one for one in parameters if one.kind in _NAMED]
    told = [
        DeclaredOption(
            name=one.name,
            takes="a path"
            if _path_marks(_value_type(one.annotation))
            else _type_in_words(_value_type(one.annotation)),
            default=None if one.default is one.empty else one.default,
            needed=one.default is one.empty,
        )
        for one in own
    ]
    return told, any(one.kind is one.VAR_KEYWORD for one in parameters)


def _bind_options(
    kind: catalog.Kind, name: str, options: Mapping[str, Any] | None
) -> tuple[Callable[..., Any], dict[str, inspect.Parameter], dict[str, Any], bool]:
    """Return the factory, its parameters, the given options, and whether it passes others on."""
    label = f"the {catalog.called(kind)} {name}"
    factory = _find_factory(kind, name, label)
    given = dict(options or {})
    parameters = _parameters(factory)
    open_ended = any(one.kind is one.VAR_KEYWORD for one in parameters)
    known = {one.name: one for one in parameters if one.kind in _NAMED}
    for option, value in given.items():
        if option in known:
            given[option] = _convert_value(label, known[option], value)
        elif not open_ended:
            raise _unknown_option(label, option, list(known))
    missing = [
        one for one in known if one not in given and known[one].default is inspect.Parameter.empty
    ]
    if missing:
        raise UsageError(
            f"{label} requires the option {missing[0]!r}",
            cure=f"pass -o {missing[0]}=VALUE",
        )
    return factory, known, given, open_ended


def make_from(kind: catalog.Kind, name: str, given: Any) -> Any:
    """Make a named part from a single argument, such as a strategy from its surroundings.

    Raises:
        UnknownNameError: There is no such name.
        UsageError: Its factory takes another argument, or makes something of another kind.
    """
    label = f"the {catalog.called(kind)} {name}"
    factory = _find_factory(kind, name, label)
    try:
        inspect.signature(factory).bind(given)
    except (TypeError, ValueError) as error:
        raise UsageError(
            f"{label} cannot be made from {type(given).__name__}: {error}",
            expected="a factory that takes it (docs/extend.md)",
        ) from error
    theirs = find_outsider(kind, name)
    if theirs is None:
        return _check_method(kind, label, factory(given))
    with theirs.failing("failed"):
        made = _check_method(kind, label, factory(given))
    return check_part(theirs, made)


def _find_factory(kind: catalog.Kind, name: str, label: str) -> Callable[..., Any]:
    found = lookup.resolve(kind, name)
    if not callable(found):
        raise UsageError(
            f"{label} is an object of the type {type(found).__name__}",
            expected="a class or function that makes one (docs/extend.md)",
        )
    made: Callable[..., Any] = found
    return made


def _check_method(kind: str, label: str, made: Any) -> Any:
    method = _METHODS.get(kind)
    if method is not None and not callable(getattr(made, method, None)):
        raise UsageError(
            f"{label} makes an object of the type {type(made).__name__}",
            expected=f"an object with the method {method!r} (docs/extend.md)",
        )
    return made


def _iter_files(
    parameters: Iterable[inspect.Parameter], options: Mapping[str, Any]
) -> Iterator[str]:
    """Yield the files in the options, and the files read in folders among the options."""
    for one in parameters:
        marks, named = _path_marks(_value_type(one.annotation)), options[one.name]
        if marks and isinstance(named, str) and named:
            within = (str(Path(named, inner)) for inner in marks[1:])
            yield from filter(os.path.isfile, (named, *within))


def _path_marks(wanted: Any) -> tuple[Any, ...]:
    """Return the metadata of a path annotation, ``path`` first; empty for other annotations."""
    marks = getattr(wanted, "__metadata__", ())
    return marks if marks[:1] == PathText.__metadata__ else ()  # type: ignore[attr-defined]


def _parameters(factory: Callable[..., Any]) -> list[inspect.Parameter]:
    """Return a factory's parameters; its module may keep annotations as texts (PEP 563)."""
    try:
        found = inspect.signature(factory, eval_str=True)
    except (
        NameError,
        AttributeError,
        TypeError,
        SyntaxError,
    ):  # names imported only for type checkers
        found = inspect.signature(factory)
    except ValueError:  # some built-ins have no signature and take no options
        return []
    return list(found.parameters.values())


def _unknown_option(label: str, option: str, known: list[str]) -> UsageError:
    valid = "one of " + ", ".join(known) if known else "no options"
    near = difflib.get_close_matches(option, known, n=1)
    meant = f"did you mean {near[0]}?" if near else ""
    return UsageError(f"{label} has no option {option!r}", expected=valid, cure=meant)


def _value_type(annotation: Any) -> Any:
    """Return the type of an option's value: ``float`` for ``float | None``."""
    union = isinstance(annotation, UnionType) or get_origin(annotation) is Union
    return get_args(annotation)[0] if union else annotation


def _type_in_words(wanted: Any) -> str:
    """Return a type in words; empty if the factory declares none."""
    return _IN_WORDS.get(wanted, "") if isinstance(wanted, type) else ""


def _convert_value(label: str, parameter: inspect.Parameter, value: Any) -> Any:
    wanted = _value_type(parameter.annotation)
    if value is None and wanted is not parameter.annotation:
        return value
    if _path_marks(wanted):
        wanted = str
        if isinstance(value, str):
            value = resolve_path(parameter.name, value)
    if wanted is str and isinstance(value, os.PathLike):
        return os.fspath(value)
    if wanted is str and isinstance(value, str | int | float) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, bool):
        # also numpy's numbers, which a run folder cannot store
        if wanted is float and isinstance(value, Real):
            return float(value)
        if wanted is int and isinstance(value, Integral):
            return int(value)
    if wanted in (str, int, float, bool) and type(value) is not wanted:
        raise UsageError(
            f"{value!r} is not a valid value for {parameter.name!r} of {label}",
            expected=_type_in_words(wanted),
        )
    return value
