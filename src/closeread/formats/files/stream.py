"""Streams the elements of a JSON document that is too large for memory.

It calls the standard parser for one element at a time. (The usual event parser keeps a path for
each depth, so that 100,000 open brackets use up all memory.)
"""

import codecs
import json
import math
import re
from collections.abc import Iterator
from typing import Any, BinaryIO, NoReturn

_SPACE = re.compile(r"[ \t\r\n]*")
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_CHUNK_BYTES = 1 << 20
# An error this near to the end of what was read may come from the cut, not from the text.
_NEAR_END = 16
# The parser takes "1" from "1e+"; the rest of the number may be in the next chunk.
_LONGEST_HALF_NUMBER = 3


class BrokenJSONError(ValueError):
    """The text is not JSON; holds the line and the place in the document."""

    def __init__(self, reason: str, line: int, place: str) -> None:
        self.reason = reason
        self.line = line
        self.place = place
        super().__init__(reason)


class JSONStream:
    """One pass over a document; ``finite=False`` accepts NaN and Infinity, as Python writes them.

    Attributes:
        other_members: The top-level members that were not streamed; complete after the pass.
        has_array: Whether the document has the streamed array.
    """

    def __init__(self, stream: BinaryIO, *, finite: bool = True) -> None:
        self.other_members: dict[str, Any] = {}
        self.has_array = False
        self._stream = stream
        self._utf8 = codecs.getincrementaldecoder("utf-8")()
        strict = json.JSONDecoder(parse_constant=_reject_constant, parse_float=_parse_finite)
        self._parse = (strict if finite else json.JSONDecoder()).raw_decode
        self._text, self._at, self._lines, self._place = "", 0, 0, ""
        self._ended = False

    def elements(self, field: str) -> Iterator[Any]:
        """Yield the elements of the array under ``field`` ("" for a bare array).

        Raises:
            BrokenJSON: The document is not valid JSON.
            UnicodeDecodeError: It is not UTF-8.
            RecursionError: It is nested too deeply.
        """
        if not field:
            if self._next() == "[":
                yield from self._array("")
        else:
            for key in self._keys():
                if key == field and self._next() == "[":
                    yield from self._array(field)
                else:
                    self.other_members[key] = self._value()
        self._finish()

    def members(self) -> Iterator[tuple[str, Any]]:
        """Yield the members of a top-level object; raises like ``elements``."""
        for key in self._keys():
            self._place = key
            yield key, self._value()
        self._finish()

    def _array(self, field: str) -> Iterator[Any]:
        self.has_array = True
        self._at += 1
        mark = self._next()
        index = 0
        while mark != "]":
            self._place = f"{field}[{index}]"
            yield self._value()
            mark = self._separator("]")
            index += 1
        self._at += 1
        self._place = ""

    def _keys(self) -> Iterator[str]:
        self._expect("{")
        mark = self._next()
        while mark != "}":
            if mark != '"':
                self._fail("expected a member's name in double quotes")
            key = self._value()
            self._expect(":")
            yield key
            mark = self._separator("}")
        self._at += 1

    def _separator(self, closer: str) -> str:
        mark = self._next()
        if mark == ",":
            self._at += 1
            mark = self._next()
            if mark == closer:
                self._fail("a comma before the closing bracket")
        elif mark != closer:
            self._fail(f"expected ',' or {closer!r}")
        return mark

    def _expect(self, mark: str) -> None:
        if self._next() != mark:
            self._fail(f"expected {mark!r}")
        self._at += 1

    def _finish(self) -> None:
        if self._next():
            self._fail("text after the end of the document")

    def _next(self) -> str:
        """Return the next character that is not a space, "" at the end of the file."""
        while True:
            match = _SPACE.match(self._text, self._at)
            self._at = match.end() if match else self._at
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._read_more():
                return ""

    def _value(self) -> Any:
        self._next()
        while True:
            try:
                value, end = self._parse(self._text, self._at)
            except json.JSONDecodeError as error:
                cut = error.pos >= len(self._text) - _NEAR_END or "Unterminated" in error.msg
                if cut and self._read_more():
                    continue
                self._at = len(self._text) if cut else error.pos
                self._fail(error.msg[:1].lower() + error.msg[1:])
            except ValueError as error:
                self._fail(str(error))
            if len(self._text) - end < _LONGEST_HALF_NUMBER and self._read_more():
                continue
            if _SURROGATE.search(self._text, self._at, end):
                self._check_surrogates(value)
            self._at = end
            return value

    def _check_surrogates(self, value: Any) -> None:
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            self._fail("an unpaired surrogate")

    def _read_more(self) -> bool:
        if self._ended:
            return False
        n_bytes = max(_CHUNK_BYTES, len(self._text) - self._at)
        raw = self._stream.read(n_bytes)
        self._ended = not raw
        self._lines += self._text.count("\n", 0, self._at)
        self._text = self._text[self._at :] + self._utf8.decode(raw, final=self._ended)
        self._at = 0
        return True

    def _fail(self, reason: str) -> NoReturn:
        if self._ended and self._at == len(self._text):
            reason = "the file ends in the middle of the document"
        line = self._lines + self._text.count("\n", 0, self._at) + 1
        raise BrokenJSONError(reason, line, self._place)


def _reject_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def _parse_finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(f"the number {digits} is out of range")
    return number
