"""Rows that others made: a question each, or a passage with its questions, in their own columns.

JSON lines, a JSON list, a table, or parquet and arrow. ``layouts/known_rows.py`` tells which sets
are known; of any other one the user says what holds what: ``rows,passage=story,question=query``.
"""

import re
from collections import Counter, deque
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, BinaryIO

import msgspec

from closeread.errors import InputError, UsageError
from closeread.formats.files.head import Head
from closeread.formats.files.source import Source
from closeread.formats.layouts import rows as own_rows
from closeread.formats.layouts.cells import cells, first_line
from closeread.formats.layouts.columns import (
    Columns,
    as_written,
    each_question,
    own,
    passage_of,
    shaped,
    theirs,
    value_at,
)
from closeread.formats.layouts.ids import ContentIds
from closeread.formats.layouts.kept import restored, unsaid
from closeread.formats.layouts.known_rows import known_columns
from closeread.formats.layouts.writing import write_lines
from closeread.formats.registry import Format, Info
from closeread.types import Dataset, Defects, Item

_NAME = "rows"
_INSIDE, _CUTS = "rows_inside", "rows_cuts"
_OWN = ("id", "passage", "question")  # what rows of our form have, which are read as `jsonl`
_OF_SQUAD = {"id", "context", "question", "answers"}
_SEVERAL = ("passage", "options", "id", "tags")
_NAMES = ("title", "passage_id", "language", "question", "answer", "inside")
_OBJECT = re.compile(r"\s*(\{['\"]\w+['\"]:|\[['\"])")
_TRUTHS = {"true": True, "false": False}
_SWITCHES = ("together", "withheld")
KEYS = (*_SEVERAL, *_NAMES, "first", *_SWITCHES)
_PARAGRAPH = ("data", 0, "paragraphs", 0)
Given = Mapping[str, str]


class _Article(msgspec.Struct):
    paragraphs: list[dict[str, Any]]


def are_situations(head: Head) -> bool:
    """Whether the file is ROPES's, a tree as SQuAD's whose paragraphs are rows of two texts."""
    return head.has("background", "situation", at=_PARAGRAPH)


def sniff(head: Head) -> bool:
    """Whether the first row has the columns of a set that is known, and not those of our own."""
    row = _first(head)
    if row is None:
        return False
    if head.value is None and row.keys() >= _OF_SQUAD:
        return True  # SQuAD's rows as a table, which cannot hold them: reading tells
    is_own = row.keys() >= set(_OWN) and not isinstance(row.get("answer"), bool)
    return not is_own and known_columns(row) is not None


def _first(head: Head) -> dict[str, Any] | None:
    """Return the first row; of a table the columns' names alone, which stand for text."""
    if head.value is None:
        return {name: name for name in first_line(head) if name} or None
    if are_situations(head):
        found = head.first(*_PARAGRAPH)
        return found if isinstance(found, dict) else None
    found = head.first(0) if isinstance(head.value, list) else head.value
    return found if isinstance(found, dict) else None


def info(source: Source, given: Given | None = None) -> Info:
    """Tell what the columns hold, and in which forms."""
    columns = _columns(source, given or {})
    return Info(metadata={_NAME: msgspec.to_builtins(columns)})


def _columns(source: Source, given: Given) -> Columns:
    """Return what the columns of a file hold: as the user says, else as is known of such rows.

    Raises:
        InputError: A column is not there, or nothing tells where passage and question are.
        UsageError: What is given is none of a column's roles.
    """
    at, row = next(_rows(source), (0, {}))
    known = known_columns(row) or _usual(row)
    columns = shaped(row, msgspec.structs.replace(known, **_asked(given)))
    row = next(iter(_each(source, at, row, columns)), row)
    if not source.head().raw.lstrip().startswith((b"[", b"{")):
        _must_be_cells(source, row)
    used = [*columns.passage, columns.question]
    for key in given:
        used += _paths(getattr(columns, key))
    missing = [path for path in used if not _has(row, path)]
    if missing:
        raise InputError(
            "no column " + ", ".join(dict.fromkeys(missing)),
            where=str(source),
            expected="one of " + ", ".join(row),
            cure="say which holds what by the format "
            "`rows,passage=COLUMN,question=COLUMN,answer=COLUMN` (docs/formats.md)",
        )
    return as_written(row, columns)


def _must_be_cells(source: Source, row: Mapping[str, Any]) -> None:
    """Refuse a table whose cells hold Python's objects, as ``to_csv`` of ``datasets`` has them."""
    odd = [name for name, cell in row.items() if _OBJECT.match(cell)]
    if odd:
        raise InputError(
            f"the column {odd[0]!r} holds an object of Python as text: {row[odd[0]]:.40}",
            where=f"{source}, line 2",
            expected="text",
            cure='save the set otherwise: dataset.to_json("NEW.jsonl"), '
            'or dataset.to_parquet("NEW.parquet")',
        )


def _paths(value: Any) -> tuple[str, ...]:
    if isinstance(value, tuple):
        return value
    return (value,) if isinstance(value, str) and value else ()


def _has(row: Mapping[str, Any], path: str) -> bool:
    return path in row or value_at(row, path) is not None


def _usual(row: Mapping[str, Any]) -> Columns:
    """Return the columns of rows that have the names of our own, as far as they have."""
    one = {name: name for name in ("answer", "title", "passage_id", "language") if name in row}
    several = {name: (name,) for name in ("options", "id") if name in row}
    return Columns(passage=("passage",), question="question", **one, **several)  # type: ignore[arg-type]


def _asked(given: Given) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, said in given.items():
        if key in _SEVERAL:
            found[key] = tuple(said.split("|")) if said else ()
        elif key == "answer":
            found[key], *also = said.split("|")
            found["also"] = tuple(also)
        elif key in _NAMES:
            found[key] = said
        elif key in _SWITCHES and said.lower() in _TRUTHS:
            found[key] = _TRUTHS[said.lower()]
        elif key == "first" and said in ("0", "1"):
            found[key] = int(said)
        else:
            raise UsageError(
                f"rows,{key}={said}",
                expected="COLUMN for " + ", ".join((*_SEVERAL, *_NAMES))
                + "; first=0 or 1; true or false for " + ", ".join(_SWITCHES),
                cure="several columns are separated by |; docs/formats.md tells what each is",
            )  # fmt: skip
    return found


def _rows(source: Source) -> Iterator[own_rows.Numbered]:
    """Yield each row with its place, whatever the file is."""
    first = source.head().raw.lstrip()[:1]
    if are_situations(source.head()):
        for number, article in enumerate(source.elements("data", _Article)):
            for index, row in enumerate(article.paragraphs):
                yield f"data[{number}].paragraphs[{index}]", row
    elif first == b"[":
        found = enumerate(source.elements("", dict[str, Any]))
        yield from ((f"[{n}]", row) for n, row in found)
    elif first == b"{":
        for line, raw in source.lines():
            yield line, source.decode(raw, dict[str, Any], line=line)
    else:
        yield from cells(source)


def _each(
    source: Source, at: int | str, row: dict[str, Any], columns: Columns
) -> list[dict[str, Any]]:
    try:
        return each_question(row, columns)
    except ValueError as error:
        line = at if isinstance(at, int) else None
        raise InputError(
            f"the column {columns.inside!r} holds {error}",
            where=source.place("" if line else str(at), line=line),
            expected="a list of questions, an object each, or one object of lists",
            cure="mend the row, or take it out",
        ) from error


def read(source: Source, defects: Defects, given: Given | None = None) -> Iterator[Item]:
    """Yield passages with their questions; counts as rows of our own do.

    Counts ``duplicate-question`` where the rows have no ids, which are then made from the content.

    Raises:
        InputError: A column is missing or of another type; says line and question.
        UsageError: What is given is none of a column's roles.
    """
    columns = _columns(source, given or {})
    waiting: deque[tuple[dict[str, Any], Any]] = deque()
    times: Counter[Any] = Counter()
    made = ContentIds(defects)

    def each() -> Iterator[own_rows.Numbered]:
        for at, row in _rows(source):
            yield from ((at, one) for one in _each(source, at, row, columns))

    def ours() -> Iterator[own_rows.Numbered]:
        for at, row in each():
            _check(source, at, row, columns)
            one = own(row, columns)
            if columns.numbered:
                times[one["id"]] += 1
                one["id"] = f"{one['id']}-{times[one['id']] - 1}"
            elif not columns.id:
                texts = [one["passage"], one["question"], *_texts(one.get("options"))]
                one["id"] = made.make(*texts, line=at if isinstance(at, int) else None)
            waiting.append((row, passage_of(row, columns)[1]))
            yield at, one

    for passage, questions in own_rows.items(source, ours(), defects):
        kept = []
        for question in questions:
            row, cuts = waiting.popleft()
            metadata = _beyond(row, theirs(passage, question, columns, cuts), columns) | (
                {_CUTS: cuts} if cuts else {}
            )
            kind: Any = "discrete" if columns.together else question.kind
            kept.append(msgspec.structs.replace(question, kind=kind, metadata=metadata))
        yield passage, tuple(kept)


def _beyond(row: dict[str, Any], made: dict[str, Any], columns: Columns) -> dict[str, Any]:
    """Return as metadata how a row differs from what would be written, and so what is inside."""
    if not columns.inside:
        return unsaid(_NAME, row, made)
    inner = unsaid(_INSIDE, row[columns.inside], made.pop(columns.inside, {}))
    outer = {name: value for name, value in row.items() if name != columns.inside}
    return unsaid(_NAME, outer, made) | inner


def _texts(options: Any) -> list[str]:
    found = list(options.values()) if isinstance(options, dict) else options or []
    return [text for text in found if isinstance(text, str)]


def _check(source: Source, at: int | str, row: Mapping[str, Any], columns: Columns) -> None:
    """Tell by their own name of columns that hold no text."""
    text, _ = passage_of(row, columns)
    for path, found in (
        (columns.passage[0], text),
        (columns.question, value_at(row, columns.question)),
    ):
        if not isinstance(found, str):
            line = at if isinstance(at, int) else None
            raise InputError(
                f"the column {path!r} " + ("is missing" if found is None else "holds no text"),
                where=source.place("" if line else str(at), line=line),
                expected="text",
                cure="mend the row, or take it out",
            )


def write(dataset: Dataset, stream: BinaryIO) -> None:
    """Write JSON lines with the columns that were read.

    Raises:
        UsageError: The set was not read from rows.
    """
    if _NAME not in dataset.metadata:
        raise UsageError(
            "rows have the columns of the set that they were read from, and this one has none",
            where=dataset.path or dataset.name,
            cure="choose another format; `jsonl` holds every question, `csv` is a table",
        )
    columns = msgspec.convert(dataset.metadata[_NAME], Columns)
    write_lines(stream, _written(dataset, columns))


def _written(dataset: Dataset, columns: Columns) -> Iterator[dict[str, Any]]:
    for passage, questions in dataset:
        rows = []
        for question in questions:
            metadata = question.metadata
            made = theirs(passage, question, columns, metadata.get(_CUTS, {}))
            inner = made.pop(columns.inside, {}) if columns.inside else {}
            rows.append((restored(_NAME, made, metadata), restored(_INSIDE, inner, metadata)))
        if not columns.inside:
            yield from (row for row, _ in rows)
        elif rows:
            held: Any = [inner for _, inner in rows]
            if columns.inside_form == "object":
                held = {name: [inner.get(name) for inner in held] for name in held[0]}
            yield rows[0][0] | {columns.inside: held}


def named(given: Given) -> Format:
    """Return the format with columns that the user names.

    Args:
        given: A column's role (``KEYS``) to its name, or to several with ``|`` between them.

    Raises:
        UsageError: There is no such role.
    """
    _asked(given)
    return Format(
        name=_NAME,
        sniff=sniff,
        read=partial(read, given=given),
        write=write,
        info=partial(info, given=given),
    )


FORMAT = Format(name=_NAME, sniff=sniff, read=read, write=write, info=info, named=named)
