"""What a packed file may hold: more than any text unpacks to was made to do harm."""

import io
from typing import Any

from closeread.errors import InputError

# Text packs to a tenth or a fiftieth; what unpacks to more than both of these was made to do harm.
_MAX_UNPACKED_BYTES = 512 * 1024 * 1024
MAX_RATIO = 100


class BoundedReader(io.RawIOBase):
    """What a gzip file unpacks to, up to so many bytes: a few megabytes may hold gigabytes.

    Args:
        unpacked: The unpacked bytes.
        n_packed: How many bytes the file has as it lies on disk.
        where: What it is, as an error says it.
    """

    def __init__(self, unpacked: io.RawIOBase, n_packed: int, where: str) -> None:
        self._unpacked, self._where = unpacked, where
        self._most = self._left = max(_MAX_UNPACKED_BYTES, MAX_RATIO * n_packed)

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer; an InputError where there is more than any text unpacks to."""
        n_read = self._unpacked.readinto(buffer) or 0
        self._left -= n_read
        if self._left < 0:
            raise InputError(
                f"unpacks to more than {self._most >> 20:,} MiB, "
                f"over {MAX_RATIO} times its compressed size",
                where=self._where,
                expected="text",
                cure="if you trust its origin, unpack it first: gunzip FILE",
            )
        return n_read

    def readall(self) -> bytes:
        """Return the rest, looked at piece by piece."""
        pieces = []
        while piece := self.read(1 << 20):
            pieces.append(piece)
        return b"".join(pieces)
