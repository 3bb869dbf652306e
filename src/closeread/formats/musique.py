"""MuSiQue (Trivedi et al. 2022): questions of two to four hops over twenty paragraphs.

JSON lines of ``{"id", "paragraphs": [{"idx", "title", "paragraph_text", "is_supporting"}, ...],
"question", "question_decomposition", "answer", "answer_aliases": [...], "answerable"}``, or a list.

The passage is the paragraphs, each below its title; those that support the answer are the gold
evidence, whole. A question that is not answerable has no answer here, whatever ``answer`` says. The
part of an id before ``__`` (``3hop1``) is the tag ``hops``. The full set has each question twice
under one id, answerable and not: the second of them is ``id-2`` here.
"""

from collections.abc import Iterator
from typing import Any, BinaryIO

import msgspec

from closeread.formats.files.head import Head
from closeread.formats.files.source import Source
from closeread.formats.layouts.answer_places import first_span
from closeread.formats.layouts.extra_fields import Json, apply_diff, rendering_diff
from closeread.formats.layouts.ids import Ids, content_id, numbered_id
from closeread.formats.layouts.json_objects import (
    document_path,
    is_list,
    iter_objects,
    line_number,
    write_objects,
)
from closeread.formats.layouts.json_writing import unwritable_error
from closeread.formats.layouts.supporting_facts import join_titled
from closeread.formats.registry import Format, Info
from closeread.text.language import detect
from closeread.types import Answer, Dataset, Defects, Evidence, Item, Passage, Question, Span

_NAME = "musique"


class _Paragraph(msgspec.Struct):
    title: str
    paragraph_text: str
    is_supporting: bool | None = None


class _Row(msgspec.Struct):
    id: str
    question: str
    paragraphs: list[_Paragraph]
    answer: str | None = None
    answer_aliases: list[str] = []
    answerable: bool = True


def sniff(head: Head) -> bool:
    """Whether the first line has paragraphs with titles and texts."""
    row = head.row
    paragraphs = row.get("paragraphs")
    first = paragraphs[0] if isinstance(paragraphs, list) and paragraphs else None
    is_paragraph = isinstance(first, dict) and first.keys() >= {"title", "paragraph_text"}
    return is_paragraph and row.keys() >= {"id", "question"}


def info(source: Source) -> Info:
    """Return the terms of the published set, whose ids begin with the number of hops."""
    published = "hop" in str(source.head().row.get("id")).partition("__")[0]
    return Info(
        license="CC BY 4.0" if published else "", metadata={_NAME: {"list": is_list(source)}}
    )


def read(source: Source, defects: Defects) -> Iterator[Item]:
    """Yield each question with its paragraphs as one passage.

    Counts ``answer-not-in-passage`` (for the answer, not for its aliases) and ``duplicate-id`` (for
    a question with the same paragraphs and the same answerability).
    """
    ids = Ids(defects)
    contents_by_id: dict[str, list[str]] = {}
    for at, raw in iter_objects(source):
        row = source.convert(raw, _Row, line=line_number(at), within=document_path(at))
        text, cuts = join_titled(
            [(paragraph.title, [paragraph.paragraph_text]) for paragraph in row.paragraphs]
        )
        contents = contents_by_id.setdefault(row.id, [])
        if (content := content_id(f"{row.answerable}\0{text}")) not in contents:
            contents.append(content)
        name = ids.note(numbered_id(row.id, contents.index(content) + 1), line=line_number(at))
        passage = Passage(passage_id=name, text=text, language=detect(text), metadata={_NAME: cuts})
        hops, _, is_published = row.id.partition("__")
        question = Question(
            question_id=name,
            passage_id=name,
            text=row.question,
            kind="span",
            answers=_answers(row, text, name, defects),
            gold_evidence=_evidence(row, text, cuts),
            tags={"hops": hops} if is_published else {},
        )
        metadata = rendering_diff(_NAME, raw, _row(passage, question))
        yield passage, (msgspec.structs.replace(question, metadata=metadata),)


def _answers(row: _Row, passage: str, name: str, defects: Defects) -> tuple[Answer, ...]:
    if not row.answerable:
        return (Answer(kind="none"),)
    if row.answer is None:
        return ()
    spans = first_span(row.answer, passage)
    if not spans:
        message = f"{row.answer!r} is not in the passage"
        defects.add("answer-not-in-passage", message, question_id=name)
    aliases = (
        Answer(kind="span", texts=(text,), spans=first_span(text, passage))
        for text in row.answer_aliases
    )
    return (Answer(kind="span", texts=(row.answer,), spans=spans), *aliases)


def _evidence(row: _Row, passage: str, cuts: Any) -> tuple[Evidence, ...]:
    spans = tuple(
        Span(*text_spans[0])
        for paragraph, (_, text_spans) in zip(row.paragraphs, cuts, strict=True)
        if paragraph.is_supporting
    )
    if not spans:
        return ()
    return (Evidence(spans=spans, texts=tuple(span.of(passage) for span in spans)),)


def _row(passage: Passage, question: Question) -> Json:
    supporting = {span for evidence in question.gold_evidence for span in evidence.spans}
    row: Json = {
        "id": question.question_id,
        "paragraphs": [
            {
                "idx": number,
                "title": passage.text[start:end],
                "paragraph_text": Span(*text_spans[0]).of(passage.text),
                "is_supporting": Span(*text_spans[0]) in supporting,
            }
            for number, ((start, end), text_spans) in enumerate(passage.metadata[_NAME])
        ],
        "question": question.text,
    }
    answerable = all(answer.kind != "none" for answer in question.answers)
    if question.answers:
        row["answerable"] = answerable
    if question.answers and answerable:
        row["answer"], *row["answer_aliases"] = (answer.text for answer in question.answers)
    return row


def write(dataset: Dataset, stream: BinaryIO) -> None:
    """Write a question a line, or a list where the set was read from one.

    Raises:
        UsageError: A passage was not read from this form, or has changed since.
    """
    as_list = dataset.metadata.get(_NAME, {}).get("list", False)
    write_objects(stream, _values(dataset), as_list=as_list)


def _values(dataset: Dataset) -> Iterator[Json]:
    for passage, questions in dataset:
        cuts = passage.metadata.get(_NAME)
        end = max((text_spans[0][1] for _, text_spans in cuts or ()), default=0)
        for question in questions:
            if cuts is None or end != len(passage.text) or question.options:
                raise unwritable_error(
                    "the musique format cannot hold this question",
                    question.question_id,
                    "paragraphs with titles as they were read, and no options",
                )
            yield apply_diff(_NAME, _row(passage, question), question.metadata)


FORMAT = Format(
    name=_NAME, sniff=sniff, read=read, write=write, info=info, metrics=("squad",), in_lines=True
)
