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
    """Yield what asynchronous work puts, as it comes; the work is cancelled when nobody listens.

    Args:
        work: Given the function to put something with. It runs in an event loop of its own, in
            a thread of its own: a notebook's loop may be running in the caller's.

    Raises:
        BaseException: What the work raised, after everything that it had put before.
    """
    results: queue.SimpleQueue[list[T] | BaseException | None] = queue.SimpleQueue()
    loop = asyncio.new_event_loop()
    ready: list[T] = []

    def hand_over() -> None:
        results.put(ready.copy())
        ready.clear()

    def put(found: T) -> None:
        if not ready:  # handing over costs a switch of threads: do it for several at once
            loop.call_later(_HAND_OVER_SECONDS, hand_over)
        ready.append(found)

    async def all_of_it() -> None:
        await work(put)

    task = loop.create_task(all_of_it())

    def turn() -> None:
        end: BaseException | None = None
        try:
            loop.run_until_complete(task)
        except BaseException as error:
            end = error
        finally:
            loop.close()
        hand_over()
        results.put(end)

    thread = threading.Thread(target=turn, name="closeread-client", daemon=True)
    thread.start()
    try:
        while (found := results.get()) is not None:
            if isinstance(found, BaseException):
                raise found
            yield from found
    finally:
        with contextlib.suppress(RuntimeError):  # closed: all was done
            loop.call_soon_threadsafe(task.cancel)
        thread.join()


async def run_in_lanes(
    client: Client,
    asked: Sequence[T],
    one: Callable[[Lane, T], Awaitable[None]],
    failed: Callable[[T, str], None],
    concurrency: int,
) -> None:
    """Ask everything, so many at once; what was lost is asked once more at the end.

    Args:
        client: Whose lanes are taken.
        asked: What is to be asked, one request (or a few in turn) each.
        one: Asks one of them and puts what it gets.
        failed: Told of what was lost twice although the server proves to be alive.
        concurrency: Lanes at most.

    Raises:
        EndpointError: Every further request would fail; those on their way are given up.
        Exception: What else ``one`` raised; those on their way were waited for.
    """
    waiting = iter(asked)
    stopped: list[BaseException] = []
    lost: list[T] = []

    async def turn() -> None:
        async with client.lane() as lane:
            for each in waiting:
                if stopped:
                    return
                try:
                    await one(lane, each)
                except LostQuestionError:
                    lost.append(each)
                except Exception as error:
                    stopped.append(error)
                    raise

    lanes = [asyncio.create_task(turn()) for _ in range(min(concurrency, len(asked)))]
    try:
        _, pending = await asyncio.wait(lanes, return_when=asyncio.FIRST_EXCEPTION)
        if stopped and isinstance(stopped[0], EndpointError):
            for lane in pending:
                lane.cancel()
        await asyncio.gather(*lanes, return_exceptions=True)
        if stopped:
            raise stopped[0]
        client.asks_again = False
        async with client.lane() as lane_of_the_lost:
            for each in lost:
                client.lost_in_a_row = 0
                try:
                    await one(lane_of_the_lost, each)
                except LostQuestionError as error:
                    told = await client.diagnose_lost(lane_of_the_lost, error)
                    if told is not error:
                        raise told from None
                    failed(each, str(error))
    finally:
        for lane in lanes:
            lane.cancel()
        await asyncio.gather(*lanes, return_exceptions=True)
