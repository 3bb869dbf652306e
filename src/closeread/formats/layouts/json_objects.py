"""Reads JSON objects: one a line, the elements of a list, or one object over many lines."""

from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

from closeread.formats.files.source import Source
from closeread.formats.layouts.extra_fields import Json
from closeread.formats.layouts.json_writing import write_array, write_lines

# The place of an object: its line number, its path in the list, or "" for the only object.
Position = int | str
Positioned = tuple[Position, Json]


def is_list(source: Source) -> bool:
    """Whether the file is one list."""
    return source.head().raw.lstrip()[:1] == b"["


def iter_objects(source: Source) -> Iterator[Positioned]:
    """Yield each object with its place; streams a large list.

    Raises:
        InputError: The file is not JSON, or holds something other than objects.
    """
    if is_list(source):
        yield from (
            (f"[{n}]", element) for n, element in enumerate(source.elements("", dict[str, Any]))
        )
        return
    for line, raw in source.records():
        yield line or "", source.decode(raw, dict[str, Any], line=line)


def line_number(at: Position) -> int | None:
    """Return the line number of an object that has its own line; else None."""
    return at if isinstance(at, int) else None


def document_path(at: Position) -> str:
    """Return the path in the document of an object without its own line; else ""."""
    return "" if isinstance(at, int) else at


def describe_place(source: Source, at: Position, name: object = "") -> str:
    """Describe the place of an object for messages: file, line or path, and id."""
    return source.place(document_path(at), name, line=line_number(at))


def write_objects(stream: BinaryIO, values: Iterable[Any], *, as_list: bool) -> None:
    """Write objects as one list, or one a line."""
    if as_list:
        write_array(stream, values)
    else:
        write_lines(stream, values)
