"""Joins a streamed reply (``text/event-stream``) into the equivalent reply without streaming.

Chunks have deltas of each choice's text and log-probabilities, its finish reason and, last, the
usage. A stream may break off without an error of the connection. So it is complete only with
``[DONE]``, or with a finish reason for every choice.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from closeread.readers.http.message_text import text_of

_BEGINNINGS = (b"data:", b"event:", b"id:", b"retry:", b":")


class BrokenStreamError(Exception):
    """A stream that is incomplete, reports an error, or has an invalid chunk."""


def decode_body(raw: bytes) -> bytes:
    """Return a body unchanged, or a stream of events as JSON.

    Streams are recognised by their content, since some servers stream without being asked.

    Raises:
        BrokenStreamError: A stream breaks off, a chunk is no JSON object, or it reports an error.
    """
    is_stream = raw.lstrip().startswith(_BEGINNINGS)
    return msgspec.json.encode(join_stream(raw)) if is_stream else raw


def join_stream(raw: bytes) -> dict[str, Any]:
    """Return the reply that the chunks of a stream add up to.

    Args:
        raw: The whole body.

    Raises:
        BrokenStreamError: It breaks off, a chunk is no JSON object, or it reports an error.
    """
    choices: dict[int, dict[str, Any]] = {}
    usage: Any = None
    done = False
    for data in _iter_events(raw):
        if data == b"[DONE]":
            done = True
            break
        chunk = _decode_chunk(data)
        usage = chunk.get("usage") or usage
        for part in chunk.get("choices") or ():
            try:
                _merge_choice(choices.setdefault(int(part.get("index", 0)), {}), part)
            except (AttributeError, TypeError, ValueError) as error:
                raise BrokenStreamError(f"a chunk has an unexpected form: {error}") from error
    ended = choices and all(choice.get("finish_reason") for choice in choices.values())
    if not done and not ended:
        raise BrokenStreamError("the stream ended too early")
    reply: dict[str, Any] = {
        "choices": [{"index": index} | choices[index] for index in sorted(choices)]
    }
    return reply if usage is None else reply | {"usage": usage}


def _iter_events(raw: bytes) -> Iterator[bytes]:
    """Yield each event's data; an event without the blank line at its end is incomplete."""
    lines: list[bytes] = []
    *complete, rest = raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    if rest.strip() == b"data: [DONE]":  # often sent without the blank line
        complete += [rest.strip(), b""]
    for line in complete:
        if line.startswith(b"data:"):
            lines.append(line[5:].removeprefix(b" "))
        elif not line and lines:
            yield b"\n".join(lines)
            lines = []
    if lines == [b"[DONE]"]:
        yield lines[0]


def _decode_chunk(data: bytes) -> dict[str, Any]:
    try:
        chunk = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BrokenStreamError(f"a chunk of the stream is not JSON: {error}") from error
    if not isinstance(chunk, dict):
        raise BrokenStreamError("a chunk of the stream is not a JSON object")
    if chunk.get("error"):
        reported = chunk["error"]
        message = reported.get("message", reported) if isinstance(reported, dict) else reported
        raise BrokenStreamError(f"the stream reports an error: {message}")
    return chunk


def _merge_choice(choice: dict[str, Any], part: dict[str, Any]) -> None:
    delta = part.get("delta")
    if delta is not None or "message" in part:
        message = choice.setdefault("message", {"content": None})
        addition = delta or part.get("message") or {}
        if addition.get("content") is not None:
            old, new = message["content"], addition["content"]
            # Without any text, keep the other parts so that the error can name their kinds.
            message["content"] = text_of(old) + text_of(new) or new or old
        if isinstance(addition.get("refusal"), str):
            message["refusal"] = message.get("refusal", "") + addition["refusal"]
    if part.get("text") is not None:
        choice["text"] = choice.get("text", "") + part["text"]
    if part.get("finish_reason"):
        choice["finish_reason"] = part["finish_reason"]
    for name, values in (part.get("logprobs") or {}).items():
        if isinstance(values, list):
            choice.setdefault("logprobs", {}).setdefault(name, []).extend(values)
