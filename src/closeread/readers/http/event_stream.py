"""Joins a streamed reply (``text/event-stream``) into the reply that it would be unstreamed.

Chunks bring deltas of each choice's text and log-probabilities, why it ended, and, last, the usage.
A stream may break off without any error of the connection, so its end must be said: by ``[DONE]``,
or by every choice that was begun.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from closeread.readers.http.message_text import text_of

_BEGINNINGS = (b"data:", b"event:", b"id:", b"retry:", b":")


class BrokenStreamError(Exception):
    """A stream that ends before its end, reports an error, or holds what is no chunk."""


def decode_body(raw: bytes) -> bytes:
    """Return a body as it is, and a stream of events as the JSON that it makes up.

    What was asked for does not matter: some servers only stream.

    Raises:
        BrokenStreamError: A stream breaks off, a chunk is no JSON object, or it reports an error.
    """
    is_stream = raw.lstrip().startswith(_BEGINNINGS)
    return msgspec.json.encode(join_stream(raw)) if is_stream else raw


def join_stream(raw: bytes) -> dict[str, Any]:
    """Return the reply that a stream's chunks make up, as if it had not been streamed.

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
    ended = choices and all(one.get("finish_reason") for one in choices.values())
    if not done and not ended:
        raise BrokenStreamError("the stream ended too early")
    found: dict[str, Any] = {"choices": [{"index": n} | choices[n] for n in sorted(choices)]}
    return found if usage is None else found | {"usage": usage}


def _iter_events(raw: bytes) -> Iterator[bytes]:
    """Yield each event's data; an event that no blank line ends was cut, and is left out."""
    lines: list[bytes] = []
    *whole, rest = raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    if rest.strip() == b"data: [DONE]":  # the last one's end is often left out
        whole += [rest.strip(), b""]
    for line in whole:
        if line.startswith(b"data:"):
            lines.append(line[5:].removeprefix(b" "))
        elif not line and lines:
            yield b"\n".join(lines)
            lines = []
    if lines == [b"[DONE]"]:
        yield lines[0]


def _decode_chunk(data: bytes) -> dict[str, Any]:
    try:
        found = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BrokenStreamError(f"a chunk of the stream is not JSON: {error}") from error
    if not isinstance(found, dict):
        raise BrokenStreamError("a chunk of the stream is not a JSON object")
    if found.get("error"):
        told = found["error"]
        message = told.get("message", told) if isinstance(told, dict) else told
        raise BrokenStreamError(f"the stream reports an error: {message}")
    return found


def _merge_choice(choice: dict[str, Any], part: dict[str, Any]) -> None:
    delta = part.get("delta")
    if delta is not None or "message" in part:
        message = choice.setdefault("message", {"content": None})
        more = delta or part.get("message") or {}
        if more.get("content") is not None:
            before, now = message["content"], more["content"]
            # Parts without a text are kept where nothing else is, to be named.
            message["content"] = text_of(before) + text_of(now) or now or before
        if isinstance(more.get("refusal"), str):
            message["refusal"] = message.get("refusal", "") + more["refusal"]
    if part.get("text") is not None:
        choice["text"] = choice.get("text", "") + part["text"]
    if part.get("finish_reason"):
        choice["finish_reason"] = part["finish_reason"]
    for name, values in (part.get("logprobs") or {}).items():
        if isinstance(values, list):
            choice.setdefault("logprobs", {}).setdefault(name, []).extend(values)
