"""Parses the beginning of a file, for guessing its format."""

import json
import re
from functools import cached_property
from typing import Any

import msgspec

_TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],]|"', re.DOTALL)


class Head:
    """The first bytes of a file, inflated.

    Attributes:
        name: The file's name, the weakest hint.
        raw: The bytes.
    """

    def __init__(self, name: str, raw: bytes) -> None:
        self.name = name
        self.raw = raw

    @cached_property
    def first_line(self) -> Any:
        """The first non-blank line as JSON; None if it is not a whole JSON value."""
        return _parse(self.raw.lstrip().split(b"\n", 1)[0])

    @cached_property
    def value(self) -> Any:
        """The file's first JSON value, as far as the head holds it; None if it is not JSON."""
        if self.first_line is not None:
            return self.first_line
        parsed = _parse(self.raw)
        return parsed if parsed is not None else _parse(_close_truncated(self.raw))

    @property
    def has_lines(self) -> bool:
        """Whether the first line is a whole JSON value and others follow it."""
        following = self.raw.lstrip().partition(b"\n")[2]
        return self.first_line is not None and bool(following.strip())

    def first(self, *path: str | int) -> Any:
        """Follow keys and indices into ``value``; None if the path does not exist.

        The index 0 on an object takes its first member's value (for files keyed by id).
        """
        value = self.value
        for step in path:
            if isinstance(value, dict) and step == 0 and value:
                value = next(iter(value.values()))
            elif isinstance(value, dict):
                value = value.get(step)
            elif isinstance(value, list) and isinstance(step, int) and step < len(value):
                value = value[step]
            else:
                return None
        return value

    @property
    def row(self) -> dict[str, Any]:
        """The first object: of the file, its lines or its list; empty if there is none."""
        first = self.first(0) if isinstance(self.value, list) else self.value
        return first if isinstance(first, dict) else {}

    def has(self, *keys: str, at: tuple[str | int, ...] = ()) -> bool:
        """Whether the object at a path has all these keys."""
        value = self.first(*at)
        return isinstance(value, dict) and all(key in value for key in keys)


def _parse(raw: bytes) -> Any:
    """Parse JSON; accept NaN and Infinity, as Python writes them: the reader decides about them."""
    try:
        return msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        if b"NaN" not in raw and b"Infinity" not in raw:
            return None
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None


def _close_truncated(raw: bytes) -> bytes:
    """Cut a truncated JSON text after its last whole element, and close the open brackets."""
    stack: list[bytes] = []
    cut, depth = 0, 0
    for token in _TOKEN.finditer(raw):
        mark = token[0]
        if mark in (b"{", b"["):
            stack.append(b"}" if mark == b"{" else b"]")
        elif mark in (b"}", b"]"):
            if not stack:
                break
            stack.pop()
            cut, depth = token.end(), len(stack)
        elif mark == b",":
            cut, depth = token.start(), len(stack)
        elif mark == b'"':
            break
    return raw[:cut] + b"".join(reversed(stack[:depth]))
