"""Explains the refusals of a language model's endpoint, and lists its models."""

import re
from typing import Any

import msgspec

from closeread.errors import EndpointError
from closeread.readers.http.client import probe
from closeread.readers.http.connection import Lane
from closeread.readers.http.endpoint import Endpoint
from closeread.readers.http.failures import FailedQuestionError, Reply

_TOO_LONG = re.compile(
    r"context.{0,20}(?:length|window|size)|too (?:long|many tokens)"
    r"|maximum.{0,20}(?:length|tokens)",
    re.IGNORECASE,
)


async def explain_refusal(lane: Lane, endpoint: Endpoint, reply: Reply, first: bool) -> Exception:
    """Return what a refusal by a language model's endpoint means.

    Args:
        lane: To ask further.
        endpoint: Who refused.
        reply: Its refusal.
        first: Nothing was answered yet, so that every request may be refused.
    """
    status = reply.status
    told = endpoint.refusal_text(reply.content)
    if status in (401, 403):
        return key_error(endpoint, status, told)
    if status in (400, 413, 422) and _TOO_LONG.search(told):
        return FailedQuestionError(
            f"the question does not fit into the model's context: {told}. Reduce -o shots= or "
            "-o max_tokens=, or serve the model with a longer context"
        )
    if first:
        known = await list_models(lane, endpoint) if status in (400, 404) else None
        return refusal_error(endpoint, status, told, known, reply.asked)
    return FailedQuestionError(f"status {status}: {told}")


async def list_models(lane: Lane, endpoint: Endpoint) -> list[dict[str, Any]] | None:
    """Return what the server says of its models; None where it does not tell.

    Raises:
        EndpointError: It cannot be reached, or refuses the key.
    """
    reply = await probe(lane, endpoint, "/models")
    if reply is None:
        return None
    if reply.status in (401, 403):
        raise key_error(endpoint, reply.status, endpoint.refusal_text(reply.content))
    try:
        listed = msgspec.json.decode(reply.content)["data"]
        return [one for one in listed if isinstance(one.get("id"), str)]
    except (msgspec.DecodeError, UnicodeDecodeError, KeyError, TypeError, AttributeError):
        return None


def key_error(endpoint: Endpoint, status: int, told: str) -> EndpointError:
    """Return the error for a key that is missing or wrong."""
    return EndpointError(
        f"status {status}: {told}",
        where=endpoint.base_url,
        expected=f"a key in the environment variable {endpoint.key_name}"
        + ("" if endpoint.key else ", which is not set"),
        cure=f"export {endpoint.key_name}=..., or name another variable with -o api_key_env=NAME",
    )


def refusal_error(
    endpoint: Endpoint, status: int, told: str, known: list[dict[str, Any]] | None, content: bytes
) -> EndpointError:
    """Return the error for a request that this server will never answer."""
    names = [one["id"] for one in known or ()]
    model = msgspec.json.decode(content).get("model") if content else ""
    if names and model not in names:
        return wrong_model_error(endpoint, str(model), names, told=f"status {status}: {told}; ")
    return EndpointError(
        f"status {status}: {told}",
        where=endpoint.base_url,
        cure="check what the server accepts: with most servers -o base_url= ends in /v1; "
        "-o extra='{...}' adds keys to the request, and null removes keys that the server rejects",
    )


def wrong_model_error(
    endpoint: Endpoint, model: str, names: list[str], told: str = ""
) -> EndpointError:
    """Return the error for a model that the server does not list; it may have said so itself."""
    return EndpointError(
        f"{told}the server lists no model {model!r}" if model else "no model given",
        where=endpoint.base_url,
        expected="one of " + ", ".join(names[:20]),
        cure=f"use -o model={names[0]}",
    )
