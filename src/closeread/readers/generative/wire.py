"""Decodes and checks the replies of language-model endpoints."""

from collections.abc import Sequence
from typing import Any

import msgspec

from closeread.readers.http.endpoint import error_text
from closeread.readers.http.failures import FailedQuestionError, MalformedReplyError
from closeread.readers.http.message_text import other_part_kinds, text_of
from closeread.types import Generation


class Usage(msgspec.Struct):
    """Number of tokens as the server counts them; None if it does not."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Message(msgspec.Struct):
    content: str | list[Any] | None = None
    refusal: Any = None


class TopToken(msgspec.Struct):
    """One of the likeliest tokens at a position."""

    token: str
    logprob: float


class _TokenLogprobs(msgspec.Struct):
    token: str
    logprob: float
    top_logprobs: list[TopToken] = []


class _ChatLogprobs(msgspec.Struct):
    content: list[_TokenLogprobs] | None = None


class _ChatChoice(msgspec.Struct):
    message: _Message
    index: int = 0
    finish_reason: str | None = None
    logprobs: _ChatLogprobs | None = None


class ChatReply(msgspec.Struct):
    """A reply of ``/chat/completions``."""

    choices: list[_ChatChoice]
    usage: Usage | None = None


class Logprobs(msgspec.Struct):
    """Log-probabilities of a completion's tokens, including those of an echoed prompt."""

    tokens: list[str]
    token_logprobs: list[float | None]


class _TextChoice(msgspec.Struct):
    text: str
    index: int = 0
    finish_reason: str | None = None
    logprobs: Logprobs | None = None


class TextReply(msgspec.Struct):
    """A reply of ``/completions``."""

    choices: list[_TextChoice]
    usage: Usage | None = None


_CHAT = msgspec.json.Decoder(ChatReply)
_TEXT = msgspec.json.Decoder(TextReply)


def decode_reply(raw: bytes, *, chat: bool, n: int = 1) -> ChatReply | TextReply:
    """Return a reply with its choices sorted by index, without duplicates.

    Args:
        raw: The body of the reply.
        chat: Whether it is a reply of ``/chat/completions``.
        n: Number of requested choices.

    Raises:
        MalformedReplyError: It is not JSON of this form, or does not have choices 0 to n - 1, or
            has two different choices of one index.
    """
    reply: ChatReply | TextReply
    try:
        reply = _CHAT.decode(raw) if chat else _TEXT.decode(raw)
    except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError) as error:
        raise MalformedReplyError(
            f"the reply has an unexpected form: {error}; "
            f"it says: {error_text(raw)[:200] or 'nothing'}"
        ) from error
    by_index: dict[int, Any] = {}
    for choice in reply.choices:
        if by_index.setdefault(choice.index, choice) != choice:
            raise MalformedReplyError(f"the reply has two choices of index {choice.index}")
    if sorted(by_index) != list(range(n)):
        raise MalformedReplyError(
            f"the reply has the choices {sorted(by_index)}, not {list(range(n))}"
        )
    reply.choices = [by_index[index] for index in range(n)]
    return reply


def to_generation(
    reply: ChatReply | TextReply,
    *,
    stops: Sequence[str],
    request_sha256: str,
    option_order: tuple[str, ...] = (),
) -> Generation:
    """Return the first choice of a reply; for a refusal its text is the refusal.

    Args:
        reply: The reply.
        stops: The stop strings of the request.
        request_sha256: Hash of the request.
        option_order: The labels in the order shown; empty for the question's own order.

    Raises:
        FailedQuestionError: The message has parts, but none with text or reasoning.
    """
    first = reply.choices[0]
    text = _extract_text(first.message) if isinstance(first, _ChatChoice) else first.text
    usage = reply.usage or Usage()
    return Generation(
        text=text,
        finish_reason=first.finish_reason or "",
        stops=tuple(stops),
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        request_sha256=request_sha256,
        option_order=option_order,
    )


def _extract_text(message: _Message) -> str:
    refusal = message.refusal if isinstance(message.refusal, str) else ""
    text = text_of(message.content) or refusal
    if not text and (kinds := other_part_kinds(message.content)):
        raise FailedQuestionError(
            f"the reply contains no text but {', '.join(kinds)}: use a model that answers in text, "
            "or make the server send text only with -o extra='{...}'"
        )
    return text


def top_tokens(reply: ChatReply) -> list[TopToken] | None:
    """Return the likeliest first tokens of a chat reply; None if the server returns none."""
    logprobs = reply.choices[0].logprobs
    if logprobs is None or not logprobs.content:
        return None
    first = logprobs.content[0]
    return first.top_logprobs or [TopToken(first.token, first.logprob)]
