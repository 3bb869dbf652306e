"""CMRC 2018 (Cui et al. 2019) and DRCD (Shao et al. 2018), both Chinese.

SQuAD's tree with an id for every article and paragraph (DRCD: for every answer too), and CMRC's
own first form: ``[{"context_id", "context_text", "title", "qas": [{"query_id", "query_text",
"answers": [text...]}]}]``, which has no offsets; the first occurrence is used.
"""

from collections.abc import Iterator
from itertools import chain
from typing import Any, BinaryIO

import msgspec

from closeread.errors import UsageError
from closeread.formats import squad
from closeread.formats.files.head import Head
from closeread.formats.files.source import Source
from closeread.formats.layouts import answer_places, squad_tree
from closeread.formats.layouts.extra_fields import unknown_fields, without_empty
from closeread.formats.layouts.ids import Ids
from closeread.formats.registry import Format, Info
from closeread.text.language import detect
from closeread.types import Answer, Dataset, Defects, Item, Passage, Question


class _Query(msgspec.Struct):
    query_id: str
    query_text: str
    answers: list[str] | None = None


class _Context(msgspec.Struct):
    context_id: str
    context_text: str
    qas: list[_Query]
    title: str | None = None


def sniff(head: Head) -> bool:
    """Whether articles and paragraphs both have ids, or the file has CMRC's first form."""
    if head.has("context_id", "context_text", at=(0,)) and isinstance(head.value, list):
        return True
    return head.has("id", "paragraphs", at=("data", 0)) and head.has(
        "id", at=("data", 0, "paragraphs", 0)
    )


def info(source: Source) -> Info:
    """Read the version; CMRC's first form has none."""
    return Info(metadata={"form": "original"}) if _is_original(source) else squad.info(source)


def _is_original(source: Source) -> bool:
    return isinstance(source.head().value, list)


def read(source: Source, defects: Defects) -> Iterator[Item]:
    """Yield one passage a paragraph; counts defects as SQuAD's reader does."""
    if not _is_original(source):
        yield from squad_tree.read(source, defects)
        return
    ids = Ids(defects)
    for index, raw in enumerate(source.elements("", dict[str, Any])):
        context = source.convert(raw, _Context, within=f"[{index}]")
        passage = Passage(
            passage_id=context.context_id,
            text=context.context_text,
            title=context.title or "",
            language=detect(context.context_text),
            metadata=without_empty(
                cmrc_extra=unknown_fields(raw, _Context), untitled=context.title is None or None
            ),
        )
        yield (
            passage,
            tuple(
                _question(item, fields, passage, ids, defects)
                for item, fields in zip(context.qas, raw["qas"], strict=True)
            ),
        )


def _question(
    item: _Query, raw: dict[str, Any], passage: Passage, ids: Ids, defects: Defects
) -> Question:
    name = ids.note(item.query_id)
    answers = []
    for text in item.answers or ():
        spans = answer_places.first_span(text, passage.text)
        if not spans:
            defects.add(
                "answer-not-in-passage", f"{text!r} is not in the passage", question_id=name
            )
        answers.append(Answer(kind="span", texts=(text,), spans=spans))
    metadata = without_empty(cmrc_extra=unknown_fields(raw, _Query))
    if not item.answers:
        metadata["no_gold"] = item.answers
    return Question(
        question_id=name,
        passage_id=passage.passage_id,
        text=item.query_text,
        kind="span",
        answers=tuple(answers),
        metadata=metadata,
    )


def write(dataset: Dataset, stream: BinaryIO) -> None:
    """Write SQuAD's tree with ids, or CMRC's first form where the data set came from it.

    Raises:
        UsageError: A question has options, or an answer that is not a span of its passage.
    """
    if dataset.metadata.get("form") != "original":
        squad_tree.write(dataset, stream, with_ids=True)
        return
    encode = msgspec.json.Encoder().encode
    stream.write(b"[")
    for index, (passage, questions) in enumerate(dataset):
        row = {
            "context_id": passage.passage_id,
            "context_text": passage.text,
            "qas": [_row(question) for question in questions],
        }
        if not passage.metadata.get("untitled"):
            row["title"] = passage.title
        row |= passage.metadata.get("cmrc_extra", {})
        stream.write((b"," if index else b"") + encode(row))
    stream.write(b"]\n")


def _row(question: Question) -> dict[str, Any]:
    texts = list(chain.from_iterable(answer.texts for answer in question.answers))
    if question.options or any(answer.kind != "span" for answer in question.answers):
        raise UsageError(
            "CMRC's first form holds only spans of the passage",
            where=f"question {question.question_id}",
            cure="choose another format; `jsonl` holds every question",
        )
    row: dict[str, Any] = {"query_id": question.question_id, "query_text": question.text}
    answer_texts = texts or question.metadata.get("no_gold")
    if answer_texts is not None:
        row["answers"] = answer_texts
    return row | dict(question.metadata.get("cmrc_extra", {}))


FORMAT = Format(
    name="cmrc",
    sniff=sniff,
    read=read,
    write=write,
    info=info,
    metrics=("cmrc",),
)
