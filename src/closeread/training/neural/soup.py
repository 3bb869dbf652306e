"""Trains a model soup: the mean of the weights of several trainings that differ only in their seed.

Trainings from one initial model, with a moderate learning rate, end close enough to each other that
the mean of their weights is a working model: usually better than each of them, and no slower
(Wortsman et al. 2022, without their selection by a dev metric).
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
    """Train the members of a soup; return the mean of their weights and their combined result.

    Args:
        request: The request for the whole soup.
        settings: The settings of the whole soup; ``soup`` is the number of members.
        model: The model that each member starts from.
        task: The task to learn.
        device: The device of the mean.
        processes: The processes that train together.
        measure: Returns the dev metric of a checkpoint.
    """
    folders = _train_members(request, settings, model)
    with processes.in_step():
        checkpoint = mean_checkpoint([str(folder) for folder in folders], task.head, device)
        records = [_read_record(folder) for folder in folders]
    best = None
    if measure is not None:
        with processes.in_step():
            value = measure(checkpoint) if is_first_process() else 0.0
        best = processes.broadcast(value)
    return checkpoint, FitResult(
        n_features=sum(record["n_features"] for record in records),
        steps=sum(record["steps"] for record in records),
        loss=sum(record["loss"] for record in records) / len(records),
        best=best,
        seconds=round(sum(record["seconds"] for record in records), 1),
        history=[
            {"member": number} | row
            for number, record in enumerate(records, 1)
            for row in record["history"]
        ],
    )


def _train_members(request: Request, settings: NeuralSettings, model: str) -> list[Path]:
    """Train the members that are not finished; return all members' folders."""
    trainer = lookup.resolve("trainer", request.recipe.reader.name)
    initial = model if request.recipe.before else settings.model
    head_seed = settings.seed if settings.head_seed is None else settings.head_seed
    shared = {**request.recipe.train, "model": initial, "head_seed": head_seed, "soup": 1}
    folders = []
    for number in range(1, settings.soup + 1):
        seed = settings.seed + number - 1
        out = request.out / MEMBERS / str(number)
        recipe = TrainRecipe(
            out=str(out), reader=request.recipe.reader, train={**shared, "seed": seed}
        )
        if not is_finished(out, recipe):
            request.say(f"training {number} of {settings.soup}: seed {seed}")
            resume = request.resume and is_started(out)
            trainer(dataclasses.replace(request, recipe=recipe, out=out, resume=resume))
        folders.append(out)
    return folders


def mean_checkpoint(models: Sequence[str], head: Head, device: str = "cpu") -> Checkpoint:
    """Return a checkpoint with the mean of the weights of several.

    Args:
        models: Folders of checkpoints that were trained from the same model.
        head: The head that all of them have.
        device: The device of the checkpoint.
    """
    mean = open_checkpoint(models[0], head, device=device)
    total = {name: tensor.double() for name, tensor in mean.model.state_dict().items()}
    for folder in models[1:]:
        state = open_checkpoint(folder, head, device=device).model.state_dict()
        for name, tensor in state.items():
            total[name] += tensor.double()
    with torch.no_grad():
        for name, tensor in mean.model.state_dict().items():
            tensor.copy_(total[name] / len(models))  # integer tensors are truncated
    return mean


def _read_record(folder: Path) -> dict[str, Any]:
    record: dict[str, Any] = msgspec.json.decode((folder / RECORD_FILE).read_bytes())
    return record
