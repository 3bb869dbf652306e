"""Compares the recipes of two trainings, and lists the paths in a recipe."""

import copy
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from closeread.training.recipe import TrainRecipe

STAGES = "before"  # subfolder with the trainings of [[before]]
MEMBERS = "members"  # subfolder with the trainings of a soup


def comparable_recipe(recipe: TrainRecipe) -> Any:
    """Return a recipe as JSON values, without its output folder; equal for the same training.

    A stage or a member of a soup lies inside the folder of the outermost training. If it starts
    from a model in that folder, the model's path is made relative to it, because the folder may
    have been moved or may be spelled in another way.
    """
    plain = msgspec.to_builtins(recipe)
    parent = Path(plain.pop("out")).parent
    model = plain["train"].get("model")
    if parent.name in (STAGES, MEMBERS) and isinstance(model, str):
        outermost = parent.parent
        while outermost.parent.name in (STAGES, MEMBERS):
            outermost = outermost.parent.parent
        if Path(model).is_relative_to(outermost):
            plain["train"]["model"] = str(Path(model).relative_to(outermost))
    return msgspec.json.decode(msgspec.json.encode(plain))


def is_same_training(recorded: Any, current: Any) -> bool:
    """Return whether two comparable recipes are equal, apart from their trackers."""
    return recorded is not None and _without_trackers(recorded) == _without_trackers(current)


def _without_trackers(recipe: dict[str, Any]) -> dict[str, Any]:
    stripped = copy.deepcopy(recipe)
    for stage in (stripped, *stripped["before"]):
        stage["train"].pop("track", None)
    return stripped


def iter_named_paths(recipe: TrainRecipe) -> Iterator[Path]:
    """Yield a recipe's string values as paths, except ``out``.

    ``name`` is not a path: a reader ``span`` may be trained into a folder ``span``.
    """
    pending: list[Any] = [msgspec.to_builtins(recipe) | {"out": ""}]
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            pending.extend(item for key, item in value.items() if key != "name")
        elif isinstance(value, list | tuple):
            pending.extend(value)
        elif isinstance(value, str) and value:
            expanded = os.path.expanduser(value)  # noqa: PTH111 (Path's raises for unknown users)
            yield Path(os.path.expandvars(expanded))
