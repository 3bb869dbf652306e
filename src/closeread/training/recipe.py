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
# Tokens of a sequence: a shorter one has no room for text besides the special tokens.
Length = Annotated[int, msgspec.Meta(ge=9)]


class TrainedReader(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[reader]``: the reader to train, with the options that it will be used with."""

    name: str
    options: dict[str, Any] = {}


class Stage(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``[[before]]``: an earlier training stage; the next one starts from its model."""

    reader: TrainedReader
    train: dict[str, Any]


class TrainRecipe(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A whole recipe; each trainer defines the keys of its ``[train]``.

    Attributes:
        out: The file or folder to write, unless the caller names another; ``closeread train``
            expands variables and ``~``.
        before: Earlier stages, in order.
    """

    out: str = ""
    reader: TrainedReader
    train: dict[str, Any]
    before: tuple[Stage, ...] = ()


def load_recipe(path: Path) -> TrainRecipe:
    """Read a recipe for training.

    Raises:
        InputError: The file cannot be read, is not TOML, has unknown keys or wrong values, or
            declares a maker under ``made_by`` for a name that does not occur in it.
    """
    raw = read_toml(path, cure=_CURE)
    if "train" not in raw and "datasets" in raw:
        raise InputError(
            "this is a recipe for `closeread run`",
            where=str(path),
            cure=f"closeread run {argument(path)}",
        )
    recipe = parse_table(path, raw, TrainRecipe)
    tables = {"train": recipe.train}
    tables |= {
        f"{stage_prefix(index)}train": stage.train for index, stage in enumerate(recipe.before)
    }
    named = set(_iter_texts({key: value for key, value in raw.items() if key != "out"}))
    for prefix, table in tables.items():
        _check_made_by(path, prefix, table, named)
    return recipe


def stage_prefix(index: int) -> str:
    """Return the prefix of a stage's keys in messages, such as ``before[0].``; counted from 0."""
    return f"before[{index}]."


def _check_made_by(path: Path, prefix: str, table: dict[str, Any], named: set[str]) -> None:
    """Refuse names under ``made_by`` that the recipe does not use: the record would drop them."""
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
        for item in value:
            yield from _iter_texts(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key != "made_by":
                yield from _iter_texts(item)


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
        record = msgspec.convert(raw, kind)
    except msgspec.ValidationError as error:
        within = prefix.removesuffix(".")
        raise explain_toml(error, str(path), kind, within=within, cure=_CURE) from error
    paths: dict[str, Any] = {}
    for field in fields:
        value = getattr(record, field.name)
        if field.type == PathText:
            paths[field.name] = resolve_path(f"{prefix}{field.name}", value)
        elif field.type == tuple[PathText, ...]:
            paths[field.name] = tuple(resolve_path(f"{prefix}{field.name}", item) for item in value)
    return msgspec.structs.replace(record, **paths)  # type: ignore[type-var]
