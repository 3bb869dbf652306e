"""Compares the recipes of two trainings, and lists the files that a recipe names."""

import copy
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from closeread.training.recipe import TrainRecipe

STAGES = "before"  # within the folder of the whole, as members are
MEMBERS = "members"  # the trainings of a soup


def comparable_recipe(recipe: TrainRecipe) -> Any:
    """Return what two trainings must share to be the same: everything but the output folder.

    A training inside another one's folder, at any depth, that begins from a stage there names the
    stage relative to that folder, which may have been moved since or be named in another way.
    """
    asked = msgspec.to_builtins(recipe)
    place = Path(asked.pop("out")).parent
    model = asked["train"].get("model")
    if place.name in (STAGES, MEMBERS) and isinstance(model, str):
        whole = place.parent
        while whole.parent.name in (STAGES, MEMBERS):
            whole = whole.parent.parent
        if Path(model).is_relative_to(whole):
            asked["train"]["model"] = str(Path(model).relative_to(whole))
    return msgspec.json.decode(msgspec.json.encode(asked))


def is_same_training(before: Any, now: Any) -> bool:
    """Whether two trainings learn the same; their trackers may differ."""
    return before is not None and _without_trackers(before) == _without_trackers(now)


def _without_trackers(asked: dict[str, Any]) -> dict[str, Any]:
    found = copy.deepcopy(asked)
    for one in (found, *found["before"]):
        one["train"].pop("track", None)
    return found


def iter_named_paths(recipe: TrainRecipe) -> Iterator[Path]:
    """Yield a recipe's string values as paths, except ``out``.

    ``name`` is not a path: a reader ``span`` may be trained into a folder ``span``.
    """
    left: list[Any] = [msgspec.to_builtins(recipe) | {"out": ""}]
    while left:
        one = left.pop()
        if isinstance(one, dict):
            left.extend(value for key, value in one.items() if key != "name")
        elif isinstance(one, list | tuple):
            left.extend(one)
        elif isinstance(one, str) and one:
            at_home = os.path.expanduser(one)  # noqa: PTH111 (nobody of that name: as it stands)
            yield Path(os.path.expandvars(at_home))
