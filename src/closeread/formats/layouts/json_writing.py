"""Writes JSON one element at a time, because a set may be larger than memory."""

from collections.abc import Iterable, Mapping
from typing import Any, BinaryIO

import msgspec

from closeread.errors import UsageError


def write_array(
    stream: BinaryIO, values: Iterable[Any], field: str = "", /, **members: Any
) -> None:
    """Write a JSON array one element a line, bare or as ``field`` of an object."""
    encode = msgspec.json.encode
    if field:
        opening = encode(members)[:-1] + (b"," if members else b"")
        stream.write(opening + encode(field) + b":")
    separator = b"[\n"
    for value in values:
        stream.write(separator + encode(value))
        separator = b",\n"
    stream.write((b"[" if separator == b"[\n" else b"\n") + (b"]}\n" if field else b"]\n"))


def write_object(
    stream: BinaryIO, members: Iterable[tuple[str, Any]], *, colon: bytes = b":"
) -> None:
    """Write a JSON object one member a line."""
    encode = msgspec.json.encode
    separator = b"{\n"
    for name, value in members:
        stream.write(separator + encode(name) + colon + encode(value))
        separator = b",\n"
    stream.write(b"{}\n" if separator == b"{\n" else b"\n}\n")


def write_remaining_members(stream: BinaryIO, members: Mapping[str, Any]) -> None:
    """Write the remaining members of an object, and close it."""
    for name, value in members.items():
        stream.write(b"," + msgspec.json.encode(name) + b":" + msgspec.json.encode(value))
    stream.write(b"}\n")


def write_lines(stream: BinaryIO, values: Iterable[Any]) -> None:
    """Write JSON lines."""
    for value in values:
        stream.write(msgspec.json.encode(value) + b"\n")


def unwritable_error(problem: str, question_id: str, expected: str = "") -> UsageError:
    """Return the error for a question that a format cannot hold."""
    return UsageError(
        problem,
        where=f"question {question_id}",
        expected=expected,
        cure="choose another format; `jsonl` holds every question",
    )
