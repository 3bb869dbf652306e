"""``closeread train`` for readers with learned encoders: from a recipe to a checkpoint folder."""

import dataclasses
import os
from random import Random
from typing import Any

import msgspec
import torch
import transformers

from closeread import __version__, catalog
from closeread.errors import InputError
from closeread.readers.neural.checkpoint import Checkpoint, open_checkpoint
from closeread.training.neural.fit import Measure, fit
from closeread.training.neural.folder import Folder
from closeread.training.neural.material import drawn, overlap_with
from closeread.training.neural.measure import measured
from closeread.training.neural.settings import NeuralSettings, check
from closeread.training.neural.task import Feature, Task
from closeread.training.recipe import TrainRecipe, section
from closeread.training.request import Request, Trained

Item = Any


def train(request: Request, task: Task) -> Trained:
    """Train a model for a task and write its folder.

    Raises:
        InputError: The recipe, a data set or the model is not what it should be.
        UsageError: The folder is taken, or a setting is out of its range.
        MismatchError: The training to be gone on with was begun with another recipe.
    """
    settings = section(request.path, request.recipe.train, NeuralSettings, "train.")
    check(settings)
    with Folder(request.out, request.recipe, request.resume, request.overwrite) as folder:
        settings = _after_stages(request, settings)
        transformers.set_seed(settings.seed)  # of a head that is made
        checkpoint = open_checkpoint(
            named(settings.model),
            task.head,
            new_head=True,
            n_classes=task.n_classes,
            attention_dropout=settings.attention_dropout,
            device=_device(settings),
        )
        features, data = _features(request, task, checkpoint, settings)
        measure = _measure(request, task, settings)
        done = fit(
            checkpoint,
            task,
            features,
            settings,
            request.out,
            measure=measure,
            resume_from=folder.last_state(),
            begin=request.begin,
        )
        told: dict[str, Any] = {
            "reader": request.recipe.reader.name,
            "model": str(request.out),
            "n_features": sum(map(len, features)),
            "n_parameters": checkpoint.n_parameters,
            "steps": done.steps,
            "loss": done.loss,
            "metric": settings.metric or task.metric,
            "best": done.best,
            "seconds": done.seconds,
        }
        if folder.mine:
            checkpoint.save(request.out)
            folder.finish(
                {
                    **told,
                    "closeread": __version__,
                    "torch": str(torch.__version__),
                    "transformers": transformers.__version__,
                    "recipe": msgspec.to_builtins(request.recipe),
                    "data": msgspec.to_builtins(data),
                    "history": done.history,
                }
            )
    return Trained(out=request.out, told=told, remarks=_remarks(told, data))


def _after_stages(request: Request, settings: NeuralSettings) -> NeuralSettings:
    """Do the trainings that come first; the last one's model is where this one begins."""
    for number, stage in enumerate(request.recipe.before, 1):
        out = request.out / "before" / str(number)
        given = stage.train if number == 1 else {**stage.train, "model": settings.model}
        recipe = TrainRecipe(out=str(out), reader=stage.reader, train=given)
        if not Folder.is_finished(out, recipe):
            trainer = catalog.resolve("trainer", stage.reader.name)
            request.say(f"stage {number}: {stage.reader.name}")
            # A stage broken off is gone on with; one that was never begun has nothing to resume.
            resume = request.resume and Folder.is_begun(out)
            trainer(dataclasses.replace(request, recipe=recipe, out=out, resume=resume))
        settings = msgspec.structs.replace(settings, model=str(out))
    return settings


def _features(
    request: Request, task: Task, checkpoint: Checkpoint, settings: NeuralSettings
) -> tuple[list[list[Feature]], list[Any]]:
    overlap = overlap_with(settings.exclude, request.open_dataset)
    features, data = [], []
    for source in settings.datasets:
        items, told = drawn(source, request.open_dataset, overlap, settings.seed)
        rng = Random(f"{settings.seed}/{source.path}/features")
        features.append(list(task.features(checkpoint, items, rng)))
        data.append(told)
        request.say(
            f"{source.path}: {len(items):,} questions, {len(features[-1]):,} learned from"
            + (f", {told.n_excluded:,} left out for overlap" if told.n_excluded else "")
        )
    if not any(features):
        raise InputError(
            f"no question that {request.recipe.reader.name} can learn from",
            where=", ".join(source.path for source in settings.datasets),
            expected="questions of its kind, with gold",
        )
    return features, data


def _measure(request: Request, task: Task, settings: NeuralSettings) -> Measure | None:
    if not settings.dev:
        return None
    items = [
        item
        for source in settings.dev
        for item in drawn(source, request.open_dataset, None, settings.seed)[0]
    ]
    name = settings.metric or task.metric
    return lambda checkpoint: measured(task.reader(checkpoint), items, name)


def named(model: str) -> str:
    """Return a model's name with environment variables filled in.

    Raises:
        InputError: One is not set.
    """
    found = os.path.expandvars(model)
    if "$" in found:
        raise InputError(
            f"the environment variable in {model!r} is not set",
            expected="the folder of a model, or its hub name",
        )
    return found


def _device(settings: NeuralSettings) -> str:
    return settings.device or ("cuda" if torch.cuda.is_available() else "cpu")


def _remarks(told: dict[str, Any], data: list[Any]) -> tuple[str, ...]:
    best = "" if told["best"] is None else f", best {told['metric']} {told['best']:.1%}"
    limited = sorted({f"{one.name} ({one.license})" for one in data if one.license})
    lines = [
        f"{told['n_features']:,} questions, {told['steps']:,} steps, "
        f"loss {told['loss']:.3f}{best}, {told['seconds']:,.0f} s"
    ]
    if limited:
        lines.append("what it learned from has terms of its own: " + ", ".join(limited))
    return tuple(lines)
