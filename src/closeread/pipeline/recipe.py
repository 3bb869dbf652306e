"""Recipes: a TOML file with data sets, reader, scoring and audit of a whole run."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import msgspec

from closeread.errors import InputError
from closeread.formats.files.toml import describe_unknown_key, explain_toml, read_toml
from closeread.wording import argument

# The checks of `closeread audit` that need only a run: no score table, log or change.
Check = Literal[
    "metamorphic",
    "disagreement",
    "order",
    "repeats",
    "garbled",
    "truncation",
    "shortcuts",
    "leakage",
]
_Count = Annotated[int, msgspec.Meta(ge=1)]
_CURE = "see recipes/quickstart.toml for an example"


class Section(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=False
):
    """A table of a recipe; unknown keys are errors."""


class ReaderSection(Section, frozen=True, kw_only=True):
    """``[reader]``: a name from ``closeread ls readers`` or ``module:factory``, and its options."""

    name: str
    options: dict[str, Any] = {}


class ReadSection(Section, frozen=True, kw_only=True):
    """``[read]``: number of questions, batch size (None for the reader's own)."""

    limit: _Count | None = None
    batch_size: _Count | None = None
    strict: bool = False


class ScoreSection(Section, frozen=True, kw_only=True):
    """``[score]``: metrics (empty for the defaults), their options, breakdowns, intervals."""

    metrics: tuple[str, ...] = ()
    options: dict[str, dict[str, Any]] = {}
    by: tuple[str, ...] = ()
    resamples: int = 10_000
    level: Annotated[float, msgspec.Meta(gt=0, lt=1)] = 0.95
    seed: Annotated[int, msgspec.Meta(ge=0)] = 0


class AuditSection(Section, frozen=True, kw_only=True):
    """``[audit]``: checks (empty for all that apply), and a training set, for leakage."""

    checks: tuple[Check, ...] = ()
    train: str = ""


class Recipe(Section, frozen=True, kw_only=True):
    """A whole recipe.

    Attributes:
        name: The recipe's name; by default the file's name.
        datasets: Paths, URLs, ``exam/zh`` or ``exam/en``. With one data set, ``out`` itself is
            the run folder; with several, each has a folder in it.
        format: The data sets' format; guessed if empty.
        out: The output folder; ``runs/NAME`` if empty. ``closeread run`` expands variables and
            ``~``.
        audit: None if the runs are not audited.
    """

    name: str = ""
    datasets: tuple[str, ...]
    format: str = ""
    out: str = ""
    reader: ReaderSection
    read: ReadSection = ReadSection()
    score: ScoreSection = ScoreSection()
    audit: AuditSection | None = None


def load_recipe(path: Path) -> Recipe:
    """Read a recipe.

    Raises:
        InputError: The file cannot be read, is not TOML, or has unknown keys or wrong values.
    """
    raw = read_toml(path, cure=_CURE)
    if "train" in raw:
        raise InputError(
            "this is a training recipe",
            where=str(path),
            cure=f"closeread train {argument(path)}",
        )
    problems = list(_unknown_keys(raw, Recipe, ""))
    if problems:
        raise _recipe_error(path, "; ".join(problems))
    try:
        recipe: Recipe = msgspec.convert(raw, Recipe)
    except msgspec.ValidationError as error:
        raise explain_toml(error, str(path), Recipe, cure=_CURE) from error
    if not recipe.datasets:
        raise _recipe_error(path, "no data set given", 'datasets = ["..."]')
    return msgspec.structs.replace(recipe, name=recipe.name or path.stem)


def _recipe_error(path: Path, problem: str, expected: str = "") -> InputError:
    return InputError(problem, where=str(path), expected=expected, cure=_CURE)


def _unknown_keys(raw: Mapping[str, Any], section: type[Section], prefix: str) -> list[str]:
    fields = {field.name: field.type for field in msgspec.structs.fields(section)}
    problems = []
    for key, value in raw.items():
        if key not in fields:
            problems.append(describe_unknown_key(key, fields, prefix))
        elif isinstance(value, dict) and (inner := _section_type(fields[key])) is not None:
            problems += _unknown_keys(value, inner, f"{prefix}{key}.")
    return problems


def _section_type(kind: Any) -> type[Section] | None:
    """Return the section type of a field; None if it is not a table."""
    types = (candidate for candidate in (kind, *get_args(kind)) if isinstance(candidate, type))
    return next((candidate for candidate in types if issubclass(candidate, Section)), None)
