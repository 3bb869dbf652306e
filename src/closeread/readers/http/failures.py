"""A reply, and the ways in which one request fails."""

from typing import NamedTuple


class Reply(NamedTuple):
    """A reply.

    Attributes:
        status: Its status.
        content: Its body.
        asked: The body of the request that it replies to.
        retry_after: Its header of that name.
    """

    status: int
    content: bytes
    asked: bytes = b""
    retry_after: str = ""


class FailedQuestionError(Exception):
    """One question cannot be answered; the others may be."""


class LostQuestionError(FailedQuestionError):
    """Every attempt at one question met faults that pass; the server may be dying."""


class MalformedReplyError(Exception):
    """A reply with status 200 that is no answer."""


class TransientError(Exception):
    """One attempt came to nothing and another may not.

    Attributes:
        wait_seconds: What the server asks for.
        unpaid: The server refused the work; else it may have done it and charge for it.
    """

    def __init__(
        self, reason: str, wait_seconds: float | None = None, *, unpaid: bool = False
    ) -> None:
        super().__init__(reason)
        self.wait_seconds = wait_seconds
        self.unpaid = unpaid
