"""Reads and writes rows in the columns of any set, one question or one passage each.

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
from closeread.formats.layouts.column_choice import Settings, find_columns, parse_settings
from closeread.formats.layouts.columns import (
    Columns,
    join_passage,
    to_own_row,
    to_set_row,
    value_at,
)
from closeread.formats.layouts.extra_fields import apply_diff, rendering_diff, without_empty
from closeread.formats.layouts.ids import ContentIds
from closeread.formats.layouts.json_objects import Position, Positioned, describe_place, line_number
from closeread.formats.layouts.json_writing import write_array, write_lines
from closeread.formats.layouts.known_rows import find_known_columns
from closeread.formats.layouts.row_files import fields_beside_rows, first_row, iter_rows, split_row
from closeread.formats.registry import Format, Info
from closeread.types import Dataset, Defects, Item, Question

_NAME = "rows"
_INSIDE, _CUTS = "rows_inside", "rows_cuts"
_BESIDE = "rows_beside"
_STARTS_ROW = "rows_again"  # the question begins another row of the same passage
_OWN = ("id", "passage", "question")  # what rows of our form have, which are read as `jsonl`
_OF_SQUAD = {"id", "context", "question", "answers"}

# The row of a question, where the parts of its passage end, whether it begins a row of the file.
_Origin = tuple[dict[str, Any], dict[str, Any], bool]


def sniff(head: Head) -> bool:
    """Whether the first row has the columns of a known set, and not those of closeread's own."""
    row = first_row(head)
    if row is None:
        return False
    if head.value is None and row.keys() >= _OF_SQUAD:
        return True  # SQuAD's rows in a table, which cannot hold them: reading reports that
    is_own = row.keys() >= set(_OWN) and not isinstance(row.get("answer"), bool)
    return not is_own and find_known_columns(row) is not None


def info(source: Source, settings: Settings | None = None) -> Info:
    """Find what the columns hold, their forms, and the fields beside rows in a document."""
    columns = find_columns(source, settings or {})
    document_fields = (
        {} if (other_fields := fields_beside_rows(source)) is None else {_BESIDE: other_fields}
    )
    return Info(metadata={_NAME: msgspec.to_builtins(columns)} | document_fields)


def read(source: Source, defects: Defects, settings: Settings | None = None) -> Iterator[Item]:
    """Yield passages with their questions; counts the defects of closeread's own rows.

    If the rows have no ids, ids are made from the content, and ``duplicate-question`` is counted.

    Raises:
        InputError: A column is missing or of another type; names line and question.
        UsageError: A setting is unknown or has an invalid value.
    """
    columns = find_columns(source, settings or {})
    waiting: deque[_Origin] = deque()

    def own_rows_of_file() -> Iterator[Positioned]:
        for at, own_row, origin in _rows(source, columns, defects):
            waiting.append(origin)
            yield at, own_row

    for passage, questions in own_rows.gather_passages(source, own_rows_of_file(), defects):
        read_questions: list[Question] = []
        for question in questions:
            row, cuts, begins = waiting.popleft()
            starts_row = bool(columns.inside and begins and read_questions)
            metadata = _diff_metadata(row, to_set_row(passage, question, columns, cuts), columns)
            metadata |= without_empty(**{_CUTS: cuts, _STARTS_ROW: starts_row or None})
            kind: Any = "discrete" if columns.together else question.kind
            read_questions.append(msgspec.structs.replace(question, kind=kind, metadata=metadata))
        yield passage, tuple(read_questions)


def read_gold(
    source: Source, defects: Defects, settings: Settings | None = None
) -> Iterator[Question]:
    """Yield the questions as ``read`` does, without the metadata to write their rows again.

    Raises:
        InputError: A column is missing or of another type; names line and question.
        UsageError: A setting is unknown or has an invalid value.
    """
    columns = find_columns(source, settings or {})
    own_rows_of_file = ((at, own_row) for at, own_row, _ in _rows(source, columns, defects))
    for _, questions in own_rows.gather_passages(source, own_rows_of_file, defects):
        for question in questions:
            if columns.together:
                yield msgspec.structs.replace(question, kind="discrete")
            else:
                yield question


def _rows(
    source: Source, columns: Columns, defects: Defects
) -> Iterator[tuple[Position, dict[str, Any], _Origin]]:
    """Yield each row as closeread's own row, with its place and its origin."""
    id_counts: Counter[Any] = Counter()
    content_ids = ContentIds(defects)
    for at, file_row in iter_rows(source):
        for number, row in enumerate(split_row(source, at, file_row, columns)):
            text, cuts = join_passage(row, columns)
            _check(source, at, row, columns, text)
            own_row = to_own_row(row, columns, text)
            if columns.numbered:
                id_counts[own_row["id"]] += 1
                own_row["id"] = f"{own_row['id']}-{id_counts[own_row['id']] - 1}"
            elif not columns.id:
                texts = [
                    own_row["passage"],
                    own_row["question"],
                    *_option_texts(own_row.get("options")),
                ]
                own_row["id"] = content_ids.make(*texts, line=line_number(at))
            yield at, own_row, (row, cuts, number == 0)


def _diff_metadata(
    row: dict[str, Any], rendered: dict[str, Any], columns: Columns
) -> dict[str, Any]:
    """Return as metadata how a row, and its member ``inside``, differ from their rendering."""
    if not columns.inside:
        return rendering_diff(_NAME, row, rendered)
    inner = rendering_diff(_INSIDE, row[columns.inside], rendered.pop(columns.inside, {}))
    outer = {name: value for name, value in row.items() if name != columns.inside}
    return rendering_diff(_NAME, outer, rendered) | inner


def _option_texts(options: Any) -> list[str]:
    texts = list(options.values()) if isinstance(options, dict) else options
    return [text for text in texts if isinstance(text, str)] if isinstance(texts, list) else []


def _check(
    source: Source, at: Position, row: Mapping[str, Any], columns: Columns, passage: Any
) -> None:
    """Refuse columns that do not hold text, or an id, by the set's own column names.

    Args:
        source: The file.
        at: The place of the row.
        row: The row.
        columns: Its columns.
        passage: The result of ``join_passage``: a text only if each part is one.
    """
    needed: list[tuple[str, Any, tuple[type, ...]]] = [
        (columns.question, value_at(row, columns.question), (str,)),
        *((path, value_at(row, path), (str, int)) for path in columns.id),
    ]
    if not isinstance(passage, str):
        parts = columns.passage
        values = [passage] if len(parts) == 1 else [value_at(row, path) for path in parts]
        needed[:0] = [(path, part, (str,)) for path, part in zip(parts, values, strict=True)]
    for path, value, kinds in needed:
        if not isinstance(value, kinds) or isinstance(value, bool):
            expected = "text" if len(kinds) == 1 else "text or an integer"
            raise InputError(
                f"the column {path!r} "
                + (
                    "is missing"
                    if value is None
                    else f"does not hold {expected.split(maxsplit=1)[0]}"
                ),
                where=describe_place(source, at),
                expected=expected,
                cure="fix the row or remove it",
            )


def write(dataset: Dataset, stream: BinaryIO) -> None:
    """Write JSON lines with the columns that were read, or a document if they were in ``data``.

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
        write_array(stream, _iter_set_rows(dataset, columns), "data", **dataset.metadata[_BESIDE])
    else:
        write_lines(stream, _iter_set_rows(dataset, columns))


def _iter_set_rows(dataset: Dataset, columns: Columns) -> Iterator[dict[str, Any]]:
    for passage, questions in dataset:
        rows: list[tuple[dict[str, Any], dict[str, Any]]] = []
        for question in questions:
            metadata = question.metadata
            set_row = to_set_row(passage, question, columns, metadata.get(_CUTS, {}))
            inner = set_row.pop(columns.inside, {}) if columns.inside else {}
            if rows and (not columns.inside or metadata.get(_STARTS_ROW)):
                yield _merge_rows(rows, columns)
                rows = []
            rows.append(
                (apply_diff(_NAME, set_row, metadata), apply_diff(_INSIDE, inner, metadata))
            )
        if rows:
            yield _merge_rows(rows, columns)


def _merge_rows(
    rows: list[tuple[dict[str, Any], dict[str, Any]]], columns: Columns
) -> dict[str, Any]:
    """Return one row: of a question, or of a passage with its questions inside."""
    if not columns.inside:
        return rows[0][0]
    inner_rows: Any = [inner for _, inner in rows]
    if columns.inside_form == "object":
        inner_rows = {name: [inner.get(name) for inner in inner_rows] for name in inner_rows[0]}
    return rows[0][0] | {columns.inside: inner_rows}


def with_columns(settings: Settings) -> Format:
    """Return the format with the columns that a user names.

    Args:
        settings: The key of a column to its name, or to several with ``|`` between them.

    Raises:
        UsageError: A setting is unknown or has an invalid value.
    """
    parse_settings(settings)
    return Format(
        name=_NAME,
        sniff=sniff,
        read=partial(read, settings=settings),
        read_gold=partial(read_gold, settings=settings),
        write=write,
        info=partial(info, settings=settings),
    )


FORMAT = Format(
    name=_NAME,
    sniff=sniff,
    read=read,
    read_gold=read_gold,
    write=write,
    info=info,
    named=with_columns,
)
