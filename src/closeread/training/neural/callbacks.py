"""Callbacks of the Trainer: progress, the order of each epoch, and a check for NaN weights."""

import math
from typing import Any

import torch
from transformers import TrainerCallback

from closeread.errors import InputError
from closeread.protocols import Begin
from closeread.training.neural.sampling import EpochOrder
from closeread.training.processes import is_first_process


class Progress(TrainerCallback):  # type: ignore[misc]
    """Reports progress in steps, instead of the Trainer's own output."""

    def __init__(self, begin: Begin) -> None:
        self._begin = begin

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Report the number of steps, and how many were done before a resumption."""
        self._advance = self._begin(state.max_steps)
        self._advance(state.global_step)

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Count a step of the optimizer."""
        self._advance(1)


class SetEpochOrder(TrainerCallback):  # type: ignore[misc]
    """Passes the epoch on to the sampler.

    The loaders that shard batches among processes, or skip finished ones, do not do so themselves.
    """

    def __init__(self, order: EpochOrder) -> None:
        self._order = order

    def on_epoch_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Set the epoch that begins or is resumed."""
        self._order.set_epoch(int(state.epoch + 1e-6))


class StopIfNotFinite(TrainerCallback):  # type: ignore[misc]
    """Stops a training whose weights are NaN or infinite.

    A loss that is not finite is no reason to stop: in float16 a batch may overflow, and the step is
    then skipped.
    """

    def on_log(
        self, args: Any, state: Any, control: Any, logs: Any = None, model: Any = None, **_: Any
    ) -> None:
        """Check the weights when the loss is not finite.

        Raises:
            InputError: A weight is not finite either; only the first process raises it.
        """
        if math.isfinite((logs or {}).get("loss", 0.0)):
            return
        if all(bool(torch.isfinite(weights).all()) for weights in model.parameters()):
            return
        if not is_first_process():
            raise SystemExit(2)
        raise InputError(
            f"training diverged: at step {state.global_step:,} weights are NaN or infinite",
            expected="a loss that falls",
            cure='lower train.learning_rate, raise train.warmup, or set precision = "float32"',
        )
