"""Readers behind an OpenAI-compatible endpoint: ``chat`` and ``completion``."""

import math
import re
from collections.abc import Mapping
from typing import Any

import msgspec

from closeread.errors import UsageError
from closeread.readers.generative.asking import Asking
from closeread.readers.generative.examples import Examples
from closeread.readers.generative.extraction import Extraction, stops_in
from closeread.readers.generative.remote import RemoteReader
from closeread.readers.http.budget import Budget
from closeread.readers.http.endpoint import Endpoint

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def chat(
    *,
    model: str = "",
    base_url: str = "",
    api_key_env: str = "OPENAI_API_KEY",
    prompt: str = "",
    examples: str = "",
    shots: int = 0,
    seed: int = 0,
    shuffles: int = 1,
    scoring: str = "generation",
    judge: str = "together",
    max_tokens: int = 1024,
    temperature: float = 0.0,
    stop: str = "",
    server_stop: bool = False,
    stream: bool = False,
    top_logprobs: int = 20,
    extract: str = "auto",
    extra: str = "",
    concurrency: int = 8,
    timeout_seconds: float = 300.0,
    retries: int = 6,
    cache: str = "",
    budget_tokens: int = 0,
    budget_money: float = 0.0,
    price_in: float = 0.0,
    price_out: float = 0.0,
) -> "RemoteReader":
    r"""Make a reader that asks ``/chat/completions``; the server applies its chat template.

    Args:
        model: As the server names it; where it serves one model only, that.
        base_url: Of the endpoint, ``http://localhost:8000/v1``; else ``$OPENAI_BASE_URL``.
        api_key_env: The environment variable that holds the key. Keys are taken from nowhere else.
        prompt: A prompt file of your own instead of those that ship.
        examples: A data set with gold to draw examples from.
        shots: How many examples.
        seed: Of examples, orders and (above temperature 0) the server's sampling.
        shuffles: Ask questions with options so often, in different orders; the majority counts.
        scoring: ``generation``, ``letters`` or (completion only) ``texts``.
        judge: ``each`` asks about every option of a verification question alone.
        max_tokens: That a reply may have.
        temperature: 0 is greedy.
        stop: Where the saved text is cut before it is read; several are separated by ``||``, and
            ``\n`` is a line's end. ``score --stop`` changes it afterwards.
        server_stop: Send the stops to the server as well. Cheaper, but what follows is lost.
        stream: Have the reply sent piece by piece, for servers and proxies that cut a silent
            connection. The text is the same.
        top_logprobs: With ``scoring=letters``, how many of the likeliest first tokens are asked
            for; hosted endpoints allow 20 or 5.
        extract: The rule by which the answer is read.
        extra: A JSON object merged into every request; null takes a key away.
        concurrency: Requests on their way at once.
        timeout_seconds: For one attempt.
        retries: Further attempts after the first.
        cache: A file that keeps replies by the exact request.
        budget_tokens: For one command; 0 for no limit.
        budget_money: The same, in the currency of the prices.
        price_in: Of a million prompt tokens.
        price_out: Of a million completion tokens.
    """
    return _made("/chat/completions", dict(locals()))


def completion(
    *,
    model: str = "",
    base_url: str = "",
    api_key_env: str = "OPENAI_API_KEY",
    prompt: str = "",
    examples: str = "",
    shots: int = 0,
    seed: int = 0,
    shuffles: int = 1,
    scoring: str = "generation",
    judge: str = "together",
    max_tokens: int = 256,
    temperature: float = 0.0,
    stop: str = "\\n",
    server_stop: bool = False,
    stream: bool = False,
    extract: str = "auto",
    extra: str = "",
    concurrency: int = 8,
    timeout_seconds: float = 300.0,
    retries: int = 6,
    cache: str = "",
    budget_tokens: int = 0,
    budget_money: float = 0.0,
    price_in: float = 0.0,
    price_out: float = 0.0,
) -> "RemoteReader":
    """Make a reader that asks ``/completions`` with the whole prompt as text; options as ``chat``.

    A base model goes on with a next question of its own: its saved text is cut at the line's end.
    """
    return _made("/completions", dict(locals()))


def _made(path: str, options: Mapping[str, Any]) -> "RemoteReader":
    given = dict(options)
    if not _VARIABLE.fullmatch(given["api_key_env"]):
        raise UsageError(
            "api_key_env is no name of an environment variable",
            expected="a name such as OPENAI_API_KEY, never the key itself",
        )
    if given["concurrency"] < 1 or given["retries"] < 0 or given["max_tokens"] < 1:
        raise UsageError("concurrency and max_tokens are at least 1, retries at least 0")
    if not given["timeout_seconds"] > 0 or not math.isfinite(given["temperature"]):
        raise UsageError("timeout_seconds is above 0, temperature a number")
    is_chat = path == "/chat/completions"
    if is_chat and given["scoring"] == "texts":
        raise UsageError(
            "a chat endpoint gives no log-probabilities of a text that it did not write",
            cure="take the reader completion, or -o scoring=letters",
        )
    if is_chat and not 1 <= given["top_logprobs"] <= 20:
        raise UsageError(f"top_logprobs={given['top_logprobs']}", expected="1 to 20")
    stops = stops_in(given["stop"])
    asking = Asking(
        examples=Examples.opened(given["examples"], given["shots"], given["seed"]),
        extraction=Extraction(stops=stops, rule=given["extract"]),
        prompt=given["prompt"],
        shuffles=given["shuffles"],
        scoring=given["scoring"],
        judge=given["judge"],
        seed=given["seed"],
    )
    sent: dict[str, Any] = {
        "max_tokens": given["max_tokens"],
        "temperature": given["temperature"],
    }
    if given["temperature"] > 0:
        sent["seed"] = given["seed"]
    if given["server_stop"] and stops:
        sent["stop"] = list(stops)
    if given["stream"]:
        sent["stream"] = True
        sent["stream_options"] = {"include_usage": True}
    return RemoteReader(
        path,
        asking,
        Endpoint(
            given["base_url"], given["api_key_env"], given["timeout_seconds"], given["retries"]
        ),
        model=given["model"],
        sent=sent,
        top_logprobs=given.get("top_logprobs", 0),
        extra=_object(given["extra"]),
        concurrency=given["concurrency"],
        cache=given["cache"],
        budget=Budget(
            given["budget_tokens"],
            given["budget_money"],
            given["price_in"],
            given["price_out"],
        ),
    )


def _object(text: str) -> dict[str, Any]:
    try:
        found = msgspec.json.decode(text or "{}")
    except msgspec.DecodeError as error:
        raise UsageError(f"extra is no JSON: {error}", expected='{"top_p": 0.9}') from error
    if not isinstance(found, dict):
        raise UsageError("extra is no JSON object", expected='{"top_p": 0.9}')
    return found
