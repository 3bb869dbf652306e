"""Reads proxies and certificates from the environment."""

import importlib.util
import os
import ssl
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx

from closeread.errors import UsageError


def make_ssl_context() -> ssl.SSLContext:
    """Return a context that trusts certifi's certificates, or those of ``SSL_CERT_FILE``.

    Raises:
        UsageError: The file that the variable names has no certificates.
    """
    try:
        return httpx.create_ssl_context()
    except OSError as error:  # ssl's own errors among them
        raise UsageError(
            f"the certificates in SSL_CERT_FILE cannot be read: {error.strerror or error}",
            where=os.environ.get("SSL_CERT_FILE", ""),
            expected="certificates in PEM format",
            cure="fix the variable SSL_CERT_FILE, or unset it",
        ) from None


def proxy_to(address: str) -> httpx.Proxy | None:
    """Return the proxy that the environment names for an address, if any.

    Raises:
        UsageError: The proxy cannot be used. The message does not repeat its password.
    """
    proxy_url = _proxy_url(address)
    if proxy_url is None:
        return None
    try:
        proxy = httpx.Proxy(proxy_url)
    except (httpx.InvalidURL, ValueError):
        raise _proxy_error("the proxy set in the environment is not a URL") from None
    if not proxy.url.host:
        raise _proxy_error("the proxy set in the environment has no host")
    if proxy.url.scheme.startswith("socks") and importlib.util.find_spec("socksio") is None:
        shown_url = f"{proxy.url.scheme}://{proxy.url.netloc.decode('ascii')}"
        raise _proxy_error(
            f"the environment sets a SOCKS proxy ({shown_url}), which needs the package socksio",
            "pip install socksio, or ",
        )
    return proxy


def _proxy_url(address: str) -> str | None:
    """Return the proxy of HTTPS_PROXY, ALL_PROXY and similar, unless NO_PROXY names the host."""
    parts = urlsplit(address)
    # NO_PROXY may name a port, which only netloc has, or an IPv6 host without netloc's brackets.
    if any(proxy_bypass(host) for host in (parts.hostname or "", parts.netloc)):
        return None
    proxies = getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    return f"http://{proxy}" if proxy and "://" not in proxy else proxy


def _proxy_error(problem: str, cure: str = "") -> UsageError:
    return UsageError(
        problem,
        expected="such as http://127.0.0.1:7890 in HTTPS_PROXY, HTTP_PROXY or ALL_PROXY",
        cure=f"{cure}fix or unset these variables, or add the host to NO_PROXY",
    )
