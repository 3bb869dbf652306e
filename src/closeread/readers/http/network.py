"""A network backend for httpcore directly on asyncio.

httpcore's own backend uses anyio, whose time limits and checkpoints at every read and write cost as
much as the rest of a request. Neither is needed here: every lane has one connection, and every
attempt one time limit.
"""

import asyncio
import contextlib
import socket
import ssl
from collections.abc import Iterable
from typing import Any, cast

import httpcore

from closeread.wording import seconds_of

_ALTERNATIVE_SECONDS = 2.0  # for every address of a name but the last: it may be unreachable
_INFO_NAMES = {"client_addr": "sockname", "server_addr": "peername"}


class Network(httpcore.AsyncNetworkBackend):
    """Opens connections in the running event loop."""

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Return a connection; ``local_address`` and ``socket_options`` are ignored.

        Raises:
            httpcore.ConnectTimeout: No connection within ``timeout`` seconds.
            httpcore.ConnectError: The connection failed.
        """
        _, connection = await _connect(_connect_any(host, port), timeout)
        return cast("Connection", connection)

    async def sleep(self, seconds: float) -> None:
        """Wait between attempts to connect."""
        await asyncio.sleep(seconds)


class Connection(asyncio.Protocol, httpcore.AsyncNetworkStream):
    """One connection, with a buffer of data that was received and not read yet."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport
        self._buffer = bytearray()
        self._ended = False
        self._failure: Exception | None = None
        self._arrival: asyncio.Future[None] | None = None
        self._writable = asyncio.Event()
        self._writable.set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """Buffer received data."""
        self._buffer += data
        self._wake()

    def eof_received(self) -> None:
        """Record the end of the received data."""
        self._ended = True
        self._wake()

    def connection_lost(self, exc: Exception | None) -> None:
        """Record the end of the connection and its cause."""
        self._ended, self._failure = True, exc
        self._writable.set()
        self._wake()

    def pause_writing(self) -> None:
        """Make writers wait until the other side has read more."""
        self._writable.clear()

    def resume_writing(self) -> None:
        """Let writers continue."""
        self._writable.set()

    async def read(
        self,
        max_bytes: int,
        timeout: float | None = None,
    ) -> bytes:
        """Return received data, at most ``max_bytes``; b"" at the end.

        Raises:
            httpcore.ReadTimeout: No data within ``timeout`` seconds.
            httpcore.ReadError: The connection broke.
        """
        if not self._buffer and not self._ended:
            self._arrival = asyncio.get_running_loop().create_future()
            try:
                async with asyncio.timeout(timeout):
                    await self._arrival
            except TimeoutError:
                raise httpcore.ReadTimeout(
                    f"no data within {seconds_of(cast(float, timeout))}"
                ) from None
            finally:
                self._arrival = None
        if not self._buffer and self._failure is not None:
            raise httpcore.ReadError(str(self._failure)) from self._failure
        taken = bytes(self._buffer[:max_bytes])
        del self._buffer[:max_bytes]
        return taken

    async def write(
        self,
        buffer: bytes,
        timeout: float | None = None,
    ) -> None:
        """Send all bytes of a buffer.

        Raises:
            httpcore.WriteTimeout: The other side took no data within ``timeout`` seconds.
            httpcore.WriteError: The connection is closed.
        """
        if not self._ended:
            self._transport.write(buffer)
            try:
                async with asyncio.timeout(timeout):
                    await self._writable.wait()
            except TimeoutError:
                raise httpcore.WriteTimeout(
                    f"the server took no data within {seconds_of(cast(float, timeout))}"
                ) from None
        if self._ended:
            raise httpcore.WriteError(str(self._failure or "the connection was closed"))

    async def aclose(self) -> None:
        """Close the connection without waiting for the other side's TLS shutdown."""
        self._transport.close()
        try:
            await asyncio.sleep(0)
        finally:
            self._transport.abort()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Return the same connection, encrypted.

        Raises:
            httpcore.ConnectTimeout: No handshake within ``timeout`` seconds.
            httpcore.ConnectError: The other side has no TLS, or its certificate is not trusted.
        """
        loop = asyncio.get_running_loop()
        upgrade = loop.start_tls(
            self._transport, self, ssl_context, server_hostname=server_hostname
        )
        self._transport = cast("asyncio.Transport", await _connect(upgrade, timeout))
        return self

    def get_extra_info(self, info: str) -> Any:
        """Return a property for httpcore, which does not reuse a readable idle connection."""
        if info == "is_readable":
            return bool(self._buffer) or self._ended
        return self._transport.get_extra_info(_INFO_NAMES.get(info, info))

    def _wake(self) -> None:
        if self._arrival is not None and not self._arrival.done():
            self._arrival.set_result(None)


async def _connect_any(host: str, port: int) -> tuple[asyncio.Transport, Connection]:
    """Return a connection to the first of a name's addresses that accepts one.

    asyncio's own parallel attempts leak a socket if they are cancelled (Python 3.11).
    """
    loop = asyncio.get_running_loop()
    infos = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = [str(sockaddr[0]) for *_, sockaddr in infos]
    for address in addresses[:-1]:
        with contextlib.suppress(OSError):
            async with asyncio.timeout(_ALTERNATIVE_SECONDS):
                return await loop.create_connection(Connection, address, port)
    return await loop.create_connection(Connection, addresses[-1], port)


async def _connect(opening: Any, seconds: float | None) -> Any:
    try:
        async with asyncio.timeout(seconds) as limit:
            return await opening
    # also the system's own time limit, TLS errors, and invalid host names
    except (OSError, UnicodeError) as error:
        if limit.expired():
            raise httpcore.ConnectTimeout(
                f"no connection within {seconds_of(cast(float, seconds))}"
            ) from None
        raise httpcore.ConnectError(str(error) or type(error).__name__) from error
