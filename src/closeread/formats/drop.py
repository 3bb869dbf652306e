"""DROP (Dua et al. 2019) and, in its form or its own, Quoref (Dasigi et al. 2019).

``{passage_id: {"passage", "wiki_url", "qa_pairs": [{"question", "query_id", "answer": {"number",
"date": {"day", "month", "year"}, "spans": [...]}, "validated_answers": [...]}]}}``.

Every annotation (``answer``, then ``validated_answers``) becomes one answer, as the official
evaluator reads it: a number that is not empty; else spans, if there are any; else the date as
``day month year`` with single spaces, blank where a part is missing. An empty annotation
is thus a date of two spaces, which the official evaluator skips.
"""

import re
from collections.abc import Iterator
from typing import Any, BinaryIO

import msgspec

from closeread.formats import quoref
from closeread.formats.files.head import Head
from closeread.formats.files.source import Source
from closeread.formats.layouts import drop_rows
from closeread.formats.layouts.drop_annotations import (
    AnnotatedQuestion,
    read_annotation,
    write_annotation,
)
from closeread.formats.layouts.extra_fields import Json, apply_diff, rendering_diff
from closeread.formats.layouts.ids import Ids
from closeread.formats.layouts.json_writing import unwritable_error, write_object
from closeread.formats.registry import Format, Info
from closeread.text.language import detect
from closeread.types import Dataset, Defects, Item, Passage, Question

_NAME = "drop"
_PUBLISHED = re.compile(r"(?:nfl|history)_\d+(?:_\d+)?")


class _Passage(msgspec.Struct):
    passage: str
    qa_pairs: list[Json]
    title: str = ""


class _Question(msgspec.Struct):
    question: str
    query_id: str
    answer: Json | None = None
    validated_answers: list[Json] | None = None


def sniff(head: Head) -> bool:
    """Whether the first member has a passage and question-answer pairs, or the file is Quoref's.

    Or its rows hold one question of DROP each.
    """
    own = head.has("passage", "qa_pairs", at=(0,))
    return own or quoref.sniff(head) or drop_rows.are_rows(head)


def info(source: Source) -> Info:
    """Return whether the file is in Quoref's own form, and the terms of the published DROP."""
    head = source.head()
    if quoref.sniff(head):
        return quoref.info(source)
    names = list(head.value) if isinstance(head.value, dict) else []
    if drop_rows.are_rows(head):
        names = [str(head.first("section_id"))]
    published = any(_PUBLISHED.fullmatch(name) for name in names[:1])
    return Info(license="CC BY-SA 4.0" if published else "")


def read(source: Source, defects: Defects) -> Iterator[Item]:
    """Yield each passage with its questions.

    Counts ``answer-not-in-passage`` (a span that is in neither passage nor question),
    ``blank-annotation``, ``wrong-offset`` and ``duplicate-id``.

    Raises:
        InputError: An annotation has neither number, spans nor date.
    """
    if quoref.sniff(source.head()):
        yield from quoref.read(source, defects)
        return
    ids = Ids(defects)
    are_rows = drop_rows.are_rows(source.head())
    for name, raw in drop_rows.iter_members(source) if are_rows else source.members(dict):
        spot = f"passage {name}"
        record = source.convert(raw, _Passage, within=spot)
        passage = Passage(
            passage_id=name,
            text=record.passage,
            title=record.title,
            language=detect(record.passage),
        )
        questions = []
        for index, row in enumerate(record.qa_pairs):
            within = f"{spot}.qa_pairs[{index}]"
            item = source.convert(row, _Question, within=within)
            annotated = AnnotatedQuestion(
                item.query_id, item.question, passage.text, source, within, defects
            )
            questions.append(_question(item, row, annotated, name))
            ids.note(questions[-1].question_id)
        metadata = rendering_diff(_NAME, raw, _member(passage, record.qa_pairs))
        yield msgspec.structs.replace(passage, metadata=metadata), tuple(questions)


def _question(
    item: _Question, row: Json, annotated: AnnotatedQuestion, passage_id: str
) -> Question:
    annotations = [] if item.answer is None else [item.answer]
    annotations += item.validated_answers or []
    starts = _starts(row.get("original_answer"), item.answer or {})
    answers = tuple(
        [
            read_annotation(raw, annotated, starts if index == 0 else None)
            for index, raw in enumerate(annotations)
        ]
    )
    own_metadata: Json = {} if starts is None else {"answer_starts": starts}
    diffs = [
        rendering_diff(_NAME, raw, write_annotation(answer)).get(_NAME, {})
        for raw, answer in zip(annotations, answers, strict=True)
    ]
    if any(diffs):
        own_metadata["annotations"] = diffs
    question = Question(
        question_id=item.query_id,
        passage_id=passage_id,
        text=item.question,
        kind="discrete",
        answers=answers,
        tags={"answer_type": answers[0].kind} if answers else {},
        metadata={_NAME: own_metadata},
    )
    own_metadata = own_metadata | rendering_diff(_NAME, row, _row(question)).get(_NAME, {})
    return msgspec.structs.replace(question, metadata={_NAME: own_metadata} if own_metadata else {})


def _starts(original: Any, answer: Json) -> list[int] | None:
    """Return Quoref's offsets of the answer's spans, if it has them and nothing else."""
    spans = answer.get("spans")
    if not original or not isinstance(original, list) or not isinstance(spans, list):
        return None
    starts: list[int] = [
        occurrence["answer_start"]
        for occurrence in original
        if isinstance(occurrence, dict) and type(occurrence.get("answer_start")) is int
    ]
    rebuilt = [{"text": t, "answer_start": s} for t, s in zip(spans, starts, strict=False)]
    return starts if rebuilt == original and len(starts) == len(spans) else None


def _row(question: Question) -> Json:
    own_metadata = question.metadata.get(_NAME, {})
    annotations = [write_annotation(answer, question.question_id) for answer in question.answers]
    for index, diff in enumerate(own_metadata.get("annotations", ())):
        annotations[index] = apply_diff(_NAME, annotations[index], {_NAME: diff})
    row: Json = {"question": question.text, "query_id": question.question_id}
    if annotations:
        row["answer"] = annotations[0]
    if len(annotations) > 1:
        row["validated_answers"] = annotations[1:]
    if "answer_starts" in own_metadata:
        row["original_answer"] = [
            {"text": text, "answer_start": start}
            for text, start in zip(
                question.answers[0].texts, own_metadata["answer_starts"], strict=True
            )
        ]
    return row


def _member(passage: Passage, rows: list[Json]) -> Json:
    row: Json = {"passage": passage.text, "qa_pairs": rows}
    return row | {"title": passage.title} if passage.title else row


def write(dataset: Dataset, stream: BinaryIO) -> None:
    """Write DROP's form, or Quoref's own if the data set was read from it.

    Raises:
        UsageError: A question has options, or an answer that is not a number, a date or spans.
    """
    if quoref.is_origin_of(dataset):
        quoref.write(dataset, stream)
    else:
        write_object(stream, _members(dataset))


def _members(dataset: Dataset) -> Iterator[tuple[str, Json]]:
    times: dict[str, int] = {}
    for passage, questions in dataset:
        rows = []
        for question in questions:
            if question.options:
                raise unwritable_error("the drop format cannot hold options", question.question_id)
            rows.append(apply_diff(_NAME, _row(question), question.metadata))
        name = passage.passage_id
        # An object cannot have a key twice, and some sets repeat a passage for each question.
        time = times[name] = times.get(name, 0) + 1
        key = name if time == 1 else f"{name}-{time}"
        yield key, apply_diff(_NAME, _member(passage, rows), passage.metadata)


FORMAT = Format(name=_NAME, sniff=sniff, read=read, write=write, info=info, metrics=("drop",))
