"""Waits for a server to start, as the shared task's client does, and returns its reader."""

import asyncio
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import msgspec

from closeread.errors import EndpointError
from closeread.readers.http.connection import CONNECTION_ERRORS, Lane, NoConnectionInTimeError
from closeread.readers.http.connections import stream_results
from closeread.readers.http.endpoint import Endpoint, unreachable_error
from closeread.wording import seconds_of

_RETRIED_STATUSES = (408, 425, 429, 502, 503, 504)
_FIRST_PAUSE_SECONDS = 0.1
_MAX_PAUSE_SECONDS = 1.0
_ATTEMPT_SECONDS = 10.0


class Served(msgspec.Struct, frozen=True, kw_only=True):
    """The reader that ``closeread serve`` serves: the fields of ``GET /health`` that are used here.

    Attributes:
        reader: The reader's name.
        version: The server's version of closeread.
        options: All options of the reader.
        record_sha256: Hash of the reader's record; empty if it has none.
        calibrated: The calibrator of the confidences; empty if they are the reader's own.
        batch_size: Maximum number of questions that the reader gets at once.
        queue_limit: Maximum number of waiting questions.
    """

    reader: str
    version: str
    options: dict[str, Any] = {}
    record_sha256: str = ""
    calibrated: dict[str, Any] = {}
    batch_size: int = 32
    queue_limit: int = 32


@dataclass(frozen=True)
class _Reachable:
    """A server answers; ``served`` is None if it is not ``closeread serve``."""

    served: Served | None


def wait_for_server(endpoint: Endpoint, seconds: float) -> Served | None:
    """Wait until a server answers; return its reader, or None if it is not ``closeread serve``.

    A message on stderr says that it waits.

    Args:
        endpoint: The server.
        seconds: How long to wait for it.

    Raises:
        EndpointError: The server did not answer in time, or needs a token.
    """
    served: Served | None = None
    for report in stream_results(partial(_wait, endpoint, seconds)):
        if isinstance(report, str):
            sys.stderr.write(report + "\n")
            sys.stderr.flush()
        else:
            served = report.served
    return served


async def _wait(
    endpoint: Endpoint, seconds: float, put: Callable[[str | _Reachable], None]
) -> None:
    pause = _FIRST_PAUSE_SECONDS
    reported = False
    async with Lane(endpoint) as lane:
        deadline = time.monotonic() + seconds
        while True:
            try:
                put(await _probe(endpoint, lane))
                return
            except (TimeoutError, NoConnectionInTimeError, *CONNECTION_ERRORS) as error:
                remaining = deadline - time.monotonic()
                if remaining <= 0:
                    raise unreachable_error(endpoint, error) from None
                if not reported:
                    put(f"waiting for {endpoint.base_url}, at most {seconds_of(seconds)}: {error}")
                    reported = True
            await asyncio.sleep(min(pause, remaining))
            pause = min(2 * pause, _MAX_PAUSE_SECONDS)


async def _probe(endpoint: Endpoint, lane: Lane) -> _Reachable:
    try:
        async with asyncio.timeout(min(endpoint.timeout_seconds, _ATTEMPT_SECONDS)):
            reply = await lane.send("GET", endpoint.health_path)
    except TimeoutError:
        raise TimeoutError("it accepts connections but does not answer") from None
    if reply.status in _RETRIED_STATUSES:
        raise TimeoutError(f"it answers with status {reply.status}")
    if reply.status == 401:
        # the reply may come from a gateway: the server behind it is unknown
        raise token_error(endpoint, f"status 401: {endpoint.refusal_text(reply.content)}")
    try:
        return _Reachable(msgspec.json.decode(reply.content, type=Served))
    except (msgspec.DecodeError, UnicodeDecodeError):
        return _Reachable(None)


def token_error(endpoint: Endpoint, message: str) -> EndpointError:
    """Return the error for a missing or wrong token."""
    return EndpointError(
        message,
        where=endpoint.base_url,
        expected="a bearer token in the environment variable that -o api_key_env= names"
        + ("" if endpoint.key else "; none is set"),
        cure="export the token, and name its variable with -o api_key_env=NAME",
    )
