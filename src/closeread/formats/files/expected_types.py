"""Describes what a record expects at the place where a parser found something else."""

import difflib
import re
from typing import Any

from msgspec import inspect

_STEP = re.compile(r"\.([^.\[\]]+)|\[(?:\d+|\.\.\.)\]")
_UNKNOWN = re.compile(r"^Object contains unknown field `(.+)`$")
_MISSING = re.compile(r"^Object missing required field `(.+)`$")

_KINDS: dict[Any, str] = {
    inspect.StrType: "a string",
    inspect.IntType: "an integer",
    inspect.FloatType: "a number",
    inspect.BoolType: "true or false",
    inspect.DictType: "an object",
}


def describe_mismatch(message: str, kind: Any, path: str) -> tuple[str, str] | None:
    """Return what was found and what was expected, if msgspec does not say both.

    Args:
        message: msgspec's message, without the place.
        kind: The type of the record.
        path: The place as msgspec writes it, such as ``$.items[0].kind``.

    Returns:
        None if the message says both, or the record has no such place.
    """
    node = _type_at(inspect.type_info(kind), path)
    unknown = _UNKNOWN.match(message)
    if unknown and isinstance(node, inspect.StructType):
        names = [field.encode_name for field in node.fields]
        close_names = difflib.get_close_matches(unknown[1], names, n=1, cutoff=0.4)
        expected = f"perhaps {close_names[0]!r}" if close_names else "one of " + ", ".join(names)
        return f"unknown field {unknown[1]!r}", expected
    missing = _MISSING.match(message)
    if missing and isinstance(node, inspect.StructType):
        kind = next((field.type for field in node.fields if field.encode_name == missing[1]), None)
        return f"the field {missing[1]!r} is missing", f"{missing[1]!r}: {_describe_type(kind)}"
    if message.startswith("Invalid enum value ") and isinstance(node, inspect.LiteralType):
        value = message.removeprefix("Invalid enum value ")
        return f"found {value}", "one of " + ", ".join(map(str, node.values))
    if message.startswith("Expected `") and isinstance(node, inspect.IntType | inspect.FloatType):
        bounds = [
            f"{words} {bound:g}"
            for words, bound in (
                ("at least", node.ge), ("above", node.gt), ("at most", node.le), ("below", node.lt),
            )
            if bound is not None
        ]  # fmt: skip
        if bounds and "got" not in message:
            return "out of range", " and ".join(bounds)
    return None


def expects_tables(kind: Any, path: str) -> bool:
    """Whether a record expects a list of records at a place."""
    item = getattr(_type_at(inspect.type_info(kind), path), "item_type", None)
    return isinstance(_unwrap(item), inspect.StructType)


def _type_at(node: Any, path: str) -> Any:
    """Return the type at a path; None if the record does not define it."""
    node = _unwrap(node)
    for step in _STEP.finditer(path):
        if isinstance(node, inspect.StructType):
            node = next((field.type for field in node.fields if field.encode_name == step[1]), None)
        elif isinstance(node, inspect.DictType):
            node = node.value_type
        else:
            node = getattr(node, "item_type", None)
        node = _unwrap(node)
    return node


def _describe_type(node: Any) -> str:
    """Return in a few words what a field accepts; name the required fields of an object."""
    if isinstance(node, inspect.UnionType):
        kinds = (
            _describe_type(member)
            for member in node.types
            if not isinstance(member, inspect.NoneType)
        )
        return " or ".join(dict.fromkeys(kinds))
    node = _unwrap(node)
    if isinstance(node, inspect.LiteralType):
        return "one of " + ", ".join(map(str, node.values))
    if isinstance(node, inspect.StructType):
        needed = [repr(field.encode_name) for field in node.fields if field.required]
        return "an object" + (" with " + ", ".join(needed) if needed else "")
    item = getattr(node, "item_type", None)
    if item is not None:
        item_type = _unwrap(item)
        return "a list" + (" of objects" if isinstance(item_type, inspect.StructType) else "")
    return _KINDS.get(type(node), "a value")


def _unwrap(node: Any) -> Any:
    """Return a type without its metadata and without an alternative null."""
    while isinstance(node, inspect.Metadata):
        node = node.type
    if isinstance(node, inspect.UnionType):
        types = [member for member in node.types if not isinstance(member, inspect.NoneType)]
        return _unwrap(types[0]) if len(types) == 1 else None
    return node


def split_message(error: Exception) -> tuple[str, str]:
    """Return a parser's message and the place that it names (``$`` if none)."""
    message, separator, path = str(error).rpartition(" - at `")
    return (message, path.removesuffix("`")) if separator else (str(error), "$")
