"""HotpotQA (Yang et al. 2018) and 2WikiMultihopQA (Ho et al. 2020): questions over paragraphs.

An array of ``{"_id", "question", "answer", "type", "level", "context": [[title, [sentence, ...]],
...], "supporting_facts": [[title, number], ...]}``, or JSON lines of it; rows of ``datasets`` have
``id``, ``context: {"title": [], "sentences": [[]]}``, ``supporting_facts: {"title", "sent_id"}``.

The passage is the paragraphs, each below its title; a blank separates sentences that the file does
not separate. Supporting facts are gold evidence (``layouts/supporting_facts.py``). The
passage's metadata keeps the spans of titles and sentences.
"""

import re
from collections.abc import Iterator
from typing import BinaryIO

import msgspec

from closeread.errors import InputError
from closeread.formats.files.head import Head
from closeread.formats.files.source import Source
from closeread.formats.layouts.answer_places import first_span
from closeread.formats.layouts.extra_fields import Json, apply_diff, rendering_diff
from closeread.formats.layouts.ids import Ids
from closeread.formats.layouts.json_objects import (
    Position,
    describe_place,
    document_path,
    is_list,
    iter_objects,
    line_number,
    write_objects,
)
from closeread.formats.layouts.json_writing import unwritable_error
from closeread.formats.layouts.supporting_facts import (
    Fact,
    Paragraphs,
    evidence_to_facts,
    facts_to_evidence,
    join_titled,
)
from closeread.formats.registry import Format, Info
from closeread.text.language import detect
from closeread.types import Answer, Dataset, Defects, Item, Passage, Question

_NAME = "hotpotqa"
_YES_OR_NO = ("yes", "no")
_TAGS = ("type", "level")
# How HotpotQA and 2WikiMultihopQA name their questions, and their terms.
_PUBLISHED = (
    (re.compile("[0-9a-f]{24}"), "CC BY-SA 4.0"),
    (re.compile("[0-9a-f]{32}"), "Apache-2.0"),
)


class _PublishedItem(msgspec.Struct):
    """An object of the published form."""

    id: str = msgspec.field(name="_id")
    question: str
    context: list[tuple[str, list[str]]]
    answer: str | None = None
    supporting_facts: list[tuple[str, int]] | None = None
    type: str = ""
    level: str = ""


class _Titles(msgspec.Struct):
    title: list[str]
    sentences: list[list[str]]


class _Numbers(msgspec.Struct):
    title: list[str]
    sent_id: list[int]


class _Row(msgspec.Struct):
    """A row of ``datasets``."""

    id: str
    question: str
    context: _Titles
    answer: str | None = None
    supporting_facts: _Numbers | None = None
    type: str = ""
    level: str = ""


def sniff(head: Head) -> bool:
    """Whether the first element has an id, a question and paragraphs with titles."""
    item = head.row
    if "question" not in item:
        return False
    context = item.get("context")
    if isinstance(context, dict):
        return "id" in item and {"title", "sentences"} <= context.keys()
    paragraph = context[0] if isinstance(context, list) and context else None
    titled = isinstance(paragraph, list) and len(paragraph) == 2 and isinstance(paragraph[1], list)
    return "_id" in item and titled


def info(source: Source) -> Info:
    """Return whether the file is an array, whether it has rows of ``datasets``, and its terms."""
    item = source.head().row
    is_row = "_id" not in item
    name = str(item.get("id" if is_row else "_id"))
    return Info(
        license=next((terms for form, terms in _PUBLISHED if form.fullmatch(name)), ""),
        metadata={_NAME: {"array": is_list(source), "row": is_row}},
    )


def read(source: Source, defects: Defects) -> Iterator[Item]:
    """Yield each question with its paragraphs as one passage.

    Counts ``answer-not-in-passage`` (except yes and no), ``fact-not-in-passage`` (a supporting fact
    that is not a sentence of the context, as in the full-wiki setting) and ``duplicate-id``.
    """
    ids = Ids(defects)
    facts = info(source).metadata[_NAME]
    for at, raw in iter_objects(source):
        line = line_number(at)
        item, paragraphs, supporting = _convert(source, raw, at, row=facts["row"])
        text, cuts = join_titled(paragraphs)
        passage = Passage(
            passage_id=item.id, text=text, language=detect(text), metadata={_NAME: cuts}
        )
        name = ids.note(item.id, line=line)
        question = Question(
            question_id=name,
            passage_id=item.id,
            text=item.question,
            kind="span",
            answers=_answers(item.answer, text, name, defects),
            tags={key: value for key in _TAGS if (value := getattr(item, key))},
        )
        if supporting is not None:
            evidence = facts_to_evidence(supporting, paragraphs, cuts)
            if n_missing := len(evidence.texts) - len(evidence.spans):
                defects.add(
                    "fact-not-in-passage",
                    f"not a sentence of the context: {', '.join(evidence.texts[-n_missing:])}",
                    question_id=name,
                    line=line,
                )
            question = msgspec.structs.replace(question, gold_evidence=(evidence,))
        metadata = rendering_diff(_NAME, raw, _row(passage, question, row=facts["row"]))
        yield passage, (msgspec.structs.replace(question, metadata=metadata),)


def _convert(
    source: Source, raw: Json, at: Position, *, row: bool
) -> tuple[_PublishedItem | _Row, Paragraphs, list[Fact] | None]:
    if not row:
        item = source.convert(raw, _PublishedItem, line=line_number(at), within=document_path(at))
        return item, item.context, item.supporting_facts
    dataset_row = source.convert(raw, _Row, line=line_number(at), within=document_path(at))
    context, numbers = dataset_row.context, dataset_row.supporting_facts
    try:
        paragraphs = list(zip(context.title, context.sentences, strict=True))
        facts = None if numbers is None else list(zip(numbers.title, numbers.sent_id, strict=True))
    except ValueError as error:
        raise InputError(
            "the lists of context or supporting_facts differ in length",
            where=describe_place(source, at, dataset_row.id),
            expected="a title for each list of sentences, and for each number",
            cure="fix the row or remove it",
        ) from error
    return dataset_row, paragraphs, facts


def _answers(text: str | None, passage: str, name: str, defects: Defects) -> tuple[Answer, ...]:
    if text is None:
        return ()
    spans = first_span(text, passage) if text not in _YES_OR_NO else ()
    if not spans and text not in _YES_OR_NO:
        defects.add("answer-not-in-passage", f"{text!r} is not in the passage", question_id=name)
    return (Answer(kind="span", texts=(text,), spans=spans),)


def _row(passage: Passage, question: Question, *, row: bool) -> Json:
    paragraphs = [
        (passage.text[start:end], [passage.text[a:b] for a, b in sentences])
        for (start, end), sentences in passage.metadata[_NAME]
    ]
    question_row: Json = {
        "id" if row else "_id": question.question_id,
        "question": question.text,
        "context": {
            "title": [title for title, _ in paragraphs],
            "sentences": [sentences for _, sentences in paragraphs],
        }
        if row
        else [[title, sentences] for title, sentences in paragraphs],
    } | {key: question.tags[key] for key in _TAGS if key in question.tags}
    if question.answers:
        question_row["answer"] = question.answers[0].text
    if question.gold_evidence:
        facts = evidence_to_facts(question.gold_evidence[0], paragraphs, passage.metadata[_NAME])
        question_row["supporting_facts"] = (
            {"title": [title for title, _ in facts], "sent_id": [number for _, number in facts]}
            if row
            else [[title, number] for title, number in facts]
        )
    return question_row


def write(dataset: Dataset, stream: BinaryIO) -> None:
    """Write an array, or lines if the set was read from lines.

    Raises:
        UsageError: A passage was not read from this form, or has changed since.
    """
    facts = dataset.metadata.get(_NAME, {"array": True, "row": False})
    write_objects(stream, _values(dataset, row=facts["row"]), as_list=facts["array"])


def _values(dataset: Dataset, *, row: bool) -> Iterator[Json]:
    for passage, questions in dataset:
        cuts = passage.metadata.get(_NAME)
        ends = [end for (_, title), spans in cuts or () for end in (title, *(b for _, b in spans))]
        is_unchanged = cuts is not None and max(ends, default=0) == len(passage.text)
        for question in questions:
            if question.options or not is_unchanged:
                raise unwritable_error(
                    "the hotpotqa format cannot hold this question",
                    question.question_id,
                    "paragraphs with titles and sentences as they were read, and no options",
                )
            yield apply_diff(_NAME, _row(passage, question, row=row), question.metadata)


FORMAT = Format(name=_NAME, sniff=sniff, read=read, write=write, info=info, metrics=("hotpotqa",))
