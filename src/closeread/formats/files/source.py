"""Reads JSON files: whole or streamed, with errors that name the place."""

import contextlib
from collections.abc import Iterator
from functools import cached_property
from typing import Any, TypeVar

import msgspec

from closeread.errors import InputError
from closeread.formats.files import binary_files
from closeread.formats.files.decompression import InflatedFile
from closeread.formats.files.parse_errors import PARSER_ERRORS, explain
from closeread.formats.files.stream import JSONStream

T = TypeVar("T")
# Below these sizes on disk a JSON document is parsed in one go, which is several times faster.
_WHOLE_PLAIN_BYTES = 16 * 1024 * 1024
_WHOLE_GZIP_BYTES = 4 * 1024 * 1024


class Source(InflatedFile):
    """A local file of questions or predictions: one JSON value, or one a line."""

    def records(self) -> Iterator[tuple[int | None, bytes]]:
        """Yield JSON texts with their line numbers: each line, or the one value of the file.

        If the first line is not a whole JSON value, the file is one value over many lines.
        """
        lines = self.lines()
        first = next(lines)
        if self._is_whole_value(first[1]) or self.is_large:
            yield first
            yield from lines
        else:
            lines.close()  # type: ignore[attr-defined]
            yield None, self.read()

    def decode(self, raw: bytes, type: Any, *, line: int | None = None) -> Any:  # noqa: A002
        """Parse one JSON value into a value of ``type`` (a msgspec Struct, a dict, ...).

        Raises:
            InputError: Not JSON, or a field is missing or of another type; names line and path.
        """
        try:
            return msgspec.json.decode(raw, type=type)
        except PARSER_ERRORS as error:
            raise self.explain(error, raw, line=line, kind=type) from error

    def explain(
        self, error: Exception, raw: bytes, *, line: int | None = None, kind: Any = None
    ) -> InputError:
        """Turn a parser's error into one that names the file, the line and the question."""
        parse_error = explain(error, str(self), raw=raw, line=line, cure=self.cure, kind=kind)
        return self.binary_error(raw) or parse_error

    def binary_error(self, raw: bytes = b"") -> InputError | None:
        """Return the error for an archive or a compressed file; None if ``raw`` is from inside."""
        first = self.head().raw[: binary_files.N_HEAD_BYTES]
        return (
            binary_files.binary_file_error(first, str(self))
            if first.startswith(raw[: binary_files.N_HEAD_BYTES])
            else None
        )

    def convert(
        self,
        value: Any,
        type: type[T],  # noqa: A002
        *,
        line: int | None = None,
        within: str = "",
    ) -> T:
        """Check a plain JSON value against ``type``.

        Args:
            value: The parsed value.
            type: What it must be, a msgspec Struct as a rule.
            line: Its line number.
            within: Its place in the document, such as ``data[3]``.

        Raises:
            InputError: A field is missing or of another type; names the question.
        """
        try:
            return msgspec.convert(value, type)
        except PARSER_ERRORS as error:
            raw = b"" if line or self.is_large else self.read()
            raise explain(
                error, str(self), raw=raw, value=value, line=line, within=within,
                cure=self.cure, kind=type,
            ) from error  # fmt: skip

    def document(self, type: Any) -> Any:  # noqa: A002
        """Parse the whole file as one JSON value of ``type``."""
        return self.decode(self.read(), type)

    def elements(self, field: str, type: type[T]) -> Iterator[T]:  # noqa: A002
        """Yield the elements of the array under the top-level ``field`` ("" for a bare array).

        A large file is streamed: one element is in memory at a time.

        Raises:
            InputError: Not JSON, no such array, or an element is not of ``type``.
        """
        if not self.is_large:
            if field:
                document_type = msgspec.defstruct("Document", [(field, list[type])])  # type: ignore[valid-type]
                yield from getattr(self.document(document_type), field)
            else:
                yield from self.document(list[type])  # type: ignore[valid-type]
            return
        with self._open_stream() as document:
            for index, value in enumerate(document.elements(field)):
                yield self.convert(value, type, within=f"{field}[{index}]")
            if not document.has_array:
                raise InputError(
                    f"the list {field!r} is missing" if field else "the document is not a list",
                    where=str(self),
                    cure=self.cure,
                )

    def members(self, type: type[T]) -> Iterator[tuple[str, T]]:  # noqa: A002
        """Yield the members of the top-level object, in order, streamed like ``elements``."""
        if not self.is_large:
            members = self.document(dict[str, Any]).items()
            for key, value in members:
                yield key, self.convert(value, type, within=key)
            return
        with self._open_stream() as document:
            for key, value in document.members():
                yield key, self.convert(value, type, within=key)

    def other_members(self, field: str) -> dict[str, Any]:
        """Return the top-level members of the document other than ``field``."""
        if not self.is_large:
            members = self.document(dict[str, msgspec.Raw])
            return {
                key: self.decode(bytes(raw), Any) for key, raw in members.items() if key != field
            }
        with self._open_stream() as document:
            for _ in document.elements(field):
                continue
            return document.other_members

    @contextlib.contextmanager
    def _open_stream(self) -> Iterator[JSONStream]:
        with self.open() as stream:
            try:
                yield JSONStream(stream)
            except PARSER_ERRORS as error:
                raise self.explain(error, b"") from error

    @cached_property
    def is_large(self) -> bool:
        """Whether the file is too large to be parsed in one go."""
        limit = _WHOLE_GZIP_BYTES if self.is_gzip else _WHOLE_PLAIN_BYTES
        return self.path.stat().st_size > limit

    def _is_whole_value(self, line: bytes) -> bool:
        try:
            msgspec.json.decode(line, type=msgspec.Raw)
        except PARSER_ERRORS:
            return False
        return True
