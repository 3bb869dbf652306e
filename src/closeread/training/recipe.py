"""A recipe for training: which reader learns, from what, and where what it learned is kept."""

import difflib
import tomllib
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec

from closeread.errors import InputError
from closeread.formats.files.allowed import reworded, split
from closeread.formats.files.place import explain

_CURE = "write it as those in recipes/train are written"
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
        out: Where what is learned goes.
        before: Trainings that come first, in order.
    """

    out: str
    reader: TrainedReader
    train: dict[str, Any]
    before: tuple[Stage, ...] = ()


def load_recipe(path: Path) -> TrainRecipe:
    """Read a recipe for training.

    Raises:
        InputError: The file cannot be read, is no TOML, or has unknown keys or wrong values.
    """
    try:
        raw = tomllib.loads(path.read_text("utf-8-sig"))
    except OSError as error:
        raise InputError(
            f"cannot be read: {error.strerror}",
            where=str(path),
            cure="check the path and its permissions",
        ) from error
    except (ValueError, RecursionError) as error:
        raise _wrong(path, f"not TOML: {error}") from error
    if "train" not in raw and "datasets" in raw:
        raise InputError(
            "it is a recipe for reading", where=str(path), cure=f"closeread run {path}"
        )
    return section(path, raw, TrainRecipe)


def section(path: Path, raw: dict[str, Any], kind: type[T], prefix: str = "") -> T:
    """Return a table of a recipe as a record.

    Raises:
        InputError: It has unknown keys or wrong values; the nearest valid key is told.
    """
    known = [field.name for field in msgspec.structs.fields(kind)]  # type: ignore[arg-type]
    unknown = [key for key in raw if key not in known]
    if unknown:
        near = difflib.get_close_matches(unknown[0], known, n=1, cutoff=0.4)
        hint = f"did you mean {prefix}{near[0]}?" if near else "known: " + ", ".join(known)
        raise _wrong(path, f"unknown key {prefix}{unknown[0]} ({hint})")
    try:
        return msgspec.convert(raw, kind)
    except msgspec.ValidationError as error:
        told = explain(error, str(path), value={}, within=prefix.removesuffix("."), cure=_CURE)
        message, place = split(error)
        found, expected = reworded(message, kind, place) or (told.found, told.expected)
        raise InputError(found, where=told.where, expected=expected, cure=_CURE) from error


def _wrong(path: Path, found: str) -> InputError:
    return InputError(found, where=str(path), cure=_CURE)
