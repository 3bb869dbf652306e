"""Waits for a server to start, as the shared task's client does, and asks what it serves."""

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
_LONGEST_PAUSE_SECONDS = 1.0
_ATTEMPT_SECONDS = 10.0


class Served(msgspec.Struct, frozen=True, kw_only=True):
    """What ``GET /health`` of ``closeread serve`` tells of the reader; further fields are its own.

    Attributes:
        record_sha256: Of what the reader records of itself; empty where nothing is told.
        calibrated: How confidences were made honest; empty where they are the reader's own.
        batch_size: How many questions the reader is given at once.
        queue_limit: How many questions may wait.
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
    """Somebody answers; ``served`` is None where it is no server of closeread's."""

    served: Served | None


def wait_for_server(endpoint: Endpoint, seconds: float) -> Served | None:
    """Wait until a server answers; return what it serves, None where it does not tell.

    That it waits is said on stderr.

    Args:
        endpoint: Where the server is.
        seconds: How long to wait for it.

    Raises:
        EndpointError: Nobody answered in time, or a token is wanted.
    """
    found: Served | None = None
    for told in stream_results(partial(_wait, endpoint, seconds)):
        if isinstance(told, str):
            sys.stderr.write(told + "\n")
            sys.stderr.flush()
        else:
            found = told.served
    return found


async def _wait(
    endpoint: Endpoint, seconds: float, put: Callable[[str | _Reachable], None]
) -> None:
    pause = _FIRST_PAUSE_SECONDS
    waited = False
    async with Lane(endpoint) as lane:
        ends = time.monotonic() + seconds
        while True:
            try:
                put(await _ask(endpoint, lane))
                return
            except (TimeoutError, NoConnectionInTimeError, *CONNECTION_ERRORS) as error:
                left = ends - time.monotonic()
                if left <= 0:
                    raise unreachable_error(endpoint, error) from None
                if not waited:
                    put(f"waiting for {endpoint.base_url}, at most {seconds_of(seconds)}: {error}")
                    waited = True
            await asyncio.sleep(min(pause, left))
            pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)


async def _ask(endpoint: Endpoint, lane: Lane) -> _Reachable:
    try:
        async with asyncio.timeout(min(endpoint.timeout_seconds, _ATTEMPT_SECONDS)):
            reply = await lane.send("GET", endpoint.alive)
    except TimeoutError:
        raise TimeoutError("it accepts connections but does not answer") from None
    if reply.status in _RETRIED_STATUSES:
        raise TimeoutError(f"it answers with status {reply.status}")
    if reply.status == 401:
        # whoever guards the server answers, and what is behind is not known
        raise token_error(endpoint, f"status 401: {endpoint.refusal_text(reply.content)}")
    try:
        return _Reachable(msgspec.json.decode(reply.content, type=Served))
    except (msgspec.DecodeError, UnicodeDecodeError):
        return _Reachable(None)


def token_error(endpoint: Endpoint, told: str) -> EndpointError:
    """Return the error for a token that is missing or wrong."""
    return EndpointError(
        told,
        where=endpoint.base_url,
        expected="a bearer token in the environment variable that -o api_key_env= names"
        + ("" if endpoint.key else "; none is set"),
        cure="export the token, and name its variable with -o api_key_env=NAME",
    )
