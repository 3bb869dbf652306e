"""The append-only ledger: one JSON line per prediction, in order of completion.

Whole lines are written within half a second, so that a killed process loses little; they are
synced to disk every few seconds, which matters only if the machine itself fails. A kill during a
write leaves an incomplete last line, which is dropped.
"""

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from closeread.errors import InputError, StorageError
from closeread.formats.files.output_place import write_error
from closeread.system.locks import lock_file
from closeread.types import Prediction

_FLUSH_BYTES = 64 * 1024
_FLUSH_SECONDS = 0.5
_SYNC_SECONDS = 5.0
_TAIL = 1 << 16


class Ledger:
    """A ledger open for one writer; opening it in a second process is an error.

    Raises:
        StorageError: The file cannot be opened, or another process writes it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._pending = bytearray()
        self._flushed_at = self._synced_at = time.monotonic()
        try:
            self._handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        except OSError as error:
            raise _storage_error(path, error) from error
        try:
            _lock(self._handle, path)
            self._size = os.fstat(self._handle).st_size
            self._drop_torn_line()
        except BaseException:
            os.close(self._handle)
            raise

    @property
    def is_empty(self) -> bool:
        """Whether the ledger holds no prediction, neither written nor pending."""
        return not self._size and not self._pending

    def replay(self) -> Iterator[tuple[int, Prediction]]:
        """Yield the saved predictions, each with the offset of its line.

        Raises:
            InputError: A line other than an incomplete last one is not a prediction.
        """
        decode = msgspec.json.Decoder(Prediction).decode
        offset, end = 0, self._size
        with self.path.open("rb") as stream:
            for number, line in enumerate(stream, 1):
                if offset >= end:
                    return
                try:
                    yield offset, decode(line)
                except (msgspec.DecodeError, UnicodeDecodeError) as error:
                    raise ledger_error(self.path, number, str(error)) from error
                offset += len(line)

    def append(self, line: bytes) -> int:
        """Add an encoded prediction; return the offset of its line."""
        offset = self._size + len(self._pending)
        self._pending += line
        self._pending += b"\n"
        if (
            len(self._pending) >= _FLUSH_BYTES
            or time.monotonic() - self._flushed_at > _FLUSH_SECONDS
        ):
            self.flush()
        return offset

    def flush(self) -> None:
        """Write all pending lines; on failure the file keeps only whole lines.

        Raises:
            StorageError: The disk is full, or the file cannot be written.
        """
        try:
            rest = memoryview(self._pending)
            while rest:
                rest = rest[os.write(self._handle, rest) :]
            rest.release()
            self._size += len(self._pending)
            self._pending = bytearray()
            self._flushed_at = time.monotonic()
            if self._flushed_at - self._synced_at > _SYNC_SECONDS:
                self.sync()
        except OSError as error:
            self._pending = bytearray()
            with contextlib.suppress(OSError):
                os.ftruncate(self._handle, self._size)
            raise _storage_error(self.path, error) from error

    def sync(self) -> None:
        """Sync written lines to disk."""
        os.fsync(self._handle)
        self._synced_at = time.monotonic()

    def clear(self) -> None:
        """Delete all predictions."""
        os.ftruncate(self._handle, 0)
        self._size = 0

    def close(self) -> None:
        """Write pending lines and release the ledger."""
        try:
            self.flush()
        finally:
            os.close(self._handle)

    def _drop_torn_line(self) -> None:
        end = self._size
        while end:
            start = max(0, end - _TAIL)
            newline = os.pread(self._handle, end - start, start).rfind(b"\n")
            if newline >= 0:
                end = start + newline + 1
                break
            end = start
        if end < self._size:
            os.ftruncate(self._handle, end)
            self._size = end


def ledger_error(path: Path, line: int, problem: str) -> InputError:
    """Return the error for a damaged ledger; a killed process does not leave such damage."""
    return InputError(
        problem,
        where=f"{path}, line {line}",
        expected="the predictions of this data set, in batch order",
        cure="the ledger was edited or damaged: read again with --overwrite",
    )


def _lock(handle: int, path: Path) -> None:
    try:
        lock_file(handle)
    except BlockingIOError as error:
        raise StorageError(
            "another closeread process is writing this run",
            where=str(path.parent),
            cure="wait until it ends, or write to another folder with --out",
        ) from error


def _storage_error(path: Path, error: OSError) -> StorageError:
    cause = write_error(error, path)
    return StorageError(
        cause.found,
        where=cause.where,
        cure=f"{cause.cure}; `closeread read --resume` continues from the saved predictions",
    )
