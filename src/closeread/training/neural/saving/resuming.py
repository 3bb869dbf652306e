"""Trains from the beginning or from a saved state, also from one with no step left."""

from pathlib import Path
from typing import Any

import torch
from transformers import EarlyStoppingCallback, Trainer, TrainerState
from transformers.trainer import TRAINER_STATE_NAME

from closeread.errors import UsageError
from closeread.readers.models.location import first_line
from closeread.system.signals import waiting
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
    """Train, from the beginning or from a state; the best model is in the trainer afterwards.

    A training that was killed after its last state, before its model was written, has nothing left
    to do, and the Trainer would do a step more.

    Args:
        trainer: Ready to train.
        state: The folder of a state to go on from.
        settings: As the recipe says.
        processes: Those that train together.
        say: Told that a signal was heard.

    Raises:
        UsageError: The device's memory does not hold a batch.
        LostProcessError: Another process ended.
        Stopped: A signal asked for an end; a state is saved to go on from.
    """
    with waiting(lambda name: say(f"{name}: {_SIGNAL_REMARK}")) as asked, without_mtime_warning():
        states = StateSaver(trainer, settings.save_every, asked, processes)
        trainer.add_callback(states)
        try:
            with processes.explain_lost_process():
                _train(trainer, state, settings.patience)
        except torch.OutOfMemoryError as error:
            raise UsageError(
                f"a batch does not fit in the device's memory: {first_line(error)}",
                cure="reduce train.batch_size and raise train.accumulation to match; complete "
                "states are kept",
            ) from error
        states.end()


def _train(trainer: Trainer, state: Path | None, patience: int) -> None:
    if state is None:
        trainer.train()
        return
    saved = TrainerState.load_from_json(str(state / TRAINER_STATE_NAME))
    if not _is_over(saved, patience):
        trainer.train(resume_from_checkpoint=str(state))
        return
    trainer.state = saved
    best = saved.best_model_checkpoint if trainer.args.load_best_model_at_end else None
    trainer._load_from_checkpoint(best or str(state))


def _is_over(state: Any, patience: int) -> bool:
    told = state.stateful_callbacks.get(EarlyStoppingCallback.__name__, {})
    looks = told.get("attributes", {}).get("early_stopping_patience_counter", 0)
    return bool(state.global_step >= state.max_steps or 0 < patience <= looks)
