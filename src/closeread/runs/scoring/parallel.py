"""Score with several processes: each takes blocks of questions; results keep their order."""

import contextlib
import itertools
import multiprocessing
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from closeread.errors import CloseReadError, UsageError

BLOCK = 2048  # questions per block

T = TypeVar("T")
R = TypeVar("R")

# Scores the questions whose position passes the test; yields position and line per score.
Lines = Callable[[Callable[[int], bool], Counter[str]], Iterator[tuple[int, bytes]]]


def lines_by_workers(lines: Lines, workers: int, counts: Counter[str]) -> Iterator[bytes]:
    """Yield what ``lines`` yields for all questions, in their order, from several processes.

    Every process reads the data set and scores its own blocks, so that no large data passes
    between processes; their output is joined from files.

    Args:
        lines: Called in each process with a test for its own questions.
        workers: Number of processes.
        counts: Updated with the processes' counts.

    Raises:
        UsageError: The operating system has no ``fork``.
        CloseReadError: Raised by a process.
    """
    context = _fork_context()
    with tempfile.TemporaryDirectory(prefix="closeread-score-") as folder:
        paths = [Path(folder) / str(number) for number in range(workers)]
        started = [
            _start(context, _write_part, lines, number, workers, path)
            for number, path in enumerate(paths)
        ]
        results = _collect(started)
        for result in results:
            counts.update(result[1])
        with contextlib.ExitStack() as stack:
            streams = [stack.enter_context(path.open("rb")) for path in paths]
            yield from _join_parts(streams, [sizes for sizes, _ in results])


def map_by_workers(work: Callable[[T], R], items: Sequence[T], workers: int) -> list[R]:
    """Return ``work`` of every item, in their order, from several processes.

    Args:
        work: Called in a forked process; its result is sent back, so it should be small.
        items: Distributed round-robin.
        workers: Number of processes; at most one per item is used.

    Raises:
        UsageError: The operating system has no ``fork``.
        CloseReadError: Raised by a process.
    """
    context = _fork_context()
    n_processes = min(workers, len(items))
    started = [
        _start(
            context,
            lambda own_items: [work(item) for item in own_items],
            items[number::n_processes],
        )
        for number in range(n_processes)
    ]
    results = _collect(started)
    return [results[index % n_processes][index // n_processes] for index in range(len(items))]


def _fork_context() -> Any:
    if not hasattr(os, "fork"):
        raise UsageError("--workers needs an operating system with fork", cure="omit it")
    return multiprocessing.get_context("fork")


def _start(context: Any, work: Callable[..., Any], *arguments: Any) -> tuple[Any, Connection]:
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_send, args=(sender, work, *arguments))
    process.start()
    sender.close()
    return process, receiver


def _collect(started: Sequence[tuple[Any, Connection]]) -> list[Any]:
    results = [_receive(receiver) for _, receiver in started]
    for process, _ in started:
        process.join()
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return results


def _send(sender: Connection, work: Callable[..., Any], *arguments: Any) -> None:
    try:
        sender.send(work(*arguments))
    except CloseReadError as error:
        sender.send(error)
    except BaseException as error:
        sender.send(RuntimeError(f"{type(error).__name__}: {error}"))
    sender.close()


def _write_part(
    lines: Lines, number: int, workers: int, path: Path
) -> tuple[list[tuple[int, int]], Counter[str]]:
    sizes: list[tuple[int, int]] = []
    counts: Counter[str] = Counter()
    with path.open("wb") as stream:
        own_lines = lines(lambda position: position // BLOCK % workers == number, counts)
        for block, members in itertools.groupby(own_lines, key=lambda line: line[0] // BLOCK):
            start = stream.tell()
            stream.writelines(line for _, line in members)
            sizes.append((block, stream.tell() - start))
    return sizes, counts


def _receive(receiver: Connection) -> Any:
    try:
        return receiver.recv()
    except EOFError:
        return CloseReadError(
            "a scoring process was killed",
            expected="enough memory for every process",
            cure="use fewer --workers",
        )


def _join_parts(streams: Sequence[BinaryIO], sizes: list[list[tuple[int, int]]]) -> Iterator[bytes]:
    ordered = sorted(
        (block, number, size) for number, blocks in enumerate(sizes) for block, size in blocks
    )
    for _, number, size in ordered:
        yield streams[number].read(size)
