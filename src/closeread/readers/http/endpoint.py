"""Where a model is, and what is said when it cannot be had; nothing here opens the network."""

import os
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import msgspec

from closeread.errors import EndpointError, UsageError


@dataclass(frozen=True)
class Endpoint:
    """Where the model is and how patient to be with it; the key is never shown.

    Attributes:
        base_url: Such as ``http://localhost:8000/v1``.
        key_name: The environment variable that holds the key.
        timeout_seconds: For one attempt, from the first byte sent to the last received.
        retries: Further attempts after the first one.
        expected: What should answer there, for messages.
        cure: What to do where nobody does, for messages.
        alive: The path that tells by any answer that the server lives.
    """

    base_url: str
    key_name: str
    timeout_seconds: float = 300.0
    retries: int = 6
    expected: str = "an OpenAI-compatible server, such as http://localhost:8000/v1"
    cure: str = "start it, or mend -o base_url="
    alive: str = "/models"
    key: str = field(init=False, repr=False, default="")

    def __post_init__(self) -> None:
        base_url = (self.base_url or os.environ.get("OPENAI_BASE_URL", "")).rstrip("/")
        object.__setattr__(self, "base_url", base_url)
        object.__setattr__(self, "key", os.environ.get(self.key_name, "").strip())

    def check(self) -> None:
        """Refuse what cannot be an endpoint.

        Raises:
            UsageError: No address, or one with a password in it.
        """
        if not self.base_url:
            raise UsageError(
                "no endpoint is named",
                expected="-o base_url=http://localhost:8000/v1 or the variable OPENAI_BASE_URL",
                cure="start one (vLLM, SGLang, llama.cpp, transformers serve), or take the reader "
                "`local`, which needs none",
            )
        parts = urlsplit(self.base_url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise UsageError(f"no http or https address: {self.base_url}")
        if parts.username or parts.password or parts.query:
            raise UsageError(
                "the address of the endpoint holds a password or a query, which runs would record",
                cure=f"put the key into the environment variable {self.key_name}",
            )

    def hidden(self, text: str) -> str:
        """Return a server's words without the key, which some of them repeat."""
        return text.replace(self.key, "***") if self.key else text


def unreachable(endpoint: Endpoint, error: Exception) -> EndpointError:
    """Return the error for a server that is not there."""
    return EndpointError(
        f"no endpoint answers here: {error}",
        where=endpoint.base_url,
        expected=endpoint.expected,
        cure=endpoint.cure,
    )


def key_refused(endpoint: Endpoint, status: int, told: str) -> EndpointError:
    """Return the error for a key that is missing or wrong."""
    return EndpointError(
        f"status {status}: {told}",
        where=endpoint.base_url,
        expected=f"a key in the environment variable {endpoint.key_name}"
        + ("" if endpoint.key else ", which is not set"),
        cure=f"export {endpoint.key_name}=..., or name another variable with -o api_key_env=NAME",
    )


def refused(
    endpoint: Endpoint, status: int, told: str, known: list[dict[str, Any]] | None, content: bytes
) -> EndpointError:
    """Return the error for a request that this server will never answer."""
    names = [one["id"] for one in known or ()]
    model = msgspec.json.decode(content).get("model") if content else ""
    if names and model not in names:
        return wrong_model(endpoint, str(model), names)
    return EndpointError(
        f"status {status}: {told}",
        where=endpoint.base_url,
        cure="see what the server takes: -o base_url= ends in /v1 with most; -o extra='{...}' adds "
        "to the request, or takes away what it does not know with null",
    )


def wrong_model(endpoint: Endpoint, model: str, names: list[str]) -> EndpointError:
    """Return the error for a model that the server does not have."""
    return EndpointError(
        f"the server has no model {model!r}" if model else "no model is named",
        where=endpoint.base_url,
        expected="one of " + ", ".join(names[:20]),
        cure=f"-o model={names[0]}",
    )


def said(content: bytes) -> str:
    """Return what a server says of its refusal, one line of it."""
    try:
        found = msgspec.json.decode(content)
        error = found.get("error", found.get("detail", found))
        text = error.get("message", error.get("what", error)) if isinstance(error, dict) else error
    except (msgspec.DecodeError, AttributeError, UnicodeDecodeError):
        text = content.decode("utf-8", "replace")
    return " ".join(str(text).split())[:300]
