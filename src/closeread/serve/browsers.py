"""Decide by the headers that browsers add which web pages may send requests."""

from collections.abc import Callable, Sequence
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response
from starlette.types import ASGIApp

from closeread.serve.refusals import JSON, RefusedError

_PRIVATE_NETWORK_HEADER = "access-control-{}-private-network"


def foreign_origin_refusal(origin: str) -> RefusedError:
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
        exposed_headers: Sequence[str],
        count_refusal: Callable[[str], None],
    ) -> None:
        """Wrap ``app``.

        Args:
            app: The wrapped application.
            origins: Allowed origins; ``*`` for all.
            exposed_headers: Headers of replies that a page may read.
            count_refusal: Counts a refusal, given its reason.
        """
        super().__init__(
            app,
            allow_origins=origins,
            allow_methods=["GET", "POST"],
            allow_headers=["content-type"],
            expose_headers=exposed_headers,
        )
        self._count_refusal = count_refusal

    def preflight_response(self, request_headers: Headers) -> Response:
        """Answer a browser's preflight request."""
        request_header = _PRIVATE_NETWORK_HEADER.format("request")
        other_headers = {
            name: value for name, value in request_headers.items() if name != request_header
        }
        response = super().preflight_response(Headers(other_headers))
        if response.status_code == 200:
            if request_header in request_headers:
                response.headers[_PRIVATE_NETWORK_HEADER.format("allow")] = "true"
            return response
        refusal = foreign_origin_refusal(request_headers["origin"])
        if self.is_allowed_origin(request_headers["origin"]):
            refusal = RefusedError(
                403,
                "foreign-page",
                "a web page of another origin uses a method or header that is not allowed",
                where=request_headers["origin"],
                expected="GET or POST, with no custom header except content-type",
                cure="remove the other headers",
            )
        self._count_refusal(refusal.reason)
        return Response(refusal.body(), refusal.status, headers={"vary": "Origin"}, media_type=JSON)


def is_cross_host(origin: str, host: str) -> bool:
    """Return whether a page's origin is of another host than the request's.

    Over plain HTTP to another machine browsers send no ``sec-fetch-site``, but always ``origin``.
    If ``host`` is this machine and ``sec-fetch-site`` is missing, a proxy wrote ``host``, and the
    host that the page addressed is unknown. Ports are not compared, because proxies leave them out
    of ``host``.

    Args:
        origin: The header ``origin``; ``null`` has no host.
        host: The header ``host``.
    """
    request_host = _host_of(f"http://{host}")
    return not _is_this_machine(request_host) and _host_of(origin) != request_host


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
