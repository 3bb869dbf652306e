"""``closeread train`` for readers with learned encoders: from a recipe to a checkpoint folder."""

import dataclasses
import os
from collections.abc import Sequence
from random import Random
from typing import Any

import msgspec
import torch
import transformers

from closeread import __version__, catalog
from closeread.errors import InputError
from closeread.readers.neural.checkpoint import Checkpoint, open_checkpoint
from closeread.training.neural.descent import descended
from closeread.training.neural.fit import Measure, fit
from closeread.training.neural.folder import Folder
from closeread.training.neural.inference import InferenceBeside
from closeread.training.neural.material import Drawn, Item, drawn, overlap_with
from closeread.training.neural.measure import measured
from closeread.training.neural.settings import NeuralSettings, Source, check
from closeread.training.neural.task import Feature, Prepares, Task
from closeread.training.recipe import TrainRecipe, section
from closeread.training.request import Request, Trained


def train(request: Request, task: Task) -> Trained:
    """Train a model for a task and write its folder.

    Raises:
        InputError: The recipe, a data set or the model is not what it should be.
        UsageError: The folder is taken, or a setting is out of its range.
        MismatchError: The training to be gone on with was begun with another recipe.
    """
    settings = section(request.path, request.recipe.train, NeuralSettings, "train.")
    check(settings)
    model = named(settings.model)
    # All data are read before anything is written: a wrong name at the end costs no stage.
    material = _material(request, settings.datasets, settings)
    beside = _material(request, settings.beside.datasets if settings.beside else (), settings)
    watched = _watched(request, settings)
    with Folder(request.out, request.recipe, request.resume, request.overwrite) as folder:
        model = _after_stages(request, model)
        transformers.set_seed(settings.seed)  # of a head that is made
        checkpoint = open_checkpoint(
            model,
            task.head,
            new_head=True,
            n_classes=task.n_classes,
            attention_dropout=settings.attention_dropout,
            device=_device(settings),
        )
        if isinstance(task, Prepares):
            task.prepare(checkpoint)
        features = _features(request, task, checkpoint, settings, material)
        second = InferenceBeside(settings.beside.max_length) if settings.beside else None
        if second is not None:
            features += _features(request, second, checkpoint, settings, beside)
        metric = settings.metric or task.metric
        measure: Measure | None = None
        if watched:
            measure = lambda now: measured(task.reader(now), watched, metric)  # noqa: E731
        done = fit(
            checkpoint,
            task,
            features,
            settings,
            request.out,
            second=second,
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
            "metric": metric,
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
                    "data": [msgspec.to_builtins(told) for _, told in (*material, *beside)],
                    "history": done.history,
                    "lineage": descended(
                        request.recipe.reader,
                        settings,
                        model,
                        [told for _, told in (*material, *beside)],
                        checkpoint.n_parameters,
                    ),
                }
            )
    return Trained(out=request.out, told=told, remarks=_remarks(told, [one for _, one in material]))


def _after_stages(request: Request, model: str) -> str:
    """Do the trainings that come first; return the model where the last one begins."""
    for number, stage in enumerate(request.recipe.before, 1):
        out = request.out / "before" / str(number)
        given = {**stage.train, "model": model} if number > 1 else {"model": model, **stage.train}
        recipe = TrainRecipe(out=str(out), reader=stage.reader, train=given)
        if not Folder.is_finished(out, recipe):
            trainer = catalog.resolve("trainer", stage.reader.name)
            request.say(f"stage {number}: {stage.reader.name}")
            # A stage broken off is gone on with; one that was never begun has nothing to resume.
            resume = request.resume and Folder.is_begun(out)
            trainer(dataclasses.replace(request, recipe=recipe, out=out, resume=resume))
        model = str(out)
    return model


def _material(
    request: Request, sources: Sequence[Source], settings: NeuralSettings
) -> list[tuple[list[Item], Drawn]]:
    overlap = overlap_with(settings.exclude, request.open_dataset) if sources else None
    return [drawn(source, request.open_dataset, overlap, settings.seed) for source in sources]


def _watched(request: Request, settings: NeuralSettings) -> list[Item]:
    return [
        item
        for source in settings.dev
        for item in drawn(source, request.open_dataset, None, settings.seed)[0]
    ]


def _features(
    request: Request,
    task: Task | InferenceBeside,
    checkpoint: Checkpoint,
    settings: NeuralSettings,
    material: list[tuple[list[Item], Drawn]],
) -> list[list[Feature]]:
    features = []
    for items, told in material:
        rng = Random(f"{settings.seed}/{told.path}/features")
        features.append(list(task.features(checkpoint, items, rng)))
        request.say(
            f"{told.path}: {len(items):,} questions, {len(features[-1]):,} learned from"
            + (f", {told.n_excluded:,} left out for overlap" if told.n_excluded else "")
        )
    if not any(features):
        raise InputError(
            f"no question that {request.recipe.reader.name} can learn from",
            where=", ".join(source.path for source in settings.datasets),
            expected="questions of its kind, with gold",
        )
    return features


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


def _remarks(told: dict[str, Any], data: list[Drawn]) -> tuple[str, ...]:
    best = "" if told["best"] is None else f", best {told['metric']} {told['best']:.1%}"
    limited = sorted({f"{one.name} ({one.license})" for one in data if one.license})
    lines = [
        f"{told['n_features']:,} questions, {told['steps']:,} steps, "
        f"loss {told['loss']:.3f}{best}, {told['seconds']:,.0f} s"
    ]
    if limited:
        lines.append("what it learned from has terms of its own: " + ", ".join(limited))
    return tuple(lines)
