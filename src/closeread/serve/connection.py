"""One connection, guarded: nobody holds it open without sending, and nobody floods it.

uvicorn waits for ever for headers, and takes as many as come; a slow or silent client
(half-open, "slow loris") would keep its connection for good. Here every state of a connection has
its time: headers, body, an answer that is not taken.
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

_SLACK_SECONDS = 2.0  # the application tells of a slow body itself, a little sooner
_FLUSH_SECONDS = 5.0


class _PipelineFlow(FlowControl):
    """Reads nothing more while requests wait behind one another: nobody can pile them up."""

    def __init__(self, transport: asyncio.Transport, waiting: Sized) -> None:
        super().__init__(transport)
        self._waiting = waiting

    def resume_reading(self) -> None:
        """Read on, unless what came last is not begun yet: it is whole, or read on later."""
        if not self._waiting:
            super().resume_reading()


class _ResponseTransport:
    """A connection's transport, as the answer to one request sees it."""

    def __init__(self, transport: asyncio.Transport, close: Callable[[], None]) -> None:
        self.write = transport.write
        self.is_closing = transport.is_closing
        self.close = close


class GuardedConnection(HttpToolsProtocol):
    """uvicorn's connection with a time and a size for each of its states."""

    def __init__(
        self,
        settings: Settings,
        refused: Callable[[str], None],
        stopping: Callable[[], bool],
        *of: Any,
        **named: Any,
    ) -> None:
        """Make it; ``refused`` counts refusals by reason, ``stopping`` says if the service ends."""
        super().__init__(*of, **named)
        self.parser = cast(Any, PlainParser(self))
        self._settings = settings
        self._refused = refused
        self._stopping = stopping
        self._in_head = True
        self._in_body = False
        self._head_begun = False
        self._head_bytes = 0
        self._drained_bytes = 0
        self._ending = False
        self._arriving: asyncio.TimerHandle | None = None
        self._leaving: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for headers, unless there are too many connections."""
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
        """Parse what came; too much of a head is refused."""
        if self._ending:
            self._drain(len(data))
            return
        self._head_begun = False
        super().data_received(data)
        if self._in_head:
            # what stands before the head in the same piece is another request's body
            self._head_bytes += 1 if self._head_begun else len(data)
        if self._ending or self.transport.is_closing():
            return
        if self._has_large_head():
            self._refuse_head()
        elif self._is_idle():
            self._set_arrival_timeout(self._settings.header_seconds)

    def on_message_begin(self) -> None:
        """A request begins: its headers must come in time."""
        super().on_message_begin()
        if not self._in_head:
            self._in_head, self._head_begun, self._head_bytes = True, True, 0
            self._set_arrival_timeout(self._settings.header_seconds)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Keep a header; those behind a body (trailers) are of no use."""
        if self._in_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """The headers are there: the body must come in time.

        Raises:
            HttpParserError: They are too large, and came in one piece; or it is not said once for
                which host they are (RFC 9112, section 3.2).
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
            self.expect_100_continue = False  # it would be taken for the answer
        if not self.url.startswith((b"/", b"*")):
            self.url = _path_of(self.url)
        self._in_head, self._in_body, self._drained_bytes = False, True, 0
        self._set_arrival_timeout(self._settings.body_seconds + _SLACK_SECONDS)
        super().on_headers_complete()
        self.cycle.transport = cast(Any, _ResponseTransport(self.transport, self._close_after_body))
        if self._stopping():
            self.close_after_response()

    def on_body(self, body: bytes) -> None:
        """Take a piece of the body; of one that was refused, not for ever."""
        self.scope[BODY_STARTED] = True  # type: ignore[literal-required]
        super().on_body(body)
        if self.cycle.response_complete:
            self._drain(len(body))

    def on_message_complete(self) -> None:
        """The request is whole: nothing is waited for any more."""
        self._in_body = False
        self._set_arrival_timeout(None)
        super().on_message_complete()

    def pause_writing(self) -> None:
        """The client does not take its answer: wait, but not for ever."""
        super().pause_writing()
        self._set_write_timeout(self._settings.write_seconds)

    def resume_writing(self) -> None:
        """The client takes its answer again."""
        super().resume_writing()
        if not self.transport.is_closing():
            self._set_write_timeout(None)

    def on_response_complete(self) -> None:
        """An answer is written: where the connection ends with it, it must be taken in time."""
        super().on_response_complete()
        if self._ending:
            self._unset_keepalive_if_required()
        if self.transport.is_closing():
            # too little for the transport to call pause_writing: it would wait for ever
            self._set_write_timeout(self._settings.write_seconds)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget all that was waited for."""
        self._set_arrival_timeout(None)
        self._set_write_timeout(None)
        super().connection_lost(exc)

    def close_after_response(self) -> None:
        """Let the connection end with the answer to what came last: a further one would be lost."""
        if self.cycle is not None:
            self.cycle.keep_alive = False

    def timeout_keep_alive_handler(self) -> None:
        """Close a connection that nobody used for long."""
        self._close()

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP, or has too large a head."""
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
        """Give what must arrive next its time; None: nothing must."""
        if self._arriving is not None:
            self._arriving.cancel()
        self._arriving = None
        if seconds is not None:
            self._arriving = self.loop.call_later(seconds, self._on_arrival_timeout)

    def _on_arrival_timeout(self) -> None:
        if self._ending:
            self._close()
        elif self.pipeline:
            # its body is not read before the request in front of it is answered
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
            self._refused("slow-body" if self._in_body else "silent")
            self._close()

    def _is_idle(self) -> bool:
        """Whether nothing is waited for: blank lines between requests stop uvicorn's own clock."""
        return (
            self._arriving is None
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
        """Whether no answer is on its way that ours would run into."""
        if self.cycle is None or self.cycle.response_complete:
            return True
        # a request whose body breaks off has no answer yet, unless one before it is being answered
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
        self._refused(reason)
        if self._in_head and not self._can_respond():
            # what came before it is whole, and is answered first
            self._ending, self.cycle.keep_alive = True, False
            self._set_arrival_timeout(None)
            return
        if not self.transport.is_closing() and self._can_respond():
            told = RefusedError(
                status, reason, what, where="the connection", expected=expected, cure=cure
            )
            body = told.body()
            lines = [
                f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
                "content-type: application/json",
                f"content-length: {len(body)}",
                "connection: close",
                *(f"{name}: {value}" for name, value in (headers or {}).items()),
            ]
            self.transport.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
        self._close()

    def _close_after_body(self) -> None:
        """Close behind an answer, once the client had time to send the rest of its body.

        Closed at once, the connection would be reset while the client still sends, and it would
        never read why it is refused.
        """
        if self._in_body and not self.pipeline and not self.transport.is_closing():
            self._ending = True
            self.transport.write_eof()
        else:
            self.transport.close()

    def _drain(self, n_bytes: int) -> None:
        """Throw away what came, but not for ever."""
        self._drained_bytes += n_bytes
        if self._drained_bytes > self._settings.max_drained_bytes:
            self._close()

    def _close(self) -> None:
        """Close, and cut off where the client does not take the rest."""
        self._set_arrival_timeout(None)
        self.transport.close()
        self._set_write_timeout(_FLUSH_SECONDS)

    def _set_write_timeout(self, seconds: float | None) -> None:
        """Give the client its time to take what is sent; None: nothing is to be taken."""
        if self._leaving is not None:
            self._leaving.cancel()
        self._leaving = None
        if seconds is not None:
            self._leaving = self.loop.call_later(seconds, self.transport.abort)


def _path_of(url: bytes) -> bytes:
    """Return what a whole address asks for: clients of proxies send it (RFC 9112, section 3.2.2).

    Raises:
        HttpParserInvalidURLError: It is none.
    """
    parts = parse_url(url)
    return (parts.path or b"/") + (b"?" + parts.query if parts.query else b"")
