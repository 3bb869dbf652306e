"""Converts addresses and proxies into httpcore's types."""

import ssl
from ipaddress import ip_address

import httpcore
import httpx

from closeread.downloads.environment import proxy_to
from closeread.errors import UsageError


def parse_url(address: str) -> httpx.URL:
    """Return an address as it goes over the wire.

    Raises:
        UsageError: It is none.
    """
    try:
        return httpx.URL(address)
    except httpx.InvalidURL as error:
        raise UsageError(
            f"not an http or https address: {address[:200]}: {error}",
            expected="such as http://localhost:8000/v1",
        ) from None


def core_url(url: httpx.URL, path: str = "") -> httpcore.URL:
    """Return an address, with a path behind its own, as httpcore has it."""
    return httpcore.URL(
        scheme=url.raw_scheme,
        host=url.raw_host,
        port=url.port,
        target=url.raw_path.rstrip(b"/") + path.encode(),
    )


def proxy_for(address: str, tls: ssl.SSLContext) -> httpcore.Proxy | None:
    """Return the proxy that the environment names for an address, if any; this machine needs none.

    A proxy elsewhere would look for the server on its own machine.

    Raises:
        UsageError: It cannot be used. Its password is not repeated.
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
    place = f"[{host}]" if ":" in host else host
    return f"{url.scheme.decode('ascii')}://{place}" + (f":{url.port}" if url.port else "")
