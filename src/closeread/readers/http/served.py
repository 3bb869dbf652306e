"""The reader ``http``, which asks a served reader: ``--reader http:localhost:8000``.

It supports two protocols: that of ``closeread serve``, with options, n-best, confidence and
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
_READER_PREFIX = re.compile(r"https?:(?=https?://)")
_VARIABLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|")


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
    """Make the reader ``http``.

    Args:
        url: The server's address: ``http://host:port``, or ``host:port``.
        protocol: ``closeread``, ``mrqa``, or ``auto``: ``closeread`` if the server is
            ``closeread serve``, else ``mrqa``.
        tokens: With ``mrqa``: also send passage and questions as tokens, as the shared task does.
        concurrency: Maximum number of requests at the same time.
        wait_seconds: How long to wait for the server to start.
        timeout_seconds: Time limit of one attempt.
        retries: Further attempts after the first.
        api_key_env: The environment variable that holds a bearer token, if the server needs one.

    Raises:
        UsageError: There is no address, or an option is out of range.
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
    if not _VARIABLE_NAME.fullmatch(api_key_env):
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
        health_path="/health",
    )
    endpoint.check()
    return HttpReader(endpoint, protocol, tokens, concurrency, wait_seconds)


def parse_address(url: str) -> str:
    """Return the full address of a server given as ``http:host:port``, ``host:port`` or a URL.

    Raises:
        UsageError: The address is empty.
    """
    address = _READER_PREFIX.sub("", url.strip())
    if not re.match(r"https?://", address):
        scheme = "https" if address.startswith("https:") else "http"
        address = f"{scheme}://" + re.sub(r"^https?:", "", address).lstrip("/")
    address = address.rstrip("/").removesuffix("/v1/answer").rstrip("/")
    if address in ("http:", "https:"):
        raise UsageError("no server address given", expected="such as --reader http:localhost:8000")
    return address


class HttpReader:
    """Sends passages with their questions, several requests at the same time.

    Attributes:
        independent: True: a served reader answers many clients at the same time, so that an answer
            must not depend on other questions; a resumed run asks only the missing questions.
        batch_size: Large, because all lanes wait for the slowest at the end of a batch.
        passing_options: Options that do not change answers; a resumed run may change them.
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
        self._requested_protocol = protocol
        self._tokens = tokens
        self._concurrency = concurrency
        self._wait_seconds = wait_seconds

    @cached_property
    def record(self) -> dict[str, Any]:
        """The record for the run folder: address, protocol, and the reader that is served there.

        Raises:
            EndpointError: The server does not answer, or not in the requested protocol.
        """
        record: dict[str, Any] = {
            "address": self._endpoint.base_url,
            "protocol": self._protocol.name,
        }
        served = self._served
        if served is None:
            return record
        record |= {"reader": served.reader, "options": served.options, "version": served.version}
        hashes = {"record_sha256": served.record_sha256, "calibrated": served.calibrated}
        return record | {name: value for name, value in hashes.items() if value}

    @cached_property
    def _served(self) -> Served | None:
        return wait_for_server(self._endpoint, self._wait_seconds)

    @cached_property
    def _protocol(self) -> AnswerProtocol:
        served = self._served
        if self._requested_protocol == "mrqa" or (
            self._requested_protocol == "auto" and served is None
        ):
            if self._tokens:
                tokenizer("en")  # fail now if its package is missing, before anything is written
            return MrqaProtocol(tokens=self._tokens)
        if served is None:
            raise self._not_closeread_error()
        return CloseReadProtocol(self._endpoint.base_url, served)

    def _not_closeread_error(self) -> EndpointError:
        return EndpointError(
            "the server at this address is not `closeread serve`",
            where=self._endpoint.base_url,
            expected="a server that `closeread serve` started",
            cure="correct the address; for a submission to the MRQA shared task, set "
            "-o protocol=mrqa, which cannot carry options",
        )

    def read(self, items: Sequence[PassageQuestion]) -> Iterator[Prediction]:
        """Yield one prediction per item, in order of completion.

        Raises:
            EndpointError: Every further request would fail, or the protocol that ``auto`` chose
                supports none of the questions.
        """
        if items:
            yield from stream_results(partial(self._answer_all, items, self._protocol))

    async def _answer_all(
        self, items: Sequence[PassageQuestion], protocol: AnswerProtocol, put: Put
    ) -> None:
        budget = Budget()
        # The server answered when the protocol was chosen.
        client = Client(self._endpoint, budget, None, _explain_refusal, has_answered=True)
        single_questions: list[Portion] = []

        async def answer(lane: Lane, portion: Portion) -> None:
            try:
                predictions = await _send(client, lane, protocol.exchange(portion))
            except LostQuestionError:
                raise
            except FailedQuestionError as error:
                report_failure(portion, str(error))
            else:
                for prediction in predictions:
                    put(prediction)

        def report_failure(portion: Portion, message: str) -> None:
            if len(portion) > 1:  # one bad question must not fail the others
                single_questions.extend((item,) for item in portion)
            else:
                put(Prediction(question_id=portion[0][1].question_id, error=message))

        reasons = [protocol.unsupported_reason(question) for _, question in items]
        if self._requested_protocol == "auto" and all(reasons):
            raise self._not_closeread_error()  # no request would show whether the address is wrong
        askable = []
        for item, message in zip(items, reasons, strict=True):
            if message:
                report_failure((item,), message)
            else:
                askable.append(item)
        for portions in (list(group_by_passage(askable, protocol.max_questions)), single_questions):
            if portions:
                await run_in_lanes(client, portions, answer, report_failure, self._concurrency)


async def _send(client: Client, lane: Lane, exchange: Exchange) -> list[Prediction]:
    predictions, _ = await client.ask(
        lane,
        exchange.path,
        exchange.body,
        read=exchange.read,
        cost=lambda _: (0, 0),
        max_completion_tokens=0,
    )
    return predictions


async def _explain_refusal(lane: Lane, endpoint: Endpoint, reply: Reply, first: bool) -> Exception:
    """Return the error for a refusal: of this request, or of every request."""
    status = reply.status
    message = f"status {status}: {endpoint.refusal_text(reply.content)}"
    if status in (401, 403):
        return token_error(endpoint, message)
    if first and status in (404, 405, 501):
        return EndpointError(
            message,
            where=endpoint.base_url,
            expected=endpoint.expected,
            cure="correct the address: of `closeread serve`, what precedes /v1/answer; of an MRQA "
            "submission, where it takes POST /",
        )
    return FailedQuestionError(message)
