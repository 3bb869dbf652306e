"""A training recipe that ships, run for a few steps: other model and data, all else its own."""

from pathlib import Path
from typing import Any

import msgspec

from closeread.api.datasets import open_dataset
from closeread.registry import lookup
from closeread.training.recipe import TrainRecipe, load_recipe
from closeread.training.request import Request, Trained


def run(path: Path, model: str, data: str, out: Path, *, steps: int = 2, **data_of: str) -> Trained:
    """Train what a recipe says, from ``model``, on ``data`` whatever it names.

    Args:
        path: The recipe.
        model: The checkpoint in place of the one that it names.
        data: The data set in place of those that it names.
        out: Where to.
        steps: When to stop.
        **data_of: Other data sets by a part of the name in the recipe, such as ``snli``.
    """
    given = load_recipe(path)
    recipe = msgspec.structs.replace(
        given,
        train=_short(given.train, model, steps),
        before=tuple(
            msgspec.structs.replace(stage, train=_short(stage.train, model, steps))
            for stage in given.before
        ),
    )

    def opened(name: str, format: str | None = None) -> Any:  # noqa: A002
        return open_dataset(next((file for part, file in data_of.items() if part in name), data))

    return lookup.resolve("trainer", recipe.reader.name)(
        Request(recipe=recipe, path=path, out=out, open_dataset=opened)
    )


def _short(train: dict[str, Any], model: str, steps: int) -> dict[str, Any]:
    kept = {**train, "max_steps": steps, "evaluate_every": 0}
    return {**kept, "model": model} if "model" in train else kept


def settings(path: Path) -> TrainRecipe:
    """Return a recipe as it ships."""
    return load_recipe(path)
