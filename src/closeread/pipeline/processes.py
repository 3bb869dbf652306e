"""Process a data set in several processes, with results in the data set's order."""

import itertools
import multiprocessing
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any, TypeVar

from closeread.errors import CloseReadError
from closeread.protocols import Advance, uncounted
from closeread.types import Item, Passage, Question

R = TypeVar("R")
Work = Callable[[Passage, Question], R]
_PORTION_SIZE = 8  # passages per task
_SAFE_PATH = "PYTHONSAFEPATH"


def map_in_order(
    items: Iterable[Item],
    make_work: Callable[..., Work[R]],
    settings: tuple[Any, ...],
    *,
    workers: int = 1,
    advance: Advance = uncounted,
) -> Iterator[tuple[Passage, Question, R]]:
    """Yield every question with its result, the same for any number of workers.

    Args:
        items: Passages with questions; read once, never held as a whole.
        make_work: A module-level function; called once in each process with the settings, it
            returns the function that is called for each question.
        settings: The arguments of ``make_work``.
        workers: Number of processes; 1 uses this one.
        advance: Called with the number of questions done.

    Raises:
        CloseReadError: A process was killed, or an error of ``make_work`` or its function.
    """
    if workers == 1:
        work = make_work(*settings)
        for passage, questions in items:
            for question in questions:
                yield passage, question, work(passage, question)
                advance(1)
        return
    spawn = multiprocessing.get_context("spawn")
    with (
        _use_safe_path(),
        ProcessPoolExecutor(workers, spawn, _start_worker, (make_work, settings)) as pool,
    ):
        pending: deque[tuple[list[Item], Future[list[R]]]] = deque()
        for portion in _portions(items):
            pending.append((portion, pool.submit(_run_portion, portion)))
            if len(pending) >= 4 * workers:
                yield from _yield_portion(*pending.popleft(), advance)
        while pending:
            yield from _yield_portion(*pending.popleft(), advance)


@contextmanager
def _use_safe_path() -> Iterator[None]:
    """Start processes in safe-path mode, so that no ``types.py`` in the current folder is used."""
    previous = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    try:
        yield
    finally:
        if previous is None:
            del os.environ[_SAFE_PATH]
        else:
            os.environ[_SAFE_PATH] = previous


def _portions(items: Iterable[Item]) -> Iterator[list[Item]]:
    iterator = iter(items)
    while portion := list(itertools.islice(iterator, _PORTION_SIZE)):
        yield portion


def _yield_portion(
    portion: list[Item], future: "Future[list[R]]", advance: Advance
) -> Iterator[tuple[Passage, Question, R]]:
    try:
        results = iter(future.result())
    except BrokenProcessPool as error:
        raise CloseReadError(
            "a worker process was killed",
            expected="enough memory for every process",
            cure="use fewer --workers",
        ) from error
    for passage, questions in portion:
        for question in questions:
            yield passage, question, next(results)
        advance(len(questions))


_worker: dict[str, Any] = {}


def _start_worker(make_work: Callable[..., Work[Any]], settings: tuple[Any, ...]) -> None:
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    try:
        _worker["work"] = make_work(*settings)
    except CloseReadError as error:  # a pool does not report errors here: the first portion does
        _worker["error"] = error


def _run_portion(portion: list[Item]) -> list[Any]:
    if "error" in _worker:
        raise _worker["error"]
    work = _worker["work"]
    return [work(passage, question) for passage, questions in portion for question in questions]
