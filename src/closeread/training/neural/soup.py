"""A soup: the mean of the weights of several trainings that differ in their seed alone.

Trainings that begin from one model, at a rate that is not too high, end near enough to each other
that the mean of their weights is a model too: as a rule a better one than each of them, and one
that costs no more to read with (Wortsman et al. 2022, without their choice by a dev metric).
"""

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import torch

from closeread import catalog
from closeread.errors import InputError
from closeread.readers.neural.checkpoint import Checkpoint, open_checkpoint
from closeread.training.neural.folder import DONE, MEMBERS, Folder
from closeread.training.neural.settings import NeuralSettings
from closeread.training.neural.task import Task
from closeread.training.recipe import TrainRecipe
from closeread.training.request import Request


def members(request: Request, settings: NeuralSettings, model: str) -> list[Path]:
    """Do what was not done of the trainings; return their folders.

    Args:
        request: Of the whole.
        settings: Of the whole.
        model: Where each of them begins.
    """
    trainer = catalog.resolve("trainer", request.recipe.reader.name)
    begun = model if request.recipe.before else settings.model
    found = []
    for number in range(1, settings.soup + 1):
        seed = settings.seed + number - 1
        out = request.out / MEMBERS / str(number)
        train = {**request.recipe.train, "model": begun, "seed": seed, "soup": 1}
        recipe = TrainRecipe(out=str(out), reader=request.recipe.reader, train=train)
        if not Folder.is_finished(out, recipe):
            request.say(f"training {number} of {settings.soup}: seed {seed}")
            resume = request.resume and Folder.is_begun(out)
            trainer(dataclasses.replace(request, recipe=recipe, out=out, resume=resume))
        found.append(out)
    return found


def stirred(trained: Sequence[Path], task: Task, device: str) -> Checkpoint:
    """Return the checkpoint whose weights are the mean of those of several.

    Args:
        trained: Folders of checkpoints of one kind.
        task: What they learned.
        device: Where the checkpoint is to be.

    Raises:
        InputError: They are not of one kind.
    """
    made = open_checkpoint(str(trained[0]), task.head, device=device)
    total = {name: tensor.double() for name, tensor in made.model.state_dict().items()}
    for folder in trained[1:]:
        state = open_checkpoint(str(folder), task.head, device=device).model.state_dict()
        if {name: one.shape for name, one in state.items()} != {
            name: one.shape for name, one in total.items()
        }:
            raise InputError(
                "its weights are not shaped as those that they are to be averaged with",
                where=str(folder),
                expected=f"a model like that in {trained[0]}",
            )
        for name, tensor in state.items():
            total[name] += tensor.double()
    with torch.no_grad():
        for name, tensor in made.model.state_dict().items():
            tensor.copy_(total[name] / len(trained))  # rounded where it holds whole numbers
    return made


def told_of(folder: Path) -> dict[str, Any]:
    """Return what a finished training's folder tells of it."""
    found: dict[str, Any] = msgspec.json.decode((folder / DONE).read_bytes())
    return found
