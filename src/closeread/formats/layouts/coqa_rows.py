"""Reads CoQA from rows of ``datasets``, one story each without id, as published stories.

``{"source", "story", "questions": [text, ...], "answers": {"input_text": [...], "answer_start":
[...], "answer_end": [...]}}``. Ids are made from the texts.
"""

from collections.abc import Iterator

import msgspec

from closeread.errors import InputError
from closeread.formats.files.head import Head
from closeread.formats.files.source import Source
from closeread.formats.layouts.extra_fields import Json
from closeread.formats.layouts.ids import content_id
from closeread.formats.layouts.json_objects import (
    describe_place,
    document_path,
    iter_objects,
    line_number,
)

_NO_ANSWER = "unknown"


class _Columns(msgspec.Struct):
    input_text: list[str]
    answer_start: list[int]
    answer_end: list[int]


class _Row(msgspec.Struct):
    story: str
    questions: list[str]
    answers: _Columns


def are_rows(head: Head) -> bool:
    """Whether the first row is a conversation about a story."""
    answers = head.row.get("answers")
    has_answers = isinstance(answers, dict) and answers.keys() >= {"input_text", "answer_start"}
    return has_answers and head.row.keys() >= {"story", "questions"}


def iter_stories(source: Source) -> Iterator[tuple[str, Json]]:
    """Yield each story with its place.

    Raises:
        InputError: A row does not have as many answers as questions.
    """
    for at, raw in iter_objects(source):
        row = source.convert(raw, _Row, within=document_path(at), line=line_number(at))
        texts, answers = row.questions, row.answers
        columns = (answers.input_text, answers.answer_start, answers.answer_end)
        if any(len(column) != len(texts) for column in columns):
            raise InputError(
                "the lists differ in length",
                where=describe_place(source, at),
                expected="an answer with start and end for each question",
                cure="fix the row or remove it",
            )
        turns = [{"input_text": text, "turn_id": n} for n, text in enumerate(texts, 1)]
        turn_answers = [
            {
                "span_start": start,
                "span_end": end,
                "span_text": row.story[start:end] if start >= 0 else _NO_ANSWER,
                "input_text": text,
                "turn_id": n,
            }
            for n, (text, start, end) in enumerate(zip(*columns, strict=True), 1)
        ]
        other_fields = {
            key: value for key, value in raw.items() if key not in ("questions", "answers")
        }
        name = content_id("\0".join((row.story, *texts)))
        yield str(at), other_fields | {"id": name, "questions": turns, "answers": turn_answers}
