"""GCRC (Tan et al. 2021): exam questions, one a record, in two published forms.

The 2020 form is an array of ``{"id", "source", "title", "passage": [paragraph, ...], "question",
"opt": [text, ...], "answer"}`` where ``title`` is often the string ``null``. The training form
has six fields: ``{"id", "title", "passage", "question", "options", "answer"}`` with the passage as
one string, as an array or under ``data``. Neither states what a stem asks for: its words
decide, and with it each option's truth value if the stem asks to verify statements.
"""

from collections.abc import Iterator
from typing import Any, BinaryIO

import msgspec

from closeread.errors import InputError
from closeread.formats.files.head import Head
from closeread.formats.files.source import Source
from closeread.formats.layouts.choices import (
    gold_from_letter,
    gold_letter,
    implied_truth,
    make_options,
    require_options,
)
from closeread.formats.layouts.extra_fields import (
    apply_diff,
    join_paragraphs,
    rendering_diff,
    split_paragraphs,
    without_none,
)
from closeread.formats.layouts.ids import Ids, content_id
from closeread.formats.layouts.json_writing import write_array
from closeread.formats.registry import Format, Info
from closeread.text.language import detect
from closeread.text.polarity import is_verification, polarity
from closeread.types import Dataset, Defects, Item, Passage, Question

_NAME = "gcrc"
_TERMS = "non-commercial research only, after signing the evaluation's data agreement"
_NO_TITLE = "null"


class _Record(msgspec.Struct):
    id: str | int
    passage: str | list[str]
    question: str
    title: str | None = ""
    opt: list[str] | None = None
    options: list[str] | None = None
    answer: str | None = None


def sniff(head: Head) -> bool:
    """Whether the first record has the fields of one of the two forms."""
    for at in ((0,), ("data", 0)):
        if head.has("id", "passage", "question", "opt", at=at):
            return True
        if head.has("id", "title", "passage", "question", "options", at=at):
            return not head.has("positive_options", at=at)
    return False


def info(source: Source) -> Info:
    """Return the form, the terms of the published sets, and the fields beside the records."""
    head = source.head()
    is_list = isinstance(head.value, list)
    at: tuple[str | int, ...] = (0,) if is_list else ("data", 0)
    layout = {
        "form": "2020" if head.has("opt", at=at) else "training",
        "beside": None if is_list else source.other_members("data"),
    }
    published = str(head.first(*at, "id")).startswith("gcrc_")
    return Info(
        license=_TERMS if published else "none stated" if head.has("opt", at=at) else "",
        metadata={_NAME: layout},
    )


def read(source: Source, defects: Defects) -> Iterator[Item]:
    """Yield each question with its passage; counts ``answer-not-an-option``, ``duplicate-id``.

    Raises:
        InputError: A question does not have four options.
    """
    ids = Ids(defects)
    field = "" if isinstance(source.head().value, list) else "data"
    for index, raw in enumerate(source.elements(field, dict)):
        within = f"{field}[{index}]"
        record = source.convert(raw, _Record, within=within)
        where = source.place(within, record.id)
        texts = record.opt if record.opt is not None else record.options
        if texts is None:
            raise InputError(
                "the field 'options' is missing",
                where=where,
                expected="`options` or `opt`",
                cure=source.cure,
            )
        form = "training" if record.opt is None else "2020"
        passage = _passage(record, form)
        name = ids.note(str(record.id))
        choices = make_options(texts, where, exactly=4)
        asks_for = polarity(record.question)
        question = Question(
            question_id=name,
            passage_id=passage.passage_id,
            text=record.question,
            kind="verification",
            asks_for=asks_for,
            options=choices,
            option_truth=implied_truth(record.answer, choices, asks_for)
            if is_verification(record.question)
            else (),
            answers=gold_from_letter(record.answer, choices, name, defects),
        )
        metadata = rendering_diff(_NAME, raw, _row(passage, question, form))
        yield passage, (msgspec.structs.replace(question, metadata=metadata),)


def _passage(record: _Record, form: str) -> Passage:
    text, cuts = (
        (record.passage, {}) if isinstance(record.passage, str) else join_paragraphs(record.passage)
    )
    return Passage(
        passage_id=content_id(text),
        text=text,
        title="" if form == "2020" and record.title == _NO_TITLE else record.title or "",
        language=detect(text),
        metadata={_NAME: cuts} if cuts else {},
    )


def _row(passage: Passage, question: Question, form: str) -> dict[str, Any]:
    texts = require_options(question, _NAME, exactly=4)
    if form == "2020":
        return without_none(
            id=question.question_id,
            title=passage.title or _NO_TITLE,
            passage=split_paragraphs(passage.text, passage.metadata.get(_NAME, {})),
            question=question.text,
            opt=texts,
            answer=gold_letter(question),
        )
    return without_none(
        id=question.question_id,
        title=passage.title,
        passage=passage.text,
        question=question.text,
        options=texts,
        answer=gold_letter(question),
    )


def write(dataset: Dataset, stream: BinaryIO) -> None:
    """Write the form that was read; sets in other formats get the six-field form.

    Raises:
        UsageError: A question does not have four options.
    """
    layout = dataset.metadata.get(_NAME, {"form": "training", "beside": {}})
    rows = (
        apply_diff(_NAME, _row(passage, question, layout["form"]), question.metadata)
        for passage, questions in dataset
        for question in questions
    )
    if layout["beside"] is None:
        write_array(stream, rows)
    else:
        write_array(stream, rows, "data", **layout["beside"])


FORMAT = Format(
    name=_NAME, sniff=sniff, read=read, write=write, info=info, metrics=("choice", "option")
)
