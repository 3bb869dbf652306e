"""Which web pages may send requests, by the headers that browsers add."""

from collections.abc import Callable, Sequence
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response
from starlette.types import ASGIApp

from closeread.serve.refusals import JSON, RefusedError

_PRIVATE_NETWORK_HEADER = "access-control-{}-private-network"


def foreign_origin(origin: str) -> RefusedError:
    """Return the refusal for a page of an origin that is not allowed."""
    return RefusedError(
        403,
        "foreign-page",
        "the request comes from a web page of another origin",
        where=origin or "the page's origin",
        expected="the service's own page, or an allowed origin",
        cure="start the service with --allow-origin",
    )


class AllowedOrigins(CORSMiddleware):
    """CORS for pages of allowed origins; others get the service's JSON error.

    An allowed page may also send requests from a public to a private network, for which some
    browsers send a preflight.
    """

    def __init__(
        self,
        app: ASGIApp,
        origins: Sequence[str],
        shown: Sequence[str],
        refused: Callable[[str], None],
    ) -> None:
        """Wrap ``app``.

        Args:
            app: What answers.
            origins: Allowed origins; ``*`` for all.
            shown: Headers of replies that a page may read.
            refused: Counts refusals by reason.
        """
        super().__init__(
            app,
            allow_origins=origins,
            allow_methods=["GET", "POST"],
            allow_headers=["content-type"],
            expose_headers=shown,
        )
        self._refused = refused

    def preflight_response(self, request_headers: Headers) -> Response:
        """Answer a browser's preflight request."""
        asked = _PRIVATE_NETWORK_HEADER.format("request")
        plain = {name: value for name, value in request_headers.items() if name != asked}
        response = super().preflight_response(Headers(plain))
        if response.status_code == 200:
            if asked in request_headers:
                response.headers[_PRIVATE_NETWORK_HEADER.format("allow")] = "true"
            return response
        told = foreign_origin(request_headers["origin"])
        if self.is_allowed_origin(request_headers["origin"]):
            told = RefusedError(
                403,
                "foreign-page",
                "a web page of another origin uses a method or header that is not allowed",
                where=request_headers["origin"],
                expected="GET or POST, with no custom header except content-type",
                cure="remove the other headers",
            )
        self._refused(told.reason)
        return Response(told.body(), told.status, headers={"vary": "Origin"}, media_type=JSON)


def is_cross_host(origin: str, host: str) -> bool:
    """Return whether a page's origin is of another host than the request's.

    Over plain HTTP to another machine browsers send no ``sec-fetch-site``, but always ``origin``.
    A ``host`` of this machine without it was written by a proxy, so the host that the page asked
    is unknown. Ports are not compared, because proxies leave them out of ``host``.

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
