"""Why a request is not answered: a status, and an error that says what to do."""

from collections.abc import Mapping
from typing import Any

import msgspec

from closeread.formats.files.allowed import reworded, split
from closeread.formats.files.place import explain
from closeread.readers.http.answer_wire import ErrorReply, Refusal

JSON = "application/json"


class RefusedError(Exception):
    """A request gets ``status`` and an :class:`ErrorReply`.

    Attributes:
        reason: A word for the counter of refusals, such as ``queue-full``.
    """

    def __init__(
        self,
        status: int,
        reason: str,
        what: str,
        *,
        where: str = "",
        expected: str = "",
        cure: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.status = status
        self.reason = reason
        self.refusal = Refusal(what=what, where=where, expected=expected, cure=cure)
        self.headers = dict(headers or {})
        super().__init__(what)

    def body(self) -> bytes:
        """Return the JSON that is sent."""
        return msgspec.json.encode(ErrorReply(error=self.refusal))


class GoneError(Exception):
    """The client has left: there is nobody to be answered."""


def unfit(error: Exception, raw: bytes, cure: str, kind: Any) -> RefusedError:
    """Return the refusal for a body that is no JSON (400), or JSON of another form (422).

    Args:
        error: What the parser raised.
        raw: The body, to find the place in.
        cure: What to send instead.
        kind: The record that the body should be.
    """
    told = explain(error, "the request", raw=raw, cure=cure)
    where = told.where.removeprefix("the request").removeprefix(", ").removeprefix("at ")
    found, expected = told.found, told.expected
    of_form = isinstance(error, msgspec.ValidationError)
    if isinstance(error, msgspec.ValidationError):
        message, path = split(error)
        found, expected = reworded(message, kind, path) or (found, expected)
    return RefusedError(
        422 if of_form else 400,
        "wrong-fields" if of_form else "not-json",
        found,
        where=where or "the request's body",
        expected=expected,
        cure="send it in UTF-8" if isinstance(error, UnicodeDecodeError) else told.cure,
    )


def busy(reason: str, what: str, cure: str, seconds: int = 1) -> RefusedError:
    """Return a 503 that tells when to come again."""
    return RefusedError(503, reason, what, cure=cure, headers={"retry-after": str(seconds)})


def stopping() -> RefusedError:
    """Return the 503 of a service that was told to stop."""
    return busy("stopping", "the service is stopping", "ask again when it is back", 5)
