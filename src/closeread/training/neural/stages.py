"""Trains the stages of ``[[before]]``, each from the model of the previous one."""

import dataclasses

from closeread.registry import lookup
from closeread.training.recipe import TrainRecipe, stage_prefix
from closeread.training.recipes.folder import is_finished, is_started
from closeread.training.recipes.same_request import STAGES
from closeread.training.recipes.settings import NeuralSettings
from closeread.training.recipes.stages import iter_stage_requests, stage_settings
from closeread.training.request import Request


def check_stages(request: Request, settings: NeuralSettings) -> None:
    """Check every stage before the first starts: its settings, the machine, and its dev metric.

    Args:
        request: The request with its stages.
        settings: The settings of the last training.

    Raises:
        CloseReadError: As the stage itself would, hours later.
    """
    for stage_request in iter_stage_requests(request, settings):
        trainer = lookup.resolve("trainer", stage_request.recipe.reader.name)
        trainer(dataclasses.replace(stage_request, check_only=True))


def train_stages(request: Request, settings: NeuralSettings, model: str) -> str:
    """Train the stages that are not finished; return the initial model of the last training.

    Args:
        request: The request with its stages.
        settings: The settings of the last training.
        model: The initial model of the first stage, unless its recipe names one.
    """
    for number, stage in enumerate(request.recipe.before, 1):
        out = request.out / STAGES / str(number)
        recipe = TrainRecipe(
            out=str(out), reader=stage.reader, train=stage_settings(stage, settings, model, number)
        )
        if not is_finished(out, recipe):
            trainer = lookup.resolve("trainer", stage.reader.name)
            request.say(f"stage {number}: {stage.reader.name}")
            # An interrupted stage is resumed; one that was never started has nothing to resume.
            resume = request.resume and is_started(out)
            within = stage_prefix(number - 1)
            trainer(
                dataclasses.replace(request, recipe=recipe, within=within, out=out, resume=resume)
            )
        model = str(out)
    return model
