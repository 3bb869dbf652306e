"""TCP and TLS for httpcore, on asyncio itself.

httpcore's own way to a socket goes through anyio, whose time limits and checkpoints at every read
and write cost as much as the rest of a request. There is one connection a lane here and a limit
around each attempt as a whole, so that neither is needed.
"""

import asyncio
import contextlib
import socket
import ssl
from collections.abc import Iterable
from typing import Any, cast

import httpcore

from closeread.wording import seconds_of

_ONE_OF_SEVERAL_SECONDS = 2.0  # for an address that is not a name's last: it may be a dead route
_INFO = {"client_addr": "sockname", "server_addr": "peername"}


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
        """Return a connection; it binds no local address and sets no option of a socket.

        Raises:
            httpcore.ConnectTimeout: Not within ``timeout`` seconds.
            httpcore.ConnectError: Nobody is there.
        """
        _, connection = await _connect(_connect_any(host, port), timeout)
        return cast("Connection", connection)

    async def sleep(self, seconds: float) -> None:
        """Wait between attempts to connect."""
        await asyncio.sleep(seconds)


class Connection(asyncio.Protocol, httpcore.AsyncNetworkStream):
    """One connection: what came and was not read yet, and whether more can come."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport
        self._held = bytearray()
        self._ended = False
        self._failure: Exception | None = None
        self._arrival: asyncio.Future[None] | None = None
        self._writable = asyncio.Event()
        self._writable.set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """Hold what came until it is read."""
        self._held += data
        self._wake()

    def eof_received(self) -> None:
        """Note that nothing more will come."""
        self._ended = True
        self._wake()

    def connection_lost(self, exc: Exception | None) -> None:
        """Note the end, and why."""
        self._ended, self._failure = True, exc
        self._writable.set()
        self._wake()

    def pause_writing(self) -> None:
        """Let writers wait: the other side does not keep up."""
        self._writable.clear()

    def resume_writing(self) -> None:
        """Let writers go on."""
        self._writable.set()

    async def read(
        self,
        max_bytes: int,
        timeout: float | None = None,
    ) -> bytes:
        """Return what came, so many bytes at most; nothing at the end.

        Raises:
            httpcore.ReadTimeout: Nothing came within ``timeout`` seconds.
            httpcore.ReadError: The connection broke.
        """
        if not self._held and not self._ended:
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
        if not self._held and self._failure is not None:
            raise httpcore.ReadError(str(self._failure)) from self._failure
        taken = bytes(self._held[:max_bytes])
        del self._held[:max_bytes]
        return taken

    async def write(
        self,
        buffer: bytes,
        timeout: float | None = None,
    ) -> None:
        """Send all of it.

        Raises:
            httpcore.WriteTimeout: The other side did not take it within ``timeout`` seconds.
            httpcore.WriteError: The connection is no more.
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
        """Say farewell where the protocol has one, and wait for no answer to it."""
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
        """Go on encrypted.

        Raises:
            httpcore.ConnectTimeout: Not within ``timeout`` seconds.
            httpcore.ConnectError: The other side speaks no TLS, or its certificate is not trusted.
        """
        loop = asyncio.get_running_loop()
        changing = loop.start_tls(
            self._transport, self, ssl_context, server_hostname=server_hostname
        )
        self._transport = cast("asyncio.Transport", await _connect(changing, timeout))
        return self

    def get_extra_info(self, info: str) -> Any:
        """Return what httpcore asks; an idle connection that is readable is not used again."""
        if info == "is_readable":
            return bool(self._held) or self._ended
        return self._transport.get_extra_info(_INFO.get(info, info))

    def _wake(self) -> None:
        if self._arrival is not None and not self._arrival.done():
            self._arrival.set_result(None)


async def _connect_any(host: str, port: int) -> tuple[asyncio.Transport, Connection]:
    """Try a name's addresses in their order.

    asyncio's own race among them loses a socket where it is cancelled (Python 3.11).
    """
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = [str(name[0]) for *_, name in found]
    for address in addresses[:-1]:
        with contextlib.suppress(OSError):
            async with asyncio.timeout(_ONE_OF_SEVERAL_SECONDS):
                return await loop.create_connection(Connection, address, port)
    return await loop.create_connection(Connection, addresses[-1], port)


async def _connect(opening: Any, seconds: float | None) -> Any:
    try:
        async with asyncio.timeout(seconds) as limit:
            return await opening
    # also the system's own time limit, whatever TLS refuses, and names that no host can have
    except (OSError, UnicodeError) as error:
        if limit.expired():
            raise httpcore.ConnectTimeout(
                f"no connection within {seconds_of(cast(float, seconds))}"
            ) from None
        raise httpcore.ConnectError(str(error) or type(error).__name__) from error
