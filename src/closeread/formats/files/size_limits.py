"""Limits the unpacked size of compressed files, against decompression bombs."""

import io
from typing import Any

from closeread.errors import InputError

# Text compresses to a tenth or a fiftieth: a file that exceeds both limits was made to do harm.
_MAX_UNPACKED_BYTES = 512 * 1024 * 1024
MAX_RATIO = 100
# Predictions are parsed in memory; those of millions of questions are smaller.
MAX_PREDICTIONS_BYTES = 512 * 2**20


class BoundedReader(io.RawIOBase):
    """The unpacked bytes of a gzip file, up to a limit: a few megabytes may hold gigabytes.

    Args:
        unpacked: The unpacked bytes.
        n_packed: The size of the file on disk, in bytes.
        where: The file, for the error.
    """

    def __init__(self, unpacked: io.RawIOBase, n_packed: int, where: str) -> None:
        self._unpacked, self._where = unpacked, where
        self._limit = self._left = max(_MAX_UNPACKED_BYTES, MAX_RATIO * n_packed)

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer; raise InputError beyond the limit."""
        n_read = self._unpacked.readinto(buffer) or 0
        self._left -= n_read
        if self._left < 0:
            raise InputError(
                f"unpacks to more than {self._limit >> 20:,} MiB, "
                f"over {MAX_RATIO} times its compressed size",
                where=self._where,
                expected="text",
                cure="if you trust its origin, unpack it first: gunzip FILE",
            )
        return n_read

    def readall(self) -> bytes:
        """Return the rest, read piece by piece, so that the limit holds."""
        pieces = []
        while piece := self.read(1 << 20):
            pieces.append(piece)
        return b"".join(pieces)
