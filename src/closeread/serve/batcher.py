"""A bounded queue before one reader: the questions of many requests share its batches."""

import asyncio
import contextlib
import math
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator

from closeread.errors import BudgetError, EndpointError
from closeread.protocols import Reader
from closeread.runs.answers import format_error, predict_batch
from closeread.runs.plan import Planned
from closeread.serve.metrics import Metrics
from closeread.serve.order import Answered, Order, Place, plan_batch
from closeread.serve.refusals import busy, stopping
from closeread.serve.settings import Settings
from closeread.types import Prediction
from closeread.wording import count_of

Finish = Callable[[Order, Place, Prediction], Answered]
_LONGEST_RETRY_SECONDS = 60


class Batcher:
    """Takes orders in the event loop, reads them in one thread, and wakes the waiting requests.

    Readers block and need not be thread-safe, so there is one worker. It takes questions in the
    order of arrival, but never two of one group at once.
    """

    def __init__(
        self, reader: Reader, finish: Finish, settings: Settings, metrics: Metrics
    ) -> None:
        """Make it; the worker calls ``finish`` for each prediction that is still wanted."""
        self._reader = reader
        self._finish = finish
        self._settings = settings
        self._metrics = metrics
        self._pending: deque[Place] = deque()
        self._changed = threading.Condition()
        self._stopping = False
        self._closed = False
        self._open: set[Order] = set()
        self._finished: deque[Order] = deque()
        self._woken = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._seconds_a_question = 0.0
        self._batch: tuple[int, float] = (0, 0.0)
        self._worker = threading.Thread(target=self._work, name="reader", daemon=True)

    def start(self) -> None:
        """Start the worker; called in the event loop that orders come from."""
        self._loop = asyncio.get_running_loop()
        self._worker.start()

    def stop(self) -> None:
        """Accept nothing more; what was accepted is still read."""
        with self._changed:
            self._stopping = True
            self._changed.notify()

    def abandon(self) -> int:
        """Refuse all unanswered orders; return how many there were."""
        left = tuple(self._open)
        for order in left:
            if not order.done.done():
                order.done.set_exception(stopping())
            self.drop(order)
        return len(left)

    def close(self) -> None:
        """End the worker once it has read what it holds."""
        with self._changed:
            self._closed = True
            self._changed.notify()

    @property
    def stopping(self) -> bool:
        """Whether nothing more is accepted."""
        return self._stopping

    @property
    def open_orders(self) -> int:
        """How many orders were accepted and are not done."""
        return len(self._open)

    @property
    def waiting(self) -> int:
        """How many questions wait for the reader."""
        return len(self._pending)

    def reading(self) -> tuple[int, float]:
        """Return how many questions the reader is busy with, and for how many seconds."""
        count, since = self._batch
        return count, time.monotonic() - since if count else 0.0

    def submit(self, order: Order) -> None:
        """Queue an order, of no more questions than may ever wait.

        Raises:
            RefusedError: The service is stopping, or the queue is full.
        """
        count = len(order.shown)
        limit = self._settings.queue
        if self._stopping:
            raise stopping()
        if not count:
            order.done.set_result(None)
            return
        with self._changed:
            before = len(self._pending)
            if before + count > limit:
                raise busy(
                    "queue-full",
                    f"the queue holds {count_of(before, 'question')} of at most {limit:,}",
                    f"room for {count:,} more",
                    "retry after the seconds that Retry-After names",
                    self._seconds_to_wait(before),
                )
            self._pending.extend(Place(order, number) for number in range(count))
            # the worker sleeps until something is there, then until a batch is full
            if not before or before < self._settings.batch_size <= before + count:
                self._changed.notify()
        self._open.add(order)

    def drop(self, order: Order) -> None:
        """Remove an order that nobody waits for; answers of its questions being read are lost."""
        order.dropped = True
        self._open.discard(order)
        with self._changed:
            self._pending = deque(place for place in self._pending if place.order is not order)

    def _seconds_to_wait(self, waiting: int) -> int:
        """Return the estimated seconds until the queue is half empty."""
        count, seconds = self.reading()
        # the first batch of a slow reader is known by nothing but how long it takes already
        each = max(self._seconds_a_question, seconds / count if count else 0.0)
        return max(1, min(_LONGEST_RETRY_SECONDS, math.ceil(waiting * each / 2)))

    def _work(self) -> None:
        while batch := self._next():
            begun = time.monotonic()
            self._batch = (len(batch), begun)
            self._read(batch)
            spent = time.monotonic() - begun
            self._seconds_a_question = spent / len(batch)
            self._metrics.batch(len(batch), spent)
            self._batch = (0, 0.0)

    def _next(self) -> list[Place]:
        """Wait for questions and take a batch; empty when the service is closed."""
        size = self._settings.batch_size
        with self._changed:
            while True:
                while not self._pending:
                    if self._closed:
                        return []
                    self._changed.wait()
                until = self._pending[0].order.arrived + self._settings.batch_wait_seconds
                left = until - time.monotonic()
                if len(self._pending) >= size or left <= 0 or self._stopping:
                    return self._taken(size)
                self._changed.wait(left)

    def _taken(self, size: int) -> list[Place]:
        """Take the first questions that may share a batch."""
        batch: list[Place] = []
        passed: list[Place] = []
        groups: set[str] = set()
        while self._pending and len(batch) < size:
            place = self._pending.popleft()
            group = place.shown.group_id
            if group and group in groups:
                passed.append(place)
                continue
            groups.add(group)
            batch.append(place)
        self._pending.extendleft(reversed(passed))
        return batch

    def _read(self, batch: list[Place]) -> None:
        """Read a batch; deliver each answer to its order as soon as it is there."""
        predictions = self._predictions(plan_batch(batch))
        for prediction in predictions:
            place = batch[int(prediction.question_id)]
            if not place.order.dropped:
                place.order.settle(place.number, self._finished_with(place, prediction))
                if not place.order.left:
                    self._wake(place.order)
            elif all(one.order.dropped for one in batch):
                return

    def _predictions(self, batch: list[Planned]) -> Iterator[Prediction]:
        """Yield a prediction for every question of the batch, whatever the reader does."""
        pending = {one.question_id: one for one in batch}
        try:
            for prediction in predict_batch(self._reader, batch):
                del pending[prediction.question_id]
                yield prediction
        except GeneratorExit:
            raise  # nobody waits for the rest
        except (EndpointError, BudgetError) as error:
            yield from _failed_predictions(pending, error)
        except BaseException as error:
            # the worker outlives whatever a reader raises, cancellation and exit among it
            if len(batch) == 1:
                yield from _failed_predictions(pending, error)
                return
            for one in list(pending.values()):
                yield from self._predictions([one])

    def _finished_with(self, place: Place, prediction: Prediction) -> Answered:
        try:
            answered = self._finish(place.order, place, prediction)
        except BaseException as error:  # a retriever may come from outside as well
            answered = Answered(
                Prediction(question_id=prediction.question_id, error=format_error(error))
            )
        self._metrics.answered(answered.prediction)
        return answered

    def _wake(self, order: Order) -> None:
        """Notify the event loop, once for all finished orders that it does not know of yet."""
        self._finished.append(order)
        if not self._woken and self._loop is not None:
            self._woken = True
            # after the last grace period there is no loop to be told
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._deliver)

    def _deliver(self) -> None:
        self._woken = False
        while self._finished:
            order = self._finished.popleft()
            self._open.discard(order)
            if not order.done.done():
                order.done.set_result(None)


def _failed_predictions(pending: dict[str, Planned], error: BaseException) -> Iterator[Prediction]:
    for name in pending:
        yield Prediction(question_id=name, error=format_error(error))
