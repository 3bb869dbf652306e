"""Numbers and truths as answers, where the set writes its own so: ReClor's 2, BoolQ's true."""

from collections.abc import Callable
from string import ascii_uppercase
from typing import Any

from closeread.types import Dataset

_ROWS = "rows"
_FIELDS = ("answer", "prediction", "label")
_TRUTHS = {"true": "yes", "false": "no"}


def in_words(dataset: Dataset | None) -> Callable[[Any], Any] | None:
    """Return what makes an option's letter of a prediction as the set writes its gold.

    None where nothing has to be made of it.
    """
    columns = dataset.metadata.get(_ROWS) if dataset is not None else None
    if columns is None:
        return None
    if columns.get("answer_form") == "truth":
        return _each(_truth)
    if not columns.get("options"):
        return None
    first = columns.get("first", 0)

    def letter(value: Any) -> Any:
        if isinstance(value, bool) or not isinstance(value, int):
            return value
        index = value - first
        return ascii_uppercase[index] if 0 <= index < len(ascii_uppercase) else str(value)

    return _each(letter)


def _truth(value: Any) -> Any:
    if isinstance(value, bool | str):
        return _TRUTHS.get(str(value).lower(), value)
    return value


def _each(made: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return the same for a value alone, and for those of an object that may be an answer."""

    def of(value: Any) -> Any:
        if not isinstance(value, dict):
            return made(value)
        return value | {field: made(value[field]) for field in _FIELDS if field in value}

    return of
