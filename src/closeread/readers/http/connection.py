"""One persistent connection to an endpoint, on httpcore without httpx.

httpx's request and response objects cost as much time as sending the request.
"""

import ssl
from typing import Any

import httpcore
import httpx

from closeread.downloads.environment import make_ssl_context
from closeread.errors import EndpointError
from closeread.readers.http.addresses import core_url, format_proxy, parse_url, proxy_for
from closeread.readers.http.endpoint import Endpoint
from closeread.readers.http.failures import Reply
from closeread.readers.http.network import Network

_CONNECT_SECONDS = 10.0

_REDIRECTS = {301, 302, 303, 307, 308}

# Errors of a request. Time limits raise TimeoutError, except that of the connection.
NotThereError = httpcore.ConnectError
NoConnectionInTimeError = httpcore.ConnectTimeout
CONNECTION_ERRORS = (httpcore.NetworkError, httpcore.ProtocolError)


class Lane:
    """One connection; opened by the first request, and again after the server closed it."""

    def __init__(self, endpoint: Endpoint, tls: ssl.SSLContext | None = None) -> None:
        """Prepare a connection without opening it.

        Args:
            endpoint: The endpoint.
            tls: A context from ``make_ssl_context`` that several lanes share.

        Raises:
            UsageError: The address, or the proxy or certificates in the environment, are invalid.
        """
        self._endpoint = endpoint
        self._url = parse_url(endpoint.base_url)
        self._headers = [
            (b"Host", self._url.netloc),
            (b"Accept", b"application/json"),
            (b"Content-Type", b"application/json"),
        ]
        if endpoint.key:
            self._headers.append((b"Authorization", f"Bearer {endpoint.key}".encode()))
        tls = tls or make_ssl_context()
        proxy = proxy_for(endpoint.base_url, tls)
        self._proxy_note = (
            f", through the proxy {format_proxy(proxy.url)}" if proxy is not None else ""
        )
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=tls,
            proxy=proxy,
            max_connections=1,
            network_backend=Network(),
        )

    async def __aenter__(self) -> "Lane":
        return self

    async def __aexit__(self, *exception: Any) -> None:
        await self._pool.aclose()

    async def send(self, method: str, path: str, content: bytes = b"") -> Reply:
        """Send one request and return its whole reply. The caller sets a time limit.

        Raises:
            NotThereError: No connection to the server or through the proxy.
            NoConnectionInTimeError: No connection within ten seconds.
            EndpointError: The server redirects.
            httpcore.NetworkError: The connection broke before the reply was complete.
            httpcore.ProtocolError: The reply is not valid HTTP.
        """
        length = [(b"Content-Length", b"%d" % len(content))] if content or method != "GET" else []
        request = httpcore.Request(
            method,
            core_url(self._url, path),
            headers=self._headers + length,
            content=content,
            extensions={"timeout": {"connect": _CONNECT_SECONDS}},
        )
        try:
            response = await self._pool.handle_async_request(request)
        except (httpcore.ConnectError, httpcore.ProxyError) as error:
            raise NotThereError(f"{error}{self._proxy_note}") from error
        except httpcore.ConnectTimeout as error:
            raise NoConnectionInTimeError(f"{error}{self._proxy_note}") from error
        try:
            body = await response.aread()
        finally:
            await response.aclose()
        headers_by_name = {name.lower(): value for name, value in response.headers}
        if (
            b"content-encoding" in headers_by_name
        ):  # not requested, but some proxies compress anyway
            body = _decompress(response.headers, body)
        if response.status == 407 and self._proxy_note:
            raise NotThereError(
                f"status 407: {self._endpoint.refusal_text(body)}{self._proxy_note}"
            )
        if response.status in _REDIRECTS:
            raise self._redirect_error(
                response.status, headers_by_name.get(b"location", b"").decode("latin1")
            )
        return Reply(
            response.status,
            body,
            content,
            headers_by_name.get(b"retry-after", b"").decode("latin1"),
        )

    def _redirect_error(self, status: int, location: str) -> EndpointError:
        """Return the error for a redirect: following it would send the key to another server."""
        target = self._endpoint.redact(location.partition("?")[0])
        return EndpointError(
            f"status {status}: the server redirects" + (f" to {target}" if target else ""),
            where=self._endpoint.base_url,
            expected="the final address: closeread follows no redirect",
            cure="correct the address: https instead of http, or another path",
        )


def _decompress(headers: list[tuple[bytes, bytes]], body: bytes) -> bytes:
    try:
        return httpx.Response(200, headers=headers, content=body).content
    except httpx.DecodingError as error:
        raise httpcore.RemoteProtocolError(f"the reply cannot be decompressed: {error}") from None
