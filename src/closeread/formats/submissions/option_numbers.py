"""Reads answers in a set's own notation: ReClor's 2, BoolQ's true, WebQA's ``no_answer``."""

from collections.abc import Callable
from functools import partial
from typing import Any

import msgspec

from closeread.formats.layouts.columns import Columns, number_to_letter, yes_or_no
from closeread.types import Dataset

_ROWS = "rows"
_FIELDS = ("answer", "prediction", "label")
_WEBQA, _NO_ANSWER = "webqa", "no_answer"


def value_converter(dataset: Dataset | None) -> Callable[[Any], Any] | None:
    """Return a function from the set's notation to an option's letter or to no answer.

    None if the set needs no conversion.
    """
    if dataset is not None and dataset.format == _WEBQA:
        return _apply_to_fields(_none)
    stored_columns = dataset.metadata.get(_ROWS) if dataset is not None else None
    if stored_columns is None:
        return None
    columns = msgspec.convert(stored_columns, Columns)
    if columns.answer_form == "truth":
        return _apply_to_fields(yes_or_no)
    return _apply_to_fields(partial(_letter, columns)) if columns.options else None


def _none(value: Any) -> Any:
    return "" if value in (_NO_ANSWER, [_NO_ANSWER]) else value


def _letter(columns: Columns, value: Any) -> Any:
    if columns.answer_form == "digits" and isinstance(value, str) and value.strip().isdecimal():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        return value
    return number_to_letter(value, columns)


def _apply_to_fields(converter: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a function that converts a bare value, or the answer fields of an object."""

    def convert(value: Any) -> Any:
        if not isinstance(value, dict):
            return converter(value)
        return value | {field: converter(value[field]) for field in _FIELDS if field in value}

    return convert
