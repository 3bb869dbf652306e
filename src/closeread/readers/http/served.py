"""A reader that asks a served reader over HTTP: ``--reader http:localhost:8000``.

It speaks two protocols: that of ``closeread serve``, which carries options, n-best, confidence and
evidence, and that of the MRQA 2019 shared task, whose submissions answer ``POST /`` (Fisch et al.
2019; the official ``predict_server.py``).
"""

import math
import re
from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from typing import Any

from closeread.errors import EndpointError, UsageError
from closeread.formats.conversion.spacy_tokens import tokenizer
from closeread.readers.http.budget import Budget
from closeread.readers.http.client import Client
from closeread.readers.http.connection import Lane
from closeread.readers.http.connections import Put, run_in_lanes, stream_results
from closeread.readers.http.endpoint import Endpoint
from closeread.readers.http.failures import FailedQuestionError, LostQuestionError, Reply
from closeread.readers.http.protocols import (
    AnswerProtocol,
    CloseReadProtocol,
    Exchange,
    MrqaProtocol,
    Portion,
    group_by_passage,
)
from closeread.readers.http.waiting import Served, token_error, wait_for_server
from closeread.types import PassageQuestion, Prediction

_PROTOCOLS = ("auto", "closeread", "mrqa")
_NAME = re.compile(r"https?:(?=https?://)")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|")


def http(
    url: str,
    *,
    protocol: str = "auto",
    tokens: bool = True,
    concurrency: int = 8,
    wait_seconds: float = 60.0,
    timeout_seconds: float = 300.0,
    retries: int = 6,
    api_key_env: str = "",
) -> "HttpReader":
    """Make the reader.

    Args:
        url: Where the server is: ``http://host:port``, or ``host:port`` alone.
        protocol: ``closeread``, ``mrqa``, or ``auto``: the first where the server is one of ours.
        tokens: With ``mrqa``: send passage and questions also as tokens, as the shared task does.
        concurrency: Requests on their way at once.
        wait_seconds: How long to wait for the server to come up.
        timeout_seconds: For one attempt.
        retries: Further attempts after the first.
        api_key_env: The environment variable that holds a bearer token, where one is needed.

    Raises:
        UsageError: No address, or an option out of its range.
    """
    if protocol not in _PROTOCOLS:
        raise UsageError(
            f"there is no protocol {protocol!r}", expected="one of " + ", ".join(_PROTOCOLS)
        )
    if concurrency < 1 or retries < 0:
        raise UsageError(
            f"concurrency={concurrency}, retries={retries}",
            expected="concurrency at least 1, retries at least 0",
        )
    if not (timeout_seconds > 0 and math.isfinite(wait_seconds) and wait_seconds >= 0):
        raise UsageError(
            f"timeout_seconds={timeout_seconds:g}, wait_seconds={wait_seconds:g}",
            expected="timeout_seconds above 0, wait_seconds finite and at least 0",
        )
    if not _VARIABLE.fullmatch(api_key_env):
        raise UsageError(
            "api_key_env is not the name of an environment variable",
            expected="a name such as READER_KEY, never the key itself",
        )
    endpoint = Endpoint(
        base_url=parse_address(url),
        key_name=api_key_env,
        timeout_seconds=timeout_seconds,
        retries=retries,
        expected="a server that `closeread serve` or a submission to the MRQA shared task started",
        cure="start it, or correct the address; increase -o wait_seconds= to wait longer",
        alive="/health",
    )
    endpoint.check()
    return HttpReader(endpoint, protocol, tokens, concurrency, wait_seconds)


def parse_address(url: str) -> str:
    """Return the address that a user means: ``http:host:port`` and ``host:port`` among others.

    Raises:
        UsageError: There is nothing in it.
    """
    found = _NAME.sub("", url.strip())
    if not re.match(r"https?://", found):
        scheme = "https" if found.startswith("https:") else "http"
        found = f"{scheme}://" + re.sub(r"^https?:", "", found).lstrip("/")
    found = found.rstrip("/").removesuffix("/v1/answer").rstrip("/")
    if found in ("http:", "https:"):
        raise UsageError("no server address given", expected="such as --reader http:localhost:8000")
    return found


class HttpReader:
    """Sends passages with their questions, many at once.

    Attributes:
        independent: A served reader is asked by many clients at once, so that what it says of a
            question does not depend on those beside it; a resumed run asks for what is missing.
        batch_size: Large, because at its end lanes wait for the slowest.
        passing_options: Options that leave answers as they are; a resumed run may have others.
    """

    independent = True
    batch_size = 4096
    passing_options = ("concurrency", "wait_seconds", "timeout_seconds", "retries", "api_key_env")

    def __init__(
        self,
        endpoint: Endpoint,
        protocol: str,
        tokens: bool,
        concurrency: int,
        wait_seconds: float,
    ) -> None:
        self._endpoint = endpoint
        self._asked_for = protocol
        self._tokens = tokens
        self._concurrency = concurrency
        self._wait_seconds = wait_seconds

    @cached_property
    def record(self) -> dict[str, Any]:
        """Where the answers come from: the address, the protocol, and what is served there.

        Raises:
            EndpointError: Nobody answers, or not in the protocol that was asked for.
        """
        told: dict[str, Any] = {"address": self._endpoint.base_url, "protocol": self._protocol.name}
        served = self._served
        if served is None:
            return told
        told |= {"reader": served.reader, "options": served.options, "version": served.version}
        more = {"record_sha256": served.record_sha256, "calibrated": served.calibrated}
        return told | {name: value for name, value in more.items() if value}

    @cached_property
    def _served(self) -> Served | None:
        return wait_for_server(self._endpoint, self._wait_seconds)

    @cached_property
    def _protocol(self) -> AnswerProtocol:
        served = self._served
        if self._asked_for == "mrqa" or (self._asked_for == "auto" and served is None):
            if self._tokens:
                tokenizer("en")  # what is missing is said before anything is written
            return MrqaProtocol(tokens=self._tokens)
        if served is None:
            raise self._not_ours()
        return CloseReadProtocol(self._endpoint.base_url, served)

    def _not_ours(self) -> EndpointError:
        return EndpointError(
            "the server at this address is not `closeread serve`",
            where=self._endpoint.base_url,
            expected="a server that `closeread serve` started",
            cure="correct the address; for a submission to the MRQA shared task, set "
            "-o protocol=mrqa, which cannot carry options",
        )

    def read(self, items: Sequence[PassageQuestion]) -> Iterator[Prediction]:
        """Yield one prediction an item, as they come.

        Raises:
            EndpointError: Every further request would fail, or no question can be asked in a
                protocol that was guessed.
        """
        if items:
            yield from stream_results(partial(self._all, items, self._protocol))

    async def _all(
        self, items: Sequence[PassageQuestion], protocol: AnswerProtocol, put: Put
    ) -> None:
        budget = Budget()
        # It told its protocol before: it was there.
        client = Client(self._endpoint, budget, None, _explain_refusal, there=True)
        alone: list[Portion] = []

        async def one(lane: Lane, portion: Portion) -> None:
            try:
                found = await _ask(client, lane, protocol.exchange(portion))
            except LostQuestionError:
                raise
            except FailedQuestionError as error:
                failed(portion, str(error))
            else:
                for prediction in found:
                    put(prediction)

        def failed(portion: Portion, told: str) -> None:
            if len(portion) > 1:  # one bad question costs no other
                alone.extend((item,) for item in portion)
            else:
                put(Prediction(question_id=portion[0][1].question_id, error=told))

        unaskable = [protocol.unaskable(question) for _, question in items]
        if self._asked_for == "auto" and all(unaskable):
            raise self._not_ours()  # the address may be wrong, and nothing asked there would tell
        askable = []
        for item, told in zip(items, unaskable, strict=True):
            if told:
                failed((item,), told)
            else:
                askable.append(item)
        for asked in (list(group_by_passage(askable, protocol.most)), alone):
            if asked:
                await run_in_lanes(client, asked, one, failed, self._concurrency)


async def _ask(client: Client, lane: Lane, asked: Exchange) -> list[Prediction]:
    found, _ = await client.ask(
        lane, asked.path, asked.body, read=asked.read, cost=lambda _: (0, 0), most_out=0
    )
    return found


async def _explain_refusal(lane: Lane, endpoint: Endpoint, reply: Reply, first: bool) -> Exception:
    """Return what a refusal means: for this request, or for every one."""
    status = reply.status
    told = f"status {status}: {endpoint.refusal_text(reply.content)}"
    if status in (401, 403):
        return token_error(endpoint, told)
    if first and status in (404, 405, 501):
        return EndpointError(
            told,
            where=endpoint.base_url,
            expected=endpoint.expected,
            cure="correct the address: of `closeread serve`, what precedes /v1/answer; of an MRQA "
            "submission, where it takes POST /",
        )
    return FailedQuestionError(told)
