"""Decides what the columns of a file hold: by the user's settings, else by the known sets."""

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from closeread.errors import InputError, UsageError
from closeread.formats.files.source import Source
from closeread.formats.layouts.columns import Columns, value_at, with_forms, with_inside_form
from closeread.formats.layouts.known_rows import find_known_columns
from closeread.formats.layouts.row_files import iter_rows, split_row

_SEVERAL = ("passage", "options", "id", "tags")
_NAMES = ("title", "passage_id", "language", "question", "answer", "inside")
_OBJECT = re.compile(r"\s*(\{['\"]\w+['\"]:|\[['\"])")
_TRUTHS = {"true": True, "false": False}
_SWITCHES = ("together", "withheld")
Settings = Mapping[str, str]


def find_columns(source: Source, settings: Settings) -> Columns:
    """Return what the columns of a file hold: by the user's settings, else by the known sets.

    Raises:
        InputError: A column is missing, the file has no rows, or no column is known to hold the
            passages and questions.
        UsageError: A setting is unknown or has an invalid value.
    """
    at, row = next(iter_rows(source), (0, None))
    if row is None:
        raise InputError(
            "the file has no rows",
            where=str(source),
            cure="pass a file with rows; this set, or this split of it, was saved empty",
        )
    set_columns = find_known_columns(row) or _default_columns(row)
    columns = with_inside_form(
        row, msgspec.structs.replace(set_columns, **parse_settings(settings))
    )
    row = next(iter(split_row(source, at, row, columns)), row)
    if not source.head().raw.lstrip().startswith((b"[", b"{")):
        _reject_python_objects(source, row)
    required = [*columns.passage, columns.question]
    for key in settings:
        required += _paths(getattr(columns, key))
    missing = [path for path in required if not _has(row, path)]
    if missing:
        raise InputError(
            "no column " + ", ".join(dict.fromkeys(missing)),
            where=str(source),
            expected="one of " + ", ".join(row),
            cure="name the columns with the format "
            "`rows,passage=COLUMN,question=COLUMN,answer=COLUMN` (docs/formats.md)",
        )
    return _with_forms(source, row, with_forms(row, columns))


def _with_forms(source: Source, first: Mapping[str, Any], columns: Columns) -> Columns:
    """Return the columns with the answer's form, detected from the first row with an answer.

    If the first row lacks the answer's column, all rows do, and the set is not searched.
    """
    if columns.answer_form or not columns.answer or not _has(first, columns.answer):
        return columns
    for at, row in iter_rows(source):
        for question_row in split_row(source, at, row, columns):
            if (detected := with_forms(question_row, columns)).answer_form:
                return detected
    return columns


def _reject_python_objects(source: Source, row: Mapping[str, Any]) -> None:
    """Refuse a table whose cells hold Python objects, as ``to_csv`` of ``datasets`` writes them."""
    odd = [name for name, cell in row.items() if isinstance(cell, str) and _OBJECT.match(cell)]
    if odd:
        raise InputError(
            f"the column {odd[0]!r} holds a Python object as text: {row[odd[0]]:.40}",
            where=f"{source}, line 2",
            expected="text",
            cure='save the set with dataset.to_json("NEW.jsonl"), '
            'or dataset.to_parquet("NEW.parquet")',
        )


def _paths(value: Any) -> tuple[str, ...]:
    if isinstance(value, tuple):
        return value
    return (value,) if isinstance(value, str) and value else ()


def _has(row: Mapping[str, Any], path: str) -> bool:
    return path in row or value_at(row, path) is not None


def _default_columns(row: Mapping[str, Any]) -> Columns:
    """Return the columns with the names of closeread's own rows, as far as they exist."""
    single = {name: name for name in ("answer", "title", "passage_id", "language") if name in row}
    multiple = {name: (name,) for name in ("options", "id") if name in row}
    return Columns(passage=("passage",), question="question", **single, **multiple)  # type: ignore[arg-type]


def parse_settings(settings: Settings) -> dict[str, Any]:
    """Return a user's settings as fields of ``Columns``.

    Raises:
        UsageError: A setting is unknown or has an invalid value.
    """
    parsed: dict[str, Any] = {}
    for key, value in settings.items():
        if key in _SEVERAL:
            parsed[key] = tuple(value.split("|")) if value else ()
        elif key == "answer":
            parsed[key], *also = value.split("|")
            parsed["also"] = tuple(also)
        elif key in _NAMES:
            parsed[key] = value
        elif key in _SWITCHES and value.lower() in _TRUTHS:
            parsed[key] = _TRUTHS[value.lower()]
        elif key == "first" and value in ("0", "1"):
            parsed[key] = int(value)
        else:
            raise UsageError(
                f"rows,{key}={value}",
                expected="COLUMN for " + ", ".join((*_SEVERAL, *_NAMES))
                + "; first=0 or 1; true or false for " + ", ".join(_SWITCHES),
                cure="separate several columns with |; docs/formats.md describes each key",
            )  # fmt: skip
    return parsed
