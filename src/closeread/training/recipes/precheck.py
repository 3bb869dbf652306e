"""Checks a recipe before torch is loaded, so that mistakes are reported within a second."""

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from importlib import import_module
from itertools import chain

from closeread.errors import CloseReadError, UsageError
from closeread.formats.files.open_all import open_each
from closeread.registry import lookup
from closeread.registry.factory import resolve_path
from closeread.training.processes import is_first_process
from closeread.training.recipes.folder import check_folder_free
from closeread.training.recipes.settings import NeuralSettings, check_settings
from closeread.training.recipes.stages import iter_stage_requests
from closeread.training.request import Request
from closeread.types import Dataset

# Longer than the processes of one launch start apart, and than a launcher takes to end the others.
_FOLLOWER_DELAY_SECONDS = 3


def precheck_recipe(request: Request) -> None:
    """Run the check that the catalog lists for a recipe's trainer, if there is one.

    Of several processes only the first reports an error. Another that fails waits: if the first
    fails too, the launcher ends this one meanwhile; if not, the training repeats the check and all
    processes learn of the error there.

    Raises:
        CloseReadError: As the training itself would, some seconds later.
    """
    check = lookup.find_entry("trainer", request.recipe.reader.name).precheck
    if not check:
        return
    module, _, attribute = check.partition(":")
    try:
        getattr(import_module(module), attribute)(request)
    except CloseReadError:
        if is_first_process():
            raise
        time.sleep(_FOLLOWER_DELAY_SECONDS)


def precheck_training(request: Request) -> None:
    """Check ``[train]``, the output folder, the data sets, and the stages under ``[[before]]``.

    Raises:
        InputError: A key is unknown, a value is wrong, or a data set is missing.
        UsageError: A number is out of range, the folder is taken, or a stage trains no model.
        MismatchError: The training to resume was started with another recipe.
    """
    settings, _ = parse_train_settings(request)
    if not request.within:
        check_folder_free(request.out, request.recipe, request.resume, request.overwrite)
    stages = list(iter_stage_requests(request, settings))
    openers = [_dataset_openers(request, settings)]
    for stage in stages:
        with suppress(CloseReadError):  # the check of the stage, below, reports it
            openers.append(_dataset_openers(stage, parse_train_settings(stage)[0]))
    open_each(chain(*openers))
    for stage in stages:
        precheck_recipe(stage)


def parse_train_settings(request: Request) -> tuple[NeuralSettings, str]:
    """Parse and check ``[train]``; return the settings and the model's path or hub name.

    Raises:
        InputError: A key is unknown, or a value is wrong.
        UsageError: A number is out of range, or ``model`` is empty.
    """
    settings = request.parse_table(request.recipe.train, NeuralSettings, "train")
    check_settings(settings, str(request.path), request.within)
    if not settings.model:
        raise UsageError(
            f"{request.within}train.model is empty",
            where=str(request.path),
            expected="a model folder, or a name on the Hugging Face hub",
            cure="name the model to begin from",
        )
    # The settings keep the name as written, because ``made_by`` refers to it.
    return settings, resolve_path("model", settings.model)


def check_datasets_open(request: Request, settings: NeuralSettings) -> None:
    """Check that every data set of a training (not of its stages) opens, without reading it.

    Raises:
        InputError: A data set is missing, or of no known format.
    """
    open_each(_dataset_openers(request, settings))


def _dataset_openers(request: Request, settings: NeuralSettings) -> Iterator[Callable[[], Dataset]]:
    beside = settings.beside.datasets if settings.beside else ()
    for source in (*settings.datasets, *beside, *settings.dev):
        yield partial(request.open_dataset, source.path, source.format)
    for name in settings.exclude:
        yield partial(request.open_dataset, name)
