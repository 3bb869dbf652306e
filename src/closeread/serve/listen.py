"""The server process: its socket, signals, and a stop that answers accepted requests."""

import asyncio
import contextlib
import dataclasses
import errno
import functools
import os
import signal
import socket
import time
from collections.abc import Callable, Iterable, Iterator
from ipaddress import ip_address
from typing import Any, cast

import uvicorn

from closeread.errors import UsageError
from closeread.serve.connection import GuardedConnection
from closeread.serve.service import Service

_SPARE_FILES = 100
_POLL_SECONDS = 0.02
_IDLE_CLOSE_SECONDS = 0.5  # for clients between two requests to be told, where connections are kept
_FINAL_SEND_SECONDS = 5  # for answers to be sent, once they are there


def bind_socket(host: str, port: int) -> socket.socket:
    """Return a socket that is bound to its address but does not listen yet.

    A taken port is thus reported before the reader is loaded, and the port opens only when the
    reader can answer.

    Args:
        host: A name or address.
        port: 0 for a free one.

    Raises:
        UsageError: The address is empty, taken or not ours.
    """
    if not host:
        raise UsageError(
            "the host to listen on is empty",
            expected="a name or an address of this machine, or 0.0.0.0 for all its addresses",
            cure="if the name comes from a variable, check that it is set",
        )
    made = None
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        made = socket.socket(family, kind, protocol)
        if os.name == "posix":
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
    except (OSError, UnicodeError) as error:  # the latter: a name that no host can have
        if made is not None:
            made.close()
        raise _bind_error(host, port, error) from error
    return made


def _bind_error(host: str, port: int, error: Exception) -> UsageError:
    return UsageError(
        f"cannot listen on {host}, port {port}: {getattr(error, 'strerror', None) or error}",
        cure="choose another --port (0 takes a free one), or another --host",
    )


def url(listening: socket.socket) -> str:
    """Return the address as a browser takes it."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def is_public(listening: socket.socket) -> bool:
    """Return whether other machines can reach the address."""
    return not ip_address(listening.getsockname()[0].partition("%")[0]).is_loopback


def listen(
    service: Service,
    application: Any,
    listening: socket.socket,
    ready: Callable[[], None],
    *,
    stopping: Callable[[int], None] = lambda count: None,
    crowded: Callable[[int], None] = lambda files: None,
) -> int:
    """Answer until SIGTERM or SIGINT, then finish the accepted requests.

    While it stops, new requests get 503. A second signal ends it at once. If the process may not
    open enough files for ``max_connections``, fewer clients can connect.

    Args:
        service: What answers.
        application: Its ASGI application.
        listening: From :func:`bind_socket`.
        ready: Called when requests are answered.
        stopping: Called on the first signal, with the number of requests that it still answers.
        crowded: Called the first time that a client has to wait since all files that the process
            may open are open, with their number.

    Returns:
        The exit code: 0, or 1 where accepted questions were left unanswered.
    """
    settings = service.settings
    wanted = settings.max_connections + _SPARE_FILES
    files = _raise_file_limit(wanted)
    if files < wanted:
        most = max(1, files - min(_SPARE_FILES, files // 2))
        settings = dataclasses.replace(settings, max_connections=most)
    config = uvicorn.Config(
        application,
        http=cast(
            Any,
            functools.partial(
                GuardedConnection,
                settings,
                service.metrics.refused,
                lambda: service.batcher.stopping,
            ),
        ),
        loop="asyncio",
        ws="none",
        lifespan="off",
        log_config=None,
        log_level="error",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        backlog=2048,
        timeout_keep_alive=int(settings.idle_seconds),
        timeout_graceful_shutdown=_FINAL_SEND_SECONDS,
    )
    server = _Server(
        config,
        service,
        listening,
        ready=ready,
        stopping=stopping,
        crowded=lambda: crowded(files),
    )
    asyncio.run(server.serve(sockets=[listening]))
    return 0 if server.unanswered == 0 else 1


def _raise_file_limit(count: int) -> int:
    """Raise the limit of open files to ``count`` if allowed; return the limit, at most that."""
    if os.name != "posix":
        return count
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count if hard == resource.RLIM_INFINITY else min(count, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return wanted


class _Server(uvicorn.Server):
    """uvicorn's server, which while stopping answers 503 until accepted requests are answered."""

    def __init__(
        self,
        config: uvicorn.Config,
        service: Service,
        listening: socket.socket,
        *,
        ready: Callable[[], None],
        stopping: Callable[[int], None],
        crowded: Callable[[], None],
    ) -> None:
        super().__init__(config)
        self._service = service
        self._listening = listening
        self._ready = ready
        self._tell_of_stopping = stopping
        self._tell_of_crowd = crowded
        self._crowded = False
        self._stopping: asyncio.Task[None] | None = None
        self.unanswered = 0

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, begin to read, and tell."""
        asyncio.get_running_loop().set_exception_handler(self._failed)
        try:
            await super().startup(sockets)
        except OSError as error:
            # another process bound the same address, and listened first
            host, port = self._listening.getsockname()[:2]
            raise _bind_error(host, port, error) from error
        self._service.batcher.start()
        self._ready()

    def _failed(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Report too many open files once; asyncio retries, with a traceback each time."""
        error = context.get("exception")
        if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
            if not self._crowded:
                self._tell_of_crowd()
            self._crowded = True
        elif not (self._crowded and self.should_exit and isinstance(error, ValueError)):
            # else it tried once more at the socket that is closed
            loop.default_exception_handler(context)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop on a signal; unlike uvicorn, exit with a code of our own afterwards."""
        loop = asyncio.get_running_loop()

        def told(number: int, frame: object) -> None:
            loop.call_soon_threadsafe(self._stop)

        signals = (signal.SIGINT, signal.SIGTERM)
        before = {number: signal.signal(number, told) for number in signals}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _stop(self) -> None:
        if self._stopping is not None:
            self._abandon()
            self.force_exit = True
            return
        self._service.batcher.stop()
        for connection in cast(Iterable[GuardedConnection], self.server_state.connections):
            connection.close_after_response()
        self._stopping = asyncio.get_running_loop().create_task(self._finish())
        self._tell_of_stopping(self._service.batcher.open_orders)

    async def _finish(self) -> None:
        begun = time.monotonic()
        while time.monotonic() - begun < self._patience():
            await asyncio.sleep(_POLL_SECONDS)
        self._abandon()

    def _patience(self) -> float:
        """Return the most seconds that a stop takes in the current state."""
        grace = self._service.settings.grace_seconds
        if self._service.batcher.open_orders:
            return grace
        return min(grace, _IDLE_CLOSE_SECONDS) if self.server_state.connections else 0.0

    def _abandon(self) -> None:
        """Answer 503 to requests that still wait or still arrive, and exit."""
        self.unanswered += self._service.batcher.abandon()
        self._service.bodies.cut()
        self._service.batcher.close()
        self.should_exit = True
