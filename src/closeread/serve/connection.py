"""A connection with limits of time and size, against slow, silent and flooding clients.

uvicorn waits for headers without a limit of time or number, so a slow or silent client (half-open,
"slow loris") would keep its connection open. Here each state of a connection has a time limit:
receiving headers, receiving the body, and sending the answer.
"""

import asyncio
from collections.abc import Callable, Sized
from http import HTTPStatus
from typing import Any, cast

from httptools import HttpParserError, parse_url
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from closeread.serve.limits import BODY_STARTED
from closeread.serve.plain_parser import PlainParser
from closeread.serve.refusals import RefusedError
from closeread.serve.settings import Settings
from closeread.wording import seconds_of

_SLACK_SECONDS = 2.0  # the application refuses a slow body itself, a little earlier
_FLUSH_SECONDS = 5.0


class _PipelineFlow(FlowControl):
    """Pauses reading while requests of the connection wait, so that they cannot pile up."""

    def __init__(self, transport: asyncio.Transport, waiting_requests: Sized) -> None:
        super().__init__(transport)
        self._waiting_requests = waiting_requests

    def resume_reading(self) -> None:
        """Resume reading, unless pipelined requests still wait."""
        if not self._waiting_requests:
            super().resume_reading()


class _ResponseTransport:
    """The transport that uvicorn's cycle of one request and answer uses."""

    def __init__(self, transport: asyncio.Transport, close: Callable[[], None]) -> None:
        self.write = transport.write
        self.is_closing = transport.is_closing
        self.close = close


class GuardedConnection(HttpToolsProtocol):
    """uvicorn's connection with limits of time and size for each of its states."""

    def __init__(
        self,
        settings: Settings,
        count_refusal: Callable[[str], None],
        is_stopping: Callable[[], bool],
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Make it.

        Args:
            settings: The limits.
            count_refusal: Counts a refusal, given its reason.
            is_stopping: Whether the service is stopping.
            args: Passed to uvicorn's connection.
            kwargs: Passed to uvicorn's connection.
        """
        super().__init__(*args, **kwargs)
        self.parser = cast(Any, PlainParser(self))
        self._settings = settings
        self._count_refusal = count_refusal
        self._is_stopping = is_stopping
        self._in_head = True
        self._in_body = False
        self._head_started_in_data = False
        self._head_bytes = 0
        self._drained_bytes = 0
        self._is_ending = False
        self._arrival_timer: asyncio.TimerHandle | None = None
        self._write_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the time limit of the headers; refuse the client if too many are connected."""
        super().connection_made(transport)
        self.flow = _PipelineFlow(transport, self.pipeline)
        if len(self.connections) > self._settings.max_connections:
            self._refuse(
                503,
                "too-many-connections",
                "too many clients are connected",
                expected=f"at most {self._settings.max_connections:,}",
                cure="retry after the seconds that Retry-After names",
                headers={"retry-after": "1"},
            )
            return
        self._set_arrival_timeout(self._settings.header_seconds)

    def data_received(self, data: bytes) -> None:
        """Parse received bytes; refuse a head that is too large."""
        if self._is_ending:
            self._drain(len(data))
            return
        self._head_started_in_data = False
        super().data_received(data)
        if self._in_head:
            # bytes before the head in the same piece belong to the body of another request
            self._head_bytes += 1 if self._head_started_in_data else len(data)
        if self._is_ending or self.transport.is_closing():
            return
        if self._has_large_head():
            self._refuse_head()
        elif self._is_idle():
            self._set_arrival_timeout(self._settings.header_seconds)

    def on_message_begin(self) -> None:
        """Start the time limit of the headers of a new request."""
        super().on_message_begin()
        if not self._in_head:
            self._in_head, self._head_started_in_data, self._head_bytes = True, True, 0
            self._set_arrival_timeout(self._settings.header_seconds)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Keep a header; those after a body (trailers) are ignored."""
        if self._in_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Check the headers, and start the time limit of the body.

        Raises:
            HttpParserError: The headers are too large, or do not name exactly one host (RFC 9112,
                section 3.2).
        """
        size = len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)
        self._head_bytes = max(self._head_bytes, size)
        if self._has_large_head():
            raise HttpParserError("a large head")
        is_old = self.parser.get_http_version() == "1.0"
        n_hosts = sum(name == b"host" for name, _ in self.headers)
        if n_hosts > 1 or (not n_hosts and not is_old):
            raise HttpParserError("not one host")
        if is_old:
            self.expect_100_continue = False  # an HTTP/1.0 client would take it for the answer
        if not self.url.startswith((b"/", b"*")):
            self.url = _extract_path(self.url)
        self._in_head, self._in_body, self._drained_bytes = False, True, 0
        self._set_arrival_timeout(self._settings.body_seconds + _SLACK_SECONDS)
        super().on_headers_complete()
        self.cycle.transport = cast(Any, _ResponseTransport(self.transport, self._close_after_body))
        if self._is_stopping():
            self.close_after_response()

    def on_body(self, body: bytes) -> None:
        """Pass on a piece of the body; discard it if the request was refused."""
        self.scope[BODY_STARTED] = True  # type: ignore[literal-required]
        super().on_body(body)
        if self.cycle.response_complete:
            self._drain(len(body))

    def on_message_complete(self) -> None:
        """End the time limit: the request is complete."""
        self._in_body = False
        self._set_arrival_timeout(None)
        super().on_message_complete()

    def pause_writing(self) -> None:
        """Start the time limit of sending: the client does not read its answer."""
        super().pause_writing()
        self._set_write_timeout(self._settings.write_seconds)

    def resume_writing(self) -> None:
        """End the time limit of sending: the client reads its answer again."""
        super().resume_writing()
        if not self.transport.is_closing():
            self._set_write_timeout(None)

    def on_response_complete(self) -> None:
        """Start the time limit of sending if the connection closes after this answer."""
        super().on_response_complete()
        if self._is_ending:
            self._unset_keepalive_if_required()
        if self.transport.is_closing():
            # the transport calls pause_writing only for large answers, else it has no limit
            self._set_write_timeout(self._settings.write_seconds)

    def connection_lost(self, exc: Exception | None) -> None:
        """End all time limits."""
        self._set_arrival_timeout(None)
        self._set_write_timeout(None)
        super().connection_lost(exc)

    def close_after_response(self) -> None:
        """Close the connection after the answer in progress: no later request is answered."""
        if self.cycle is not None:
            self.cycle.keep_alive = False

    def timeout_keep_alive_handler(self) -> None:
        """Close a connection that was idle too long."""
        self._close()

    def send_400_response(self, msg: str) -> None:
        """Refuse a request that is not HTTP, or whose head is too large."""
        if self._has_large_head():
            self._refuse_head()
            return
        self._refuse(
            400,
            "not-http",
            "this is not an HTTP request",
            expected="HTTP/1.1 with one Host header, without TLS",
            cure="GET /docs shows what each path takes; put a proxy in front for TLS",
        )

    def _set_arrival_timeout(self, seconds: float | None) -> None:
        """Limit the time until the next part of a request arrives; None for no limit."""
        if self._arrival_timer is not None:
            self._arrival_timer.cancel()
        self._arrival_timer = None
        if seconds is not None:
            self._arrival_timer = self.loop.call_later(seconds, self._on_arrival_timeout)

    def _on_arrival_timeout(self) -> None:
        if self._is_ending:
            self._close()
        elif self.pipeline:
            # the body of this request is not read before the request ahead of it is answered
            self._set_arrival_timeout(self._settings.body_seconds)
        elif self._in_head and self._head_bytes:
            seconds = self._settings.header_seconds
            self._refuse(
                408,
                "slow-head",
                f"the headers did not arrive within {seconds_of(seconds)}",
                expected="all headers in that time",
                cure="send them at once, or start the service with a larger "
                "--header-timeout-seconds",
            )
        else:
            self._count_refusal("slow-body" if self._in_body else "silent")
            self._close()

    def _is_idle(self) -> bool:
        """Whether no time limit runs: blank lines between requests stop uvicorn's own one."""
        return (
            self._arrival_timer is None
            and self.timeout_keep_alive_task is None
            and not self.transport.is_closing()
            and self._can_respond()
        )

    def _has_large_head(self) -> bool:
        return self._in_head and self._head_bytes > self._settings.max_head_bytes

    def _refuse_head(self) -> None:
        self._refuse(
            431,
            "large-head",
            "the request's headers are too large",
            expected=f"at most {self._settings.max_head_bytes:,} bytes with the request line",
            cure="send fewer or shorter headers",
        )

    def _can_respond(self) -> bool:
        """Whether an error can be sent without running into an answer in progress."""
        if self.cycle is None or self.cycle.response_complete:
            return True
        # an incomplete request has no answer yet, unless one ahead of it is being answered
        return self._in_body and not self.pipeline and not self.cycle.response_started

    def _refuse(
        self,
        status: int,
        reason: str,
        what: str,
        *,
        expected: str,
        cure: str,
        headers: dict[str, str] | None = None,
    ) -> None:
        self._count_refusal(reason)
        if self._in_head and not self._can_respond():
            # the complete request ahead of it is answered first
            self._is_ending, self.cycle.keep_alive = True, False
            self._set_arrival_timeout(None)
            return
        if not self.transport.is_closing() and self._can_respond():
            refusal = RefusedError(
                status, reason, what, where="the connection", expected=expected, cure=cure
            )
            body = refusal.body()
            head_lines = [
                f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
                "content-type: application/json",
                f"content-length: {len(body)}",
                "connection: close",
                *(f"{name}: {value}" for name, value in (headers or {}).items()),
            ]
            self.transport.write("\r\n".join(head_lines).encode() + b"\r\n\r\n" + body)
        self._close()

    def _close_after_body(self) -> None:
        """Close after an answer, once the client had time to send the rest of its body.

        An immediate close would reset the connection while the client still sends, and it would
        never read the error.
        """
        if self._in_body and not self.pipeline and not self.transport.is_closing():
            self._is_ending = True
            self.transport.write_eof()
        else:
            self.transport.close()

    def _drain(self, n_bytes: int) -> None:
        """Discard received bytes, up to a limit."""
        self._drained_bytes += n_bytes
        if self._drained_bytes > self._settings.max_drained_bytes:
            self._close()

    def _close(self) -> None:
        """Close, and abort if the client does not read the rest in time."""
        self._set_arrival_timeout(None)
        self.transport.close()
        self._set_write_timeout(_FLUSH_SECONDS)

    def _set_write_timeout(self, seconds: float | None) -> None:
        """Limit the time in which the client must read what is sent; None for no limit."""
        if self._write_timer is not None:
            self._write_timer.cancel()
        self._write_timer = None
        if seconds is not None:
            self._write_timer = self.loop.call_later(seconds, self.transport.abort)


def _extract_path(url: bytes) -> bytes:
    """Return the path and query of an absolute URL, which proxies' clients send (RFC 9112, 3.2.2).

    Raises:
        HttpParserInvalidURLError: It is not a URL.
    """
    parts = parse_url(url)
    return (parts.path or b"/") + (b"?" + parts.query if parts.query else b"")
