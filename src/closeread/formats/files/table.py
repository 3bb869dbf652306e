"""Reads parquet and arrow tables as the JSON lines of their rows.

``datasets`` saves sets in these forms (``to_parquet``, ``save_to_disk``, its cache). If the file
holds class names, a class number becomes its name, because what 0 stands for differs from set to
set.
"""

import io
from collections.abc import Generator
from pathlib import Path
from typing import Any

import msgspec

from closeread.errors import InputError
from closeread.registry.extras import missing_extra

_PARQUET, _ARROW, _ARROW_STREAM = b"PAR1\x15", b"ARROW1\0\0", b"\xff\xff\xff\xff"
_ROWS_AT_ONCE = 256
N_HEAD_BYTES = 8  # enough to recognise the file


def is_table(first: bytes) -> bool:
    """Whether a file begins like parquet or arrow; no text does."""
    return first.startswith((_PARQUET, _ARROW, _ARROW_STREAM))


class TableLines(io.RawIOBase):
    """The rows of a table as JSON lines; a few hundred rows are in memory at a time.

    Raises:
        MissingExtraError: pyarrow is not installed.
        InputError: The file is broken; raised when it is opened or while it is read.
    """

    def __init__(self, path: Path, first: bytes) -> None:
        self._pieces = _iter_json_lines(
            path, parquet=first.startswith(_PARQUET), file=first[:8] == _ARROW
        )
        self._left = memoryview(next(self._pieces, b""))

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer with the next bytes; return 0 at the end."""
        if not self._left:
            self._left = memoryview(next(self._pieces, b""))
        size = min(len(buffer), len(self._left))
        buffer[:size] = self._left[:size]
        self._left = self._left[size:]
        return size

    def close(self) -> None:
        """Close the file."""
        self._pieces.close()
        super().close()


def _iter_json_lines(path: Path, *, parquet: bool, file: bool) -> Generator[bytes]:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ModuleNotFoundError as error:
        raise missing_extra("a table in parquet or arrow", "pyarrow", "parquet") from error
    # A value that JSON cannot hold, such as a duration, becomes what Python prints.
    encode = msgspec.json.Encoder(enc_hook=str).encode_lines
    try:
        with path.open("rb") as stream:
            if parquet:
                parquet_file = pq.ParquetFile(stream)
                schema, batches = (
                    parquet_file.schema_arrow,
                    parquet_file.iter_batches(_ROWS_AT_ONCE),
                )
            elif file:
                arrow_file = pa.ipc.open_file(stream)
                numbers = range(arrow_file.num_record_batches)
                schema, batches = arrow_file.schema, map(arrow_file.get_batch, numbers)
            else:
                batches = pa.ipc.open_stream(stream)
                schema = batches.schema
            names = _class_names(schema.metadata or {})
            for batch in batches:
                for start in range(0, batch.num_rows, _ROWS_AT_ONCE):
                    rows = batch.slice(start, _ROWS_AT_ONCE).to_pylist()
                    for row in rows:
                        _name_classes(row, names)
                    yield encode(rows)
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
        raise InputError(
            f"cannot be read as {'parquet' if parquet else 'arrow'}: {error}".splitlines()[0],
            where=str(path),
            expected="a complete file",
            cure="download or save it again",
        ) from error


def _class_names(metadata: dict[bytes, bytes]) -> dict[str, list[str]]:
    """Return the class names of each column that has them, from the metadata of ``datasets``."""
    try:
        features = msgspec.json.decode(metadata.get(b"huggingface", b"{}"))["info"]["features"]
        return {
            column: [str(name) for name in feature["names"]]
            for column, feature in features.items()
            if isinstance(feature, dict) and feature.get("_type") == "ClassLabel"
        }
    except (msgspec.DecodeError, KeyError, TypeError, AttributeError):
        return {}


def _name_classes(row: dict[str, Any], names: dict[str, list[str]]) -> None:
    for column, class_names in names.items():
        number = row.get(column)
        if isinstance(number, int):
            row[column] = class_names[number] if 0 <= number < len(class_names) else None
