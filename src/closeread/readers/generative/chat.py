"""Readers behind an OpenAI-compatible endpoint: ``chat`` and ``completion``."""

import math
import os
import re
from dataclasses import asdict, dataclass
from typing import Any

import msgspec

from closeread.errors import UsageError
from closeread.readers.generative.extraction import parse_stops
from closeread.readers.generative.options import PromptingOptions, takes_options
from closeread.readers.generative.remote import TOKEN_LIMIT_KEYS, RemoteReader
from closeread.readers.http.budget import Budget
from closeread.readers.http.endpoint import Endpoint
from closeread.registry.factory import PathText

_VARIABLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_MIN_KEY_LENGTH = 8  # a shorter key is not a secret, such as "none" for a server without keys
_RESERVED_KEYS = {
    "model": "use -o model=",
    "messages": "use -o prompt= to change how a question is asked",
    "prompt": "use -o prompt= to change how a question is asked",
    "n": "closeread reads one text per request; use -o shuffles= to ask more often",
}


@dataclass(frozen=True, kw_only=True)
class EndpointOptions(PromptingOptions):
    """Options of readers behind an endpoint: the address, the request, and the limits.

    Attributes:
        model: The server's name of the model; may be empty if the server has only one model.
        base_url: Such as ``http://localhost:8000/v1``; by default ``$OPENAI_BASE_URL``.
        api_key_env: The environment variable that holds the key. There is no other way to give it.
        temperature: 0 is greedy decoding; above 0 ``seed`` is sent too.
        server_stop: Also send the stop strings to the server. Cheaper, but the text after them is
            lost.
        stream: Request a streamed reply, for servers and proxies that close idle connections. The
            text is the same.
        extra: A JSON object merged into every request; null removes a key.
        concurrency: Maximum number of requests at the same time.
        timeout_seconds: Time limit of one attempt.
        retries: Further attempts after the first.
        cache: A file that stores replies by the exact request.
        budget_tokens: Maximum tokens of one command; 0 for no limit.
        budget_money: Maximum cost of one command, in the currency of the prices; 0 for no limit.
        price_in: Price of a million prompt tokens.
        price_out: Price of a million completion tokens.
    """

    model: str = ""
    base_url: str = ""
    api_key_env: str = "OPENAI_API_KEY"
    temperature: float = 0.0
    server_stop: bool = False
    stream: bool = False
    extra: str = ""
    concurrency: int = 8
    timeout_seconds: float = 300.0
    retries: int = 6
    cache: PathText = ""
    budget_tokens: int = 0
    budget_money: float = 0.0
    price_in: float = 0.0
    price_out: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not _VARIABLE_NAME.fullmatch(self.api_key_env):
            raise UsageError(
                "api_key_env is not the name of an environment variable",
                expected="a name such as OPENAI_API_KEY, never the key itself",
            )
        if self.concurrency < 1 or self.retries < 0:
            raise UsageError(
                f"concurrency={self.concurrency}, retries={self.retries}",
                expected="concurrency at least 1, retries at least 0",
            )
        if not self.timeout_seconds > 0:
            raise UsageError(f"timeout_seconds={self.timeout_seconds:g}", expected="above 0")
        if not (self.temperature >= 0 and math.isfinite(self.temperature)):
            raise UsageError(f"temperature={self.temperature:g}", expected="a number of at least 0")
        key = os.environ.get(self.api_key_env, "").strip()
        for name, value in asdict(self).items():
            if len(key) >= _MIN_KEY_LENGTH and isinstance(value, str) and key in value:
                raise UsageError(
                    f"the option {name} contains the key itself, which runs would record",
                    cure="leave it out: closeread reads the key from the environment variable "
                    f"{self.api_key_env}",
                )


@dataclass(frozen=True, kw_only=True)
class ChatOptions(EndpointOptions):
    """Options of ``chat``.

    Attributes:
        top_logprobs: With ``scoring=letters``, the number of likeliest first tokens to request;
            hosted endpoints allow 20 or 5.
    """

    max_tokens: int = 1024
    top_logprobs: int = 20

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.scoring == "texts":
            raise UsageError(
                "a chat endpoint returns no log-probabilities of text that it did not generate",
                cure="use the reader completion, or -o scoring=letters",
            )
        if not 1 <= self.top_logprobs <= 20:
            raise UsageError(f"top_logprobs={self.top_logprobs}", expected="from 1 to 20")


@dataclass(frozen=True, kw_only=True)
class CompletionOptions(EndpointOptions):
    """Options of ``completion``."""

    stop: str = "\\n"


@takes_options(ChatOptions)
def chat(options: ChatOptions) -> RemoteReader:
    """Make a reader that asks ``/chat/completions``; the server applies its chat template."""
    return _make_reader("/chat/completions", options, options.top_logprobs)


@takes_options(CompletionOptions)
def completion(options: CompletionOptions) -> RemoteReader:
    """Make a reader that asks ``/completions`` with the whole prompt as text.

    A base model continues with further questions, so by default answers are cut at the line's end.
    """
    return _make_reader("/completions", options, 0)


def _make_reader(path: str, options: EndpointOptions, top_logprobs: int) -> RemoteReader:
    budget = Budget(
        options.budget_tokens, options.budget_money, options.price_in, options.price_out
    )
    return RemoteReader(
        path,
        options.make_prompter(),
        Endpoint(options.base_url, options.api_key_env, options.timeout_seconds, options.retries),
        model=options.model,
        settings=_request_settings(options, limited=budget.limited),
        top_logprobs=top_logprobs,
        concurrency=options.concurrency,
        cache=options.cache,
        budget=budget,
    )


def _request_settings(options: EndpointOptions, *, limited: bool) -> dict[str, Any]:
    """Return the fields that all requests share, except the model's name.

    Args:
        options: The reader's options.
        limited: Whether there is a budget, which needs a limit of tokens per reply.

    Raises:
        UsageError: ``extra`` is not valid, ``server_stop`` has no stop strings, or a budget has no
            limit per reply.
    """
    settings: dict[str, Any] = {
        "max_tokens": options.max_tokens,
        "temperature": options.temperature,
    }
    if options.temperature > 0:
        settings["seed"] = options.seed
    stops = parse_stops(options.stop)
    if options.server_stop and not stops:
        raise UsageError(
            "server_stop=true, but there is no stop string to send",
            cure="give one with -o stop=, or leave out server_stop=",
        )
    if options.server_stop:
        settings["stop"] = list(stops)
    if options.stream:
        settings["stream"] = True
        settings["stream_options"] = {"include_usage": True}
    settings |= _parse_extra(options.extra)
    settings = {key: value for key, value in settings.items() if value is not None}
    if limited and not any(name in settings for name in TOKEN_LIMIT_KEYS):
        raise UsageError(
            "a budget is set, but extra removes max_tokens: a reply may have any number of tokens",
            cure='set another limit, -o extra=\'{"max_tokens": null, "max_completion_tokens": '
            "512}', or leave out the budget",
        )
    return settings


def _parse_extra(text: str) -> dict[str, Any]:
    try:
        extra = msgspec.json.decode(text or "{}")
    except msgspec.DecodeError as error:
        raise UsageError(f"extra is not JSON: {error}", expected='{"top_p": 0.9}') from error
    if not isinstance(extra, dict):
        raise UsageError("extra is not a JSON object", expected='{"top_p": 0.9}')
    for key in extra:
        if key in _RESERVED_KEYS:
            raise UsageError(f"extra cannot set {key!r}", cure=_RESERVED_KEYS[key])
    for name in TOKEN_LIMIT_KEYS:
        value = extra.get(name, 1)
        if value is not None and (type(value) is not int or value < 1):
            raise UsageError(f"extra: {name} is {value!r}", expected="a whole number above 0")
    stops = extra.get("stop")
    stop_values = stops if isinstance(stops, list) else [stops or ""]
    if not all(isinstance(value, str) for value in stop_values):
        raise UsageError(f"extra: stop is {stops!r}", expected="a text, or a list of texts")
    return extra
