"""Read request bodies within limits of size, time and total memory."""

import asyncio
from codecs import BOM_UTF8
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from closeread.serve.refusals import BODY, ClientGoneError, RefusedError, busy_refusal
from closeread.serve.settings import Settings
from closeread.wording import seconds_of

BODY_STARTED = "closeread.body_begun"  # set in a request's scope once the client sends its body


class CloseUnsentBodies:
    """ASGI middleware that closes a connection whose client was never asked to send its body.

    A client that sent ``expect: 100-continue`` and is refused keeps its body, so its next bytes
    would be taken for that body. The connection of a client that did not wait stays open, so that
    it can read the error.
    """

    def __init__(self, app: ASGIApp) -> None:
        """Wrap ``app``."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        is_waiting = scope["type"] == "http" and any(
            name == b"expect" for name, _ in scope["headers"]
        )
        if not is_waiting:
            await self._app(scope, receive, send)
            return

        async def receive_body() -> Message:
            nonlocal is_waiting
            is_waiting = False
            return await receive()

        async def send_with_close(message: Message) -> None:
            if (
                message["type"] == "http.response.start"
                and is_waiting
                and BODY_STARTED not in scope
            ):
                message["headers"] = [*message["headers"], (b"connection", b"close")]
            await send(message)

        await self._app(scope, receive_body, send_with_close)


class MemoryShare:
    """The bytes that one request uses of the memory limit of all bodies."""

    def __init__(self, bodies: "BodyReader") -> None:
        self._bodies = bodies
        self.n_bytes = 0

    def add(self, n_bytes: int) -> None:
        """Add bytes.

        Raises:
            RefusedError: All bodies together would exceed the limit.
        """
        if self._bodies.n_held_bytes + n_bytes > self._bodies.settings.max_held_bytes:
            raise busy_refusal(
                "memory-full",
                "too many large requests at once",
                f"at most {self._bodies.settings.max_held_bytes:,} bytes of all bodies together",
                "retry after the seconds that Retry-After names",
            )
        self._bodies.n_held_bytes += n_bytes
        self.n_bytes += n_bytes


class BodyReader:
    """Reads bodies, and counts the bytes in memory of unanswered requests."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.n_held_bytes = 0
        self._tasks: set[asyncio.Task[Any]] = set()

    def cancel_all(self) -> None:
        """Cancel the requests whose bodies are incomplete, because the service ends."""
        for task in tuple(self._tasks):
            task.cancel()

    @contextmanager
    def hold(self) -> Iterator[MemoryShare]:
        """Count the memory of a request until it is answered."""
        memory = MemoryShare(self)
        try:
            yield memory
        finally:
            self.n_held_bytes -= memory.n_bytes

    async def read(self, request: Request, memory: MemoryShare) -> bytes:
        """Return the body of a request, without a byte order mark.

        A body that is too large is refused by its Content-Length, before any of it is read; one
        without (chunked) as soon as it has grown too large.

        Raises:
            RefusedError: It is too large (413), too slow (408) or compressed (415), or memory is
                short (503).
            ClientGoneError: The client left.
        """
        if request.headers.get("content-encoding", "").lower() not in ("", "identity"):
            raise RefusedError(
                415,
                "compressed",
                "the body is compressed",
                where="the header content-encoding",
                expected="plain JSON in UTF-8",
                cure="send it uncompressed, without content-encoding",
            )
        limit = self.settings.max_body_bytes
        content_length = request.headers.get("content-length", "")
        if content_length.isdecimal() and int(content_length) > limit:
            raise self._too_large(f"the body has {int(content_length):,} bytes")
        chunks: list[bytes] = []
        size = 0
        task = asyncio.current_task()
        if task is not None:
            self._tasks.add(task)
        try:
            async with asyncio.timeout(self.settings.body_seconds):
                async for chunk in request.stream():
                    size += len(chunk)
                    if size > limit:
                        raise self._too_large(f"the body has more than {limit:,} bytes")
                    memory.add(len(chunk))
                    chunks.append(chunk)
        except ClientDisconnect as error:
            raise ClientGoneError from error
        except TimeoutError as error:
            raise RefusedError(
                408,
                "slow-body",
                f"the body did not arrive within {seconds_of(self.settings.body_seconds)}",
                where=BODY,
                expected="the whole body in that time, after the headers",
                cure="send it at once, or start the service with a larger --body-timeout-seconds",
                headers={"connection": "close"},
            ) from error
        finally:
            if task is not None:
                self._tasks.discard(task)
        return b"".join(chunks).removeprefix(BOM_UTF8)

    def _too_large(self, what: str) -> RefusedError:
        return RefusedError(
            413,
            "large-body",
            what,
            where=BODY,
            expected=f"at most {self.settings.max_body_bytes:,} bytes",
            cure="send fewer questions at once, or start the service with a larger "
            "--max-body-bytes",
        )
