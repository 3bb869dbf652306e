"""JSON objects as files have them: one a line, the elements of one list, or one over many lines."""

from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

from closeread.formats.files.source import Source
from closeread.formats.layouts.extra_fields import Json
from closeread.formats.layouts.json_writing import write_array, write_lines

# Where an object stands: the number of its line, its place in the list, "" of the only one.
Position = int | str
Positioned = tuple[Position, Json]


def is_list(source: Source) -> bool:
    """Whether the file is one list."""
    return source.head().raw.lstrip()[:1] == b"["


def iter_objects(source: Source) -> Iterator[Positioned]:
    """Yield each object with its place; a list that is large is read one element at a time.

    Raises:
        InputError: It is no JSON, or something else stands there than an object.
    """
    if is_list(source):
        yield from ((f"[{n}]", one) for n, one in enumerate(source.elements("", dict[str, Any])))
        return
    for line, raw in source.records():
        yield line or "", source.decode(raw, dict[str, Any], line=line)


def line_number(at: Position) -> int | None:
    """Return the number of the line that an object has for itself, if it has one."""
    return at if isinstance(at, int) else None


def document_path(at: Position) -> str:
    """Return where in its document an object stands that has no line for itself."""
    return "" if isinstance(at, int) else at


def describe_place(source: Source, at: Position, name: object = "") -> str:
    """Say where an object stands: by its line, or where it stands in a list."""
    return source.place(document_path(at), name, line=line_number(at))


def write_objects(stream: BinaryIO, values: Iterable[Any], *, as_list: bool) -> None:
    """Write objects as they stood: in one list, or one a line."""
    if as_list:
        write_array(stream, values)
    else:
        write_lines(stream, values)
