"""Runs many requests at once, one connection per lane, and streams their results."""

import asyncio
import contextlib
import queue
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import TypeVar

from closeread.errors import EndpointError
from closeread.readers.http.client import Client
from closeread.readers.http.connection import Lane
from closeread.readers.http.failures import LostQuestionError
from closeread.types import Prediction

_HAND_OVER_SECONDS = 0.02

T = TypeVar("T")
Put = Callable[[Prediction], None]


def stream_results(work: Callable[[Callable[[T], None]], Awaitable[None]]) -> Iterator[T]:
    """Yield the results of asynchronous work as they come; closing the iterator cancels the work.

    Args:
        work: A coroutine function whose argument is a function that takes one result. It runs in
            the event loop of a new thread, since the caller's thread may have a running loop, as
            in a notebook.

    Raises:
        BaseException: The exception of the work, after all results before it.
    """
    results: queue.SimpleQueue[list[T] | BaseException | None] = queue.SimpleQueue()
    loop = asyncio.new_event_loop()
    ready: list[T] = []

    def hand_over() -> None:
        results.put(ready.copy())
        ready.clear()

    def put(result: T) -> None:
        if not ready:  # hand over several at once: each costs a switch of threads
            loop.call_later(_HAND_OVER_SECONDS, hand_over)
        ready.append(result)

    async def run_work() -> None:
        await work(put)

    task = loop.create_task(run_work())

    def run_loop() -> None:
        failure: BaseException | None = None
        try:
            loop.run_until_complete(task)
        except BaseException as error:
            failure = error
        finally:
            loop.close()
        hand_over()
        results.put(failure)

    thread = threading.Thread(target=run_loop, name="closeread-client", daemon=True)
    thread.start()
    try:
        while (result := results.get()) is not None:
            if isinstance(result, BaseException):
                raise result
            yield from result
    finally:
        with contextlib.suppress(RuntimeError):  # the loop is closed: the work is complete
            loop.call_soon_threadsafe(task.cancel)
        thread.join()


async def run_in_lanes(
    client: Client,
    requests: Sequence[T],
    send: Callable[[Lane, T], Awaitable[None]],
    report_lost: Callable[[T, str], None],
    concurrency: int,
) -> None:
    """Send all requests, several at the same time; lost ones are sent once more at the end.

    Args:
        client: The client that makes the lanes.
        requests: The units of work: one request each, or a few in sequence.
        send: Sends one unit of work and handles its results.
        report_lost: Called with a unit that was lost twice although the server is alive, and the
            error message.
        concurrency: Maximum number of lanes.

    Raises:
        EndpointError: Every further request would fail; pending requests are cancelled.
        Exception: Any other error of ``send``, after pending requests have ended.
    """
    waiting = iter(requests)
    errors: list[BaseException] = []
    lost: list[T] = []

    async def run_lane() -> None:
        async with client.lane() as lane:
            for request in waiting:
                if errors:
                    return
                try:
                    await send(lane, request)
                except LostQuestionError:
                    lost.append(request)
                except Exception as error:
                    errors.append(error)
                    raise

    lanes = [asyncio.create_task(run_lane()) for _ in range(min(concurrency, len(requests)))]
    try:
        _, pending = await asyncio.wait(lanes, return_when=asyncio.FIRST_EXCEPTION)
        if errors and isinstance(errors[0], EndpointError):
            for lane in pending:
                lane.cancel()
        await asyncio.gather(*lanes, return_exceptions=True)
        if errors:
            raise errors[0]
        client.retries_lost = False
        async with client.lane() as retry_lane:
            for request in lost:
                client.consecutive_losses = 0
                try:
                    await send(retry_lane, request)
                except LostQuestionError as error:
                    diagnosis = await client.diagnose_lost(retry_lane, error)
                    if diagnosis is not error:
                        raise diagnosis from None
                    report_lost(request, str(error))
    finally:
        for lane in lanes:
            lane.cancel()
        await asyncio.gather(*lanes, return_exceptions=True)
