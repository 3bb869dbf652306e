"""What a record of a file says beyond the fields that closeread reads.

A loader keeps these few values in ``metadata`` so that writing gives them back.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

import msgspec


def beyond(raw: Mapping[str, Any], known: type[msgspec.Struct]) -> dict[str, Any]:
    """Return the members of ``raw`` (plain or unparsed) that are no fields of ``known``."""
    fields = _fields(known)
    if raw.keys() <= fields:
        return {}
    return {
        key: msgspec.json.decode(value) if isinstance(value, msgspec.Raw) else value
        for key, value in raw.items()
        if key not in fields
    }


@cache
def _fields(known: type[msgspec.Struct]) -> frozenset[str]:
    return frozenset(known.__struct_encode_fields__)


def noted(**values: Any) -> dict[str, Any]:
    """Return metadata without the empty values."""
    return {key: value for key, value in values.items() if value not in ({}, None)}
