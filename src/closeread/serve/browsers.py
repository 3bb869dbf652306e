"""What browsers tell of the page that asks."""

from ipaddress import ip_address
from urllib.parse import urlsplit


def is_of_another_host(origin: str, host: str) -> bool:
    """Return whether a page's origin is of another host than the one that was asked.

    Over plain HTTP to another machine browsers send no ``sec-fetch-site``, but ``origin`` always.
    A ``host`` of this machine without it was written by a proxy: which one the page asked is not
    known then. Ports are not compared, as proxies leave them out of ``host``.

    Args:
        origin: The header of that name; ``null`` is of no host.
        host: Likewise.
    """
    asked = _host_of(f"http://{host}")
    return not _is_this_machine(asked) and _host_of(origin) != asked


def _host_of(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _is_this_machine(name: str) -> bool:
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return name in ("", "localhost") or name.endswith(".localhost")
