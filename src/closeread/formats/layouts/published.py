"""Records as their publishers wrote them, given back equivalent when they are written.

A format renders its record from closeread's nouns. What that rendering does not say (a field that
nobody else needs, a number written as a string) is kept in ``metadata[format]`` and laid over the
rendering when the record is written, so that a file comes back equivalent and no record is carried
whole.
"""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any, BinaryIO

import msgspec

from closeread.errors import UsageError
from closeread.formats.files.source import Source
from closeread.types import Defects

Json = dict[str, Any]


def place(source: Source, path: str, name: object = "", *, line: int | None = None) -> str:
    """Say where in a file a record stands: line or path, and the question's id if it has one."""
    parts = [str(source), f"line {line}" if line else path, f"question {name}" if name else ""]
    return ", ".join(part for part in parts if part)


def unsaid(format: str, raw: Mapping[str, Any], rendered: Mapping[str, Any]) -> Json:  # noqa: A002
    """Return, as metadata under the format's name, how a record differs from its rendering."""
    extra = {
        key: value
        for key, value in raw.items()
        if key not in rendered or not _same(value, rendered[key])
    }
    absent = [key for key in rendered if key not in raw]
    kept: Json = {}
    if extra:
        kept["extra"] = extra
    if absent:
        kept["absent"] = absent
    return {format: kept} if kept else {}


def restored(format: str, rendered: Json, metadata: Mapping[str, Any]) -> Json:  # noqa: A002
    """Lay over a rendering what ``unsaid`` kept of the record."""
    kept = metadata.get(format)
    if not kept:
        return rendered
    made = {key: value for key, value in rendered.items() if key not in kept.get("absent", ())}
    extra: Json = kept.get("extra", {})
    return made | extra


def present(**fields: Any) -> Json:
    """Return the fields that are not None, as a record to write."""
    return {name: value for name, value in fields.items() if value is not None}


def unwritable(found: str, question_id: str, expected: str = "") -> UsageError:
    """Return the error for a question that a format has no place for."""
    return UsageError(
        found,
        where=f"question {question_id}",
        expected=expected,
        cure="choose another format; `jsonl` holds every question",
    )


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, str) and isinstance(other, str):
        return one == other
    encode = msgspec.json.encode
    equal: bool = one == other
    return equal and encode(one, order="sorted") == encode(other, order="sorted")


def write_array(stream: BinaryIO, values: Iterable[Any], field: str = "", **members: Any) -> None:
    """Write a JSON array one element at a time, bare or as ``field`` of an object."""
    encode = msgspec.json.encode
    if field:
        opening = encode(members)[:-1] + (b"," if members else b"")
        stream.write(opening + encode(field) + b":")
    separator = b"[\n"
    for value in values:
        stream.write(separator + encode(value))
        separator = b",\n"
    stream.write((b"[" if separator == b"[\n" else b"\n") + (b"]}\n" if field else b"]\n"))


def write_object(stream: BinaryIO, members: Iterable[tuple[str, Any]]) -> None:
    """Write a JSON object one member at a time."""
    encode = msgspec.json.encode
    separator = b"{\n"
    for name, value in members:
        stream.write(separator + encode(name) + b":" + encode(value))
        separator = b",\n"
    stream.write(b"{}\n" if separator == b"{\n" else b"\n}\n")


def write_lines(stream: BinaryIO, values: Iterable[Any]) -> None:
    """Write JSON lines."""
    for value in values:
        stream.write(msgspec.json.encode(value) + b"\n")


def content_id(text: str) -> str:
    """Return a stable id for a text that its publishers gave none."""
    return hashlib.sha1(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()[
        :12
    ]


def nearest(text: str, passage: str, start: int) -> int | None:
    """Return where a text stands nearest to a place; None where it does not stand at all."""
    floor = max(start, 0)
    found = {passage.find(text, floor), passage.rfind(text, 0, floor + len(text))} - {-1}
    return min(found, key=lambda at: (abs(at - start), at), default=None)


class Ids:
    """Notices question ids that come twice."""

    def __init__(self, defects: Defects) -> None:
        self._defects = defects
        self._seen: set[str] = set()

    def note(self, name: str, *, line: int | None = None) -> str:
        """Return the id; counts ``duplicate-id`` when it was there before."""
        if name in self._seen:
            self._defects.add(
                "duplicate-id", f"the id {name} appears twice", question_id=name, line=line
            )
        self._seen.add(name)
        return name


class ContentIds:
    """Makes ids from content, for rows that have none; repeats get ``-2``, ``-3``, ..."""

    def __init__(self, defects: Defects) -> None:
        self._defects = defects
        self._seen: dict[str, int] = {}

    def make(self, *texts: str, line: int | None = None) -> str:
        """Return the row's id; counts ``duplicate-question`` when all texts were there before."""
        name = content_id("\0".join(texts))
        times = self._seen[name] = self._seen.get(name, 0) + 1
        if times == 1:
            return name
        self._defects.add(
            "duplicate-question", f"is there {times} times", question_id=name, line=line
        )
        return f"{name}-{times}"


def join_paragraphs(paragraphs: list[str]) -> tuple[str, Json]:
    """Join paragraphs with line breaks; where that cannot be undone, note where each one ends."""
    text = "\n".join(paragraphs)
    if paragraphs and not any("\n" in paragraph for paragraph in paragraphs):
        return text, {}
    ends, end = [], -1
    for paragraph in paragraphs:
        end += 1 + len(paragraph)
        ends.append(end)
    return text, {"paragraph_ends": ends}


def split_paragraphs(text: str, metadata: Mapping[str, Any]) -> list[str]:
    """Undo ``join_paragraphs``."""
    if "paragraph_ends" not in metadata:
        return text.split("\n")
    starts = [0, *(end + 1 for end in metadata["paragraph_ends"])]
    return [text[a:b] for a, b in zip(starts, metadata["paragraph_ends"], strict=False)]
