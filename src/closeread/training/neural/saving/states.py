"""Saves states as often as the recipe says, every 15 minutes, and on a signal to stop.

transformers' own ``enable_jit_checkpoint`` handles only SIGTERM, in one process, saves three
seconds later even in the middle of a step, and continues as if the training were finished.
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

from closeread.system.signals import StoppedBySignal, signal_name
from closeread.training.neural.processes import Processes
from closeread.training.neural.saving.folder import copy_permissions

# The most that a power cut can cost, besides a dev evaluation and the writing of a state.
_MAX_SECONDS_UNSAVED = 15 * 60
_OPEN_LOSS = "loss_so_far"
_DUE = 1  # less than the exit code of any signal


@contextmanager
def without_mtime_warning() -> Iterator[None]:
    """Suppress the warning that states saved within one second have the same mtime.

    The Trainer warns of an unreliable file system, which a small, fast training does not have; it
    then orders states by step, which is right.
    """
    logger = logging.getLogger("transformers.trainer_utils")

    def is_other_warning(record: logging.LogRecord) -> bool:
        return not record.getMessage().startswith("mtime may not be reliable")

    logger.addFilter(is_other_warning)
    try:
        yield
    finally:
        logger.removeFilter(is_other_warning)


class StateSaver(TrainerCallback):  # type: ignore[misc]
    """Saves states besides the Trainer's own, and stops the training after one on a signal.

    At the steps where the recipe saves a state, a row of the curve is logged too. A state saved at
    another step stores the loss of the row so far, so that a resumed training logs the same rows
    wherever it was interrupted.

    Args:
        trainer: The Trainer whose states to save.
        every: Steps between two states; 0 for only those of the Trainer.
        signalled: Returns the exit code of a signal to stop that this process received, else 0.
        processes: The processes that train together; all save and stop at the same step.
    """

    def __init__(
        self, trainer: Trainer, every: int, signalled: Callable[[], int], processes: Processes
    ) -> None:
        self._trainer, self._every = trainer, every
        self._signalled, self._processes = signalled, processes
        self._saved_at = time.monotonic()

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Restore the unfinished row of the curve from the state."""
        if row := _pop_open_row(state):
            self._trainer._tr_loss += row[_OPEN_LOSS]
            self._trainer._globalstep_last_logged = row["since"]

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Request a state if one is due."""
        is_due = self._processes.all_reduce_max(self._signalled() or _DUE * self._is_late())
        # At the end of an epoch, the state is saved after the dev evaluation. Otherwise a training
        # killed during the evaluation would resume after it, and miss its result.
        ends_epoch = control.should_training_stop or state.epoch == int(state.epoch)
        is_saved_later = ends_epoch and args.save_strategy == SaveStrategy.EPOCH
        if self._every and state.global_step % self._every == 0 and not is_saved_later:
            control.should_save = True
        if control.should_save or control.should_training_stop:
            control.should_log = True
        elif is_due and not is_saved_later:
            control.should_save = True
            if not control.should_log:
                self._push_open_row(state)

    def on_epoch_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Log the loss if a state is saved after an epoch."""
        if control.should_save:
            control.should_log = True

    def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Set the permissions of the state; stop the training after a signal.

        Raises:
            StoppedBySignal: A signal arrived, possibly during the dev evaluation before.
        """
        if state.is_world_process_zero:
            saved = Path(args.output_dir, f"{PREFIX_CHECKPOINT_DIR}-{state.global_step}")
            copy_permissions(saved, like=saved / TRAINER_STATE_NAME)
        _pop_open_row(state)
        self._saved_at = time.monotonic()
        self.stop_if_signalled()

    def stop_if_signalled(self) -> None:
        """Stop the training after a signal; called when a state is complete.

        Raises:
            StoppedBySignal: A process received a signal.
        """
        if not (code := self._processes.all_reduce_max(self._signalled())):
            return
        state = self._trainer.state
        raise StoppedBySignal(
            code,
            f"stopped by {signal_name(code)} after step {state.global_step:,} of "
            f"{state.max_steps:,}; a state is saved, and the same command with --resume continues "
            "from it",
        )

    def _is_late(self) -> bool:
        is_first: bool = self._trainer.is_world_process_zero()  # only its clock counts
        return is_first and time.monotonic() - self._saved_at >= _MAX_SECONDS_UNSAVED

    def _push_open_row(self, state: Any) -> None:
        """Append the unfinished row to the history until the state is written."""
        total = self._trainer.accelerator.gather(self._trainer._tr_loss).mean().item()
        since = self._trainer._globalstep_last_logged
        state.log_history.append({"step": state.global_step, "since": since, _OPEN_LOSS: total})


def _pop_open_row(state: Any) -> dict[str, Any] | None:
    """Remove the unfinished row from the history and return it; None if there is none."""
    rows = state.log_history
    return rows.pop() if rows and _OPEN_LOSS in rows[-1] else None
