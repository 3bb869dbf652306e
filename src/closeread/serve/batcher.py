"""A bounded queue in front of one reader, whose batches mix the questions of several requests."""

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
from closeread.serve.order import Order, QuestionAnswer, QueuedQuestion, plan_batch
from closeread.serve.refusals import busy_refusal, stopping_refusal
from closeread.serve.settings import Settings
from closeread.types import Prediction
from closeread.wording import count_of

Finish = Callable[[Order, QueuedQuestion, Prediction], QuestionAnswer]
_LONGEST_RETRY_SECONDS = 60


class Batcher:
    """Takes orders in the event loop, reads them in one thread, and wakes the waiting requests.

    Readers block and need not be thread-safe, so there is one worker. It takes questions in the
    order of arrival, but never two of one group at once.
    """

    def __init__(
        self, reader: Reader, build_answer: Finish, settings: Settings, metrics: Metrics
    ) -> None:
        """Make it; the worker calls ``build_answer`` for each prediction that is still wanted."""
        self._reader = reader
        self._build_answer = build_answer
        self._settings = settings
        self._metrics = metrics
        self._pending: deque[QueuedQuestion] = deque()
        self._changed = threading.Condition()
        self._stopping = False
        self._closed = False
        self._open_orders: set[Order] = set()
        self._finished_orders: deque[Order] = deque()
        self._is_loop_notified = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._seconds_per_question = 0.0
        self._current_batch: tuple[int, float] = (0, 0.0)
        self._worker = threading.Thread(target=self._work, name="reader", daemon=True)

    def start(self) -> None:
        """Start the worker; called in the event loop from which orders come."""
        self._loop = asyncio.get_running_loop()
        self._worker.start()

    def stop(self) -> None:
        """Accept no more orders; accepted ones are still read."""
        with self._changed:
            self._stopping = True
            self._changed.notify()

    def refuse_unanswered(self) -> int:
        """Refuse all unanswered orders; return how many there were."""
        unanswered = tuple(self._open_orders)
        for order in unanswered:
            if not order.done.done():
                order.done.set_exception(stopping_refusal())
            self.drop(order)
        return len(unanswered)

    def close(self) -> None:
        """End the worker after its last batch."""
        with self._changed:
            self._closed = True
            self._changed.notify()

    @property
    def is_stopping(self) -> bool:
        """Whether no more orders are accepted."""
        return self._stopping

    @property
    def n_open_orders(self) -> int:
        """The number of accepted orders that are not done."""
        return len(self._open_orders)

    @property
    def n_waiting(self) -> int:
        """The number of questions that wait for the reader."""
        return len(self._pending)

    def current_batch(self) -> tuple[int, float]:
        """Return the number of questions being read, and for how many seconds."""
        count, started_at = self._current_batch
        return count, time.monotonic() - started_at if count else 0.0

    def submit(self, order: Order) -> None:
        """Queue an order, whose questions must fit into an empty queue.

        Raises:
            RefusedError: The service is stopping, or the queue is full.
        """
        count = len(order.questions)
        limit = self._settings.queue
        if self._stopping:
            raise stopping_refusal()
        if not count:
            order.done.set_result(None)
            return
        with self._changed:
            n_waiting = len(self._pending)
            if n_waiting + count > limit:
                raise busy_refusal(
                    "queue-full",
                    f"the queue holds {count_of(n_waiting, 'question')} of at most {limit:,}",
                    f"room for {count:,} more",
                    "retry after the seconds that Retry-After names",
                    self._estimate_wait_seconds(n_waiting),
                )
            self._pending.extend(QueuedQuestion(order, number) for number in range(count))
            # the worker sleeps until the queue is not empty, then until a batch is full
            if not n_waiting or n_waiting < self._settings.batch_size <= n_waiting + count:
                self._changed.notify()
        self._open_orders.add(order)

    def drop(self, order: Order) -> None:
        """Remove an order that no client waits for; answers still being read are lost."""
        order.is_dropped = True
        self._open_orders.discard(order)
        with self._changed:
            self._pending = deque(queued for queued in self._pending if queued.order is not order)

    def _estimate_wait_seconds(self, waiting: int) -> int:
        """Return the estimated seconds until the queue is half empty."""
        count, seconds = self.current_batch()
        # the first batch of a slow reader is known by nothing but how long it takes already
        seconds_per_question = max(self._seconds_per_question, seconds / count if count else 0.0)
        return max(1, min(_LONGEST_RETRY_SECONDS, math.ceil(waiting * seconds_per_question / 2)))

    def _work(self) -> None:
        while batch := self._wait_for_batch():
            started_at = time.monotonic()
            self._current_batch = (len(batch), started_at)
            self._read_batch(batch)
            duration = time.monotonic() - started_at
            self._seconds_per_question = duration / len(batch)
            self._metrics.count_batch(len(batch), duration)
            self._current_batch = (0, 0.0)

    def _wait_for_batch(self) -> list[QueuedQuestion]:
        """Wait for questions and take a batch; empty when the service is closed."""
        size = self._settings.batch_size
        with self._changed:
            while True:
                while not self._pending:
                    if self._closed:
                        return []
                    self._changed.wait()
                deadline = self._pending[0].order.arrival_time + self._settings.batch_wait_seconds
                seconds_left = deadline - time.monotonic()
                if len(self._pending) >= size or seconds_left <= 0 or self._stopping:
                    return self._take_batch(size)
                self._changed.wait(seconds_left)

    def _take_batch(self, size: int) -> list[QueuedQuestion]:
        """Take the first questions that may share a batch."""
        batch: list[QueuedQuestion] = []
        postponed: list[QueuedQuestion] = []
        groups: set[str] = set()
        while self._pending and len(batch) < size:
            queued = self._pending.popleft()
            group_id = queued.question.group_id
            if group_id and group_id in groups:
                postponed.append(queued)
                continue
            groups.add(group_id)
            batch.append(queued)
        self._pending.extendleft(reversed(postponed))
        return batch

    def _read_batch(self, batch: list[QueuedQuestion]) -> None:
        """Read a batch; store each answer in its order as soon as it is available."""
        predictions = self._predict(plan_batch(batch))
        for prediction in predictions:
            queued = batch[int(prediction.question_id)]
            if not queued.order.is_dropped:
                queued.order.store_answer(queued.position, self._answer(queued, prediction))
                if not queued.order.n_unanswered:
                    self._notify_loop(queued.order)
            elif all(question.order.is_dropped for question in batch):
                return

    def _predict(self, batch: list[Planned]) -> Iterator[Prediction]:
        """Yield a prediction for every question of the batch, even if the reader fails."""
        pending = {question.question_id: question for question in batch}
        try:
            for prediction in predict_batch(self._reader, batch):
                del pending[prediction.question_id]
                yield prediction
        except GeneratorExit:
            raise  # no client waits for the rest
        except (EndpointError, BudgetError) as error:
            yield from _failed_predictions(pending, error)
        except BaseException as error:
            # the worker survives all that a reader raises, including cancellation and exit
            if len(batch) == 1:
                yield from _failed_predictions(pending, error)
                return
            for question in list(pending.values()):
                yield from self._predict([question])

    def _answer(self, queued: QueuedQuestion, prediction: Prediction) -> QuestionAnswer:
        try:
            answer = self._build_answer(queued.order, queued, prediction)
        except BaseException as error:  # a retriever may be third-party code
            answer = QuestionAnswer(
                Prediction(question_id=prediction.question_id, error=format_error(error))
            )
        self._metrics.count_prediction(answer.prediction)
        return answer

    def _notify_loop(self, order: Order) -> None:
        """Notify the event loop once for all newly finished orders."""
        self._finished_orders.append(order)
        if not self._is_loop_notified and self._loop is not None:
            self._is_loop_notified = True
            # after the last grace period the loop is closed
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._deliver)

    def _deliver(self) -> None:
        self._is_loop_notified = False
        while self._finished_orders:
            order = self._finished_orders.popleft()
            self._open_orders.discard(order)
            if not order.done.done():
                order.done.set_result(None)


def _failed_predictions(pending: dict[str, Planned], error: BaseException) -> Iterator[Prediction]:
    for name in pending:
        yield Prediction(question_id=name, error=format_error(error))
