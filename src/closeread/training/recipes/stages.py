"""Builds a request for each stage of ``[[before]]``."""

import dataclasses
from collections.abc import Iterator
from typing import Any

import msgspec

from closeread.errors import UsageError
from closeread.registry import lookup
from closeread.training.recipe import Stage, TrainRecipe, stage_prefix
from closeread.training.recipes.settings import NeuralSettings
from closeread.training.request import Request

_EXTRA = "train"  # the extra of every trainer that produces a model
_PREVIOUS_MODEL = "the model of the stage before"  # a placeholder while stages are only checked


def iter_stage_requests(request: Request, settings: NeuralSettings) -> Iterator[Request]:
    """Yield a request for each stage, in order, for checks.

    A user's own trainer (``package.module:factory``) has its own settings and is skipped.

    Args:
        request: The request with the stages.
        settings: The settings of the last training.

    Raises:
        UsageError: A stage trains no model.
    """
    for number, stage in enumerate(request.recipe.before, 1):
        entry, within = lookup.find_entry("trainer", stage.reader.name), stage_prefix(number - 1)
        if ":" in stage.reader.name:
            continue
        if entry.extra != _EXTRA:
            raise UsageError(
                f"{within}reader is {stage.reader.name}, which trains no model",
                where=str(request.path),
                expected=f"a trainer whose model {request.recipe.reader.name} can begin from",
                cure="remove this stage, or train it with a recipe of its own",
            )
        train = stage_settings(
            stage, settings, _PREVIOUS_MODEL if number > 1 else settings.model, number
        )
        recipe = TrainRecipe(out=request.recipe.out, reader=stage.reader, train=train)
        yield dataclasses.replace(request, recipe=recipe, within=within)


def stage_settings(
    stage: Stage, settings: NeuralSettings, model: str, number: int
) -> dict[str, Any]:
    """Return a stage's ``[train]`` with its initial model and the recipe's ``made_by``.

    ``made_by`` is declared once for the whole recipe; a stage may add to it or override it.
    """
    declared = {name: msgspec.to_builtins(maker) for name, maker in settings.made_by.items()}
    if number == 1 and settings.model in declared:
        declared[model] = declared[settings.model]
    train, stage_made_by = dict(stage.train), stage.train.get("made_by", {})
    if declared and isinstance(stage_made_by, dict) and ":" not in stage.reader.name:
        train["made_by"] = declared | stage_made_by
    if stage.reader.name == "encoder":
        return train  # its model is among the reader's options
    if number > 1:
        return {**train, "model": model}
    if settings.pickled and "model" not in train:  # the permission belongs to the inherited model
        train.setdefault("pickled", True)
    return {"model": model, **train}
