"""Saves states: as the recipe says, every 15 minutes, and when a signal asks for an end.

transformers' own ``enable_jit_checkpoint`` hears SIGTERM alone, in one process, saves three seconds
later between any two halves of a step, and goes on as if the training were over.
"""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from transformers import Trainer, TrainerCallback
from transformers.trainer import TRAINER_STATE_NAME
from transformers.trainer_utils import PREFIX_CHECKPOINT_DIR, SaveStrategy

from closeread.system.signals import Stopped, name_of
from closeread.training.neural.processes import Processes
from closeread.training.neural.saving.folder import copy_permissions

_MAX_SECONDS_UNSAVED = (
    15 * 60
)  # what a power cut costs at most, but for a look and the writing itself
_OPEN_LOSS = "loss_so_far"
_DUE = 1  # less than any exit code that a signal has


@contextmanager
def without_mtime_warning() -> Iterator[None]:
    """Leave unsaid that states are ordered by their numbers where all are of one second.

    The Trainer takes that for a fault of the file system, which would worry whoever trains a small
    model; the order is right.
    """
    logger = logging.getLogger("transformers.trainer_utils")

    def matters(record: logging.LogRecord) -> bool:
        return not record.getMessage().startswith("mtime may not be reliable")

    logger.addFilter(matters)
    try:
        yield
    finally:
        logger.removeFilter(matters)


class StateSaver(TrainerCallback):  # type: ignore[misc]
    """Saves states beside the Trainer's own, and ends the training behind one.

    Where the recipe says that a state is saved, a row of the curve ends too. One saved at another
    step holds what the row has come to so far, so that a training that was resumed has the same
    rows whenever it was broken off.

    Args:
        trainer: Whose states they are.
        every: Steps between two; 0 leaves it at those of the Trainer.
        asked: Returns 0, or the exit code where a signal asked this process for an end.
        processes: Those that train together: all save and end at the same step.
    """

    def __init__(
        self, trainer: Trainer, every: int, asked: Callable[[], int], processes: Processes
    ) -> None:
        self._trainer, self._every = trainer, every
        self._asked, self._processes = asked, processes
        self._saved = time.monotonic()

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Go on with the row that the state was saved in."""
        if row := _pop_open_row(state):
            self._trainer._tr_loss += row[_OPEN_LOSS]
            self._trainer._globalstep_last_logged = row["since"]

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Ask for a state where one is due."""
        due = self._processes.all_reduce_max(self._asked() or _DUE * self._is_late())
        # With the last step of an epoch the state waits for the look: a training that was killed
        # while it looked would else go on behind it, and have one look less.
        ends = control.should_training_stop or state.epoch == int(state.epoch)
        waits = ends and args.save_strategy == SaveStrategy.EPOCH
        if self._every and state.global_step % self._every == 0 and not waits:
            control.should_save = True
        if control.should_save or control.should_training_stop:
            control.should_log = True
        elif due and not waits:
            control.should_save = True
            if not control.should_log:
                self._push_open_row(state)

    def on_epoch_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Note the loss where a state is saved after an epoch."""
        if control.should_save:
            control.should_log = True

    def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Let who may read the state read all of it; end the training where that was asked for.

        Raises:
            Stopped: It was, be it in the look before.
        """
        if state.is_world_process_zero:
            saved = Path(args.output_dir, f"{PREFIX_CHECKPOINT_DIR}-{state.global_step}")
            copy_permissions(saved, like=saved / TRAINER_STATE_NAME)
        _pop_open_row(state)
        self._saved = time.monotonic()
        self.end()

    def end(self) -> None:
        """End the training where that was asked for, once the last state is whole.

        Raises:
            Stopped: It was.
        """
        if not (code := self._processes.all_reduce_max(self._asked())):
            return
        state = self._trainer.state
        raise Stopped(
            code,
            f"stopped by {name_of(code)} after step {state.global_step:,} of {state.max_steps:,}; "
            "a state is saved, and the same command with --resume continues from it",
        )

    def _is_late(self) -> bool:
        first: bool = self._trainer.is_world_process_zero()  # one clock for all
        return first and time.monotonic() - self._saved >= _MAX_SECONDS_UNSAVED

    def _push_open_row(self, state: Any) -> None:
        """Put the row that is open among the rows for as long as the state is written."""
        total = self._trainer.accelerator.gather(self._trainer._tr_loss).mean().item()
        since = self._trainer._globalstep_last_logged
        state.log_history.append({"step": state.global_step, "since": since, _OPEN_LOSS: total})


def _pop_open_row(state: Any) -> dict[str, Any] | None:
    """Take the open row out of the others again."""
    rows = state.log_history
    return rows.pop() if rows and _OPEN_LOSS in rows[-1] else None
