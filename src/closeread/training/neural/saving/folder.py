"""The output folder of a training: the recipe, states to resume from, and the final checkpoint.

``training.json`` (the recipe) is written first and ``closeread.json`` last, so that a folder
without it is not finished. With several processes the first writes, all read.
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
_STARTED_WITH = "begun_with.json"  # among the states: it is there as long as one can go on
_EXAMPLES = "examples.json"  # there too
_TEACHERS = "taught_by.json"  # there too


class TrainingFolder:
    """Takes a folder for one training.

    Args:
        path: The folder.
        recipe: What is asked.
        resume: Go on with what was begun there.
        overwrite: Discard what is there.
        data: For each file that is learned from or watched its name, and what tells it from
            another of that name; None where nobody looks.

    Raises:
        UsageError: A training is going on in it; or there is one and neither resume nor overwrite
            is asked for, or something else, or nothing to resume, or overwriting would discard
            what the training begins from.
        MismatchError: The training to be resumed was begun with another recipe, or other data, or
            by another number of processes.
        StorageError: It cannot be written.
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
        self.mine = is_first_process()
        self._lock: IO[str] | None = None
        self._made: list[Path] = []  # folders that were not there, the innermost first
        if not self.mine:
            return
        check_folder_free(path, recipe, resume, overwrite)  # before anything is discarded
        ours = [path] if is_started(path) else []
        wanted = (path / STATES, path, *path.parents)
        self._made = [one for one in wanted if one in ours or not one.exists()]
        if is_started(path):
            if not self._has_states():
                self._clear()  # broken off before there was anything to lose
            elif overwrite:
                shutil.rmtree(path)
        begun = None if data is None else {"data": [*map(list, data)], "processes": process_count()}
        if begun is not None:
            self._check_started_with(begun)
        try:
            self._begin(comparable_recipe(recipe), begun)
        except BaseException:
            self._remove_if_empty()
            raise

    def __enter__(self) -> "TrainingFolder":
        return self

    def __exit__(self, error: object, *of: object) -> None:
        """Where nothing was made, leave nothing."""
        if error is not None:
            self._remove_if_empty()
        self._release()

    def _begin(self, asked: Any, begun: Any) -> None:
        """Lock the folder, and write what is asked."""
        try:
            (self.path / STATES).mkdir(parents=True, exist_ok=True)
            self._lock = lock_folder(self.path)
        except OSError as error:
            raise StorageError(
                f"cannot be created: {error.strerror}",
                where=str(self.path),
                cure="name another folder",
            ) from error
        save_json(self.path / RECIPE_FILE, asked, indent=1)
        if begun is not None:
            save_json(self.path / STATES / _STARTED_WITH, begun)
        if (state := self.last_state()) is not None:
            _repair_best_path(state)

    def _remove_if_empty(self) -> None:
        """Take the folder away again, where no training in it got so far as to be gone on with."""
        self._release()
        if not self.mine or self._has_states():
            return
        if self._lock is not None:  # else what is there is another training's
            self._clear()
        for one in self._made:
            with suppress(OSError):  # something else stands in it
                one.rmdir()

    def last_state(self) -> Path | None:
        """Return the last complete state; None if there is none.

        A kill may have interrupted the writing of one; incomplete states are skipped.
        """
        found = [one for one in (self.path / STATES).glob("checkpoint-*") if _is_complete(one)]
        return max(found, key=lambda state: int(state.name.rpartition("-")[2]), default=None)

    def record_examples(self, examples: Sequence[int]) -> None:
        """Record how many examples each data set gives; refuse to resume with other numbers.

        Another version may make other examples of the same data, and the record would not say that
        a part of the steps used them.

        Raises:
            MismatchError: The saved states are of other numbers of examples.
        """
        if not self.mine:
            return
        now, kept = list(examples), self.path / STATES / _EXAMPLES
        before = None if self.last_state() is None else read_json(kept)
        if before not in (None, now):  # earlier versions kept none
            raise MismatchError(
                "the training in this folder was started with "
                f"{count_of(sum(before), 'example')}, and the same data now give {sum(now):,}",
                where=str(self.path),
                cure="resume with the versions of closeread and transformers that started it, or "
                "use --overwrite",
            )
        save_json(kept, now)

    def record_teachers(self, teachers: Sequence[str]) -> None:
        """Record the teachers; refuse to resume with others, which alone the record would name.

        Args:
            teachers: A hash of each one's weights and settings; a folder may be moved.

        Raises:
            MismatchError: The saved states learned from other teachers.
        """
        if not self.mine:
            return
        now, kept = list(teachers), self.path / STATES / _TEACHERS
        before = None if self.last_state() is None else read_json(kept)
        if before not in (None, now):  # earlier versions kept none
            raise MismatchError(
                "the training in this folder was started with other teachers, or their files "
                "changed since",
                where=str(self.path),
                cure="restore the original teachers, or use --overwrite",
            )
        save_json(kept, now)

    def _has_states(self) -> bool:
        """Whether a state was saved, or a training finished, be it a stage."""
        return has_states(self.path)

    def _clear(self) -> None:
        for made in (STATES, CURVES, STAGES, MEMBERS):
            shutil.rmtree(self.path / made, ignore_errors=True)
        (self.path / RECIPE_FILE).unlink(missing_ok=True)

    def _release(self) -> None:
        if self._lock is not None:
            self._lock.close()

    def finish(self, told: dict[str, Any], **more: Any) -> None:
        """Write what came of it, with the recipe and what computed, and leave the states behind."""
        made = {
            **told,
            "closeread": __version__,
            "torch": str(torch.__version__),
            "transformers": transformers.__version__,
            "recipe": self._recipe,
        }
        copy_permissions(self.path, like=self.path / RECIPE_FILE)
        save_json(self.path / RECORD_FILE, made | more, indent=1)
        self._release()  # some systems remove no file that is open
        shutil.rmtree(self.path / STATES, ignore_errors=True)

    def _check_started_with(self, now: dict[str, Any]) -> None:
        """Refuse data that changed, of which the record would name a part alone, or other batches.

        A step takes as many batches as there are processes, and the order follows from that.
        """
        before = read_json(self.path / STATES / _STARTED_WITH)
        if isinstance(before, list):  # earlier versions kept the data alone
            before = {"data": before, "processes": now["processes"]}
        if before is None or before == now or not self._has_states():
            return
        if before["processes"] != now["processes"]:
            raise MismatchError(
                "the training in this folder was started with "
                f"{count_of(before['processes'], 'process', 'processes')}, not "
                f"{now['processes']}, so each step would learn from another number of questions",
                where=str(self.path),
                cure="start as many processes as before, or use --overwrite",
            )
        changed = dict.fromkeys(str(one[0]) for one in now["data"] if one not in before["data"])
        raise MismatchError(
            "the training in this folder was started with other data; changed since: "
            + ", ".join(changed),
            where=str(self.path),
            cure="restore the original data, or use --overwrite",
        )


def copy_permissions(folder: Path, *, like: Path) -> None:
    """Give the weights in a folder the permissions of another file of the training.

    safetensors 0.8 writes them for their owner alone, whatever the umask says.
    """
    mode = stat.S_IMODE(like.stat().st_mode)
    for weights in folder.glob("*.safetensors"):
        with suppress(OSError):  # some file systems have no modes
            weights.chmod(mode)


def _is_complete(state: Path) -> bool:
    drawn = [*state.glob("rng_state*.pth")]  # each process writes its own
    pickled = [state / "optimizer.pt", state / "scheduler.pt", *drawn]
    if len(drawn) < process_count() or not all(zipfile.is_zipfile(one) for one in pickled):
        return False
    if read_json(state / _STATE) is None:
        return False
    try:
        with safe_open(state / "model.safetensors", framework="pt") as weights:
            return bool(list(weights.keys()))
    except (OSError, SafetensorError):
        return False


def _repair_best_path(state: Path) -> None:
    """Update the path of the best state in a state, which may have been moved since."""
    told = read_json(state / _STATE)
    best = told.get("best_model_checkpoint")
    if best and (now := str(state.parent / Path(best).name)) != best:
        with replacing(state / _STATE) as stream:
            stream.write(json.dumps({**told, "best_model_checkpoint": now}, indent=2).encode())
