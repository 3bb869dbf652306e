"""Turns a parser's error into one that names the file, the line and the question."""

import re
from typing import Any

import msgspec

from closeread.errors import InputError
from closeread.formats.files.expected_types import describe_mismatch, split_message
from closeread.formats.files.stream import BrokenJSONError
from closeread.wording import in_one_line

_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]")
_BYTE = re.compile(r"\(byte (\d+)\)")
_MISSING = re.compile(r"missing required field `(.+)`$")
_WRONG_TYPE = re.compile(r"^Expected `(.+)`, got `(.+)`$")
_IDS = ("qid", "question_id", "query_id", "q_id", "id", "ID")
_IDS_OF_PASSAGES = ("pid", "context_id", "passage_id")
PARSER_ERRORS = (
    msgspec.DecodeError,
    msgspec.ValidationError,
    UnicodeDecodeError,
    RecursionError,
    BrokenJSONError,
)
_SHOWN = 24  # bytes
FIX_FILE = "fix the file"


def explain(
    error: Exception,
    file: str,
    *,
    raw: bytes = b"",
    value: Any = None,
    line: int | None = None,
    within: str = "",
    cure: str = FIX_FILE,
    kind: Any = None,
) -> InputError:
    """Turn a parser's error into one with the place, what was expected and what to do.

    Args:
        error: What the parser raised.
        file: The file's name.
        raw: The text that was parsed, to find the line in; may be empty.
        value: The same as plain objects, to find the question in; parsed again if None.
        line: The line number of ``raw``, if it is one line.
        within: The path of ``raw`` or ``value`` in the file, such as ``data[3]``.
        cure: What to do, unless the error implies a better cure.
        kind: The expected type, to name what would have been valid.
    """
    message, path = split_message(error)
    if isinstance(error, BrokenJSONError):
        message, line = error.reason, error.line
        where = _format_place(file, line, "", within or error.place)
        return InputError(f"not JSON: {message}", where=where, cure=cure)
    at_byte = byte_position(error)
    if line is None and raw and at_byte is not None:
        line = raw.count(b"\n", 0, at_byte) + 1
    if isinstance(error, UnicodeDecodeError):
        return InputError(
            "not UTF-8 text",
            where=_format_place(file, line, "", within),
            cure="convert it: iconv -f ENCODING -t UTF-8 FILE > NEW; "
            "Chinese text is likely GB18030, Western text WINDOWS-1252",
        )
    if isinstance(error, RecursionError):
        return InputError(
            "nested too deeply", where=_format_place(file, line, "", within), cure=cure
        )
    if not isinstance(error, msgspec.ValidationError):
        return InputError(
            _describe_syntax_error(message, raw, at_byte),
            where=_format_place(file, line, "", within),
            cure=cure,
        )
    wrong_type = _WRONG_TYPE.match(message)
    plain_value = value if value is not None else _parse_or_none(raw)
    record = _nearest_record(plain_value, path, itself=wrong_type is None)
    name = f'"{record.partition(" ")[2]}"'.encode()
    if line is None and record and raw.count(name) == 1:
        line = raw.count(b"\n", 0, raw.index(name)) + 1
    place = (within + path.removeprefix("$")).removeprefix(".")
    where = _format_place(file, line, record, place)
    if kind is not None and (mismatch := describe_mismatch(message, kind, path)) is not None:
        return InputError(mismatch[0], where=where, expected=mismatch[1], cure=cure)
    if missing := _MISSING.search(message):
        return InputError(f"the field {missing[1]!r} is missing", where=where, cure=cure)
    if wrong_type:
        found, expected = _describe_kinds(wrong_type[2]), _describe_kinds(wrong_type[1])
        return InputError(f"found {found}", where=where, expected=expected, cure=cure)
    return InputError(message, where=where, cure=cure)


def byte_position(error: Exception) -> int | None:
    """Return the byte at which a parser stopped; None if it does not say."""
    match = _BYTE.search(str(error))
    # for trailing characters msgspec gives the byte after the first
    return int(match[1]) - ("trailing characters" in str(error)) if match else None


def _format_place(file: str, line: int | None, record: str, place: str) -> str:
    parts = [file]
    if line:
        parts.append(f"line {line}")
    if record:
        parts.append(record)
    if place:
        parts.append(f"at {place}")
    return ", ".join(parts)


def _describe_syntax_error(message: str, raw: bytes, at: int | None) -> str:
    if at is not None and raw[at : at + 1] == b"\0":
        return "not JSON: the text contains a NUL byte"
    if "truncated" in message:
        return "not JSON: the text ends in the middle of a value"
    problem = _BYTE.sub("", message.removeprefix("JSON is malformed: ")).strip()
    return f"not JSON: {problem}" + ("" if at is None else _quote_around(raw, at))


def _quote_around(raw: bytes, at: int) -> str:
    """Quote the text at and before a parser's stop: a line may be the whole file."""
    begin = max(raw.rfind(b"\n", 0, at) + 1, at - _SHOWN)
    preceding = in_one_line(raw[begin:at].decode(errors="ignore"))
    following = in_one_line(raw[at : at + _SHOWN].split(b"\n")[0].decode(errors="ignore"))
    return (f" at {following!r}" if following else "") + (
        f" after {preceding!r}" if preceding else ""
    )


def _describe_kinds(name: str) -> str:
    """Return the plain name of a JSON type, or of several with ``|`` between them."""
    names = {
        "str": "a string",
        "int": "an integer",
        "float": "a number",
        "bool": "true or false",
        "array": "a list",
        "object": "an object",
        "null": "null",
    }
    return " or ".join(names.get(part.strip(), part.strip()) for part in name.split("|"))


def _parse_or_none(raw: bytes) -> Any:
    try:
        return msgspec.json.decode(raw)
    except (*PARSER_ERRORS, ValueError):
        return None


def _nearest_record(value: Any, path: str, *, itself: bool) -> str:
    """Return the innermost record with an id on a path, such as ``question 7``.

    ``itself``: whether the value at the path's end may be that record; a value of an unexpected
    type is not.
    """
    values = [value]
    for key, index in _STEP.findall(path):
        try:
            values.append(values[-1][key] if key else values[-1][int(index)])
        except (KeyError, IndexError, TypeError):
            break
    else:
        if not itself:
            del values[-1]
    return next(filter(None, map(_record_name, reversed(values))), "")


def _record_name(value: Any) -> str:
    if not isinstance(value, dict):
        return ""
    for kind, keys in (("question", _IDS), ("passage", _IDS_OF_PASSAGES)):
        for key in keys:
            if isinstance(value.get(key), str | int):
                return f"{kind} {value[key]}"
    return ""
