"""Recipes for training: which reader to train, on what data, and where to write the result."""

import difflib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec

from closeread.errors import InputError
from closeread.formats.files.toml import describe_unknown_key, explain_toml, read_toml
from closeread.registry.factory import PathText, resolve_path
from closeread.wording import argument

_CURE = "see recipes/train/ for examples"
T = TypeVar("T")
Count = Annotated[int, msgspec.Meta(ge=1)]
# Of a sequence in tokens: fewer hold no text beside the special ones, whatever the model.
Length = Annotated[int, msgspec.Meta(ge=9)]


class TrainedReader(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[reader]``: a reader that can be trained, with the options that it is trained for."""

    name: str
    options: dict[str, Any] = {}


class Stage(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[[before]]``: a training that comes first; the next begins from the model it made."""

    reader: TrainedReader
    train: dict[str, Any]


class TrainRecipe(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A whole recipe; what ``[train]`` may say is the reader's own.

    Attributes:
        out: Where what is learned goes, if nothing else is said where training is asked for;
            ``closeread train`` puts in variables and ``~``.
        before: Trainings that come first, in order.
    """

    out: str = ""
    reader: TrainedReader
    train: dict[str, Any]
    before: tuple[Stage, ...] = ()


def load_recipe(path: Path) -> TrainRecipe:
    """Read a recipe for training.

    Raises:
        InputError: The file cannot be read, is not TOML, has unknown keys or wrong values, or
            declares under ``made_by`` who wrote something that the recipe does not name.
    """
    raw = read_toml(path, cure=_CURE)
    if "train" not in raw and "datasets" in raw:
        raise InputError(
            "this is a recipe for `closeread run`",
            where=str(path),
            cure=f"closeread run {argument(path)}",
        )
    found = parse_table(path, raw, TrainRecipe)
    tables = {"train": found.train}
    tables |= {
        f"{stage_prefix(place)}train": stage.train for place, stage in enumerate(found.before)
    }
    named = set(_iter_texts({key: value for key, value in raw.items() if key != "out"}))
    for prefix, table in tables.items():
        _check_made_by(path, prefix, table, named)
    return found


def stage_prefix(place: int) -> str:
    """Return the prefix of a stage's keys in messages, such as ``before[0].``; counts from 0."""
    return f"before[{place}]."


def _check_made_by(path: Path, prefix: str, table: dict[str, Any], named: set[str]) -> None:
    """Refuse ``made_by`` of what the recipe does not name: the record would not show it."""
    declared = table.get("made_by")
    for name in declared if isinstance(declared, dict) else ():
        if name not in named:
            near = difflib.get_close_matches(name, sorted(named), n=1, cutoff=0.4)
            raise InputError(
                f"{prefix}.made_by declares who wrote {name}, which the recipe does not name",
                where=str(path),
                expected=f"perhaps {near[0]}" if near else "a data set or the model of the recipe",
                cure="write the name exactly as elsewhere in the recipe, or remove the entry",
            )


def _iter_texts(value: Any) -> Iterator[str]:
    """Yield every string value in a table, except under ``made_by``."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from _iter_texts(one)
    elif isinstance(value, dict):
        for key, one in value.items():
            if key != "made_by":
                yield from _iter_texts(one)


def parse_table(path: Path, raw: dict[str, Any], kind: type[T], prefix: str = "") -> T:
    """Return a table of a recipe as a record.

    Raises:
        InputError: It has unknown keys or wrong values; the message names the nearest valid key.
    """
    fields = msgspec.structs.fields(kind)  # type: ignore[arg-type]
    known = [field.name for field in fields]
    unknown = [describe_unknown_key(key, known, prefix) for key in raw if key not in known]
    if unknown:
        raise InputError("; ".join(unknown), where=str(path), cure=_CURE)
    try:
        found = msgspec.convert(raw, kind)
    except msgspec.ValidationError as error:
        within = prefix.removesuffix(".")
        raise explain_toml(error, str(path), kind, within=within, cure=_CURE) from error
    paths: dict[str, Any] = {}
    for one in fields:
        value = getattr(found, one.name)
        if one.type == PathText:
            paths[one.name] = resolve_path(f"{prefix}{one.name}", value)
        elif one.type == tuple[PathText, ...]:
            paths[one.name] = tuple(resolve_path(f"{prefix}{one.name}", each) for each in value)
    return msgspec.structs.replace(found, **paths)  # type: ignore[type-var]
