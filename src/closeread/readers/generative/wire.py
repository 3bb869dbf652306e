"""Replies of language-model endpoints, checked and turned into records."""

from collections.abc import Sequence
from typing import Any

import msgspec

from closeread.readers.http.endpoint import error_text
from closeread.readers.http.failures import FailedQuestionError, MalformedReplyError
from closeread.readers.http.message_text import other_part_kinds, text_of
from closeread.types import Generation


class Usage(msgspec.Struct):
    """Tokens as the server counts them."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Message(msgspec.Struct):
    content: str | list[Any] | None = None
    refusal: Any = None


class TopToken(msgspec.Struct):
    """One of the likeliest tokens at a place."""

    token: str
    logprob: float


class _Place(msgspec.Struct):
    token: str
    logprob: float
    top_logprobs: list[TopToken] = []


class _ChatLogprobs(msgspec.Struct):
    content: list[_Place] | None = None


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
    """Log-probabilities of a completion, the prompt's tokens among them where it is echoed."""

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
    """Read a reply, and put its choices in the order of their index, each once.

    Args:
        raw: The body.
        chat: Whether it is of ``/chat/completions``.
        n: How many choices were asked for.

    Raises:
        MalformedReplyError: No JSON, no choices, not those asked for, or two that disagree.
    """
    found: ChatReply | TextReply
    try:
        found = _CHAT.decode(raw) if chat else _TEXT.decode(raw)
    except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError) as error:
        raise MalformedReplyError(
            f"the reply has an unexpected form: {error}; "
            f"it says: {error_text(raw)[:200] or 'nothing'}"
        ) from error
    by_index: dict[int, Any] = {}
    for one in found.choices:
        if by_index.setdefault(one.index, one) != one:
            raise MalformedReplyError(f"the reply has two choices of index {one.index}")
    if sorted(by_index) != list(range(n)):
        raise MalformedReplyError(
            f"the reply has the choices {sorted(by_index)}, not {list(range(n))}"
        )
    found.choices = [by_index[index] for index in range(n)]
    return found


def to_generation(
    reply: ChatReply | TextReply,
    *,
    stops: Sequence[str],
    request_sha256: str,
    option_order: tuple[str, ...] = (),
) -> Generation:
    """Return the first choice as the model wrote it; where it refused, in the words of that.

    Raises:
        FailedQuestionError: It holds parts, and none that is text or a model's reasoning.
    """
    first = reply.choices[0]
    text = _message_text(first.message) if isinstance(first, _ChatChoice) else first.text
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


def _message_text(message: _Message) -> str:
    refusal = message.refusal if isinstance(message.refusal, str) else ""
    text = text_of(message.content) or refusal
    if not text and (kinds := other_part_kinds(message.content)):
        raise FailedQuestionError(
            f"the reply contains no text but {', '.join(kinds)}: use a model that answers in text, "
            "or make the server send text only with -o extra='{...}'"
        )
    return text


def top_tokens(reply: ChatReply) -> list[TopToken] | None:
    """Return the likeliest first tokens of a chat reply; None where the server gives none."""
    found = reply.choices[0].logprobs
    if found is None or not found.content:
        return None
    first = found.content[0]
    return first.top_logprobs or [TopToken(first.token, first.logprob)]
