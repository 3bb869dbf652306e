"""Several processes that train one model: where they wait for each other, and how they end.

An error in any process is reported once, by the first process; a process that ended is reported by
the first of the others to notice. They wait over gloo, whatever the devices are, for up to a day,
because only the first computes the dev metric.
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
    """The processes that a launcher started, or this one alone.

    Args:
        device: As the recipe names it.

    Raises:
        UsageError: Several were requested, and the launcher started only this one.
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
        """Wait until all processes have run the block; end all if it failed in one.

        Raises:
            CloseReadError: In the first process, the error of the first that failed; others exit.
        """
        failed: CloseReadError | None = None
        try:
            yield
        except CloseReadError as error:
            if self._group is None:
                raise
            failed = error
        if self._group is None:
            return
        for one in self._all_gather(None if failed is None else _error_parts(failed)):
            if one is not None:
                if is_first_process():
                    kind, found, where, expected, cure = one
                    raise kind(found, where=where, expected=expected, cure=cure)
                sys.exit(2)

    def broadcast(self, value: float) -> float:
        """Return the first process's value."""
        return value if self._group is None else float(self._all_gather(value)[0])

    def all_reduce_max(self, value: int) -> int:
        """Return the largest of all processes' values; all wait for it."""
        if self._group is None:
            return value
        found = torch.tensor(value)
        with self.explain_lost_process():
            distributed.all_reduce(found, distributed.ReduceOp.MAX, group=self._group)
        return int(found)

    @contextmanager
    def explain_lost_process(self) -> Iterator[None]:
        """Turn a lost connection in the block into an error that says another process ended.

        Raises:
            LostProcessError: Another process ended, and none reported it before; others exit.
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
        found: list[Any] = [None] * distributed.get_world_size(self._group)
        with self.explain_lost_process():
            distributed.all_gather_object(found, value, group=self._group)
        return found

    def _leave(self) -> None:
        """End the groups: their threads, still there when the interpreter goes, can abort it.

        They end with the last that holds a group, and one may wait for the interpreter to let go
        of what it gathered last.
        """
        if distributed.is_initialized():
            distributed.destroy_process_group()
        self._group = None


def _launcher_started_one() -> bool:
    """Whether `accelerate launch` was to begin several and, as on a processor, began one alone.

    The address is where several would meet; each of them would have a rank.
    """
    launched = {"ACCELERATE_USE_CPU", "MASTER_ADDR"} <= os.environ.keys()
    return launched and "RANK" not in os.environ


def _is_connection_error(error: RuntimeError) -> bool:
    """Whether it is of the connection to another process; gloo's have no class of their own."""
    return isinstance(error, distributed.DistError) or "gloo" in str(error)


def _clean_message(error: RuntimeError) -> str:
    """Return what was found, without the library's file before it and its guesses behind it."""
    return re.sub(r"^\[\S+:\d+\] ", "", first_line(error)).partition(". ")[0]


def _is_first_to_report() -> bool:
    """Whether no other process has told so, as far as the launcher's store is there to ask."""
    try:
        told: int = distributed.distributed_c10d._get_default_store().add("closeread/gone", 1)
    except (RuntimeError, ValueError):  # it was in the process that is gone
        return True
    return told == 1


def _error_parts(error: CloseReadError) -> tuple[type[CloseReadError], str, str, str, str]:
    return type(error), error.found, error.where, error.expected, error.cure
