"""The stages of ``[[before]]`` as requests of their own."""

import dataclasses
from collections.abc import Iterator
from typing import Any

import msgspec

from closeread.errors import UsageError
from closeread.registry import lookup
from closeread.training.recipe import Stage, TrainRecipe, stage_prefix
from closeread.training.recipes.settings import NeuralSettings
from closeread.training.request import Request

_EXTRA = "train"  # of trainers that make models
_PREVIOUS_MODEL = "the model of the stage before"  # stands for it while the stages are looked at


def iter_stage_requests(request: Request, settings: NeuralSettings) -> Iterator[Request]:
    """Yield each stage as a request of its own, in order, to be checked.

    A user's own trainer (``package.module:factory``) has its own settings and is skipped.

    Args:
        request: With the stages.
        settings: Of the last training.

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
        given = stage_settings(
            stage, settings, _PREVIOUS_MODEL if number > 1 else settings.model, number
        )
        recipe = TrainRecipe(out=request.recipe.out, reader=stage.reader, train=given)
        yield dataclasses.replace(request, recipe=recipe, within=within)


def stage_settings(
    stage: Stage, settings: NeuralSettings, model: str, number: int
) -> dict[str, Any]:
    """Return a stage's ``[train]`` with its starting model and the recipe's ``made_by``.

    ``made_by`` is declared once for the whole recipe; a stage may add to it or override it.
    """
    declared = {name: msgspec.to_builtins(who) for name, who in settings.made_by.items()}
    if number == 1 and settings.model in declared:
        declared[model] = declared[settings.model]
    given, own = dict(stage.train), stage.train.get("made_by", {})
    if declared and isinstance(own, dict) and ":" not in stage.reader.name:
        given["made_by"] = declared | own
    if stage.reader.name == "encoder":
        return given  # names its model among the reader's options
    if number > 1:
        return {**given, "model": model}
    if settings.pickled and "model" not in given:  # what opens the model goes with it
        given.setdefault("pickled", True)
    return {"model": model, **given}
