"""C3 (Sun et al. 2020) and DREAM (Sun et al. 2019): dialogues and short texts, 2 to 4 options.

An array of ``[[paragraph, ...], [{"question", "choice": [text, ...], "answer": text}, ...], id]``;
the answer is the right option's text. Question ids are ``id-index``.
"""

import re
from collections.abc import Iterator
from typing import Any, BinaryIO

import msgspec

from closeread.formats.files.head import Head
from closeread.formats.files.source import Source
from closeread.formats.layouts.choices import gold_from_text, make_options, require_options
from closeread.formats.layouts.extra_fields import (
    apply_diff,
    join_paragraphs,
    rendering_diff,
    split_paragraphs,
    without_none,
)
from closeread.formats.layouts.ids import Ids
from closeread.formats.layouts.json_writing import write_array
from closeread.formats.registry import Format, Info
from closeread.text.language import detect
from closeread.text.polarity import asks_for
from closeread.types import Dataset, Defects, Item, Passage, Question

_NAME = "c3"
_PUBLISHED = re.compile(r"m?\d+-\d+")


class _Question(msgspec.Struct):
    question: str
    choice: list[str]
    answer: str | None = None


_Document: Any = tuple[list[str], list[Any], str]


def sniff(head: Head) -> bool:
    """Whether the first element is paragraphs, questions with ``choice``, and an id."""
    return isinstance(head.first(0, 0, 0), str) and head.has("question", "choice", at=(0, 1, 0))


def info(source: Source) -> Info:
    """Return the terms of the published sets, whose documents are numbered ``12-34``."""
    published = _PUBLISHED.fullmatch(str(source.head().first(0, 2)))
    return Info(license="non-commercial research only" if published else "")


def read(source: Source, defects: Defects) -> Iterator[Item]:
    """Yield each document with its questions.

    Counts ``answer-not-an-option`` and ``duplicate-id``. If several options have the right
    text, the first of them is the answer.
    """
    ids = Ids(defects)
    for index, raw in enumerate(source.elements("", list)):
        paragraphs, rows, name = source.convert(raw, _Document, within=f"[{index}]")
        text, cuts = join_paragraphs(paragraphs)
        passage = Passage(
            passage_id=name,
            text=text,
            language=detect(text),
            metadata={_NAME: cuts} if cuts else {},
        )
        questions = []
        for number, row in enumerate(rows):
            question_id = f"{name}-{number}"
            within = f"[{index}][1][{number}]"
            item = source.convert(row, _Question, within=within)
            where = source.place(within, question_id)
            choices = make_options(item.choice, where)
            question = Question(
                question_id=ids.note(question_id),
                passage_id=name,
                text=item.question,
                kind="choice",
                asks_for=asks_for(item.question),
                options=choices,
                answers=gold_from_text(item.answer, choices, question_id, defects),
            )
            metadata = rendering_diff(_NAME, row, _row(question))
            questions.append(msgspec.structs.replace(question, metadata=metadata))
        yield passage, tuple(questions)


def _row(question: Question) -> dict[str, Any]:
    return without_none(
        question=question.text,
        choice=require_options(question, _NAME),
        answer=question.answers[0].texts[0] if question.answers else None,
    )


def write(dataset: Dataset, stream: BinaryIO) -> None:
    """Write the published array.

    Raises:
        UsageError: A question has no options.
    """
    write_array(
        stream,
        (
            [
                split_paragraphs(passage.text, passage.metadata.get(_NAME, {})),
                [apply_diff(_NAME, _row(question), question.metadata) for question in questions],
                passage.passage_id,
            ]
            for passage, questions in dataset
        ),
    )


FORMAT = Format(name=_NAME, sniff=sniff, read=read, write=write, info=info, metrics=("choice",))
