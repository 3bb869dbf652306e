"""Errors of refused requests: a status, and JSON that says what, where, expected and cure."""

from collections.abc import Mapping
from typing import Any

import msgspec

from closeread.errors import InputError
from closeread.formats.files.parse_errors import byte_position, explain
from closeread.readers.http.answer_wire import ErrorReply, Refusal

JSON = "application/json"
_MAX_END_LENGTH = 400  # characters kept at either end of a text: an id may be as long as a body
BODY = "the request's body"


class RefusedError(Exception):
    """A request gets ``status`` and an :class:`ErrorReply`.

    Attributes:
        reason: A word for the counter of refusals, such as ``queue-full``.

    Every refusal says what, where, what was expected and what to do, because a client's log may
    hold nothing else.
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
        fields = {"what": what, "where": where, "expected": expected, "cure": cure}
        self.refusal = Refusal(**{name: _shorten(text) for name, text in fields.items()})
        self.headers = dict(headers or {})
        super().__init__(what)

    def body(self) -> bytes:
        """Return the JSON that is sent."""
        return msgspec.json.encode(ErrorReply(error=self.refusal))


def _shorten(text: str) -> str:
    """Return a text without its middle if it is long: a message may quote a long id."""
    if len(text) <= 2 * _MAX_END_LENGTH:
        return text
    return f"{text[:_MAX_END_LENGTH]} … {text[-_MAX_END_LENGTH:]}"


class ClientGoneError(Exception):
    """The client has disconnected, so that no answer is sent."""


def invalid_body_refusal(error: Exception, raw: bytes, cure: str, kind: Any) -> RefusedError:
    """Return the refusal for a body that is not JSON (400), or JSON in another format (422).

    Args:
        error: The parser's error.
        raw: The body, to locate the error.
        cure: What to send instead.
        kind: The record that the body should be.
    """
    explained = explain(error, "the request", raw=raw, cure=cure, kind=kind)
    if not isinstance(error, msgspec.ValidationError):
        return _not_json_refusal(error, explained, raw)
    where = explained.where.removeprefix("the request").removeprefix(", ").removeprefix("at ")
    return RefusedError(
        422,
        "wrong-fields",
        explained.found,
        where=where or BODY,
        expected=explained.expected or "what GET /docs shows for this field",
        cure=explained.cure,
    )


def _not_json_refusal(error: Exception, explained: InputError, raw: bytes) -> RefusedError:
    is_utf8 = not isinstance(error, UnicodeDecodeError) and _is_utf8(raw)
    return RefusedError(
        400,
        "not-json",
        (explained.found if raw.strip() else "the body is empty") if is_utf8 else "not UTF-8 text",
        where=_parse_position(error, raw) or BODY,
        expected="one JSON object" if is_utf8 else "JSON in UTF-8",
        cure=explained.cure if is_utf8 else "send it in UTF-8",
    )


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


def _parse_position(error: Exception, raw: bytes) -> str:
    """Return the line and character at which a parser stopped; "" if it does not say."""
    offset = byte_position(error)
    if offset is None:
        return ""
    lines = raw[:offset].split(b"\n")
    return f"line {len(lines)}, character {len(lines[-1].decode(errors='replace')) + 1}"


def busy_refusal(
    reason: str, what: str, expected: str, cure: str, seconds: int = 1
) -> RefusedError:
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


def stopping_refusal() -> RefusedError:
    """Return the 503 of a stopping service."""
    return busy_refusal(
        "stopping",
        "the service is stopping",
        "a running service",
        "retry when the service is back",
        5,
    )
