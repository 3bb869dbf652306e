"""Several processes that train one model: how they synchronise, report errors and end.

An error in any process is reported once, by the first process; a lost process is reported by the
first of the others to notice. Processes synchronise over gloo on any device, with a timeout of a
day, because the others wait while the first computes the dev metric.
"""

import atexit
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import torch
from accelerate import PartialState
from torch import distributed

from closeread.errors import CloseReadError, UsageError
from closeread.readers.models.location import first_line
from closeread.training.processes import LostProcessError, is_first_process

_TIMEOUT = timedelta(days=1)


class Processes:
    """The group of processes that a launcher started, or this process alone.

    Args:
        device: As the recipe names it.

    Raises:
        UsageError: Several processes were requested, and the launcher started only this one.
    """

    def __init__(self, device: str) -> None:
        if _launcher_started_one():
            raise UsageError(
                "the launcher started one process instead of several",
                expected="one process for each device",
                cure="on a processor: torchrun --nproc_per_node N -m closeread train RECIPE, or "
                "accelerate launch --multi_gpu --num_processes N -m closeread train RECIPE",
            )
        if "RANK" in os.environ and not distributed.is_initialized():
            PartialState(cpu=device == "cpu" or not torch.accelerator.is_available())
        self._group: Any = None
        if distributed.is_initialized():
            self._group = distributed.new_group(backend="gloo", timeout=_TIMEOUT)
            atexit.register(self._leave)

    @contextmanager
    def in_step(self) -> Iterator[None]:
        """Wait until all processes have run the block; end all of them if it failed in one.

        Raises:
            CloseReadError: The error of the first process that failed, raised in the first
                process; the others exit.
        """
        own_error: CloseReadError | None = None
        try:
            yield
        except CloseReadError as error:
            if self._group is None:
                raise
            own_error = error
        if self._group is None:
            return
        for parts in self._all_gather(None if own_error is None else _error_parts(own_error)):
            if parts is not None:
                if is_first_process():
                    kind, problem, where, expected, cure = parts
                    raise kind(problem, where=where, expected=expected, cure=cure)
                sys.exit(2)

    def broadcast(self, value: float) -> float:
        """Return the first process's value."""
        return value if self._group is None else float(self._all_gather(value)[0])

    def all_reduce_max(self, value: int) -> int:
        """Return the maximum of all processes' values."""
        if self._group is None:
            return value
        maximum = torch.tensor(value)
        with self.explain_lost_process():
            distributed.all_reduce(maximum, distributed.ReduceOp.MAX, group=self._group)
        return int(maximum)

    @contextmanager
    def explain_lost_process(self) -> Iterator[None]:
        """Turn a lost connection in the block into an error that says another process ended.

        Raises:
            LostProcessError: Another process ended, and this is the first to report it; the
                others exit.
        """
        try:
            yield
        except RuntimeError as error:
            if self._group is None or not _is_connection_error(error):
                raise
            if not _is_first_to_report():
                sys.exit(2)
            raise LostProcessError(
                f"another process of this training ended: {_clean_message(error)}",
                expected="all processes to run to the end",
                cure="see the launcher's output for the cause (SIGKILL may mean out of memory); "
                "the same command with --resume continues from the last complete state",
            ) from error

    def _all_gather(self, value: Any) -> list[Any]:
        values: list[Any] = [None] * distributed.get_world_size(self._group)
        with self.explain_lost_process():
            distributed.all_gather_object(values, value, group=self._group)
        return values

    def _leave(self) -> None:
        """Destroy the process groups, whose threads could abort the interpreter at shutdown.

        The threads end with the last reference to a group, and one may need the interpreter to
        release the objects that it gathered last.
        """
        if distributed.is_initialized():
            distributed.destroy_process_group()
        self._group = None


def _launcher_started_one() -> bool:
    """Return whether `accelerate launch` was to start several processes and started one.

    It does so on a CPU, and then sets an address for several processes, but no rank.
    """
    launched = {"ACCELERATE_USE_CPU", "MASTER_ADDR"} <= os.environ.keys()
    return launched and "RANK" not in os.environ


def _is_connection_error(error: RuntimeError) -> bool:
    """Return whether an error comes from the connection to another process.

    gloo's errors have no class of their own.
    """
    return isinstance(error, distributed.DistError) or "gloo" in str(error)


def _clean_message(error: RuntimeError) -> str:
    """Return a message without the library's source location before and its guesses after."""
    return re.sub(r"^\[\S+:\d+\] ", "", first_line(error)).partition(". ")[0]


def _is_first_to_report() -> bool:
    """Return whether no other process has reported the loss, by a counter in the shared store."""
    try:
        n_reports: int = distributed.distributed_c10d._get_default_store().add("closeread/gone", 1)
    except (RuntimeError, ValueError):  # the store was in the lost process
        return True
    return n_reports == 1


def _error_parts(error: CloseReadError) -> tuple[type[CloseReadError], str, str, str, str]:
    return type(error), error.found, error.where, error.expected, error.cure
