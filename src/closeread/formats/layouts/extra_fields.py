"""Keeps fields that closeread's records have no place for in ``metadata``, to write them back.

A file comes back equivalent, and no record is carried whole. Two functions find what to keep.
``unknown_fields`` compares names only: for the trees of SQuAD and MRQA, whose sets are too large to
render each record while it is read. ``rendering_diff`` compares a record with what its format would
write, and so also keeps other spellings: a number as a string, a redundant field.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

import msgspec

Json = dict[str, Any]


def unknown_fields(raw: Mapping[str, Any], record_type: type[msgspec.Struct]) -> Json:
    """Return the members of ``raw`` (plain or unparsed) that are not fields of ``known``."""
    fields = _fields(record_type)
    if raw.keys() <= fields:
        return {}
    return {
        key: msgspec.json.decode(value) if isinstance(value, msgspec.Raw) else value
        for key, value in raw.items()
        if key not in fields
    }


@cache
def _fields(record_type: type[msgspec.Struct]) -> frozenset[str]:
    return frozenset(record_type.__struct_encode_fields__)


def without_empty(**values: Any) -> Json:
    """Return the values that are neither None nor an empty object, as metadata."""
    return {key: value for key, value in values.items() if value not in ({}, None)}


def without_none(**fields: Any) -> Json:
    """Return the fields that are not None, as a record to write."""
    return {name: value for name, value in fields.items() if value is not None}


def rendering_diff(format: str, raw: Mapping[str, Any], rendered: Mapping[str, Any]) -> Json:  # noqa: A002
    """Return, as metadata under the format's name, how a record differs from its rendering."""
    extra = {
        key: value
        for key, value in raw.items()
        if key not in rendered or not _equal(value, rendered[key])
    }
    absent = [key for key in rendered if key not in raw]
    diff: Json = {}
    if extra:
        diff["extra"] = extra
    if absent:
        diff["absent"] = absent
    return {format: diff} if diff else {}


def apply_diff(format: str, rendered: Json, metadata: Mapping[str, Any]) -> Json:  # noqa: A002
    """Apply the differences that ``rendering_diff`` kept to a rendering."""
    diff = metadata.get(format)
    if not diff:
        return rendered
    record = {key: value for key, value in rendered.items() if key not in diff.get("absent", ())}
    extra: Json = diff.get("extra", {})
    return record | extra


def _equal(value: Any, other: Any) -> bool:
    if isinstance(value, str) and isinstance(other, str):
        return value == other
    encode = msgspec.json.encode
    equal: bool = value == other
    return equal and encode(value, order="sorted") == encode(other, order="sorted")


def join_paragraphs(paragraphs: list[str]) -> tuple[str, Json]:
    """Join paragraphs with line breaks; if that cannot be undone, also return where each ends."""
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


def to_objects(lists: dict[str, Any]) -> list[Json]:
    """Return an object of lists as a list of objects; converts nested objects likewise.

    Raises:
        TypeError: A member is not a list.
        ValueError: The lists are of unequal length.
    """
    columns = {
        name: to_objects(value) if isinstance(value, dict) else value
        for name, value in lists.items()
    }
    if not all(isinstance(value, list) for value in columns.values()):
        raise TypeError("not a list")
    return [
        dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)
    ]
