"""Converts addresses and proxies into httpcore's types."""

import ssl
from ipaddress import ip_address

import httpcore
import httpx

from closeread.downloads.environment import proxy_to
from closeread.errors import UsageError


def parse_url(address: str) -> httpx.URL:
    """Return a parsed address.

    Raises:
        UsageError: The address is not valid.
    """
    try:
        return httpx.URL(address)
    except httpx.InvalidURL as error:
        raise UsageError(
            f"not an http or https address: {address[:200]}: {error}",
            expected="such as http://localhost:8000/v1",
        ) from None


def core_url(url: httpx.URL, path: str = "") -> httpcore.URL:
    """Return an address for httpcore, with ``path`` appended to its own path."""
    return httpcore.URL(
        scheme=url.raw_scheme,
        host=url.raw_host,
        port=url.port,
        target=url.raw_path.rstrip(b"/") + path.encode(),
    )


def proxy_for(address: str, tls: ssl.SSLContext) -> httpcore.Proxy | None:
    """Return the proxy that the environment names for an address; None for a local address.

    A proxy on another machine would look for a local address on its own machine.

    Raises:
        UsageError: The proxy cannot be used. The message does not contain its password.
    """
    proxy = None if _is_this_machine(parse_url(address).host) else proxy_to(address)
    if proxy is None:
        return None
    context = tls if proxy.url.scheme == "https" else None
    return httpcore.Proxy(core_url(proxy.url), auth=proxy.raw_auth, ssl_context=context)


def _is_this_machine(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def format_proxy(url: httpcore.URL) -> str:
    """Return a proxy's address without its password."""
    host = url.host.decode("ascii")
    bracketed_host = f"[{host}]" if ":" in host else host
    return f"{url.scheme.decode('ascii')}://{bracketed_host}" + (f":{url.port}" if url.port else "")
