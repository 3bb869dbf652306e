"""Rows that others made: a question each, or a passage with its questions, in their own columns.

JSON lines, a JSON list, a table, or parquet and arrow. ``layouts/known_rows.py`` tells which sets
are known; of any other one the user says what holds what: ``rows,passage=story,question=query``.
"""

from collections import Counter, deque
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, BinaryIO

import msgspec

from closeread.errors import InputError, UsageError
from closeread.formats.files.head import Head
from closeread.formats.files.source import Source
from closeread.formats.layouts import rows as own_rows
from closeread.formats.layouts.column_choice import Given, asked, columns_of
from closeread.formats.layouts.columns import Columns, own, passage_of, theirs, value_at
from closeread.formats.layouts.extra_fields import noted, restored, unsaid
from closeread.formats.layouts.ids import ContentIds
from closeread.formats.layouts.json_objects import At, Numbered, line_of, place
from closeread.formats.layouts.json_writing import write_array, write_lines
from closeread.formats.layouts.known_rows import known_columns
from closeread.formats.layouts.row_files import beside, each_of, first_row, rows_of
from closeread.formats.registry import Format, Info
from closeread.types import Dataset, Defects, Item, Question

_NAME = "rows"
_INSIDE, _CUTS = "rows_inside", "rows_cuts"
_BESIDE = "rows_beside"
_AGAIN = "rows_again"  # the question begins another row of the same passage
_OWN = ("id", "passage", "question")  # what rows of our form have, which are read as `jsonl`
_OF_SQUAD = {"id", "context", "question", "answers"}

# The row of a question, where the parts of its passage end, whether it begins a row of the file.
_Theirs = tuple[dict[str, Any], dict[str, Any], bool]


def sniff(head: Head) -> bool:
    """Whether the first row has the columns of a set that is known, and not those of our own."""
    row = first_row(head)
    if row is None:
        return False
    if head.value is None and row.keys() >= _OF_SQUAD:
        return True  # SQuAD's rows as a table, which cannot hold them: reading tells
    is_own = row.keys() >= set(_OWN) and not isinstance(row.get("answer"), bool)
    return not is_own and known_columns(row) is not None


def info(source: Source, given: Given | None = None) -> Info:
    """Tell what the columns hold, in which forms, and what stands beside rows in a document."""
    columns = columns_of(source, given or {})
    kept = {} if (rest := beside(source)) is None else {_BESIDE: rest}
    return Info(metadata={_NAME: msgspec.to_builtins(columns)} | kept)


def read(source: Source, defects: Defects, given: Given | None = None) -> Iterator[Item]:
    """Yield passages with their questions; counts as rows of our own do.

    Counts ``duplicate-question`` where the rows have no ids, which are then made from the content.

    Raises:
        InputError: A column is missing or of another type; says line and question.
        UsageError: What is given is none of a column's roles.
    """
    columns = columns_of(source, given or {})
    waiting: deque[_Theirs] = deque()

    def ours() -> Iterator[Numbered]:
        for at, one, their in _rows(source, columns, defects):
            waiting.append(their)
            yield at, one

    for passage, questions in own_rows.items(source, ours(), defects):
        kept: list[Question] = []
        for question in questions:
            row, cuts, begins = waiting.popleft()
            again = bool(columns.inside and begins and kept)
            metadata = _beyond(row, theirs(passage, question, columns, cuts), columns)
            metadata |= noted(**{_CUTS: cuts, _AGAIN: again or None})
            kind: Any = "discrete" if columns.together else question.kind
            kept.append(msgspec.structs.replace(question, kind=kind, metadata=metadata))
        yield passage, tuple(kept)


def read_gold(source: Source, defects: Defects, given: Given | None = None) -> Iterator[Question]:
    """Yield the questions as ``read`` does, without what writing their rows again needs.

    Raises:
        InputError: A column is missing or of another type; says line and question.
        UsageError: What is given is none of a column's roles.
    """
    columns = columns_of(source, given or {})
    ours = ((at, one) for at, one, _ in _rows(source, columns, defects))
    for _, questions in own_rows.items(source, ours, defects):
        for question in questions:
            if columns.together:
                yield msgspec.structs.replace(question, kind="discrete")
            else:
                yield question


def _rows(
    source: Source, columns: Columns, defects: Defects
) -> Iterator[tuple[At, dict[str, Any], _Theirs]]:
    """Yield each row as one of ours, with its place and what it is made from."""
    times: Counter[Any] = Counter()
    made = ContentIds(defects)
    for at, whole in rows_of(source):
        for number, row in enumerate(each_of(source, at, whole, columns)):
            text, cuts = passage_of(row, columns)
            _check(source, at, row, columns, text)
            one = own(row, columns, text)
            if columns.numbered:
                times[one["id"]] += 1
                one["id"] = f"{one['id']}-{times[one['id']] - 1}"
            elif not columns.id:
                texts = [one["passage"], one["question"], *_texts(one.get("options"))]
                one["id"] = made.make(*texts, line=line_of(at))
            yield at, one, (row, cuts, number == 0)


def _beyond(row: dict[str, Any], made: dict[str, Any], columns: Columns) -> dict[str, Any]:
    """Return as metadata how a row differs from what would be written, and so what is inside."""
    if not columns.inside:
        return unsaid(_NAME, row, made)
    inner = unsaid(_INSIDE, row[columns.inside], made.pop(columns.inside, {}))
    outer = {name: value for name, value in row.items() if name != columns.inside}
    return unsaid(_NAME, outer, made) | inner


def _texts(options: Any) -> list[str]:
    found = list(options.values()) if isinstance(options, dict) else options
    return [text for text in found if isinstance(text, str)] if isinstance(found, list) else []


def _check(source: Source, at: At, row: Mapping[str, Any], columns: Columns, passage: Any) -> None:
    """Tell by their own name of columns that hold no text, or no id.

    Args:
        source: The file.
        at: Where the row stands in it.
        row: The row.
        columns: Its columns.
        passage: What ``passage_of`` made of the row: a text only where each part is one.
    """
    needed: list[tuple[str, Any, tuple[type, ...]]] = [
        (columns.question, value_at(row, columns.question), (str,)),
        *((path, value_at(row, path), (str, int)) for path in columns.id),
    ]
    if not isinstance(passage, str):
        parts = columns.passage
        held = [passage] if len(parts) == 1 else [value_at(row, path) for path in parts]
        needed[:0] = [(path, part, (str,)) for path, part in zip(parts, held, strict=True)]
    for path, found, kinds in needed:
        if not isinstance(found, kinds) or isinstance(found, bool):
            expected = "text" if len(kinds) == 1 else "text or an integer"
            raise InputError(
                f"the column {path!r} "
                + (
                    "is missing"
                    if found is None
                    else f"does not hold {expected.split(maxsplit=1)[0]}"
                ),
                where=place(source, at),
                expected=expected,
                cure="fix the row or remove it",
            )


def write(dataset: Dataset, stream: BinaryIO) -> None:
    """Write JSON lines with the columns that were read, or ``data`` where they stood in that.

    Raises:
        UsageError: The set was not read from rows.
    """
    if _NAME not in dataset.metadata:
        raise UsageError(
            "the rows format writes only sets that were read from rows",
            where=dataset.path or dataset.name,
            cure="choose another format; `jsonl` holds every question, `csv` is a table",
        )
    columns = msgspec.convert(dataset.metadata[_NAME], Columns)
    if _BESIDE in dataset.metadata:
        write_array(stream, _written(dataset, columns), "data", **dataset.metadata[_BESIDE])
    else:
        write_lines(stream, _written(dataset, columns))


def _written(dataset: Dataset, columns: Columns) -> Iterator[dict[str, Any]]:
    for passage, questions in dataset:
        rows: list[tuple[dict[str, Any], dict[str, Any]]] = []
        for question in questions:
            metadata = question.metadata
            made = theirs(passage, question, columns, metadata.get(_CUTS, {}))
            inner = made.pop(columns.inside, {}) if columns.inside else {}
            if rows and (not columns.inside or metadata.get(_AGAIN)):
                yield _gathered(rows, columns)
                rows = []
            rows.append((restored(_NAME, made, metadata), restored(_INSIDE, inner, metadata)))
        if rows:
            yield _gathered(rows, columns)


def _gathered(
    rows: list[tuple[dict[str, Any], dict[str, Any]]], columns: Columns
) -> dict[str, Any]:
    """Return one row: that of a question, or of a passage with what is inside of each."""
    if not columns.inside:
        return rows[0][0]
    held: Any = [inner for _, inner in rows]
    if columns.inside_form == "object":
        held = {name: [inner.get(name) for inner in held] for name in held[0]}
    return rows[0][0] | {columns.inside: held}


def named(given: Given) -> Format:
    """Return the format with columns that the user names.

    Args:
        given: A column's role (``KEYS``) to its name, or to several with ``|`` between them.

    Raises:
        UsageError: There is no such role.
    """
    asked(given)
    return Format(
        name=_NAME,
        sniff=sniff,
        read=partial(read, given=given),
        read_gold=partial(read_gold, given=given),
        write=write,
        info=partial(info, given=given),
    )


FORMAT = Format(
    name=_NAME,
    sniff=sniff,
    read=read,
    read_gold=read_gold,
    write=write,
    info=info,
    named=named,
)
