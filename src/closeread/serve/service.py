"""One reader behind a queue, shared by all paths of the service."""

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
from closeread.serve.answer import AnswerBuilder
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
        record_sha256: Hash of the reader's record; empty without a record.
        settings: All limits.
        metrics: The counters.
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
        calibrate: CalibratorUse | None = None,
    ) -> None:
        """Make it.

        Args:
            reader: The reader that answers.
            info: Its name and options; ``record["calibrated"]``: how ``calibrate`` was learned.
            retriever: Finds evidence if the reader gives none.
            settings: All limits.
            retriever_name: The name that its evidence carries.
            calibrate: Replaces the reader's confidences with calibrated ones.
        """
        self.info = info
        self.settings = settings
        self.metrics = Metrics()
        self.bodies = BodyReader(settings)
        finisher = AnswerBuilder(retriever, retriever_name, calibrate)
        self.batcher = Batcher(reader, finisher, settings, self.metrics)
        self.metrics.add_queue_gauges(
            lambda: self.batcher.n_waiting, lambda: self.batcher.current_batch()[0]
        )
        self.record_sha256 = _sha256(info.record) if info.record else ""
        self._started_at = time.monotonic()

    async def run_with_timeout(self, request: Request, work: Coroutine[Any, Any, T]) -> T:
        """Return the result of ``work``; cancel it at a timeout or when the client leaves.

        Raises:
            RefusedError: It took too long (504), or what ``work`` raises.
            ClientGoneError: The client left.
        """
        work_task = asyncio.ensure_future(work)
        disconnect_task = asyncio.ensure_future(request.receive())
        try:
            await asyncio.wait(
                (work_task, disconnect_task),
                timeout=self.settings.timeout_seconds,
                return_when=asyncio.FIRST_COMPLETED,
            )
            if work_task.done():
                return work_task.result()
        finally:
            disconnect_task.cancel()
            work_task.cancel()
        if disconnect_task.done():
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

    async def answer(
        self, questions: list[ShownQuestion], *, n_best: int, with_evidence: bool
    ) -> Order:
        """Return an answered order; if the wait is cancelled, its questions are dropped.

        Raises:
            RefusedError: The queue is full, or the service stops (503).
        """
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        order = Order(questions=questions, n_best=n_best, with_evidence=with_evidence, done=done)
        self.batcher.submit(order)
        try:
            await done
        except asyncio.CancelledError:
            self.batcher.drop(order)
            raise
        return order

    def health(self) -> Health:
        """Return the state of the service and of its queue."""
        count, seconds = self.batcher.current_batch()
        return Health(
            status="stopping" if self.batcher.is_stopping else "ready",
            reader=self.info.name,
            options=self.info.options,
            version=__version__,
            record_sha256=self.record_sha256,
            calibrated=self.info.record.get("calibrated", {}),
            uptime_seconds=round(time.monotonic() - self._started_at, 3),
            batch_size=self.settings.batch_size,
            queue_questions=self.batcher.n_waiting,
            queue_limit=self.settings.queue,
            reading_questions=count,
            reading_seconds=round(seconds, 3),
            max_body_bytes=self.settings.max_body_bytes,
        )


def _sha256(record: Mapping[str, Any]) -> str:
    # replies give the seed among the options, so that runs with other seeds share this hash
    raw = msgspec.json.encode(without_seed(record), order="deterministic")
    return hashlib.sha256(raw).hexdigest()
