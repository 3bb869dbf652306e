"""Sends the training curve to trackers: starts runs, resumes them after a kill, and ends them.

A tracker that cannot start ends a training that has not learned anything yet. One that fails later
is reported once and dropped, and training continues.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec
from transformers import Trainer, TrainerCallback
from transformers.integrations import TensorBoardCallback, TrackioCallback, WandbCallback
from transformers.integrations.integration_utils import rewrite_logs

from closeread.errors import UsageError
from closeread.formats.files.atomic_write import save_json
from closeread.readers.models.location import first_line
from closeread.training.neural.processes import Processes
from closeread.training.neural.saving.folder import CURVES
from closeread.training.neural.tracking import to_mlflow
from closeread.training.neural.tracking.trackers import cannot_start, isolated_stdio
from closeread.training.recipes.folder import STATES, has_learned
from closeread.training.recipes.same_request import MEMBERS, STAGES
from closeread.training.recipes.settings import NeuralSettings
from closeread.training.request import Say

_RUN_FILE = "tracked.json"  # beside the states, so that it is there as long as one can go on
_PROJECT = "closeread"
_CONTINUES = "training continues, and the folder keeps the whole curve"
_End = Callable[[bool], None]


@contextmanager
def track_curve(
    trainer: Trainer,
    settings: NeuralSettings,
    out: Path,
    *,
    resumed: bool,
    processes: Processes,
    say: Say,
) -> Iterator[None]:
    """Send the curve to every tracker that the recipe names, while this lasts.

    Args:
        trainer: Ready to train.
        settings: As the recipe says.
        out: The folder; files of TensorBoard and W&B stand in its ``curves``.
        resumed: Whether training goes on from a state: the same run is gone on with then.
        processes: Those that train together; the first alone speaks with trackers.
        say: Told what becomes of them.

    Raises:
        UsageError: One cannot begin, and nothing is learned yet: nobody is logged in, or it does
            not know the address.
    """
    guests: list[_Tracker] = []
    failed = True
    try:
        with processes.in_step():
            if settings.track and trainer.is_world_process_zero():
                run = _read_run(out, resumed)
                trainer.args.run_name, trainer.args.project = run["name"], _PROJECT
                # Else what a Space was sent would be copied to another, which is public.
                trainer.args.trackio_static_space_id = False
                for name in dict.fromkeys(settings.track):
                    try:
                        guests.append(_start_tracker(name, (trainer, settings, out, run), say))
                    except UsageError as error:
                        if not has_learned(out):
                            raise
                        say(f"{error.found}; {_CONTINUES}")
                if guests:
                    trainer.add_callback(_TrackerCallbacks(guests))
        yield
        failed = False
    finally:
        for guest in guests:
            guest.leave(failed)


def _read_run(out: Path, resumed: bool) -> dict[str, str]:
    """Return id and name of the run in trackers: those from before where it is gone on with."""
    path = out / STATES / _RUN_FILE
    if resumed and path.exists():
        return msgspec.json.decode(path.read_bytes(), type=dict[str, str])
    key = uuid4().hex[:8]
    # trackio knows runs by name alone: one of the same name would be gone on with.
    run = {"id": key, "name": f"{_run_name(out.absolute())}-{key}"}
    save_json(path, run)
    return run


def _run_name(out: Path) -> str:
    """Return what a training is called; a stage or member after the whole that it is of."""
    if out.parent.name in (STAGES, MEMBERS):
        return f"{_run_name(out.parent.parent)}-{out.parent.name}-{out.name}"
    return out.name


class _TrackerCallbacks(TrainerCallback):  # type: ignore[misc]
    """Hands on to all of them what the Trainer tells, which minds two callbacks of one class."""

    def __init__(self, guests: Sequence["_Tracker"]) -> None:
        self._guests = guests

    def on_train_begin(self, *given: Any, **named: Any) -> None:
        """Hand it on."""
        self._tell("on_train_begin", *given, **named)

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **named: Any) -> None:
        """Hand on a row of the curve.

        Not the Trainer's last: after a resumption its loss is of a part of the steps, over all.
        """
        if "train_runtime" not in (logs or {}):
            self._tell("on_log", args, state, control, logs=logs, **named)

    def on_save(self, *given: Any, **named: Any) -> None:
        """Hand it on."""
        self._tell("on_save", *given, **named)

    def on_train_end(self, *given: Any, **named: Any) -> None:
        """Hand it on."""
        self._tell("on_train_end", *given, **named)

    def _tell(self, event: str, *given: Any, **named: Any) -> None:
        for guest in self._guests:
            guest.hear(event, *given, **named)


class _Tracker:
    """A tracker that is told what the Trainer tells, until it fails."""

    def __init__(self, name: str, callback: Any, end: _End, say: Say) -> None:
        self._name, self._callback, self._end, self._say = name, callback, end, say
        self._well = True
        self._told = False

    def hear(self, event: str, *given: Any, **named: Any) -> None:
        """Tell it what happened."""
        self._try(getattr(self._callback, event), *given, **named)

    def leave(self, failed: bool) -> None:
        """End the run, which else a later stage would go on with."""
        self._well = True  # also one that failed has something to close
        self._try(self._end, failed)

    def _try(self, what: Callable[..., Any], *given: Any, **named: Any) -> None:
        if not self._well:
            return
        try:
            with isolated_stdio():
                what(*given, **named)
        except Exception as error:  # each has its own kinds
            self._well = False
            if not self._told:  # what failed fails once more where it is to be closed
                self._say(f"{self._name} failed and is dropped: {first_line(error)}; {_CONTINUES}")
            self._told = True


def _start_tracker(name: str, given: tuple[Any, ...], say: Say) -> _Tracker:
    try:
        with isolated_stdio():
            callback, end = _STARTERS[name](*given)
    except Exception as error:  # each has its own kinds
        raise cannot_start(name, error) from error
    return _Tracker(name, callback, end, say)


def _tensorboard(
    trainer: Trainer, settings: NeuralSettings, out: Path, run: dict[str, str]
) -> tuple[Any, _End]:
    from torch.utils.tensorboard import SummaryWriter

    writer = SummaryWriter(log_dir=str(out / CURVES))
    recipe = msgspec.json.format(msgspec.json.encode(settings)).decode()
    writer.add_text("recipe", f"```json\n{recipe}\n```")  # it shows Markdown
    return TensorBoardCallback(writer), lambda failed: writer.close()


def _wandb(
    trainer: Trainer, settings: NeuralSettings, out: Path, run: dict[str, str]
) -> tuple[Any, _End]:
    wandb = import_module("wandb")

    folder = os.environ.get("WANDB_DIR") or str(out / CURVES)
    Path(folder).mkdir(parents=True, exist_ok=True)  # else it writes to another, and says so
    wandb.init(
        project=os.environ.get("WANDB_PROJECT", _PROJECT),
        id=run["id"],
        name=run["name"],
        resume="allow",
        dir=folder,
        settings=wandb.Settings(console="off"),  # else it takes stdout, which is stderr here
    )
    callback = WandbCallback()
    callback.setup(trainer.args, trainer.state, trainer.model)
    wandb.config.update({"recipe": msgspec.to_builtins(settings)}, allow_val_change=True)
    return callback, lambda failed: wandb.finish(exit_code=int(failed))


class _ByStep(TrackioCallback):  # type: ignore[misc]
    """Numbers a row by the step that it is of; the library's own numbers them 0, 1, 2."""

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
        """Send a row of the curve."""
        told = rewrite_logs(logs) | {"train/global_step": state.global_step}
        self._trackio.log(told, step=state.global_step)


def _trackio(
    trainer: Trainer, settings: NeuralSettings, out: Path, run: dict[str, str]
) -> tuple[Any, _End]:
    trackio = import_module("trackio")

    callback = _ByStep()
    callback.setup(trainer.args, trainer.state, trainer.model)
    trackio.config.update({"recipe": msgspec.to_builtins(settings)})

    def end(failed: bool) -> None:
        if callback._initialized:  # it was not ended with the training
            trackio.finish()

    return callback, end


def _mlflow(
    trainer: Trainer, settings: NeuralSettings, out: Path, run: dict[str, str]
) -> tuple[Any, _End]:
    callback = to_mlflow.start_run(settings, run, _PROJECT)
    return callback, callback.end


_STARTERS: dict[str, Callable[..., tuple[Any, _End]]] = {
    "tensorboard": _tensorboard,
    "wandb": _wandb,
    "trackio": _trackio,
    "mlflow": _mlflow,
}
