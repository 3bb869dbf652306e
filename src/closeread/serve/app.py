"""The service's ASGI application: its paths and their handlers."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from closeread.serve import answer, mrqa
from closeread.serve.browsers import AllowedOrigins, foreign_origin_refusal, is_cross_host
from closeread.serve.demo import demo_page
from closeread.serve.limits import CloseUnsentBodies
from closeread.serve.metrics import CLIENT_CLOSED, CONTENT_TYPE, RequestMetrics
from closeread.serve.openapi import openapi_document
from closeread.serve.reference import reference_page
from closeread.serve.refusals import JSON, ClientGoneError, RefusedError, stopping_refusal
from closeread.serve.service import Service
from closeread.serve.settings import Settings

PATHS = ("/", "/v1/answer", "/health", "/metrics", "/openapi.json", "/docs")
FAILED_HEADER = "closeread-failed"
_HTML = "text/html; charset=utf-8"
_SECURITY_HEADERS = {"x-content-type-options": "nosniff", "x-frame-options": "DENY"}
# The demo page has its own policy, which names its script.
_REFERENCE_HEADERS = _SECURITY_HEADERS | {
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'"
}

_LARGE_BYTES = 256 * 1024

T = TypeVar("T")
Responder = Callable[[bytes], Coroutine[Any, Any, Response]]


def app(service: Service, origins: Sequence[str] = ()) -> Starlette:
    """Return the ASGI application of a service.

    Args:
        service: Answers the requests.
        origins: Other origins whose web pages may send requests; ``*`` allows all.
    """
    handlers = _Handlers(service, frozenset(origins))
    middleware = [Middleware(RequestMetrics, metrics=service.metrics, paths=frozenset(PATHS))]
    middleware.append(Middleware(CloseUnsentBodies))
    if origins:
        middleware.append(
            Middleware(
                AllowedOrigins,
                origins=origins,
                exposed_headers=["retry-after", FAILED_HEADER],
                count_refusal=service.metrics.count_refusal,
            )
        )
    application = Starlette(
        routes=[
            Route("/", handlers.root, methods=["GET", "POST"]),
            Route("/v1/answer", handlers.answer, methods=["POST"]),
            Route("/health", handlers.health, methods=["GET"]),
            Route("/metrics", handlers.metrics, methods=["GET"]),
            Route("/openapi.json", handlers.openapi, methods=["GET"]),
            Route("/docs", handlers.reference, methods=["GET"]),
        ],
        middleware=middleware,
        exception_handlers={
            HTTPException: handlers.unknown_path,
            RefusedError: handlers.refusal,
            ClientGoneError: _client_gone,
            Exception: _internal_error,
        },
    )
    application.router.redirect_slashes = False
    return application


class _Handlers:
    """The request handlers, one method for each path."""

    def __init__(self, service: Service, origins: frozenset[str]) -> None:
        self._service = service
        self._origins = origins
        self._large_body_executor = ThreadPoolExecutor(1, "large")
        # Built at the start: with a newer version installed meanwhile, a later page would mix both.
        calibrated = service.info.record.get("calibrated", {})
        self._page = demo_page(service.info.name, service.settings, calibrated)
        self._document = msgspec.json.encode(openapi_document(service.settings))
        self._reference = reference_page(openapi_document(service.settings), service.info.name)

    async def root(self, request: Request) -> Response:
        """Answer a context of the shared task, or return the demo page."""
        if request.method == "POST":
            return await self._post(request, self._mrqa)
        return Response(self._page, media_type=_HTML, headers=_SECURITY_HEADERS)

    async def answer(self, request: Request) -> Response:
        """Answer a request in closeread's protocol."""
        return await self._post(request, self._answer)

    async def health(self, request: Request) -> Response:
        """Return the service's state."""
        health = self._service.health()
        status = 200 if health.status == "ready" else 503
        return Response(msgspec.json.encode(health), status, media_type=JSON)

    async def metrics(self, request: Request) -> Response:
        """Return all metrics."""
        return Response(
            self._service.metrics.format_all(),
            media_type=None,
            headers={"content-type": CONTENT_TYPE},
        )

    async def openapi(self, request: Request) -> Response:
        """Return the OpenAPI document."""
        return Response(self._document, media_type=JSON)

    async def reference(self, request: Request) -> Response:
        """Return the OpenAPI document as a page."""
        return Response(self._reference, media_type=_HTML, headers=_REFERENCE_HEADERS)

    async def refusal(self, request: Request, error: Exception) -> Response:
        """Return the error of a refused request."""
        assert isinstance(error, RefusedError)
        self._service.metrics.count_refusal(error.reason)
        return Response(error.body(), error.status, headers=error.headers, media_type=JSON)

    async def unknown_path(self, request: Request, error: Exception) -> Response:
        """Return the error for an unknown path or a wrong method."""
        return await self.refusal(request, _unknown_path_refusal(request, error))

    async def _post(self, request: Request, respond: Responder) -> Response:
        if self._service.batcher.is_stopping:
            raise stopping_refusal()
        if self._is_from_foreign_page(request):
            raise foreign_origin_refusal(request.headers.get("origin", ""))
        try:
            with self._service.bodies.hold() as memory:
                raw = await self._service.bodies.read(request, memory)
                return await self._service.run_with_timeout(request, respond(raw))
        except asyncio.CancelledError:
            # the server stops now, before this request was complete
            raise stopping_refusal() from None

    def _is_from_foreign_page(self, request: Request) -> bool:
        """Whether a browser marks the request as from a page of an origin that is not allowed.

        Browsers withhold replies from such pages but send their requests all the same, and a
        question may cost money.
        """
        origin = request.headers.get("origin")
        if origin in self._origins or "*" in self._origins:
            return False
        site = request.headers.get("sec-fetch-site")
        if site is not None:
            return site in ("cross-site", "same-site")
        return origin is not None and is_cross_host(origin, request.headers.get("host", ""))

    async def _parse_body(self, raw: bytes, parse: Callable[[bytes, Settings], T]) -> T:
        """Parse a body; a large one in a thread, so that other requests do not wait for it.

        Large bodies are parsed one at a time: each may take several times its size in memory.
        """
        settings, batcher = self._service.settings, self._service.batcher
        if len(raw) <= _LARGE_BYTES:
            return parse(raw, settings)

        body = [raw]

        def parse_in_turn() -> T:
            if batcher.is_stopping:
                raise stopping_refusal()
            return parse(body.pop(), settings)

        try:
            return await asyncio.get_running_loop().run_in_executor(
                self._large_body_executor, parse_in_turn
            )
        finally:
            # If the wait was cancelled, the queued function stays, and would keep the body.
            body.clear()

    async def _mrqa(self, raw: bytes) -> Response:
        questions = await self._parse_body(raw, mrqa.parse_context)
        order = await self._service.answer(questions, n_best=0, with_evidence=False)
        body, n_failed = mrqa.encode_answers(order)
        headers = {FAILED_HEADER: str(n_failed)} if n_failed else None
        return Response(body, headers=headers, media_type=JSON)

    async def _answer(self, raw: bytes) -> Response:
        request, questions = await self._parse_body(raw, answer.parse_request)
        order = await self._service.answer(
            questions, n_best=request.n_best, with_evidence=request.evidence
        )
        service = self._service
        return Response(
            answer.encode_reply(order, service.info, service.record_sha256), media_type=JSON
        )


def _unknown_path_refusal(request: Request, error: Exception) -> RefusedError:
    assert isinstance(error, HTTPException)
    if error.status_code == 405:
        allowed = ", ".join(sorted((error.headers or {}).get("Allow", "").split(", ")))
        return RefusedError(
            405,
            "wrong-method",
            f"this path does not take {request.method}",
            where=request.url.path,
            expected=allowed,
            cure="GET /docs shows what each path takes",
            headers={"allow": allowed},
        )
    return RefusedError(
        error.status_code,
        "wrong-path",
        "there is no such path",
        where=request.url.path,
        expected="one of " + ", ".join(PATHS),
        cure="GET /docs shows what each path takes",
    )


async def _client_gone(request: Request, error: Exception) -> Response:
    """Return a response for a client that left; the server does not send it."""
    return Response(status_code=CLIENT_CLOSED)


async def _internal_error(request: Request, error: Exception) -> Response:
    refusal = RefusedError(
        500,
        "broken",
        f"a bug in the service: {type(error).__name__}",
        where=request.url.path,
        expected="an answer",
        cure="please report it with the traceback, which the service printed to stderr",
    )
    return Response(refusal.body(), refusal.status, media_type=JSON)
