"""Checks the output folder of a training without torch: its content, and its lock."""

import json
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from closeread.errors import MismatchError, UsageError
from closeread.formats.files.output_place import must_take_folder
from closeread.system.locks import lock_file
from closeread.training.processes import is_first_process
from closeread.training.recipe import TrainRecipe
from closeread.training.recipes.same_request import (
    MEMBERS,
    STAGES,
    comparable_recipe,
    is_same_training,
    iter_named_paths,
)

RECIPE_FILE = "training.json"
RECORD_FILE = "closeread.json"
STATES = "states"
_LOCK = "lock"  # in STATES; held while the training runs


def check_folder_free(path: Path, recipe: TrainRecipe, resume: bool, overwrite: bool) -> None:
    """Check that a training can use a folder, before any data are read.

    Args:
        path: The folder.
        recipe: The recipe to train.
        resume: Continue the training in the folder.
        overwrite: Discard what is in the folder.

    Raises:
        UsageError: A training is running in the folder; or it holds a training and neither
            ``resume`` nor ``overwrite`` is set; or it holds something else, or nothing to resume;
            or overwriting would delete a file or folder that the training starts from.
        MismatchError: The training to resume was started with another recipe.
        StorageError: The folder cannot be written.
    """
    if not is_first_process():
        return
    with suppress(OSError):  # no folder yet, or not writable: later steps report that
        if (path / STATES / _LOCK).exists():
            lock_folder(path).close()
    where = str(path)
    if path.exists() and not path.is_dir():
        raise UsageError("this is a file", where=where, expected="a folder", cure="name a folder")
    must_take_folder(path)
    if not path.exists() or not any(path.iterdir()):
        if resume:
            raise UsageError(
                "there is no training to resume", where=where, cure="leave out --resume"
            )
        return
    if not is_started(path):
        raise UsageError(
            "the folder is not empty and holds no training",
            where=where,
            cure="name an empty folder",
        )
    if not has_states(path):
        return
    if overwrite:
        _check_spares_inputs(path, recipe)
    elif not resume:
        is_done = (path / RECORD_FILE).exists()
        raise UsageError(
            f"the folder already holds a {'finished ' if is_done else ''}training",
            where=where,
            cure="use --overwrite, or another --out" if is_done else "use --resume or --overwrite",
        )
    elif not is_same_training(read_json(path / RECIPE_FILE), comparable_recipe(recipe)):
        raise MismatchError(
            "the training in this folder was started with another recipe",
            where=where,
            cure="use the original recipe, or --overwrite",
        )
    elif (path / RECORD_FILE).exists():
        raise UsageError(
            "the training in this folder is finished",
            where=where,
            cure="use --overwrite, or another --out",
        )


def is_started(path: Path) -> bool:
    """Return whether a training was started in a folder."""
    return (path / RECIPE_FILE).exists()


def is_finished(path: Path, recipe: TrainRecipe) -> bool:
    """Return whether this same training was finished in a folder."""
    return (path / RECORD_FILE).exists() and is_same_training(
        read_json(path / RECIPE_FILE), comparable_recipe(recipe)
    )


def has_learned(path: Path) -> bool:
    """Return whether a training, or the outermost training that contains it, has saved a state.

    The folder of a stage, or of a member of a soup, is inside that of the training it belongs to.
    """
    outermost = path.absolute()
    while outermost.parent.name in (STAGES, MEMBERS) and is_started(outermost.parent.parent):
        outermost = outermost.parent.parent
    return has_states(outermost)


def has_states(folder: Path) -> bool:
    """Return whether a folder holds a saved state or a finished training, stages included."""
    return any(folder.rglob(f"{STATES}/checkpoint-*")) or any(folder.rglob(RECORD_FILE))


def lock_folder(path: Path) -> IO[str]:
    """Lock a folder for one training; return the open lock file.

    Raises:
        UsageError: Another training holds the lock.
        OSError: The lock file cannot be opened.
    """
    file = (path / STATES / _LOCK).open("a", encoding="utf-8")
    try:
        lock_file(file)
    except BlockingIOError as error:
        file.close()
        raise UsageError(
            "another training is running in this folder",
            where=str(path),
            cure="wait until it ends, or stop it",
        ) from error
    return file


def _check_spares_inputs(path: Path, recipe: TrainRecipe) -> None:
    """Refuse to delete a folder that contains a file or folder named in the recipe."""
    folder = path.resolve()
    for named in iter_named_paths(recipe):
        if named.resolve().is_relative_to(folder) and named.exists():
            raise UsageError(
                f"--overwrite would delete {named}, which the training begins from",
                where=str(path),
                cure="write to another folder with --out",
            )


def read_json(path: Path) -> Any:
    """Return the content of a JSON file; None if it cannot be read."""
    try:
        # Not by msgspec: after an overflow the Trainer's JSON contains NaN or Infinity.
        return json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
