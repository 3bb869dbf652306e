"""The service's metrics, in Prometheus' text format."""

import time
from collections.abc import Callable

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from closeread.types import Prediction

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_SECONDS_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
_CONFIDENCE_BUCKETS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1)
_BATCH_BUCKETS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
_METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))
# these would add a second series to each metric
disable_created_metrics()  # type: ignore[no-untyped-call]
CLIENT_CLOSED = 499  # nginx's status for a client that left before its answer


class Metrics:
    """Metrics of one service; usable from the event loop and the worker at once."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        PlatformCollector(registry=self.registry)
        self._requests = Counter(
            "closeread_requests",
            "Requests by method, path and status; 499 where the client left first.",
            ("method", "path", "status"),
            registry=self.registry,
        )
        self._seconds = Histogram(
            "closeread_request_seconds",
            "Time from a request's headers to the end of its answer.",
            ("path",),
            buckets=_SECONDS_BUCKETS,
            registry=self.registry,
        )
        self._questions = Counter(
            "closeread_questions",
            "Questions with a prediction, by outcome: answered, unanswered (withheld, or no "
            "answer), failed.",
            ("outcome",),
            registry=self.registry,
        )
        for outcome in ("answered", "unanswered", "failed"):
            self._questions.labels(outcome)  # so that the series exists before the first question
        self._confidences = Histogram(
            "closeread_confidence",
            "Confidences of predictions, withheld answers included.",
            buckets=_CONFIDENCE_BUCKETS,
            registry=self.registry,
        )
        self._batches = Histogram(
            "closeread_batch_questions",
            "Questions per batch.",
            buckets=_BATCH_BUCKETS,
            registry=self.registry,
        )
        self._batch_seconds = Histogram(
            "closeread_batch_seconds",
            "Time the reader took per batch.",
            buckets=_SECONDS_BUCKETS,
            registry=self.registry,
        )
        self._refusals = Counter(
            "closeread_refused",
            "Refused requests and connections, by reason.",
            ("reason",),
            registry=self.registry,
        )

    def add_queue_gauges(
        self, count_waiting: Callable[[], float], count_reading: Callable[[], float]
    ) -> None:
        """Add gauges of the questions waiting and being read, computed at each scrape."""
        Gauge(
            "closeread_queue_questions", "Questions waiting now.", registry=self.registry
        ).set_function(count_waiting)
        Gauge(
            "closeread_reading_questions", "Questions being read now.",
            registry=self.registry,
        ).set_function(count_reading)  # fmt: skip

    def count_batch(self, n_questions: int, seconds: float) -> None:
        """Count a batch that was read."""
        self._batches.observe(n_questions)
        self._batch_seconds.observe(seconds)

    def count_prediction(self, prediction: Prediction) -> None:
        """Count a prediction by its outcome."""
        has_answer = prediction.answer is not None or prediction.option_scores
        outcome = "failed" if prediction.error else "answered" if has_answer else "unanswered"
        self._questions.labels(outcome).inc()
        if prediction.confidence is not None:
            self._confidences.observe(prediction.confidence)

    def count_refusal(self, reason: str) -> None:
        """Count a refusal."""
        self._refusals.labels(reason).inc()

    def count_request(self, method: str, path: str, status: int, seconds: float) -> None:
        """Count a finished request."""
        method = method if method in _METHODS else "other"
        self._requests.labels(method, path, str(status)).inc()
        self._seconds.labels(path).observe(seconds)

    def format_all(self) -> bytes:
        """Return all metrics in Prometheus' text format."""
        return bytes(generate_latest(self.registry))


class RequestMetrics:
    """ASGI middleware that counts every request with its time."""

    def __init__(self, app: ASGIApp, metrics: Metrics, paths: frozenset[str]) -> None:
        """Wrap ``app``; paths that are not in ``paths`` are counted together, as ``other``."""
        self._app = app
        self._metrics = metrics
        self._paths = paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request, and count it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status = CLIENT_CLOSED
        started_at = time.perf_counter()

        async def send_and_record(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, send_and_record)
        except Exception:
            status = 500
            raise
        finally:
            path = scope["path"] if scope["path"] in self._paths else "other"
            duration = time.perf_counter() - started_at
            self._metrics.count_request(scope["method"], path, status, duration)
