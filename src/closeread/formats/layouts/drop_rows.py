"""DROP in rows of ``datasets``, a question each: back to the passages with their questions.

``{"section_id", "passage", "question", "query_id", "answer": {...}, "validated_answers": {"number":
[...], "date": [...], "spans": [...], ...}}``. Another set of that name has ``answers_spans``, one
list for all spans and annotators, which cannot be undone.
"""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from closeread.errors import InputError
from closeread.formats.files.head import Head
from closeread.formats.files.source import Source
from closeread.formats.layouts.kept import Json

_OF_PASSAGE = ("section_id", "passage")


def are_rows(head: Head) -> bool:
    """Whether the first line is a question of DROP with its passage."""
    return head.has("section_id", "passage", "question", "query_id")


def members(source: Source) -> Iterator[tuple[str, Json]]:
    """Yield passages by their ids, as DROP's own file has them; neighbouring rows are gathered.

    Raises:
        InputError: The rows have one list for all answers.
    """
    if source.head().has("answers_spans"):
        raise InputError(
            "the spans of one answer and the answers of several annotators are one list",
            where=str(source),
            expected="answer and validated_answers, as DROP's own file has them",
            cure="take that file: closeread get drop",
        )
    rows = ((line, source.decode(raw, dict, line=line)) for line, raw in source.lines())
    for name, group in groupby(rows, key=lambda row: [row[1].get(key) for key in _OF_PASSAGE]):
        asked = [_question(row) for _, row in group]
        yield str(name[0]), {"passage": name[1], "qa_pairs": asked}


def _question(row: Json) -> Json:
    asked = {key: value for key, value in row.items() if key not in _OF_PASSAGE}
    if isinstance(asked.get("validated_answers"), dict):
        asked["validated_answers"] = _turned(asked["validated_answers"])
    return asked


def _turned(lists: dict[str, Any]) -> list[Json]:
    """Return an object of lists as a list of objects; so with objects in it."""
    columns = {
        name: _turned(held) if isinstance(held, dict) else held for name, held in lists.items()
    }
    return [
        dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=False)
    ]
