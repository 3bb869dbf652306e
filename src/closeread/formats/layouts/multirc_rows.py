"""Reads MultiRC from rows of ``datasets``, one option each, as SuperGLUE's lines.

``{"paragraph", "question", "answer", "idx": {"paragraph", "question", "answer"}, "label"}``.
"""

from collections.abc import Iterator
from itertools import groupby

import msgspec

from closeread.errors import InputError
from closeread.formats.files.head import Head
from closeread.formats.files.source import Source
from closeread.formats.layouts.extra_fields import Json
from closeread.formats.layouts.json_objects import (
    Position,
    Positioned,
    describe_place,
    document_path,
    iter_objects,
    line_number,
)

_NO_LABEL = (None, -1)


class _Numbers(msgspec.Struct):
    paragraph: int
    question: int
    answer: int


class _Row(msgspec.Struct):
    paragraph: str
    question: str
    answer: str
    idx: _Numbers
    label: bool | int | str | None = None


def are_rows(head: Head) -> bool:
    """Whether the first row is an option of a paragraph's question."""
    numbers = head.row.get("idx")
    has_numbers = isinstance(numbers, dict) and numbers.keys() >= {
        "paragraph",
        "question",
        "answer",
    }
    return has_numbers and head.row.keys() >= {"paragraph", "question", "answer"}


def iter_lines(source: Source) -> Iterator[Positioned]:
    """Yield a line for each paragraph; the rows of a question must be adjacent.

    Raises:
        InputError: They are not, as in a shuffled set.
    """
    rows = (
        (at, source.convert(raw, _Row, line=line_number(at), within=document_path(at)))
        for at, raw in iter_objects(source)
    )
    finished = set[tuple[int, int]]()
    for number, paragraph in groupby(rows, key=lambda positioned: positioned[1].idx.paragraph):
        members = list(paragraph)
        questions = []
        for index, rows_of_question in groupby(
            members, key=lambda positioned: positioned[1].idx.question
        ):
            option_rows = list(rows_of_question)
            if (number, index) in finished or len(option_rows) < 2:
                raise _scattered_error(source, option_rows[0][0], f"{number}-{index}")
            finished.add((number, index))
            options = [_option(row) for _, row in option_rows]
            questions.append(
                {"idx": index, "question": option_rows[0][1].question, "answers": options}
            )
        at, first = members[0]
        yield at, {"idx": number, "passage": {"text": first.paragraph, "questions": questions}}


def _option(row: _Row) -> Json:
    option: Json = {"idx": row.idx.answer, "text": row.answer}
    return option if row.label in _NO_LABEL else option | {"label": row.label}


def _scattered_error(source: Source, at: Position, name: str) -> InputError:
    return InputError(
        "the rows of a question are not adjacent",
        where=describe_place(source, at, name),
        expected="the two or more rows of a question in succession",
        cure="use the set in its original order: it was shuffled or cut",
    )
