"""Opens local files: decompresses them, removes a byte-order mark, and refuses UTF-16."""

import contextlib
import hashlib
import io
import os
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, cast

from closeread.errors import InputError
from closeread.formats.files import folder, table
from closeread.formats.files.head import Head
from closeread.formats.files.parse_errors import FIX_FILE
from closeread.formats.files.size_limits import BoundedReader

_HEAD_BYTES = 256 * 1024
_LONG_HEAD_BYTES = 16 * 1024 * 1024
_GZIP_MAGIC = b"\x1f\x8b"
UTF8_MARK = b"\xef\xbb\xbf"


class InflatedFile:
    """A local file, plain or gzip-compressed.

    The content of a parquet or arrow table is the JSON lines of its rows.

    Attributes:
        option: The command-line option that names the file's format; "" if there is none, as for
            a run's own files.
        further_cure: What to do about invalid content, besides fixing the file.
    """

    def __init__(
        self, path: str | os.PathLike[str], *, option: str = "", further_cure: str = ""
    ) -> None:
        self.path = Path(path)
        self.option = option
        self.further_cure = further_cure

    def __str__(self) -> str:
        return str(self.path)

    @property
    def cure(self) -> str:
        """What to do about a file that breaks its format."""
        if self.option:
            return f"{FIX_FILE}, or name another format with {self.option}"
        return f"{FIX_FILE}; {self.further_cure}" if self.further_cure else FIX_FILE

    @property
    def stem(self) -> str:
        """The file's name without endings such as ``.json``, ``.jsonl``, ``.csv`` and ``.gz``."""
        name = self.path.name
        for ending in (".gz", ".jsonl", ".json", ".csv", ".parquet", ".arrow"):
            name = name.removesuffix(ending)
        return name

    @cached_property
    def is_gzip(self) -> bool:
        """Whether the content is gzip, by its first bytes, not by its name."""
        with self._raw() as stream:
            return stream.read(2) == _GZIP_MAGIC

    @contextlib.contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """Open the inflated bytes, without a byte-order mark.

        Raises:
            InputError: The file is missing, a folder, empty, UTF-16, a corrupt gzip, or a gzip that
                unpacks to more than a text does.
        """
        with contextlib.ExitStack() as stack:
            raw: BinaryIO = stack.enter_context(self._raw())
            first = raw.read(table.N_HEAD_BYTES)
            raw.seek(0)
            if table.is_table(first):
                raw = cast(Any, table.TableLines(self.path, first))
            elif self.is_gzip:
                from isal import igzip

                n_packed = os.fstat(raw.fileno()).st_size
                inflated = stack.enter_context(cast(Any, igzip).IGzipFile(fileobj=raw, mode="rb"))
                raw = cast(Any, BoundedReader(inflated, n_packed, str(self)))
            stream = stack.enter_context(io.BufferedReader(cast(Any, raw), 1 << 20))
            try:
                if table.is_table(first) and not stream.peek(1):
                    raise _empty_table_error(str(self))
                must_be_text(stream.peek(4)[:4], str(self))
                if stream.peek(3)[:3] == UTF8_MARK:
                    stream.read(3)
                yield stream
            except EOFError as error:
                raise self._broken_gzip("the gzip data is cut off") from error
            except OSError as error:
                if not self.is_gzip or error.errno is not None:
                    raise InputError(
                        f"cannot be read: {error.strerror}",
                        where=str(self),
                        cure="check the path and its permissions",
                    ) from error
                raise self._broken_gzip(f"the gzip data is corrupt ({error})") from error
            except Exception as error:
                if self.is_gzip and type(error).__name__ in {"error", "IsalError"}:
                    raise self._broken_gzip(f"the gzip data is corrupt ({error})") from error
                raise

    def place(self, path: str, name: object = "", *, line: int | None = None) -> str:
        """Describe the place of a record: file, line or path, and the question's id if any."""
        at = f"line {line}" if line else f"at {path}" if path else ""
        parts = [str(self), at, f"question {name}" if name else ""]
        return ", ".join(part for part in parts if part)

    def read(self) -> bytes:
        """Return all inflated bytes."""
        with self.open() as stream:
            return stream.read()

    @cached_property
    def _head(self) -> Head:
        with self.open() as stream:
            return Head(self.path.name, stream.read(_HEAD_BYTES))

    def head(self) -> Head:
        """Return the beginning of the file, for guessing its format."""
        return self._head

    def long_head(self) -> Head:
        """Return more of the beginning, for a file whose first passage is very long."""
        if len(self._head.raw) < _HEAD_BYTES:
            return self._head
        with self.open() as stream:
            return Head(self.path.name, stream.read(_LONG_HEAD_BYTES))

    def first_line_is_cut(self) -> bool:
        """Whether the first line is longer than the long head."""
        raw = self.long_head().raw
        return len(raw) == _LONG_HEAD_BYTES and b"\n" not in raw.lstrip()

    def sha256(self) -> str:
        """Return the SHA-256 of the bytes on disk, comparable with published checksums."""
        with self._raw() as stream:
            return hashlib.file_digest(cast(Any, stream), "sha256").hexdigest()

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield the non-blank lines with their numbers from 1.

        Raises:
            InputError: Every line is blank.
        """
        blank = True
        with self.open() as stream:
            for number, line in enumerate(stream, 1):
                if not line.isspace():
                    blank = False
                    yield number, line
        if blank:
            raise InputError(
                "the file holds only blank lines", where=str(self), cure="download it again"
            )

    def _raw(self) -> BinaryIO:
        try:
            if self.path.is_dir():
                raise folder.folder_error(self.path)
            if self.path.exists() and not self.path.is_file():
                raise InputError(
                    "not a regular file", where=str(self), cure="save the content to a file first"
                )
            return self.path.open("rb")
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise InputError(
                f"cannot be read: {reason}",
                where=str(self),
                cure=_suggest_cure(self.path, error),
            ) from error

    def _broken_gzip(self, problem: str) -> InputError:
        return InputError(
            problem, where=str(self), cure="download it again; it was cut off or damaged"
        )


def must_be_text(first: bytes, where: str) -> None:
    """Refuse content that does not begin like UTF-8 text.

    Args:
        first: The first bytes, four are enough.
        where: The file, for the error.

    Raises:
        InputError: The content is empty, UTF-16 or binary.
    """
    if not first:
        raise InputError("the file is empty", where=where, cure="download it again")
    if first[:2] in (b"\xff\xfe", b"\xfe\xff") or first[1:2] == b"\0" or first[:1] == b"\0":
        raise InputError(
            "the text is UTF-16 (or binary)",
            where=where,
            expected="UTF-8",
            cure="convert it: iconv -f UTF-16 -t UTF-8 FILE > NEW",
        )


def _empty_table_error(where: str) -> InputError:
    return InputError(
        "the table has no rows",
        where=where,
        cure="pass a file with rows; this set, or this split of it, was saved empty",
    )


def _suggest_cure(path: Path, error: Exception) -> str:
    """Return the cure for a file that cannot be opened: a published one can be downloaded."""
    from closeread.downloads import get_command

    if isinstance(error, FileNotFoundError) and (call := get_command(path)):
        return f"download it: `{call}`"
    return "check the path and its permissions"
