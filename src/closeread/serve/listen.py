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

_RESERVED_FILES = 100
_POLL_SECONDS = 0.02
_IDLE_CLOSE_SECONDS = 0.5  # for clients that keep their connection between requests
_FINAL_SEND_SECONDS = 5  # for finished answers to be sent


def bind_socket(host: str, port: int) -> socket.socket:
    """Return a socket that is bound to its address but does not listen yet.

    So a port in use is reported before the reader is loaded, and the port opens only when the
    reader can answer.

    Args:
        host: A name or an address.
        port: The port; 0 for a free one.

    Raises:
        UsageError: The address is empty, in use or not of this machine.
    """
    if not host:
        raise UsageError(
            "the host to listen on is empty",
            expected="a name or an address of this machine, or 0.0.0.0 for all its addresses",
            cure="if the name comes from a variable, check that it is set",
        )
    bound_socket = None
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        bound_socket = socket.socket(family, kind, protocol)
        if os.name == "posix":
            bound_socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound_socket.bind(address)
    except (OSError, UnicodeError) as error:  # UnicodeError: no valid host name
        if bound_socket is not None:
            bound_socket.close()
        raise _bind_error(host, port, error) from error
    return bound_socket


def _bind_error(host: str, port: int, error: Exception) -> UsageError:
    return UsageError(
        f"cannot listen on {host}, port {port}: {getattr(error, 'strerror', None) or error}",
        cure="choose another --port (0 takes a free one), or another --host",
    )


def url_of(listening_socket: socket.socket) -> str:
    """Return the URL of the address."""
    host, port = listening_socket.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def is_public(listening_socket: socket.socket) -> bool:
    """Return whether other machines can reach the address."""
    return not ip_address(listening_socket.getsockname()[0].partition("%")[0]).is_loopback


def listen(
    service: Service,
    application: Any,
    listening_socket: socket.socket,
    on_ready: Callable[[], None],
    *,
    on_stopping: Callable[[int], None] = lambda count: None,
    on_file_limit: Callable[[int], None] = lambda files: None,
) -> int:
    """Serve until SIGTERM or SIGINT, then finish the accepted requests.

    While it stops, new requests get 503. A second signal ends it at once. If the process may not
    open enough files for ``max_connections``, fewer clients can connect.

    Args:
        service: Answers the requests.
        application: Its ASGI application.
        listening_socket: From :func:`bind_socket`.
        on_ready: Called when the service accepts requests.
        on_stopping: Called on the first signal, with the number of requests still to answer.
        on_file_limit: Called the first time that a client must wait because the process cannot
            open more files, with their maximum number.

    Returns:
        The exit code: 0, or 1 if accepted questions were left unanswered.
    """
    settings = service.settings
    n_wanted = settings.max_connections + _RESERVED_FILES
    n_files = _raise_file_limit(n_wanted)
    if n_files < n_wanted:
        max_connections = max(1, n_files - min(_RESERVED_FILES, n_files // 2))
        settings = dataclasses.replace(settings, max_connections=max_connections)
    config = uvicorn.Config(
        application,
        http=cast(
            Any,
            functools.partial(
                GuardedConnection,
                settings,
                service.metrics.count_refusal,
                lambda: service.batcher.is_stopping,
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
        listening_socket,
        on_ready=on_ready,
        on_stopping=on_stopping,
        on_file_limit=lambda: on_file_limit(n_files),
    )
    asyncio.run(server.serve(sockets=[listening_socket]))
    return 0 if server.n_unanswered == 0 else 1


def _raise_file_limit(count: int) -> int:
    """Raise the limit of open files to ``count`` if allowed; return the limit, at most that."""
    if os.name != "posix":
        return count
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    n_wanted = count if hard == resource.RLIM_INFINITY else min(count, hard)
    if soft != resource.RLIM_INFINITY and soft < n_wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (n_wanted, hard))
    return n_wanted


class _Server(uvicorn.Server):
    """uvicorn's server, which answers 503 to new requests while it finishes accepted ones."""

    def __init__(
        self,
        config: uvicorn.Config,
        service: Service,
        listening: socket.socket,
        *,
        on_ready: Callable[[], None],
        on_stopping: Callable[[int], None],
        on_file_limit: Callable[[], None],
    ) -> None:
        super().__init__(config)
        self._service = service
        self._listening = listening
        self._on_ready = on_ready
        self._on_stopping = on_stopping
        self._on_file_limit = on_file_limit
        self._has_hit_file_limit = False
        self._stop_task: asyncio.Task[None] | None = None
        self.n_unanswered = 0

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, start the batcher, and call ``on_ready``."""
        asyncio.get_running_loop().set_exception_handler(self._handle_loop_error)
        try:
            await super().startup(sockets)
        except OSError as error:
            # another process bound the same address and listened first
            host, port = self._listening.getsockname()[:2]
            raise _bind_error(host, port, error) from error
        self._service.batcher.start()
        self._on_ready()

    def _handle_loop_error(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Report too many open files once; asyncio retries, with a traceback each time."""
        error = context.get("exception")
        if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
            if not self._has_hit_file_limit:
                self._on_file_limit()
            self._has_hit_file_limit = True
        elif not (self._has_hit_file_limit and self.should_exit and isinstance(error, ValueError)):
            # otherwise asyncio retried on the closed socket
            loop.default_exception_handler(context)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop on a signal; unlike uvicorn, exit with a code of our own afterwards."""
        loop = asyncio.get_running_loop()

        def handle_signal(number: int, frame: object) -> None:
            loop.call_soon_threadsafe(self._stop)

        signals = (signal.SIGINT, signal.SIGTERM)
        earlier_handlers = {number: signal.signal(number, handle_signal) for number in signals}
        try:
            yield
        finally:
            for number, handler in earlier_handlers.items():
                signal.signal(number, handler)

    def _stop(self) -> None:
        if self._stop_task is not None:
            self._refuse_unanswered()
            self.force_exit = True
            return
        self._service.batcher.stop()
        for connection in cast(Iterable[GuardedConnection], self.server_state.connections):
            connection.close_after_response()
        self._stop_task = asyncio.get_running_loop().create_task(self._wait_for_answers())
        self._on_stopping(self._service.batcher.n_open_orders)

    async def _wait_for_answers(self) -> None:
        started_at = time.monotonic()
        while time.monotonic() - started_at < self._max_stop_seconds():
            await asyncio.sleep(_POLL_SECONDS)
        self._refuse_unanswered()

    def _max_stop_seconds(self) -> float:
        """Return the maximum duration of a stop, in seconds, in the current state."""
        grace = self._service.settings.grace_seconds
        if self._service.batcher.n_open_orders:
            return grace
        return min(grace, _IDLE_CLOSE_SECONDS) if self.server_state.connections else 0.0

    def _refuse_unanswered(self) -> None:
        """Answer 503 to waiting and incomplete requests, and exit."""
        self.n_unanswered += self._service.batcher.refuse_unanswered()
        self._service.bodies.cancel_all()
        self._service.batcher.close()
        self.should_exit = True
