"""Trains from the start or from a saved state, also from one with no steps left."""

from pathlib import Path
from typing import Any

import torch
from transformers import EarlyStoppingCallback, Trainer, TrainerState
from transformers.trainer import TRAINER_STATE_NAME

from closeread.errors import UsageError
from closeread.readers.models.location import first_line
from closeread.system.signals import defer_stop_signals
from closeread.training.neural.processes import Processes
from closeread.training.neural.saving.states import StateSaver, without_mtime_warning
from closeread.training.recipes.settings import NeuralSettings
from closeread.training.request import Say

_SIGNAL_REMARK = (
    "finishing this step or dev evaluation and saving a state; a second signal ends at once"
)


def train(
    trainer: Trainer,
    state: Path | None,
    settings: NeuralSettings,
    *,
    processes: Processes,
    say: Say,
) -> None:
    """Train from the start or from a state, and load the best model at the end.

    Args:
        trainer: A configured Trainer.
        state: The folder of a state to resume from.
        settings: The recipe's ``[train]``.
        processes: The processes that train together.
        say: Called with a line when a signal arrives.

    Raises:
        UsageError: A batch does not fit in the device's memory.
        LostProcessError: Another process ended.
        StoppedBySignal: A signal asked the training to stop; a state to resume from is saved.
    """
    with (
        defer_stop_signals(lambda name: say(f"{name}: {_SIGNAL_REMARK}")) as signalled,
        without_mtime_warning(),
    ):
        saver = StateSaver(trainer, settings.save_every, signalled, processes)
        trainer.add_callback(saver)
        try:
            with processes.explain_lost_process():
                _train(trainer, state, settings.patience)
        except torch.OutOfMemoryError as error:
            raise UsageError(
                f"a batch does not fit in the device's memory: {first_line(error)}",
                cure="reduce train.batch_size and raise train.accumulation to match; complete "
                "states are kept",
            ) from error
        saver.stop_if_signalled()


def _train(trainer: Trainer, state: Path | None, patience: int) -> None:
    if state is None:
        trainer.train()
        return
    saved = TrainerState.load_from_json(str(state / TRAINER_STATE_NAME))
    if not _is_finished(saved, patience):
        trainer.train(resume_from_checkpoint=str(state))
        return
    # Killed after its last state, before the model was written: the Trainer would add a step.
    trainer.state = saved
    best = saved.best_model_checkpoint if trainer.args.load_best_model_at_end else None
    trainer._load_from_checkpoint(best or str(state))


def _is_finished(state: Any, patience: int) -> bool:
    callback = state.stateful_callbacks.get(EarlyStoppingCallback.__name__, {})
    n_without_gain = callback.get("attributes", {}).get("early_stopping_patience_counter", 0)
    return bool(state.global_step >= state.max_steps or 0 < patience <= n_without_gain)
