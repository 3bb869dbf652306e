"""Reads DROP from rows of ``datasets``, one question each, as DROP's own passages.

``{"section_id", "passage", "question", "query_id", "answer": {...}, "validated_answers": {"number":
[...], "date": [...], "spans": [...], ...}}``. Another set of that name has ``answers_spans``, one
list for all spans and annotators, which cannot be undone. Rows without ``section_id`` get the
passage's id from its text.
"""

from collections.abc import Iterator
from itertools import groupby

from closeread.errors import InputError
from closeread.formats.files.head import Head
from closeread.formats.files.source import Source
from closeread.formats.layouts.extra_fields import Json, to_objects
from closeread.formats.layouts.ids import content_id
from closeread.formats.layouts.json_objects import Positioned, describe_place
from closeread.formats.layouts.row_files import first_row, iter_rows

_OF_PASSAGE = ("section_id", "passage")


def are_rows(head: Head) -> bool:
    """Whether the first row is a question of DROP with its passage."""
    row = first_row(head) if head.value is not None else None
    return row is not None and row.keys() >= {"passage", "question", "query_id"}


def iter_members(source: Source) -> Iterator[tuple[str, Json]]:
    """Yield passages by id, as in DROP's own file; gathers adjacent rows of one passage.

    Raises:
        InputError: The rows have one list for all answers, or lists that do not fit each other.
    """
    if "answers_spans" in (first_row(source.head()) or ()):
        raise InputError(
            "one list holds both the spans of an answer and the answers of several annotators",
            where=str(source),
            expected="answer and validated_answers, as in DROP's own file",
            cure="use that file: `closeread get drop`",
        )
    for key, group in groupby(iter_rows(source), key=lambda row: [*map(row[1].get, _OF_PASSAGE)]):
        questions = [_question(source, row) for row in group]
        name = content_id(str(key[1])) if key[0] is None else str(key[0])
        yield name, {"passage": key[1], "qa_pairs": questions}


def _question(source: Source, row: Positioned) -> Json:
    at, raw = row
    fields = {key: value for key, value in raw.items() if key not in _OF_PASSAGE}
    if isinstance(fields.get("validated_answers"), dict):
        try:
            fields["validated_answers"] = to_objects(fields["validated_answers"])
        except (TypeError, ValueError) as error:
            raise InputError(
                "validated_answers are not lists of equal length",
                where=describe_place(source, at, raw.get("query_id")),
                expected="number, date, spans, ...: each a list with one entry for each annotator",
                cure="fix the row or remove it",
            ) from error
    return fields
