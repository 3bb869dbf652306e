"""A first look at a recipe, before torch is loaded: what is wrong with it is told at once."""

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

_FOLLOWER_DELAY_SECONDS = (
    3  # more than processes that begin together are apart, and a launcher needs
)


def precheck_recipe(request: Request) -> None:
    """Look at a recipe by what its trainer's line in the catalog names; one without it trains soon.

    Of several processes the first alone tells. Another that fails waits: where the first fails
    too, the launcher ends it meanwhile, and else all learn of it where they wait for each other.

    Raises:
        CloseReadError: As the training itself would, some seconds later.
    """
    found = lookup.find_entry("trainer", request.recipe.reader.name).look
    if not found:
        return
    module, _, attribute = found.partition(":")
    try:
        getattr(import_module(module), attribute)(request)
    except CloseReadError:
        if is_first_process():
            raise
        time.sleep(_FOLLOWER_DELAY_SECONDS)


def precheck_training(request: Request) -> None:
    """Look at ``[train]``, the folder, the data sets, and the stages that come first.

    Raises:
        InputError: A key is unknown, a value is wrong, or a data set is not there.
        UsageError: A number is out of its range, the folder is taken, or a stage makes no model.
        MismatchError: The training to be gone on with was begun with another recipe.
    """
    settings, _ = parse_train_settings(request)
    if not request.within:
        check_folder_free(request.out, request.recipe, request.resume, request.overwrite)
    stages = list(iter_stage_requests(request, settings))
    opens = [_dataset_openers(request, settings)]
    for one in stages:
        with suppress(CloseReadError):  # told when it is looked at
            opens.append(_dataset_openers(one, parse_train_settings(one)[0]))
    open_each(chain(*opens))
    for one in stages:
        precheck_recipe(one)


def parse_train_settings(request: Request) -> tuple[NeuralSettings, str]:
    """Return what ``[train]`` says, and the model's name, where both make sense.

    Raises:
        InputError: A key is unknown, or a value is wrong.
        UsageError: A number is out of its range, or no model is named.
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
    # In the settings it stays as it is written: so it is declared who made it.
    return settings, resolve_path("model", settings.model)


def check_datasets_open(request: Request, settings: NeuralSettings) -> None:
    """See that there is every data set of a training without its stages, without reading one.

    Raises:
        InputError: One is not there, or of no known format.
    """
    open_each(_dataset_openers(request, settings))


def _dataset_openers(request: Request, settings: NeuralSettings) -> Iterator[Callable[[], Dataset]]:
    beside = settings.beside.datasets if settings.beside else ()
    for source in (*settings.datasets, *beside, *settings.dev):
        yield partial(request.open_dataset, source.path, source.format)
    for name in settings.exclude:
        yield partial(request.open_dataset, name)
