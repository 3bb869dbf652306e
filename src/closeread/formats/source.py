"""A file on its way in: inflated, checked to be UTF-8, parsed with errors that say where."""

import contextlib
import hashlib
import io
import os
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, TypeVar, cast

import msgspec

from closeread.errors import InputError
from closeread.formats.head import Head

T = TypeVar("T")
_HEAD_BYTES = 256 * 1024
_GZIP_MAGIC = b"\x1f\x8b"
_UTF8_MARK = b"\xef\xbb\xbf"
# Below these sizes on disk a JSON document is parsed in one go, which is several times faster.
_WHOLE_PLAIN_BYTES = 48 * 1024 * 1024
_WHOLE_GZIP_BYTES = 12 * 1024 * 1024


class Source:
    """A local file that holds questions or predictions, plain or gzip-compressed."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)

    def __str__(self) -> str:
        return str(self.path)

    @property
    def stem(self) -> str:
        """The file's name without ``.json``, ``.jsonl``, ``.csv`` and ``.gz``."""
        name = self.path.name
        for ending in (".gz", ".jsonl", ".json", ".csv"):
            name = name.removesuffix(ending)
        return name

    @cached_property
    def is_gzip(self) -> bool:
        """Whether the content is gzip, by its first bytes, whatever the name says."""
        with self._raw() as stream:
            return stream.read(2) == _GZIP_MAGIC

    @contextlib.contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """Open the inflated bytes, without a byte-order mark.

        Raises:
            InputError: No such file, a directory, empty, a broken gzip, or UTF-16.
        """
        with contextlib.ExitStack() as stack:
            raw: BinaryIO = stack.enter_context(self._raw())
            if self.is_gzip:
                from isal import igzip

                raw = stack.enter_context(cast(Any, igzip).IGzipFile(fileobj=raw, mode="rb"))
            stream = stack.enter_context(io.BufferedReader(cast(Any, raw), 1 << 20))
            try:
                self._check_beginning(stream.peek(4)[:4])
                if stream.peek(3)[:3] == _UTF8_MARK:
                    stream.read(3)
                yield stream
            except EOFError as error:
                raise self._broken_gzip("the gzip data end too early") from error
            except OSError as error:
                if self.is_gzip and error.errno is None:
                    raise self._broken_gzip(f"the gzip data are broken ({error})") from error
                raise
            except Exception as error:
                if self.is_gzip and type(error).__name__ in {"error", "IsalError", "BadGzipFile"}:
                    raise self._broken_gzip(f"the gzip data are broken ({error})") from error
                raise

    def read(self) -> bytes:
        """Return all inflated bytes."""
        with self.open() as stream:
            return stream.read()

    def head(self) -> Head:
        """Return the beginning of the file, for guessing its format."""
        with self.open() as stream:
            return Head(self.path.name, stream.read(_HEAD_BYTES))

    def sha256(self) -> str:
        """Return the hash of the bytes on disk, as published checksums give it."""
        with self._raw() as stream:
            return hashlib.file_digest(cast(Any, stream), "sha256").hexdigest()

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield the lines that are not blank, with their numbers from 1."""
        with self.open() as stream:
            for number, line in enumerate(stream, 1):
                if not line.isspace():
                    yield number, line

    def decode(self, raw: bytes, type: Any, *, line: int | None = None) -> Any:  # noqa: A002
        """Parse one JSON value into a value of ``type`` (a msgspec Struct, a dict, ...).

        Raises:
            InputError: Not JSON, or a field is missing or of another type; says line and path.
        """
        try:
            return msgspec.json.decode(raw, type=type)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise self.explain(error, raw, line=line) from error

    def document(self, type: Any) -> Any:  # noqa: A002
        """Parse the whole file as one JSON value of ``type``."""
        return self.decode(self.read(), type)

    def elements(self, field: str, type: type[T]) -> Iterator[T]:  # noqa: A002
        """Yield the elements of the array under the top-level ``field`` ("" for a bare array).

        A large file is streamed: one element is in memory at a time.
        """
        if not self._is_large():
            if field:
                whole = msgspec.defstruct("Document", [(field, list[type])])  # type: ignore[valid-type]
                yield from getattr(self.document(whole), field)
            else:
                yield from self.document(list[type])  # type: ignore[valid-type]
            return
        import ijson

        with self.open() as stream, self._streaming_errors():
            for raw in ijson.items(stream, f"{field}.item" if field else "item", use_float=True):
                yield msgspec.convert(raw, type)

    def members(self, type: type[T]) -> Iterator[tuple[str, T]]:  # noqa: A002
        """Yield the members of the top-level object, in order, streamed like ``elements``."""
        if not self._is_large():
            yield from self.document(dict[str, type]).items()  # type: ignore[valid-type]
            return
        import ijson

        with self.open() as stream, self._streaming_errors():
            for key, raw in ijson.kvitems(stream, "", use_float=True):
                yield key, msgspec.convert(raw, type)

    def explain(self, error: Exception, raw: bytes, *, line: int | None = None) -> InputError:
        """Turn a parser's error into one that names the file, the line and the place."""
        message = str(error)
        if isinstance(error, RecursionError):
            message = "nested too deeply"
        found = re.search(r"\(byte (\d+)\)", message)
        if found and line is None:
            line = raw.count(b"\n", 0, int(found[1])) + 1
        where = f"{self}, line {line}" if line else str(self)
        if isinstance(error, UnicodeDecodeError) or "utf-8" in message.lower():
            return InputError(
                "not UTF-8 text", where=where, cure="convert it: iconv -f GBK -t UTF-8 FILE > NEW"
            )
        return InputError(
            message, where=where, cure="mend the file, or name another format with --format"
        )

    @contextlib.contextmanager
    def _streaming_errors(self) -> Iterator[None]:
        import ijson

        try:
            yield
        except (ijson.JSONError, msgspec.ValidationError, UnicodeDecodeError) as error:
            raise self.explain(error, b"") from error

    def _is_large(self) -> bool:
        limit = _WHOLE_GZIP_BYTES if self.is_gzip else _WHOLE_PLAIN_BYTES
        return self.path.stat().st_size > limit

    def _raw(self) -> BinaryIO:
        if self.path.is_dir():
            raise InputError("is a directory", where=str(self), cure="name a file in it")
        try:
            return self.path.open("rb")
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", where=str(self)) from error

    def _check_beginning(self, first: bytes) -> None:
        if not first:
            raise InputError("the file is empty", where=str(self), cure="fetch it again")
        if first[:2] in (b"\xff\xfe", b"\xfe\xff") or first[1:2] == b"\0" or first[:1] == b"\0":
            raise InputError(
                "the text is UTF-16 (or binary)",
                where=str(self),
                expected="UTF-8",
                cure="convert it: iconv -f UTF-16 -t UTF-8 FILE > NEW",
            )

    def _broken_gzip(self, found: str) -> InputError:
        return InputError(found, where=str(self), cure="fetch it again; it was cut or damaged")
