"""Sends the training curve to trackers: starts runs, resumes them after a kill, and ends them.

If a tracker cannot start, a training without a saved state ends. A tracker that fails later is
reported once and dropped, and training continues.
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

_RUN_FILE = "tracked.json"  # in STATES, so that it exists as long as the training can be resumed
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
    """Send the curve to every tracker that the recipe names, during the block.

    Args:
        trainer: A configured Trainer.
        settings: The recipe's ``[train]``.
        out: The output folder; files of TensorBoard and W&B go into its ``curves``.
        resumed: Whether training continues from a state, and so the same runs are continued.
        processes: The processes that train together; only the first talks to trackers.
        say: Called with a line when a tracker fails.

    Raises:
        UsageError: A tracker cannot start, for example because nobody is logged in, and no state
            is saved yet.
    """
    trackers: list[_Tracker] = []
    failed = True
    try:
        with processes.in_step():
            if settings.track and trainer.is_world_process_zero():
                run = _read_run(out, resumed)
                trainer.args.run_name, trainer.args.project = run["name"], _PROJECT
                # Otherwise the data in a Space would be copied to another one, which is public.
                trainer.args.trackio_static_space_id = False
                for name in dict.fromkeys(settings.track):
                    try:
                        trackers.append(_start_tracker(name, (trainer, settings, out, run), say))
                    except UsageError as error:
                        if not has_learned(out):
                            raise
                        say(f"{error.found}; {_CONTINUES}")
                if trackers:
                    trainer.add_callback(_TrackerCallbacks(trackers))
        yield
        failed = False
    finally:
        for tracker in trackers:
            tracker.close(failed)


def _read_run(out: Path, resumed: bool) -> dict[str, str]:
    """Return the id and name of the run in trackers; a resumed training keeps its own."""
    path = out / STATES / _RUN_FILE
    if resumed and path.exists():
        return msgspec.json.decode(path.read_bytes(), type=dict[str, str])
    key = uuid4().hex[:8]
    # trackio identifies runs by name: it would continue another one of the same name.
    run = {"id": key, "name": f"{_run_name(out.absolute())}-{key}"}
    save_json(path, run)
    return run


def _run_name(out: Path) -> str:
    """Return the name of a training's run; for a stage or member, after the whole training's."""
    if out.parent.name in (STAGES, MEMBERS):
        return f"{_run_name(out.parent.parent)}-{out.parent.name}-{out.name}"
    return out.name


class _TrackerCallbacks(TrainerCallback):  # type: ignore[misc]
    """Forwards the Trainer's events to all trackers.

    One callback for all, because the Trainer warns of two callbacks of one class.
    """

    def __init__(self, trackers: Sequence["_Tracker"]) -> None:
        self._trackers = trackers

    def on_train_begin(self, *args: Any, **kwargs: Any) -> None:
        """Forward the event."""
        self._forward("on_train_begin", *args, **kwargs)

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **kwargs: Any) -> None:
        """Forward a row of the curve.

        The Trainer's last row is left out: after a resumption, it divides the loss of the later
        steps by the number of all steps.
        """
        if "train_runtime" not in (logs or {}):
            self._forward("on_log", args, state, control, logs=logs, **kwargs)

    def on_save(self, *args: Any, **kwargs: Any) -> None:
        """Forward the event."""
        self._forward("on_save", *args, **kwargs)

    def on_train_end(self, *args: Any, **kwargs: Any) -> None:
        """Forward the event."""
        self._forward("on_train_end", *args, **kwargs)

    def _forward(self, event: str, *args: Any, **kwargs: Any) -> None:
        for tracker in self._trackers:
            tracker.handle(event, *args, **kwargs)


class _Tracker:
    """A tracker that receives the Trainer's events until it fails."""

    def __init__(self, name: str, callback: Any, end: _End, say: Say) -> None:
        self._name, self._callback, self._end, self._say = name, callback, end, say
        self._is_active = True
        self._is_reported = False

    def handle(self, event: str, *args: Any, **kwargs: Any) -> None:
        """Pass an event to the tracker's callback, unless the tracker failed before."""
        self._try(getattr(self._callback, event), *args, **kwargs)

    def close(self, failed: bool) -> None:
        """End the run, which a later stage would otherwise continue."""
        self._is_active = True  # also a tracker that failed has a run to close
        self._try(self._end, failed)

    def _try(self, action: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
        if not self._is_active:
            return
        try:
            with isolated_stdio():
                action(*args, **kwargs)
        except Exception as error:  # each tracker has its own classes
            self._is_active = False
            if not self._is_reported:  # closing a tracker that failed mostly fails again
                self._say(f"{self._name} failed and is dropped: {first_line(error)}; {_CONTINUES}")
            self._is_reported = True


def _start_tracker(name: str, arguments: tuple[Any, ...], say: Say) -> _Tracker:
    try:
        with isolated_stdio():
            callback, end = _STARTERS[name](*arguments)
    except Exception as error:  # each tracker has its own classes
        raise cannot_start(name, error) from error
    return _Tracker(name, callback, end, say)


def _start_tensorboard(
    trainer: Trainer, settings: NeuralSettings, out: Path, run: dict[str, str]
) -> tuple[Any, _End]:
    from torch.utils.tensorboard import SummaryWriter

    writer = SummaryWriter(log_dir=str(out / CURVES))
    recipe = msgspec.json.format(msgspec.json.encode(settings)).decode()
    writer.add_text("recipe", f"```json\n{recipe}\n```")  # rendered as Markdown
    return TensorBoardCallback(writer), lambda failed: writer.close()


def _start_wandb(
    trainer: Trainer, settings: NeuralSettings, out: Path, run: dict[str, str]
) -> tuple[Any, _End]:
    wandb = import_module("wandb")

    folder = os.environ.get("WANDB_DIR") or str(out / CURVES)
    Path(folder).mkdir(parents=True, exist_ok=True)  # W&B would fall back to another folder
    wandb.init(
        project=os.environ.get("WANDB_PROJECT", _PROJECT),
        id=run["id"],
        name=run["name"],
        resume="allow",
        dir=folder,
        settings=wandb.Settings(console="off"),  # stdout is redirected to stderr here
    )
    callback = WandbCallback()
    callback.setup(trainer.args, trainer.state, trainer.model)
    wandb.config.update({"recipe": msgspec.to_builtins(settings)}, allow_val_change=True)
    return callback, lambda failed: wandb.finish(exit_code=int(failed))


class _ByStep(TrackioCallback):  # type: ignore[misc]
    """Numbers rows by their training step; the library's own callback numbers them 0, 1, 2."""

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
        """Send a row of the curve."""
        row = rewrite_logs(logs) | {"train/global_step": state.global_step}
        self._trackio.log(row, step=state.global_step)


def _start_trackio(
    trainer: Trainer, settings: NeuralSettings, out: Path, run: dict[str, str]
) -> tuple[Any, _End]:
    trackio = import_module("trackio")

    callback = _ByStep()
    callback.setup(trainer.args, trainer.state, trainer.model)
    trackio.config.update({"recipe": msgspec.to_builtins(settings)})

    def end(failed: bool) -> None:
        if callback._initialized:  # the run has not been ended with the training
            trackio.finish()

    return callback, end


def _start_mlflow(
    trainer: Trainer, settings: NeuralSettings, out: Path, run: dict[str, str]
) -> tuple[Any, _End]:
    callback = to_mlflow.start_run(settings, run, _PROJECT)
    return callback, callback.end


_STARTERS: dict[str, Callable[..., tuple[Any, _End]]] = {
    "tensorboard": _start_tensorboard,
    "wandb": _start_wandb,
    "trackio": _start_trackio,
    "mlflow": _start_mlflow,
}
