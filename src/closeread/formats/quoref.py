"""Quoref in its own published form: SQuAD's tree, but an answer may have several spans.

``{"data": [{"title", "url", "paragraphs": [{"context_id", "context", "qas": [{"id", "question",
"answers": [{"text", "answer_start"}]}]}]}]}``. All of ``answers`` together are the one answer.
"""

from collections.abc import Iterator
from typing import BinaryIO

import msgspec

from closeread.formats.files.head import Head
from closeread.formats.files.source import Source
from closeread.formats.layouts.drop_annotations import AnnotatedQuestion, read_annotation
from closeread.formats.layouts.extra_fields import Json, apply_diff, rendering_diff
from closeread.formats.layouts.ids import Ids
from closeread.formats.layouts.json_writing import unwritable_error, write_array
from closeread.formats.registry import Info
from closeread.text.language import detect
from closeread.types import Answer, Dataset, Defects, Item, Passage, Question

_NAME = "quoref"


class _Answer(msgspec.Struct):
    text: str
    answer_start: int


class _Question(msgspec.Struct):
    id: str
    question: str
    answers: list[_Answer] | None = None


class _Paragraph(msgspec.Struct):
    context: str
    qas: list[Json]
    context_id: str = ""


class _Document(msgspec.Struct):
    paragraphs: list[Json]
    title: str = ""


def sniff(head: Head) -> bool:
    """Whether the first paragraph has an id of its own, which SQuAD's have not."""
    return head.has("context", "context_id", at=("data", 0, "paragraphs", 0))


def info(source: Source) -> Info:
    """Read the fields beside the documents."""
    return Info(metadata={_NAME: source.other_members("data")})


def read(source: Source, defects: Defects) -> Iterator[Item]:
    """Yield each paragraph with its questions; counts as ``closeread.formats.drop`` does."""
    ids = Ids(defects)
    for index, raw in enumerate(source.elements("data", dict)):
        place = f"data[{index}]"
        document = source.convert(raw, _Document, within=place)
        # The first paragraph keeps the document's own fields, and so marks where a document begins.
        document_metadata = {
            _NAME: {
                "document": rendering_diff(_NAME, raw, _document(document.title, [])).get(_NAME, {})
            }
        }
        document_metadata[_NAME]["document"].get("extra", {}).pop("paragraphs", None)
        for number, part in enumerate(document.paragraphs):
            paragraph_place = f"{place}.paragraphs[{number}]"
            paragraph = source.convert(part, _Paragraph, within=paragraph_place)
            passage = Passage(
                passage_id=paragraph.context_id or f"{index}-{number}",
                text=paragraph.context,
                title=document.title,
                language=detect(paragraph.context),
            )
            questions = []
            for at, row in enumerate(paragraph.qas):
                within = f"{paragraph_place}.qas[{at}]"
                item = source.convert(row, _Question, within=within)
                annotated = AnnotatedQuestion(
                    item.id, item.question, passage.text, source, within, defects
                )
                questions.append(_question(item, row, annotated, passage.passage_id))
                ids.note(questions[-1].question_id)
            own_metadata = rendering_diff(_NAME, part, _paragraph(passage, paragraph.qas)).get(
                _NAME, {}
            )
            own_metadata |= document_metadata.pop(_NAME, {})
            metadata = {_NAME: own_metadata} if own_metadata else {}
            yield msgspec.structs.replace(passage, metadata=metadata), tuple(questions)


def _question(
    item: _Question, row: Json, annotated: AnnotatedQuestion, passage_id: str
) -> Question:
    answers: tuple[Answer, ...] = ()
    if item.answers:
        texts = [answer.text for answer in item.answers]
        starts = [answer.answer_start for answer in item.answers]
        answers = (read_annotation({"spans": texts}, annotated, starts),)
    question = Question(
        question_id=item.id,
        passage_id=passage_id,
        text=item.question,
        kind="discrete",
        answers=answers,
        tags={"answer_type": answers[0].kind} if answers else {},
    )
    return msgspec.structs.replace(question, metadata=rendering_diff(_NAME, row, _row(question)))


def _row(question: Question) -> Json:
    row: Json = {"id": question.question_id, "question": question.text}
    if question.answers:
        (answer,) = question.answers
        if len(answer.spans) == len(answer.texts):
            row["answers"] = [
                {"text": text, "answer_start": span.start}
                for text, span in zip(answer.texts, answer.spans, strict=True)
            ]
    return row


def _paragraph(passage: Passage, rows: list[Json]) -> Json:
    return {"context_id": passage.passage_id, "context": passage.text, "qas": rows}


def _document(title: str, paragraphs: list[Json]) -> Json:
    return {"title": title, "paragraphs": paragraphs}


def is_origin_of(dataset: Dataset) -> bool:
    """Whether a data set was read from this form."""
    return _NAME in dataset.metadata


def write(dataset: Dataset, stream: BinaryIO) -> None:
    """Write what was read from this form.

    Raises:
        UsageError: A question has more than one accepted answer.
    """
    write_array(stream, _documents(dataset), "data", **dataset.metadata[_NAME])


def _documents(dataset: Dataset) -> Iterator[Json]:
    title, document_metadata, paragraphs = "", dict[str, Json](), list[Json]()
    for passage, questions in dataset:
        own_metadata = passage.metadata.get(_NAME, {})
        if "document" in own_metadata and paragraphs:
            yield apply_diff(_NAME, _document(title, paragraphs), document_metadata)
            paragraphs = []
        if not paragraphs:
            title, document_metadata = passage.title, {_NAME: own_metadata.get("document", {})}
        for question in questions:
            if len(question.answers) > 1:
                raise unwritable_error(
                    "Quoref's own form holds one accepted answer for each question",
                    question.question_id,
                )
        rows = [apply_diff(_NAME, _row(question), question.metadata) for question in questions]
        paragraphs.append(apply_diff(_NAME, _paragraph(passage, rows), passage.metadata))
    if paragraphs:
        yield apply_diff(_NAME, _document(title, paragraphs), document_metadata)
