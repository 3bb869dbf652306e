"""One reader behind a queue: what every path of the service shares."""

import asyncio
import hashlib
import time
from collections.abc import Coroutine, Mapping
from typing import Any, TypeVar

import msgspec
from starlette.requests import Request

from closeread.protocols import Reader, Retriever
from closeread.readers.confidence.calibrate import CalibratorUse
from closeread.readers.http.answer_wire import Health
from closeread.runs.records import ReaderInfo
from closeread.runs.systems import without_seed
from closeread.serve.answer import Finisher
from closeread.serve.batcher import Batcher
from closeread.serve.limits import BodyReader
from closeread.serve.metrics import Metrics
from closeread.serve.order import Order, ShownQuestion
from closeread.serve.refusals import ClientGoneError, RefusedError
from closeread.serve.settings import Settings
from closeread.version import __version__
from closeread.wording import seconds_of

T = TypeVar("T")


class Service:
    """Answers questions with one reader, and reports its state.

    Attributes:
        info: The reader's name and options, as replies name them.
        record_sha256: Of what it records of itself; empty where that is nothing.
        settings: All limits.
        metrics: What is counted.
        bodies: Reads the bodies of requests.
        batcher: The queue and the thread that reads.
    """

    def __init__(
        self,
        reader: Reader,
        info: ReaderInfo,
        retriever: Retriever | None,
        settings: Settings,
        retriever_name: str = "",
        *,
        sure: CalibratorUse | None = None,
    ) -> None:
        """Make it.

        Args:
            reader: What answers.
            info: Its name and options; how ``sure`` came about under ``record["calibrated"]``.
            retriever: Finds evidence where the reader gives none itself.
            settings: All limits.
            retriever_name: Under which its evidence is told.
            sure: Replaces the reader's confidences with calibrated ones.
        """
        self.info = info
        self.settings = settings
        self.metrics = Metrics()
        self.bodies = BodyReader(settings)
        finisher = Finisher(retriever, retriever_name, sure)
        self.batcher = Batcher(reader, finisher, settings, self.metrics)
        self.metrics.add_queue_gauges(
            lambda: self.batcher.waiting, lambda: self.batcher.reading()[0]
        )
        self.record_sha256 = _sha256(info.record) if info.record else ""
        self._begun = time.monotonic()

    async def in_time(self, request: Request, work: Coroutine[Any, Any, T]) -> T:
        """Return the result of ``work``; cancel it at a timeout or when the client leaves.

        Raises:
            RefusedError: It took too long (504), or what ``work`` raises.
            GoneError: The client left.
        """
        working = asyncio.ensure_future(work)
        leaving = asyncio.ensure_future(request.receive())
        try:
            await asyncio.wait(
                (working, leaving),
                timeout=self.settings.timeout_seconds,
                return_when=asyncio.FIRST_COMPLETED,
            )
            if working.done():
                return working.result()
        finally:
            leaving.cancel()
            working.cancel()
        if leaving.done():
            raise ClientGoneError
        raise RefusedError(
            504,
            "timed-out",
            f"no answer within {seconds_of(self.settings.timeout_seconds)}",
            where="the reader",
            expected="all answers of a request in that time",
            cure="send fewer questions at once, or start the service with a larger "
            "--timeout-seconds",
        )

    async def ask(self, shown: list[ShownQuestion], *, n_best: int, evidence: bool) -> Order:
        """Return the answered order; if the wait is cancelled, its questions are dropped.

        Raises:
            RefusedError: The queue is full, or the service stops (503).
        """
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        order = Order(shown=shown, n_best=n_best, evidence=evidence, done=done)
        self.batcher.submit(order)
        try:
            await done
        except asyncio.CancelledError:
            self.batcher.drop(order)
            raise
        return order

    def health(self) -> Health:
        """Return whether the service answers, and how busy it is."""
        count, seconds = self.batcher.reading()
        return Health(
            status="stopping" if self.batcher.stopping else "ready",
            reader=self.info.name,
            options=self.info.options,
            version=__version__,
            record_sha256=self.record_sha256,
            calibrated=self.info.record.get("calibrated", {}),
            uptime_seconds=round(time.monotonic() - self._begun, 3),
            batch_size=self.settings.batch_size,
            queue_questions=self.batcher.waiting,
            queue_limit=self.settings.queue,
            reading_questions=count,
            reading_seconds=round(seconds, 3),
            max_body_bytes=self.settings.max_body_bytes,
        )


def _sha256(record: Mapping[str, Any]) -> str:
    # the options tell the seed: two seeds of one reader have one hash
    raw = msgspec.json.encode(without_seed(record), order="deterministic")
    return hashlib.sha256(raw).hexdigest()
