"""Sends requests to an endpoint: retries transient failures and reports all others.

Each of the ``concurrency`` lanes has its own connection, so that the cost of a request does not
grow with their number.
"""

import asyncio
import contextlib
import hashlib
import random
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

import msgspec

from closeread.downloads.environment import make_ssl_context
from closeread.downloads.retry_after import retry_after
from closeread.errors import EndpointError
from closeread.readers.http.budget import Budget
from closeread.readers.http.cache import Cache
from closeread.readers.http.connection import (
    CONNECTION_ERRORS,
    Lane,
    NoConnectionInTimeError,
    NotThereError,
)
from closeread.readers.http.endpoint import Endpoint, is_out_of_file_handles, unreachable_error
from closeread.readers.http.event_stream import BrokenStreamError, decode_body
from closeread.readers.http.failures import (
    FailedQuestionError,
    LostQuestionError,
    MalformedReplyError,
    Reply,
    TransientError,
)
from closeread.wording import count_of, seconds_of

_TRANSIENT_STATUSES = {408, 409, 425, 429, 500, 502, 503, 504, 529}
_FIRST_WAIT_SECONDS = 0.5  # doubles with every attempt, with random jitter
_MAX_WAIT_SECONDS = 600.0
_SILENT_ATTEMPTS = 3  # then waits take seconds and are reported
_SECONDS_BETWEEN_REMARKS = 60.0
_GATEWAY_STATUSES = {502, 503, 504}  # sent by a gateway whose server is down
_MAYBE_CHARGED_STATUSES = {408, 504}  # the server may still compute the reply, and charge for it
_REQUEST_ERROR_STATUSES = {400, 413, 422}  # the fault of one request, or of all of them
_MAX_DOUBTFUL_REFUSALS = 3  # after as many such refusals and no answer, all requests are at fault
# Consecutive lost questions after which the server is probed, and after which it is given up.
_LOST_BEFORE_PROBE, _LOST_BEFORE_STOP = 3, 24

T = TypeVar("T")

# Arguments: the lane, the endpoint, the refusal, and whether no request has succeeded yet.
Explain = Callable[[Lane, Endpoint, Reply, bool], Awaitable[Exception]]


class Client:
    """Sends requests to one endpoint. Made and used inside one event loop."""

    def __init__(
        self,
        endpoint: Endpoint,
        budget: Budget,
        cache: Cache | None,
        explain: Explain,
        *,
        has_answered: bool = False,
    ) -> None:
        """Make a client without opening a connection.

        Args:
            endpoint: The endpoint.
            budget: The limits of tokens and money.
            cache: Stores replies, if given.
            explain: Returns the error for a refusal (a status that is neither 200 nor transient).
            has_answered: Whether the server has answered before: if so, a failed connection is
                retried.
        """
        self.endpoint = endpoint
        self.budget = budget
        self._cache = cache
        self._explain = explain
        self._has_answered = has_answered
        self._jitter = random.Random()
        self._not_before = 0.0
        self._silent_until = 0.0
        self._succeeded = False
        self._refusals = 0
        self.consecutive_losses = 0
        self.retries_lost = True
        self._tls = make_ssl_context()

    def lane(self) -> Lane:
        """Return a new connection, which the caller closes."""
        return Lane(self.endpoint, self._tls)

    def request_sha256(self, path: str, body: Mapping[str, Any]) -> str:
        """Return the sha256 of a request: its address and its body with sorted keys."""
        exact = msgspec.json.encode(
            {"url": self.endpoint.base_url + path, "body": body}, order="sorted"
        )
        return hashlib.sha256(exact).hexdigest()

    async def ask(
        self,
        lane: Lane,
        path: str,
        body: Mapping[str, Any],
        *,
        read: Callable[[bytes], T],
        cost: Callable[[T], tuple[int | None, int | None]],
        max_completion_tokens: int,
    ) -> tuple[T, str]:
        """Send a request, with retries; return the decoded reply and the request's sha256.

        Args:
            lane: A connection from ``lane``.
            path: Such as ``/chat/completions``.
            body: The request.
            read: Decodes the bytes of a reply.
            cost: Returns prompt and completion tokens of a decoded reply; None if unknown.
            max_completion_tokens: Maximum tokens of the reply.

        Raises:
            FailedQuestionError: This request can never succeed.
            LostQuestionError: Every attempt failed, or it is unclear whether only this request or
                every request is refused; it may succeed later.
            EndpointError: Every request would fail.
            BudgetError: The request might exceed the budget.
        """
        try:
            sha256, content = self.request_sha256(path, body), msgspec.json.encode(body)
        except UnicodeEncodeError as error:  # a lone surrogate
            raise FailedQuestionError(f"the question cannot be sent as UTF-8: {error}") from error
        cached = self._cache.get(sha256) if self._cache is not None else None
        if cached is not None:
            with contextlib.suppress(MalformedReplyError):  # damaged: send the request again
                return read(cached), sha256

        async def send_once() -> tuple[bytes, T]:
            ticket = await self.budget.reserve(len(content), max_completion_tokens)
            spent: tuple[int | None, int | None] = (None, None)
            try:
                raw = await self._send_once(lane, path, content)
                reply = read(raw)
                spent = cost(reply)
            except TransientError as fault:
                spent = (0, 0) if fault.unpaid else spent
                raise
            except (EndpointError, FailedQuestionError):
                spent = (0, 0)
                raise
            finally:
                self.budget.settle(ticket, *spent)
            return raw, reply

        raw, reply = await self._retry(lane, send_once)
        if self._cache is not None:
            self._cache.put(sha256, raw)
        return reply, sha256

    async def _retry(self, lane: Lane, attempt: Callable[[], Awaitable[T]]) -> T:
        wait = _FIRST_WAIT_SECONDS
        for attempts_left in range(self.endpoint.retries, -1, -1):
            while (pause := self._not_before - time.monotonic()) > 0:
                await asyncio.sleep(pause)
            try:
                result = await attempt()
            except (TransientError, MalformedReplyError) as fault:
                message = self.endpoint.redact(str(fault))
                if not attempts_left:
                    raise await self._exhausted_error(lane, message) from None
                requested_wait = getattr(fault, "wait_seconds", None)
                if requested_wait is not None:
                    self._not_before = max(self._not_before, time.monotonic() + requested_wait)
                if attempts_left <= self.endpoint.retries - _SILENT_ATTEMPTS + 1:
                    self._report_waiting(message, attempts_left)
                await asyncio.sleep(wait * self._jitter.uniform(0.5, 1.5))
                wait = min(2 * wait, 60.0)
            else:
                self._succeeded = True
                self.consecutive_losses = 0
                return result
        raise AssertionError("unreachable")

    def _report_waiting(self, message: str, attempts_left: int) -> None:
        """Report on stderr why the client waits, at most once a minute."""
        now = time.monotonic()
        if now < self._silent_until:
            return
        self._silent_until = now + _SECONDS_BETWEEN_REMARKS
        attempts = count_of(attempts_left, "attempt", "attempts")
        sys.stderr.write(f"waiting for {self.endpoint.base_url}, {attempts} left: {message}\n")
        sys.stderr.flush()

    async def _send_once(self, lane: Lane, path: str, content: bytes) -> bytes:
        try:
            async with asyncio.timeout(self.endpoint.timeout_seconds):
                reply = await lane.send("POST", path, content)
        except NoConnectionInTimeError as error:
            raise TransientError(str(error), unpaid=True) from None
        except TimeoutError:
            raise TransientError(
                f"no complete reply within {seconds_of(self.endpoint.timeout_seconds)}"
            ) from None
        except NotThereError as error:
            if not self._succeeded and (is_out_of_file_handles(error) or not self._has_answered):
                raise unreachable_error(self.endpoint, error) from None
            raise TransientError(f"no connection: {error}", unpaid=True) from None
        except CONNECTION_ERRORS as error:
            raise TransientError(str(error) or type(error).__name__) from None
        if reply.status == 200:
            # Some servers repeat the key. Redact after joining a stream, which may split the key.
            try:
                return self.endpoint.redact_json(decode_body(reply.content))
            except BrokenStreamError as error:
                raise MalformedReplyError(str(error)) from None
        await self._raise_for_status(lane, reply)
        raise AssertionError("unreachable")

    async def _raise_for_status(self, lane: Lane, reply: Reply) -> None:
        status = reply.status
        if status in _TRANSIENT_STATUSES:
            message = self.endpoint.refusal_text(reply.content)
            requested_wait = retry_after(reply.retry_after)
            raise TransientError(
                f"status {status}: {message}",
                None if requested_wait is None else min(requested_wait, _MAX_WAIT_SECONDS),
                unpaid=status not in _MAYBE_CHARGED_STATUSES,
            )
        error = await self._explain(lane, self.endpoint, reply, not self._succeeded)
        if (
            isinstance(error, EndpointError)
            and status in _REQUEST_ERROR_STATUSES
            and self.retries_lost
            and (refusals := self._refusals + 1) < _MAX_DOUBTFUL_REFUSALS
        ):
            self._refusals = refusals
            raise LostQuestionError(str(error))
        raise error

    async def _exhausted_error(self, lane: Lane, message: str) -> Exception:
        """Return the error after the last attempt failed: of the question or of the server."""
        self.consecutive_losses += 1
        problem = f"{message}, in each of {self.endpoint.retries + 1} attempts"
        if message.startswith("status 429") or self.consecutive_losses >= _LOST_BEFORE_STOP:
            return self.gone_error(problem)
        if self.consecutive_losses < _LOST_BEFORE_PROBE or await self._is_alive(lane):
            return LostQuestionError(problem)
        return self.gone_error(problem)

    async def _is_alive(self, lane: Lane) -> bool:
        try:
            reply = await probe(lane, self.endpoint, self.endpoint.health_path)
        except EndpointError:
            return False
        return reply is not None and reply.status not in _GATEWAY_STATUSES

    async def diagnose_lost(self, lane: Lane, lost: "LostQuestionError") -> Exception:
        """Return the error of a question lost twice: ``lost`` itself if the server is alive."""
        self.consecutive_losses = 0
        return lost if await self._is_alive(lane) else self.gone_error(str(lost))

    def gone_error(self, message: str) -> EndpointError:
        """Return the error for a server that no longer answers."""
        return EndpointError(
            message,
            where=self.endpoint.base_url,
            cure="check the server and its log; predictions so far are saved; rerun the same "
            "command with --resume to continue. For a slow server, increase -o retries= or "
            "-o timeout_seconds=, or reduce -o concurrency=",
        )


async def probe(lane: Lane, endpoint: Endpoint, path: str) -> Reply | None:
    """Return the reply to a GET request; None if there is none in time.

    Raises:
        EndpointError: The server cannot be reached.
    """
    try:
        async with asyncio.timeout(min(endpoint.timeout_seconds, 30.0)):
            return await lane.send("GET", path)
    except (NotThereError, NoConnectionInTimeError) as error:
        raise unreachable_error(endpoint, error) from None
    except (TimeoutError, *CONNECTION_ERRORS):
        return None
