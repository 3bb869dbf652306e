"""One connection to an endpoint, kept alive: httpcore below, as httpx has it, without httpx above.

httpx's models of a request and of a response cost as much again as sending one.
"""

import ssl
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpcore
import httpx

from closeread.readers.http.endpoint import Endpoint
from closeread.readers.http.faults import Reply
from closeread.readers.http.network import Network

_CONNECT_SECONDS = 10.0

# What a request may end in besides a reply; time limits are TimeoutError or the second.
NotThereError = httpcore.ConnectError
OutOfTimeError = httpcore.TimeoutException
BROKEN_OFF = (httpcore.NetworkError, httpcore.ProtocolError, httpcore.ProxyError)


class Lane:
    """One connection; opened at the first request and again where the server closed it."""

    def __init__(self, endpoint: Endpoint, tls: ssl.SSLContext | None = None) -> None:
        """Begin.

        Args:
            endpoint: Whom to ask.
            tls: From ``trusted``, where many lanes share it.
        """
        self._url = httpx.URL(endpoint.base_url)
        self._headers = [
            (b"Host", self._url.netloc),
            (b"Accept", b"application/json"),
            (b"Content-Type", b"application/json"),
        ]
        if endpoint.key:
            self._headers.append((b"Authorization", f"Bearer {endpoint.key}".encode()))
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=tls or trusted(),
            proxy=_proxy(endpoint.base_url),
            max_connections=1,
            network_backend=Network(),
        )

    async def __aenter__(self) -> "Lane":
        return self

    async def __aexit__(self, *of: Any) -> None:
        await self._pool.aclose()

    async def send(self, method: str, path: str, content: bytes = b"") -> Reply:
        """Send one request and return its whole reply. Limits of time are the caller's.

        Raises:
            NotThereError: No connection.
            OutOfTimeError: No connection within ten seconds.
            httpcore.NetworkError: It was not answered, or not wholly; and the rest of BROKEN_OFF.
        """
        length = [(b"Content-Length", b"%d" % len(content))] if content or method != "GET" else []
        request = httpcore.Request(
            method,
            _core_url(self._url, path),
            headers=self._headers + length,
            content=content,
            extensions={"timeout": {"connect": _CONNECT_SECONDS}},
        )
        response = await self._pool.handle_async_request(request)
        try:
            body = await response.aread()
        finally:
            await response.aclose()
        named = {name.lower(): value for name, value in response.headers}
        if b"content-encoding" in named:  # nobody asked for it; some proxies do it all the same
            body = _decoded(response.headers, body)
        return Reply(
            response.status, body, content, named.get(b"retry-after", b"").decode("latin1")
        )


def trusted() -> ssl.SSLContext:
    """Return whose certificates are trusted: certifi's, or those of ``SSL_CERT_FILE``."""
    return httpx.create_ssl_context()


def _decoded(headers: list[tuple[bytes, bytes]], body: bytes) -> bytes:
    try:
        return httpx.Response(200, headers=headers, content=body).content
    except httpx.DecodingError as error:
        raise httpcore.RemoteProtocolError(f"a reply that cannot be unpacked: {error}") from None


def _core_url(url: httpx.URL, path: str = "") -> httpcore.URL:
    return httpcore.URL(
        scheme=url.raw_scheme,
        host=url.raw_host,
        port=url.port,
        target=url.raw_path.rstrip(b"/") + path.encode(),
    )


def _proxy(address: str) -> httpcore.Proxy | None:
    found = proxy_for(address)
    if found is None:
        return None
    proxy = httpx.Proxy(found)
    return httpcore.Proxy(_core_url(proxy.url), auth=proxy.raw_auth)


def proxy_for(address: str) -> str | None:
    """Return the proxy that the environment names for an address (HTTPS_PROXY, NO_PROXY, ...)."""
    parts = urlsplit(address)
    if proxy_bypass(parts.hostname or ""):
        return None
    proxies = getproxies()
    found = proxies.get(parts.scheme) or proxies.get("all")
    return f"http://{found}" if found and "://" not in found else found
