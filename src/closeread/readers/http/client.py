"""Sends requests to an endpoint: retries transient faults and explains all others.

Each of the ``concurrency`` lanes holds one connection of its own, so that the cost of a request
does not grow with their number.
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
_FIRST_WAIT_SECONDS = 0.5  # each further one is twice as long, and all of them vary
_LONGEST_WAIT_SECONDS = 600.0
_SILENT_ATTEMPTS = (
    3  # attempts after which it is told what is waited for; the next waits are seconds
)
_BETWEEN_REMARKS_SECONDS = 60.0
_GATEWAY_STATUSES = {502, 503, 504}  # a gateway alone says so
_STATUS_AFTER_WORK = {408, 504}  # something behind the gateway may still be at it, and charge
_STATUS_OF_A_REQUEST = {400, 413, 422}  # for what is in it, or for what is in all of them
_DOUBTFUL_REFUSALS = 3  # so many, and nothing answered before: it is all of them
# Questions lost one after the other, none answered between: the server may be gone, and is.
_LOST_BEFORE_PROBE, _LOST_BEFORE_STOP = 3, 24

T = TypeVar("T")


# Told the lane, the endpoint, the refusal, and whether nothing was answered before it.
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
        there: bool = False,
    ) -> None:
        """Begin.

        Args:
            endpoint: Whom to ask.
            budget: What may be spent.
            cache: Where replies are kept, if anywhere.
            explain: What a refusal means (a status that is neither 200 nor passes).
            there: Whether it has answered something before: one that is gone may come back.
        """
        self.endpoint = endpoint
        self.budget = budget
        self._cache = cache
        self._explain = explain
        self._there = there
        self._jitter = random.Random()
        self._not_before = 0.0
        self._silent_until = 0.0
        self._succeeded = False
        self._refusals = 0
        self.lost_in_a_row = 0
        self.asks_again = True
        self._tls = make_ssl_context()

    def lane(self) -> Lane:
        """Open one connection, to be closed by the caller."""
        return Lane(self.endpoint, self._tls)

    def identity(self, path: str, body: Mapping[str, Any]) -> str:
        """Return the sha256 of a request: its address and its body, keys in order."""
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
        most_out: int,
    ) -> tuple[T, str]:
        """Return a reply as ``read`` understands it, and the request's sha256.

        Args:
            lane: From ``connection``.
            path: Such as ``/chat/completions``.
            body: The request.
            read: Turns the reply's bytes into what is wanted.
            cost: Tells prompt and completion tokens of it; None where the server counts none.
            most_out: The tokens that the reply may have at most.

        Raises:
            FailedQuestionError: This request fails for good.
            LostQuestionError: Every attempt was lost, or it is not known yet whether this request
                is refused or every one; it may be worth another one later.
            EndpointError: Every request would.
            BudgetError: It might cost more than there is.
        """
        try:
            sha256, content = self.identity(path, body), msgspec.json.encode(body)
        except UnicodeEncodeError as error:  # half a character, which no file of ours holds
            raise FailedQuestionError(f"the question cannot be sent as UTF-8: {error}") from error
        kept = self._cache.get(sha256) if self._cache is not None else None
        if kept is not None:
            with contextlib.suppress(MalformedReplyError):  # damaged: asked for anew
                return read(kept), sha256

        async def attempt() -> tuple[bytes, T]:
            ticket = await self.budget.reserve(len(content), most_out)
            spent: tuple[int | None, int | None] = (None, None)
            try:
                raw = await self._once(lane, path, content)
                found = read(raw)
                spent = cost(found)
            except TransientError as fault:
                spent = (0, 0) if fault.unpaid else spent
                raise
            except (EndpointError, FailedQuestionError):
                spent = (0, 0)
                raise
            finally:
                self.budget.settle(ticket, *spent)
            return raw, found

        raw, found = await self._patiently(lane, attempt)
        if self._cache is not None:
            self._cache.put(sha256, raw)
        return found, sha256

    async def _patiently(self, lane: Lane, attempt: Callable[[], Awaitable[T]]) -> T:
        wait = _FIRST_WAIT_SECONDS
        for left in range(self.endpoint.retries, -1, -1):
            while (pause := self._not_before - time.monotonic()) > 0:
                await asyncio.sleep(pause)
            try:
                found = await attempt()
            except (TransientError, MalformedReplyError) as fault:
                told = self.endpoint.redact(str(fault))
                if not left:
                    raise await self._given_up(lane, told) from None
                asked = getattr(fault, "wait_seconds", None)
                if asked is not None:
                    self._not_before = max(self._not_before, time.monotonic() + asked)
                if left <= self.endpoint.retries - _SILENT_ATTEMPTS + 1:
                    self._say_waiting(told, left)
                await asyncio.sleep(wait * self._jitter.uniform(0.5, 1.5))
                wait = min(2 * wait, 60.0)
            else:
                self._succeeded = True
                self.lost_in_a_row = 0
                return found
        raise AssertionError("unreachable")

    def _say_waiting(self, told: str, left: int) -> None:
        """Say on stderr what is waited for, not more than once a minute."""
        now = time.monotonic()
        if now < self._silent_until:
            return
        self._silent_until = now + _BETWEEN_REMARKS_SECONDS
        attempts = count_of(left, "attempt", "attempts")
        sys.stderr.write(f"waiting for {self.endpoint.base_url}, {attempts} left: {told}\n")
        sys.stderr.flush()

    async def _once(self, lane: Lane, path: str, content: bytes) -> bytes:
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
            if not self._succeeded and (is_out_of_file_handles(error) or not self._there):
                raise unreachable_error(self.endpoint, error) from None
            raise TransientError(f"no connection: {error}", unpaid=True) from None
        except CONNECTION_ERRORS as error:
            raise TransientError(str(error) or type(error).__name__) from None
        if reply.status == 200:
            # Some servers repeat what they were sent, and a stream would part the key in pieces.
            try:
                return self.endpoint.redact_json(decode_body(reply.content))
            except BrokenStreamError as error:
                raise MalformedReplyError(str(error)) from None
        await self._refused(lane, reply)
        raise AssertionError("unreachable")

    async def _refused(self, lane: Lane, reply: Reply) -> None:
        status = reply.status
        if status in _TRANSIENT_STATUSES:
            told = self.endpoint.refusal_text(reply.content)
            asked = retry_after(reply.retry_after)
            raise TransientError(
                f"status {status}: {told}",
                None if asked is None else min(asked, _LONGEST_WAIT_SECONDS),
                unpaid=status not in _STATUS_AFTER_WORK,
            )
        error = await self._explain(lane, self.endpoint, reply, not self._succeeded)
        if (
            isinstance(error, EndpointError)
            and status in _STATUS_OF_A_REQUEST
            and self.asks_again
            and (refusals := self._refusals + 1) < _DOUBTFUL_REFUSALS
        ):
            self._refusals = refusals
            raise LostQuestionError(str(error))
        raise error

    async def _given_up(self, lane: Lane, told: str) -> Exception:
        """Return what it means that every attempt came to nothing: a bad question, or a bad end."""
        self.lost_in_a_row += 1
        attempts = f"{told}, in each of {self.endpoint.retries + 1} attempts"
        if told.startswith("status 429") or self.lost_in_a_row >= _LOST_BEFORE_STOP:
            return self.gone_error(attempts)
        if self.lost_in_a_row < _LOST_BEFORE_PROBE or await self._lives(lane):
            return LostQuestionError(attempts)
        return self.gone_error(attempts)

    async def _lives(self, lane: Lane) -> bool:
        try:
            reply = await probe(lane, self.endpoint, self.endpoint.alive)
        except EndpointError:
            return False
        return reply is not None and reply.status not in _GATEWAY_STATUSES

    async def diagnose_lost(self, lane: Lane, lost: "LostQuestionError") -> Exception:
        """Return whose fault a question lost twice is: its own where the server lives."""
        self.lost_in_a_row = 0
        return lost if await self._lives(lane) else self.gone_error(str(lost))

    def gone_error(self, told: str) -> EndpointError:
        """Return the error for a server that does not answer any more."""
        return EndpointError(
            told,
            where=self.endpoint.base_url,
            cure="check the server and its log; predictions so far are saved; rerun the same "
            "command with --resume to continue. For a slow server, increase -o retries= or "
            "-o timeout_seconds=, or reduce -o concurrency=",
        )


async def probe(lane: Lane, endpoint: Endpoint, path: str) -> Reply | None:
    """Return what a GET gets; None where nothing comes, or not in time.

    Raises:
        EndpointError: Nobody is there.
    """
    try:
        async with asyncio.timeout(min(endpoint.timeout_seconds, 30.0)):
            return await lane.send("GET", path)
    except (NotThereError, NoConnectionInTimeError) as error:
        raise unreachable_error(endpoint, error) from None
    except (TimeoutError, *CONNECTION_ERRORS):
        return None
