"""GCRC_advRobust (CCL 2023): triples of exam questions, which test a reader's robustness.

``{"data": [{"id", "title", "passage", "question", "options", "answer", "positive_options",
"positive_answer", "negative_question", "negative_options", "negative_answer"}]}``. A record becomes
three questions ``ID#original``, ``ID#positive`` and ``ID#negative`` with the record's id as their
group; the positive variant has the original's stem. Published test sets have no answers.
"""

from collections.abc import Iterator
from typing import Any, BinaryIO

import msgspec

from closeread.errors import UsageError
from closeread.formats.files.head import Head
from closeread.formats.files.source import Source
from closeread.formats.layouts.choices import (
    gold_from_letter,
    gold_letter,
    implied_truth,
    make_options,
    require_options,
)
from closeread.formats.layouts.extra_fields import apply_diff, rendering_diff, without_none
from closeread.formats.layouts.ids import Ids, content_id
from closeread.formats.layouts.json_writing import write_array
from closeread.formats.registry import Format, Info
from closeread.text.language import detect
from closeread.text.polarity import is_verification, polarity
from closeread.types import ROLES, Dataset, Defects, Item, Passage, Question, Role

_NAME = "gcrc-advrobust"
_TERMS = "non-commercial research only (no licence in the repository)"


class _Record(msgspec.Struct):
    id: str
    passage: str
    question: str
    options: list[str]
    positive_options: list[str]
    negative_question: str
    negative_options: list[str]
    title: str | None = ""
    answer: str | None = None
    positive_answer: str | None = None
    negative_answer: str | None = None


def sniff(head: Head) -> bool:
    """Whether the first record has both kinds of changed options."""
    fields = ("positive_options", "negative_options")
    return head.has(*fields, at=("data", 0)) or head.has(*fields, at=(0,))


def info(source: Source) -> Info:
    """Read the fields beside the records, and return the terms of the published sets."""
    head = source.head()
    is_list = isinstance(head.value, list)
    name = head.first(0, "id") if is_list else head.first("data", 0, "id")
    return Info(
        license=_TERMS if str(name).startswith("gcrc_") else "",
        metadata={_NAME: None if is_list else source.other_members("data")},
    )


def read(source: Source, defects: Defects) -> Iterator[Item]:
    """Yield each record's passage with its three questions.

    Counts ``option-unchanged`` (a variant repeats an original option word for word),
    ``negative-stem-unchanged``, ``answer-not-an-option`` and ``duplicate-id``.
    """
    ids = Ids(defects)
    field = "" if isinstance(source.head().value, list) else "data"
    for index, raw in enumerate(source.elements(field, dict)):
        within = f"{field}[{index}]"
        record = source.convert(raw, _Record, within=within)
        where = source.place(within, record.id)
        passage = Passage(
            passage_id=content_id(record.passage),
            text=record.passage,
            title=record.title or "",
            language=detect(record.passage),
        )
        ids.note(record.id)
        original, positive, negative = _triple(record, passage, where, defects)
        _check(record, defects)
        rendered = _record(
            passage, {"original": original, "positive": positive, "negative": negative}
        )
        original = msgspec.structs.replace(original, metadata=rendering_diff(_NAME, raw, rendered))
        yield passage, (original, positive, negative)


def _triple(
    record: _Record, passage: Passage, where: str, defects: Defects
) -> tuple[Question, ...]:
    questions = []
    for role, stem, texts, letter in (
        ("original", record.question, record.options, record.answer),
        ("positive", record.question, record.positive_options, record.positive_answer),
        ("negative", record.negative_question, record.negative_options, record.negative_answer),
    ):
        name = f"{record.id}#{role}"
        choices = make_options(texts, f"{where}, {role}", exactly=4)
        # An unchanged negative stem does not show which of the two the letter refers to.
        clear = is_verification(stem) and record.question != record.negative_question
        questions.append(
            Question(
                question_id=name,
                passage_id=passage.passage_id,
                text=stem,
                kind="verification",
                asks_for=polarity(stem),
                options=choices,
                option_truth=implied_truth(letter, choices, polarity(stem)) if clear else (),
                answers=gold_from_letter(letter, choices, name, defects),
                group_id=record.id,
                role=role,  # type: ignore[arg-type]
            )
        )
    return tuple(questions)


def _check(record: _Record, defects: Defects) -> None:
    if record.negative_question == record.question:
        defects.add(
            "negative-stem-unchanged",
            "the negative variant has the stem of the original",
            question_id=f"{record.id}#negative",
        )
    for role, texts in (
        ("positive", record.positive_options),
        ("negative", record.negative_options),
    ):
        for text in texts:
            if text in record.options:
                defects.add(
                    "option-unchanged",
                    f"repeats an original option: {text[:40]!r}",
                    question_id=f"{record.id}#{role}",
                )


def _letters(triple: dict[Role | None, Question]) -> dict[str, Any]:
    original, positive, negative = (gold_letter(triple[role]) for role in ROLES)
    return without_none(answer=original, positive_answer=positive, negative_answer=negative)


def _record(passage: Passage, triple: dict[Role | None, Question]) -> dict[str, Any]:
    original, positive, negative = (triple[role] for role in ROLES)
    return without_none(
        id=original.group_id,
        title=passage.title,
        passage=passage.text,
        question=original.text,
        options=require_options(original, _NAME, exactly=4),
        answer=gold_letter(original),
        positive_options=require_options(positive, _NAME, exactly=4),
        positive_answer=gold_letter(positive),
        negative_question=negative.text,
        negative_options=require_options(negative, _NAME, exactly=4),
        negative_answer=gold_letter(negative),
    )


def write(dataset: Dataset, stream: BinaryIO) -> None:
    """Write one record a triple.

    Raises:
        UsageError: A triple is incomplete, a question does not have four options, or the positive
            variant has another stem.
    """
    members = dataset.metadata.get(_NAME, {})
    if members is None:
        write_array(stream, _records(dataset))
    else:
        write_array(stream, _records(dataset), "data", **members)


def _records(dataset: Dataset) -> Iterator[dict[str, Any]]:
    for passage, questions in dataset:
        groups: dict[str, dict[Role | None, Question]] = {}
        for question in questions:
            name = question.group_id if question.role else question.question_id
            groups.setdefault(name, {})[question.role] = question
        for name, triple in groups.items():
            if set(triple) != set(ROLES):
                raise UsageError(
                    "not a triple",
                    where=f"group {name}",
                    expected="an original, a positive and a negative question",
                    cure="choose another format; `gcrc` holds single questions",
                )
            if triple["positive"].text != triple["original"].text:
                raise UsageError(
                    "the positive variant has another stem than the original",
                    where=f"group {name}",
                    expected="one stem for both",
                    cure="choose another format; `jsonl` holds every question",
                )
            row = apply_diff(_NAME, _record(passage, triple), triple["original"].metadata)
            # A record that was read without answers (null) may have predicted ones now.
            yield row | _letters(triple)


FORMAT = Format(
    name=_NAME,
    sniff=sniff,
    read=read,
    write=write,
    info=info,
    metrics=("gcrc", "gcrc~strict", "choice"),
)
