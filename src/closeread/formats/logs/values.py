"""Parses values in logs: JSON that may hold NaN or be cut off, numbers, texts."""

import ast
import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from closeread.errors import InputError
from closeread.formats.files.source import Source
from closeread.formats.files.stream import BrokenJSONError, JSONStream
from closeread.formats.logs.records import LogRecord, Problems
from closeread.types import Prediction

T = TypeVar("T")
HUGE_BYTES = 8 * 1024 * 1024


def parse(raw: bytes) -> Any:
    """Parse JSON; accept NaN and Infinity, as Python writes them.

    Raises:
        ValueError: It is not JSON, or not UTF-8.
    """
    try:
        return msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        try:
            value = json.loads(raw)
            msgspec.json.encode(value)  # fails at an unpaired surrogate
        except (RecursionError, msgspec.EncodeError) as error:
            raise ValueError("nested too deeply, or an unpaired surrogate") from error
        return value


def iter_lines(path: Path, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of a JSON-lines log with their line numbers.

    Counts ``cut-record`` (the last line is cut off), ``cut-log`` (compressed data is),
    ``not-json``, ``not-an-object`` as bad, and ``huge-record`` as kept.
    """
    for number, raw in _iter_lines_before_cut(path, problems):
        count_if_huge(len(raw), problems, line=number)
        try:
            value = parse(raw)
        except ValueError as error:
            cut = not raw.endswith(b"\n")
            code = "cut-record" if cut else "not-json"
            message = "the file ends in the middle of the record" if cut else str(error)
            problems.bad.add(code, message, line=number)
            continue
        if isinstance(value, dict):
            yield number, value
        else:
            problems.bad.add("not-an-object", f"found {type(value).__name__}", line=number)


def _iter_lines_before_cut(path: Path, problems: Problems) -> Iterator[tuple[int, bytes]]:
    number = 0
    try:
        for number, raw in Source(path).lines():
            yield number, raw
    except InputError as error:
        if not number:
            raise
        problems.bad.add("cut-log", error.found, line=number)


def count_if_huge(
    size: int, problems: Problems, *, line: int | None = None, name: str = ""
) -> None:
    """Count a record that is larger than an answer should be."""
    if size > HUGE_BYTES:
        message = f"the record has {size:,} bytes"
        problems.kept.add("huge-record", message, line=line, question_id=name)


def iter_elements(
    path: Path, field: str, problems: Problems, other_members: dict[str, Any]
) -> Iterator[Any]:
    """Yield the elements of a document's array; ``rest`` gets the document's other members.

    Counts ``cut-log`` if the document is cut off.
    """
    with Source(path).open() as stream:
        document = JSONStream(stream, finite=False)
        document.other_members = other_members
        try:
            yield from document.elements(field)
        except (BrokenJSONError, UnicodeDecodeError, RecursionError) as error:
            _count_cut(error, problems)


def iter_members(path: Path, problems: Problems) -> Iterator[tuple[str, Any]]:
    """Yield the members of a document that is one object, like ``iter_elements``."""
    with Source(path).open() as stream:
        try:
            yield from JSONStream(stream, finite=False).members()
        except (BrokenJSONError, UnicodeDecodeError, RecursionError) as error:
            _count_cut(error, problems)


def _count_cut(error: Exception, problems: Problems) -> None:
    line = error.line if isinstance(error, BrokenJSONError) else None
    problems.bad.add("cut-log", str(error) or "nested too deeply", line=line)


def read_side_file(path: Path) -> dict[str, Any]:
    """Parse a small file beside a log; empty if it does not exist or is not JSON."""
    try:
        content = parse(Source(path).read())
    except (InputError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def make_or_count(
    make: Callable[[], T], problems: Problems, *, name: str = "", line: int | None = None
) -> T | None:
    """Return the result of ``make``; None, and count ``odd-value``, if a value has another type.

    So it does if the prediction could not be read back from a run.
    """
    try:
        result = make()
        if isinstance(result, LogRecord):
            msgspec.json.decode(msgspec.json.encode(result.prediction), type=Prediction)
        return result
    except (
        ArithmeticError,
        AttributeError,
        LookupError,
        RecursionError,
        TypeError,
        ValueError,
    ) as error:
        message = f"a value has an unexpected type ({error})"
        problems.bad.add("odd-value", message, question_id=name, line=line)
        return None


def as_dict(value: Any) -> dict[str, Any]:
    """Return an object; empty if the value is not one."""
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """Return a list; empty if the value is not one."""
    return value if isinstance(value, list) else []


def parse_score(value: Any) -> float | None:
    """Return a score as a float: true is 1, text is None, a number too large is infinite."""
    if not isinstance(value, bool | int | float):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf


def parse_scores(
    raw_scores: dict[str, Any], problems: Problems, *, name: str, line: int | None = None
) -> dict[str, float | None]:
    """Return a question's scores that are numbers.

    Counts ``nan-score``; such a score becomes None.
    """
    scores: dict[str, float | None] = {}
    for key, value in raw_scores.items():
        score = parse_score(value)
        if score is None:
            continue
        if not math.isfinite(score):
            problems.bad.add("nan-score", f"{key} is {score}", question_id=name, line=line)
            score = None
        scores[key] = score
    return scores


def finite_scores(raw_scores: dict[str, Any]) -> dict[str, float | None]:
    """Return the scores of a whole set; None for infinite ones, without those that are text."""
    numbers = {key: parse_score(value) for key, value in raw_scores.items()}
    return {
        key: value if math.isfinite(value) else None
        for key, value in numbers.items()
        if value is not None
    }


def parse_literal(text: str, opening: str = "[(") -> Any:
    """Parse a list or tuple that Python printed; return other texts as they are.

    Args:
        text: The printed value.
        opening: The characters that it may begin with; with ``{`` it may be a dict.
    """
    if not text or text[0] not in opening:
        return text
    try:
        value = ast.literal_eval(text)
        msgspec.json.encode(value)  # fails at an unpaired surrogate, and at complex numbers
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError, msgspec.EncodeError):
        return text
    return value if isinstance(value, list | tuple | dict) else text  # (1990) is not a tuple


def text_of(value: Any) -> str | None:
    """Return a message's text: a string, or the joined text parts of a list."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        parts = [
            part if isinstance(part, str) else part.get("text", "")
            for part in value
            if isinstance(part, str | dict)
        ]
        return "".join(part for part in parts if isinstance(part, str))
    return None
