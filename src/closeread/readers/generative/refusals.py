"""Turns refusals of a language model's endpoint into errors, and lists its models."""

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
    """Return the error for a refusal by a language model's endpoint.

    Args:
        lane: A connection for further requests.
        endpoint: The endpoint that refused.
        reply: A reply with an error status.
        first: Whether no request has succeeded yet, so that every request may be refused.
    """
    status = reply.status
    message = endpoint.refusal_text(reply.content)
    if status in (401, 403):
        return key_error(endpoint, status, message)
    if status in (400, 413, 422) and _TOO_LONG.search(message):
        return FailedQuestionError(
            f"the question does not fit into the model's context: {message}. Reduce -o shots= or "
            "-o max_tokens=, or serve the model with a longer context"
        )
    if first:
        models = await list_models(lane, endpoint) if status in (400, 404) else None
        return refusal_error(endpoint, status, message, models, reply.request_body)
    return FailedQuestionError(f"status {status}: {message}")


async def list_models(lane: Lane, endpoint: Endpoint) -> list[dict[str, Any]] | None:
    """Return the server's entries of its models; None if it does not list them.

    Raises:
        EndpointError: The server cannot be reached, or refuses the key.
    """
    reply = await probe(lane, endpoint, "/models")
    if reply is None:
        return None
    if reply.status in (401, 403):
        raise key_error(endpoint, reply.status, endpoint.refusal_text(reply.content))
    try:
        models = msgspec.json.decode(reply.content)["data"]
        return [model for model in models if isinstance(model.get("id"), str)]
    except (msgspec.DecodeError, UnicodeDecodeError, KeyError, TypeError, AttributeError):
        return None


def key_error(endpoint: Endpoint, status: int, message: str) -> EndpointError:
    """Return the error for a missing or wrong key.

    Args:
        endpoint: The endpoint that refused.
        status: The HTTP status.
        message: The server's message.
    """
    return EndpointError(
        f"status {status}: {message}",
        where=endpoint.base_url,
        expected=f"a key in the environment variable {endpoint.key_name}"
        + ("" if endpoint.key else ", which is not set"),
        cure=f"export {endpoint.key_name}=..., or name another variable with -o api_key_env=NAME",
    )


def refusal_error(
    endpoint: Endpoint,
    status: int,
    message: str,
    models: list[dict[str, Any]] | None,
    request_body: bytes,
) -> EndpointError:
    """Return the error for a request that this server will never answer.

    Args:
        endpoint: The endpoint that refused.
        status: The HTTP status.
        message: The server's message.
        models: The server's entries of its models; None if unknown.
        request_body: The body of the refused request.
    """
    names = [entry["id"] for entry in models or ()]
    model = msgspec.json.decode(request_body).get("model") if request_body else ""
    if names and model not in names:
        return wrong_model_error(
            endpoint, str(model), names, refusal=f"status {status}: {message}; "
        )
    return EndpointError(
        f"status {status}: {message}",
        where=endpoint.base_url,
        cure="check what the server accepts: with most servers -o base_url= ends in /v1; "
        "-o extra='{...}' adds keys to the request, and null removes keys that the server rejects",
    )


def wrong_model_error(
    endpoint: Endpoint, model: str, names: list[str], refusal: str = ""
) -> EndpointError:
    """Return the error for a model that the server does not list.

    Args:
        endpoint: The endpoint.
        model: The requested model; "" if none was given.
        names: The names of the server's models, at least one.
        refusal: The server's own message, to precede ours.
    """
    return EndpointError(
        f"{refusal}the server lists no model {model!r}" if model else "no model given",
        where=endpoint.base_url,
        expected="one of " + ", ".join(names[:20]),
        cure=f"use -o model={names[0]}",
    )
