"""The output folder of a training: the recipe, states to resume from, and the final checkpoint.

``training.json`` (the recipe) is written first and ``closeread.json`` last, so a folder without the
latter is not finished. With several processes the first writes, all read.
"""

import json
import shutil
import stat
import zipfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import torch
import transformers
from safetensors import SafetensorError, safe_open

from closeread.errors import MismatchError, StorageError
from closeread.formats.files.atomic_write import replacing, save_json
from closeread.training.processes import is_first_process, process_count
from closeread.training.recipe import TrainRecipe
from closeread.training.recipes.folder import (
    RECIPE_FILE,
    RECORD_FILE,
    STATES,
    check_folder_free,
    has_states,
    is_started,
    lock_folder,
    read_json,
)
from closeread.training.recipes.same_request import MEMBERS, STAGES, comparable_recipe
from closeread.version import __version__
from closeread.wording import count_of

CURVES = "curves"  # for TensorBoard
_STATE = "trainer_state.json"
# In STATES, so that they exist as long as the training can be resumed:
_STARTED_WITH = "begun_with.json"
_EXAMPLES = "examples.json"
_TEACHERS = "taught_by.json"


class TrainingFolder:
    """The folder of one training; locks it, and removes it again if nothing was saved.

    Args:
        path: The folder.
        recipe: The recipe to train.
        resume: Continue the training in the folder.
        overwrite: Discard what is in the folder.
        data: The fingerprint of each training and dev set: its name, then what distinguishes it
            from another of that name. None checks no data.

    Raises:
        UsageError: A training is running in the folder; or it holds a training and neither
            ``resume`` nor ``overwrite`` is set; or it holds something else, or nothing to resume;
            or overwriting would delete a file or folder that the training starts from.
        MismatchError: The training to resume was started with another recipe, other data or
            another number of processes.
        StorageError: The folder cannot be written.
    """

    def __init__(
        self,
        path: Path,
        recipe: TrainRecipe,
        resume: bool,
        overwrite: bool,
        data: Sequence[Sequence[Any]] | None = None,
    ) -> None:
        self.path = path
        self._recipe = recipe
        self.is_writer = is_first_process()
        self._lock: IO[str] | None = None
        self._created: list[Path] = []  # folders to remove if nothing is saved, innermost first
        if not self.is_writer:
            return
        check_folder_free(path, recipe, resume, overwrite)  # before anything is discarded
        own = [path] if is_started(path) else []
        folders = (path / STATES, path, *path.parents)
        self._created = [folder for folder in folders if folder in own or not folder.exists()]
        if is_started(path):
            if not self._has_states():
                self._clear()  # a training that ended before it saved anything
            elif overwrite:
                shutil.rmtree(path)
        started_with = None
        if data is not None:
            started_with = {"data": [*map(list, data)], "processes": process_count()}
            self._check_started_with(started_with)
        try:
            self._start(comparable_recipe(recipe), started_with)
        except BaseException:
            self._remove_if_empty()
            raise

    def __enter__(self) -> "TrainingFolder":
        return self

    def __exit__(self, error: object, *details: object) -> None:
        """Unlock the folder; after an error, remove it if nothing was saved."""
        if error is not None:
            self._remove_if_empty()
        self._release()

    def _start(self, recipe: Any, started_with: Any) -> None:
        """Create and lock the folder; write the recipe and the initial facts of the training."""
        try:
            (self.path / STATES).mkdir(parents=True, exist_ok=True)
            self._lock = lock_folder(self.path)
        except OSError as error:
            raise StorageError(
                f"cannot be created: {error.strerror}",
                where=str(self.path),
                cure="name another folder",
            ) from error
        save_json(self.path / RECIPE_FILE, recipe, indent=1)
        if started_with is not None:
            save_json(self.path / STATES / _STARTED_WITH, started_with)
        if (state := self.last_state()) is not None:
            _repair_best_path(state)

    def _remove_if_empty(self) -> None:
        """Remove the folder again if no state was saved in it."""
        self._release()
        if not self.is_writer or self._has_states():
            return
        if self._lock is not None:  # without the lock, the content is another training's
            self._clear()
        for folder in self._created:
            with suppress(OSError):  # it contains other files
                folder.rmdir()

    def last_state(self) -> Path | None:
        """Return the folder of the last complete state; None if there is none.

        States that a kill left incomplete are skipped.
        """
        states = [path for path in (self.path / STATES).glob("checkpoint-*") if _is_complete(path)]
        return max(states, key=lambda state: int(state.name.rpartition("-")[2]), default=None)

    def record_examples(self, examples: Sequence[int]) -> None:
        """Record how many examples each data set gives; refuse to resume with other numbers.

        Another version may make other examples of the same data, and the record would not say that
        a part of the steps used them.

        Raises:
            MismatchError: The saved states were trained on other numbers of examples.
        """
        if not self.is_writer:
            return
        current, path = list(examples), self.path / STATES / _EXAMPLES
        before = None if self.last_state() is None else read_json(path)
        if before not in (None, current):  # earlier versions recorded none
            raise MismatchError(
                "the training in this folder was started with "
                f"{count_of(sum(before), 'example')}, and the same data now give {sum(current):,}",
                where=str(self.path),
                cure="resume with the versions of closeread and transformers that started it, or "
                "use --overwrite",
            )
        save_json(path, current)

    def record_teachers(self, teachers: Sequence[str]) -> None:
        """Record the teachers; refuse to resume with others, as the record would name only those.

        Args:
            teachers: A hash of each teacher's weights and settings, as folders may be moved.

        Raises:
            MismatchError: The saved states learned from other teachers.
        """
        if not self.is_writer:
            return
        current, path = list(teachers), self.path / STATES / _TEACHERS
        before = None if self.last_state() is None else read_json(path)
        if before not in (None, current):  # earlier versions recorded none
            raise MismatchError(
                "the training in this folder was started with other teachers, or their files "
                "changed since",
                where=str(self.path),
                cure="restore the original teachers, or use --overwrite",
            )
        save_json(path, current)

    def _has_states(self) -> bool:
        """Return whether a state was saved or a training finished, stages included."""
        return has_states(self.path)

    def _clear(self) -> None:
        """Delete everything that a training writes before its final checkpoint."""
        for name in (STATES, CURVES, STAGES, MEMBERS):
            shutil.rmtree(self.path / name, ignore_errors=True)
        (self.path / RECIPE_FILE).unlink(missing_ok=True)

    def _release(self) -> None:
        if self._lock is not None:
            self._lock.close()

    def finish(self, summary: dict[str, Any], **facts: Any) -> None:
        """Write the record, with the recipe and the versions of the libraries; delete the states.

        Args:
            summary: The result, as ``--json`` prints it.
            facts: Further fields of the record.
        """
        record = {
            **summary,
            "closeread": __version__,
            "torch": str(torch.__version__),
            "transformers": transformers.__version__,
            "recipe": self._recipe,
        }
        copy_permissions(self.path, like=self.path / RECIPE_FILE)
        save_json(self.path / RECORD_FILE, record | facts, indent=1)
        self._release()  # some systems cannot delete open files
        shutil.rmtree(self.path / STATES, ignore_errors=True)

    def _check_started_with(self, current: dict[str, Any]) -> None:
        """Refuse to resume with changed data, or with another number of processes.

        The record would name only a part of the data. A step takes a batch for each process, so
        another number of them changes the batch size and the order.
        """
        before = read_json(self.path / STATES / _STARTED_WITH)
        if isinstance(before, list):  # earlier versions recorded only the data
            before = {"data": before, "processes": current["processes"]}
        if before is None or before == current or not self._has_states():
            return
        if before["processes"] != current["processes"]:
            raise MismatchError(
                "the training in this folder was started with "
                f"{count_of(before['processes'], 'process', 'processes')}, not "
                f"{current['processes']}, so each step would learn from another number of "
                "questions",
                where=str(self.path),
                cure="start as many processes as before, or use --overwrite",
            )
        changed = dict.fromkeys(
            str(data[0]) for data in current["data"] if data not in before["data"]
        )
        raise MismatchError(
            "the training in this folder was started with other data; changed since: "
            + ", ".join(changed),
            where=str(self.path),
            cure="restore the original data, or use --overwrite",
        )


def copy_permissions(folder: Path, *, like: Path) -> None:
    """Give the weights in a folder the permissions of another file of the training.

    safetensors 0.8 makes them readable only for their owner, whatever the umask is.
    """
    mode = stat.S_IMODE(like.stat().st_mode)
    for weights in folder.glob("*.safetensors"):
        with suppress(OSError):  # some file systems have no modes
            weights.chmod(mode)


def _is_complete(state: Path) -> bool:
    """Return whether all files of a state are there and readable."""
    rng_states = [*state.glob("rng_state*.pth")]  # each process writes its own
    pickles = [state / "optimizer.pt", state / "scheduler.pt", *rng_states]
    if len(rng_states) < process_count() or not all(map(zipfile.is_zipfile, pickles)):
        return False
    if read_json(state / _STATE) is None:
        return False
    try:
        with safe_open(state / "model.safetensors", framework="pt") as weights:
            return bool(list(weights.keys()))
    except (OSError, SafetensorError):
        return False


def _repair_best_path(state: Path) -> None:
    """Update the path of the best state in a saved state, if the folder was moved since."""
    content = read_json(state / _STATE)
    best = content.get("best_model_checkpoint")
    if best and (current_path := str(state.parent / Path(best).name)) != best:
        with replacing(state / _STATE) as stream:
            stream.write(
                json.dumps({**content, "best_model_checkpoint": current_path}, indent=2).encode()
            )
