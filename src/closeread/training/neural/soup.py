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

from closeread.readers.neural.checkpoint import Checkpoint, Head
from closeread.readers.neural.checkpoint_opening import open_checkpoint
from closeread.registry import lookup
from closeread.training.neural.fit import FitResult, Measure
from closeread.training.neural.processes import Processes
from closeread.training.neural.task import Task
from closeread.training.processes import is_first_process
from closeread.training.recipe import TrainRecipe
from closeread.training.recipes.folder import RECORD_FILE, is_finished, is_started
from closeread.training.recipes.same_request import MEMBERS
from closeread.training.recipes.settings import NeuralSettings
from closeread.training.request import Request


def train_soup(
    request: Request,
    settings: NeuralSettings,
    model: str,
    task: Task,
    *,
    device: str,
    processes: Processes,
    measure: Measure | None,
) -> tuple[Checkpoint, FitResult]:
    """Train the members of a soup; return their mean and their combined result.

    Args:
        request: Of the whole.
        settings: Of the whole; ``soup`` is how many there are.
        model: Where each of them begins.
        task: What is learned.
        device: Where the mean is to be.
        processes: Those that train together.
        measure: The dev metric of the model as it is.
    """
    trained = _train_members(request, settings, model)
    with processes.in_step():
        checkpoint = mean_checkpoint([str(one) for one in trained], task.head, device)
        told = [_read_record(one) for one in trained]
    best = None
    if measure is not None:
        with processes.in_step():
            value = measure(checkpoint) if is_first_process() else 0.0
        best = processes.broadcast(value)
    return checkpoint, FitResult(
        n_features=sum(one["n_features"] for one in told),
        steps=sum(one["steps"] for one in told),
        loss=sum(one["loss"] for one in told) / len(told),
        best=best,
        seconds=round(sum(one["seconds"] for one in told), 1),
        history=[
            {"member": number} | row for number, one in enumerate(told, 1) for row in one["history"]
        ],
    )


def _train_members(request: Request, settings: NeuralSettings, model: str) -> list[Path]:
    """Train the members that are not finished; return all members' folders."""
    trainer = lookup.resolve("trainer", request.recipe.reader.name)
    begun = model if request.recipe.before else settings.model
    head_seed = settings.seed if settings.head_seed is None else settings.head_seed
    alike = {**request.recipe.train, "model": begun, "head_seed": head_seed, "soup": 1}
    found = []
    for number in range(1, settings.soup + 1):
        seed = settings.seed + number - 1
        out = request.out / MEMBERS / str(number)
        recipe = TrainRecipe(
            out=str(out), reader=request.recipe.reader, train={**alike, "seed": seed}
        )
        if not is_finished(out, recipe):
            request.say(f"training {number} of {settings.soup}: seed {seed}")
            resume = request.resume and is_started(out)
            trainer(dataclasses.replace(request, recipe=recipe, out=out, resume=resume))
        found.append(out)
    return found


def mean_checkpoint(models: Sequence[str], head: Head, device: str = "cpu") -> Checkpoint:
    """Return the checkpoint whose weights are the mean of those of several.

    Args:
        models: Folders of checkpoints that were trained from one.
        head: That all of them have.
        device: Where the checkpoint is to be.
    """
    made = open_checkpoint(models[0], head, device=device)
    total = {name: tensor.double() for name, tensor in made.model.state_dict().items()}
    for folder in models[1:]:
        state = open_checkpoint(folder, head, device=device).model.state_dict()
        for name, tensor in state.items():
            total[name] += tensor.double()
    with torch.no_grad():
        for name, tensor in made.model.state_dict().items():
            tensor.copy_(total[name] / len(models))  # rounded where it holds whole numbers
    return made


def _read_record(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.json.decode((folder / RECORD_FILE).read_bytes())
    return found
