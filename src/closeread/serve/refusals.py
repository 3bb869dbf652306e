"""Errors of refused requests: a status, and JSON that says what, where, expected and cure."""

from collections.abc import Mapping
from typing import Any

import msgspec

from closeread.errors import InputError
from closeread.formats.files.parse_errors import byte_position, explain
from closeread.readers.http.answer_wire import ErrorReply, Refusal

JSON = "application/json"
_LONGEST = 400  # characters at either end of what is told: an id may be as long as a body
BODY = "the request's body"


class RefusedError(Exception):
    """A request gets ``status`` and an :class:`ErrorReply`.

    Attributes:
        reason: A word for the counter of refusals, such as ``queue-full``.

    Every refusal says what, where, what was expected and what to do: a client's log may hold no
    more of it than that.
    """

    def __init__(
        self,
        status: int,
        reason: str,
        what: str,
        *,
        where: str,
        expected: str,
        cure: str,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.status = status
        self.reason = reason
        told = {"what": what, "where": where, "expected": expected, "cure": cure}
        self.refusal = Refusal(**{name: _shortened(text) for name, text in told.items()})
        self.headers = dict(headers or {})
        super().__init__(what)

    def body(self) -> bytes:
        """Return the JSON that is sent."""
        return msgspec.json.encode(ErrorReply(error=self.refusal))


def _shortened(text: str) -> str:
    """Cut the middle out of a long text: a message names a long id between its own words."""
    if len(text) <= 2 * _LONGEST:
        return text
    return f"{text[:_LONGEST]} … {text[-_LONGEST:]}"


class ClientGoneError(Exception):
    """The client has left: nobody waits for the answer."""


def invalid_body(error: Exception, raw: bytes, cure: str, kind: Any) -> RefusedError:
    """Return the refusal for a body that is not JSON (400), or JSON in another format (422).

    Args:
        error: What the parser raised.
        raw: The body, to find the place in.
        cure: What to send instead.
        kind: The record that the body should be.
    """
    told = explain(error, "the request", raw=raw, cure=cure, kind=kind)
    if not isinstance(error, msgspec.ValidationError):
        return _not_json(error, told, raw)
    where = told.where.removeprefix("the request").removeprefix(", ").removeprefix("at ")
    return RefusedError(
        422,
        "wrong-fields",
        told.found,
        where=where or BODY,
        expected=told.expected or "what GET /docs shows for this field",
        cure=told.cure,
    )


def _not_json(error: Exception, told: InputError, raw: bytes) -> RefusedError:
    encoded = not isinstance(error, UnicodeDecodeError) and _is_utf8(raw)
    return RefusedError(
        400,
        "not-json",
        (told.found if raw.strip() else "the body is empty") if encoded else "not UTF-8 text",
        where=_parse_position(error, raw) or BODY,
        expected="one JSON object" if encoded else "JSON in UTF-8",
        cure=told.cure if encoded else "send it in UTF-8",
    )


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


def _parse_position(error: Exception, raw: bytes) -> str:
    """Return the line and the character at which a parser stopped; "" where it does not say."""
    at_byte = byte_position(error)
    if at_byte is None:
        return ""
    lines = raw[:at_byte].split(b"\n")
    return f"line {len(lines)}, character {len(lines[-1].decode(errors='replace')) + 1}"


def busy(reason: str, what: str, expected: str, cure: str, seconds: int = 1) -> RefusedError:
    """Return a 503 with ``retry-after``."""
    return RefusedError(
        503,
        reason,
        what,
        where="the service",
        expected=expected,
        cure=cure,
        headers={"retry-after": str(seconds)},
    )


def stopping() -> RefusedError:
    """Return the 503 of a stopping service."""
    return busy(
        "stopping",
        "the service is stopping",
        "a running service",
        "retry when the service is back",
        5,
    )
