"""MultiRC in rows of ``datasets``, an option each: back to SuperGLUE's lines, a paragraph each.

``{"paragraph", "question", "answer", "idx": {"paragraph", "question", "answer"}, "label"}``.
"""

from collections.abc import Iterator
from itertools import groupby

import msgspec

from closeread.errors import InputError
from closeread.formats.files.head import Head
from closeread.formats.files.source import Source
from closeread.formats.layouts.extra_fields import Json
from closeread.formats.layouts.json_objects import At, Numbered, each_object, line_of, place, within

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
    known = isinstance(numbers, dict) and numbers.keys() >= {"paragraph", "question", "answer"}
    return known and head.row.keys() >= {"paragraph", "question", "answer"}


def lines(source: Source) -> Iterator[Numbered]:
    """Yield a line for each paragraph; rows of one question stand one after another.

    Raises:
        InputError: They do not, as in a set that was shuffled.
    """
    rows = (
        (at, source.convert(raw, _Row, line=line_of(at), within=within(at)))
        for at, raw in each_object(source)
    )
    seen = set[tuple[int, int]]()
    for number, paragraph in groupby(rows, key=lambda found: found[1].idx.paragraph):
        members = list(paragraph)
        questions = []
        for index, asked in groupby(members, key=lambda found: found[1].idx.question):
            given = list(asked)
            if (number, index) in seen or len(given) < 2:
                raise _scattered(source, given[0][0], f"{number}-{index}")
            seen.add((number, index))
            options = [_option(row) for _, row in given]
            questions.append({"idx": index, "question": given[0][1].question, "answers": options})
        at, first = members[0]
        yield at, {"idx": number, "passage": {"text": first.paragraph, "questions": questions}}


def _option(row: _Row) -> Json:
    option: Json = {"idx": row.idx.answer, "text": row.answer}
    return option if row.label in _NO_LABEL else option | {"label": row.label}


def _scattered(source: Source, at: At, name: str) -> InputError:
    return InputError(
        "the rows of a question are not adjacent",
        where=place(source, at, name),
        expected="the two or more rows of a question in succession",
        cure="use the set in its original order: it was shuffled or cut",
    )
