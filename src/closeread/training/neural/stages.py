"""``[[before]]``: trainings that come first, each from the model that the one before it made."""

import dataclasses
from typing import Any

import msgspec

from closeread import catalog
from closeread.errors import UsageError
from closeread.training.neural.asked import STAGES
from closeread.training.neural.folder import Folder
from closeread.training.neural.settings import NeuralSettings
from closeread.training.recipe import Stage, TrainRecipe, stage_at
from closeread.training.request import Request

_EXTRA = "train"  # of trainers that make models
_FIRST = "the model of the stage before"  # stands for it while the stages are looked at


def check_stages(request: Request, settings: NeuralSettings) -> None:
    """Look at every stage before the first begins: options, settings, and whether its data open.

    Args:
        request: With the stages.
        settings: Of the training that comes last.

    Raises:
        CloseReadError: As the stage itself would, hours later.
    """
    for number, stage in enumerate(request.recipe.before, 1):
        trainer = catalog.resolve("trainer", stage.reader.name)
        if ":" in stage.reader.name:
            continue  # a trainer of one's own has settings of its own
        if catalog.entry("trainer", stage.reader.name).extra != _EXTRA:
            raise UsageError(
                f"{stage_at(number - 1)}reader is {stage.reader.name}, which makes no model",
                where=str(request.path),
                expected=f"a training that {request.recipe.reader.name} can begin from",
                cure="leave it out, or train that by a recipe of its own",
            )
        given = _given(stage, settings, _FIRST if number > 1 else settings.model, number)
        recipe = TrainRecipe(out=request.recipe.out, reader=stage.reader, train=given)
        within = stage_at(number - 1)
        trainer(dataclasses.replace(request, recipe=recipe, within=within, look=True))


def after_stages(request: Request, settings: NeuralSettings, model: str) -> str:
    """Do what was not done of them; return the model where the last training begins.

    Args:
        request: With the stages.
        settings: Of the training that comes last.
        model: Where the first stage begins, if it does not say so itself.
    """
    for number, stage in enumerate(request.recipe.before, 1):
        out = request.out / STAGES / str(number)
        recipe = TrainRecipe(
            out=str(out), reader=stage.reader, train=_given(stage, settings, model, number)
        )
        if not Folder.is_finished(out, recipe):
            trainer = catalog.resolve("trainer", stage.reader.name)
            request.say(f"stage {number}: {stage.reader.name}")
            # A stage broken off is gone on with; one that was never begun has nothing to resume.
            resume = request.resume and Folder.is_begun(out)
            within = stage_at(number - 1)
            trainer(
                dataclasses.replace(request, recipe=recipe, within=within, out=out, resume=resume)
            )
        model = str(out)
    return model


def _given(stage: Stage, settings: NeuralSettings, model: str, number: int) -> dict[str, Any]:
    """Return a stage's ``[train]`` with the model that it begins from, and what was declared.

    Who wrote what is declared once for all of a recipe; a stage may say more, or otherwise.
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
