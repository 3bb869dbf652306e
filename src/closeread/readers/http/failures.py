"""The reply to a request, and the errors of one request."""

from typing import NamedTuple


class Reply(NamedTuple):
    """A reply.

    Attributes:
        status: The HTTP status.
        content: The body.
        request_body: The body of the request.
        retry_after: The header ``Retry-After``; "" if absent.
    """

    status: int
    content: bytes
    request_body: bytes = b""
    retry_after: str = ""


class FailedQuestionError(Exception):
    """The failure of a single question; other questions can still be answered."""


class LostQuestionError(FailedQuestionError):
    """Every attempt at one question failed transiently; the server may be down."""


class MalformedReplyError(Exception):
    """A reply with status 200 that does not have the expected form."""


class TransientError(Exception):
    """One attempt failed; another may succeed.

    Attributes:
        wait_seconds: The wait that the server requests; None if it does not.
        unpaid: Whether the server did no work; otherwise it may charge for the attempt.
    """

    def __init__(
        self, reason: str, wait_seconds: float | None = None, *, unpaid: bool = False
    ) -> None:
        super().__init__(reason)
        self.wait_seconds = wait_seconds
        self.unpaid = unpaid
