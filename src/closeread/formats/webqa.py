"""WebQA (Li et al. 2016): Chinese questions, each with several web texts.

``{question_id: {"question", "evidences": {evidence_id: {"answer": [text, ...], "evidence"}}}}``;
``["no_answer"]`` marks a text without an answer. Each text is a passage with the question, under
the id of the evidence.
"""

from collections.abc import Iterator
from typing import BinaryIO

import msgspec

from closeread.formats.files.head import Head
from closeread.formats.files.source import Source
from closeread.formats.layouts.answer_places import first_span
from closeread.formats.layouts.extra_fields import Json, apply_diff, rendering_diff
from closeread.formats.layouts.ids import Ids
from closeread.formats.layouts.json_writing import unwritable_error, write_object
from closeread.formats.registry import Format
from closeread.text.language import detect
from closeread.types import Answer, Dataset, Defects, Item, Passage, Question

_NAME = "webqa"
_NO_ANSWER = "no_answer"


class _Evidence(msgspec.Struct):
    evidence: str
    answer: list[str] | None = None


class _Question(msgspec.Struct):
    question: str
    evidences: dict[str, Json]


def sniff(head: Head) -> bool:
    """Whether the first member is a question with evidences."""
    return head.has("question", "evidences", at=(0,)) and isinstance(
        head.first(0, "evidences"), dict
    )


def read(source: Source, defects: Defects) -> Iterator[Item]:
    """Yield each text with its question; counts ``answer-not-in-passage``, ``duplicate-id``."""
    ids = Ids(defects)
    for key, raw in source.members(dict):
        item_of_question = source.convert(raw, _Question, within=key)
        for number, (name, row) in enumerate(item_of_question.evidences.items()):
            item = source.convert(row, _Evidence, within=f"{key}.evidences.{name}")
            passage = Passage(passage_id=name, text=item.evidence, language=detect(item.evidence))
            question = Question(
                question_id=ids.note(name),
                passage_id=name,
                text=item_of_question.question,
                kind="span",
                answers=_answers(item, name, defects),
                tags={"question_id": key},
            )
            own_metadata = rendering_diff(_NAME, row, _row(passage, question)).get(_NAME, {})
            if number == 0:  # the fields beside the texts of a question
                own_metadata |= {
                    "beside": rendering_diff(
                        _NAME, raw, _member(item_of_question.question, item_of_question.evidences)
                    )
                }
            metadata = {_NAME: own_metadata} if own_metadata else {}
            yield passage, (msgspec.structs.replace(question, metadata=metadata),)


def _answers(item: _Evidence, name: str, defects: Defects) -> tuple[Answer, ...]:
    if item.answer == [_NO_ANSWER]:
        return (Answer(kind="none"),)
    answers = []
    for text in item.answer or ():
        spans = first_span(text, item.evidence) if text else ()
        if not spans:
            defects.add(
                "answer-not-in-passage", f"{text!r} is not in the passage", question_id=name
            )
        answers.append(Answer(kind="span", texts=(text,), spans=spans))
    return tuple(answers)


def _row(passage: Passage, question: Question) -> Json:
    texts = [_NO_ANSWER if answer.kind == "none" else answer.text for answer in question.answers]
    return {"evidence": passage.text} | ({"answer": texts} if texts else {})


def _member(question: str, evidences: Json) -> Json:
    return {"question": question, "evidences": evidences}


def write(dataset: Dataset, stream: BinaryIO) -> None:
    """Write one document; successive texts of a question become one member.

    Raises:
        UsageError: A question has options.
    """
    write_object(stream, _members(dataset))


def _members(dataset: Dataset) -> Iterator[tuple[str, Json]]:
    key, text, other_fields, rows = "", "", dict[str, Json](), dict[str, Json]()
    for passage, questions in dataset:
        for question in questions:
            name = question.question_id
            if question.options:
                raise unwritable_error("the webqa format cannot hold options", name)
            question_key = question.tags.get("question_id", name)
            if rows and (question_key != key or name in rows):
                yield key, apply_diff(_NAME, _member(text, rows), other_fields)
                rows = {}
            if not rows:
                key, text = question_key, question.text
                other_fields = question.metadata.get(_NAME, {}).get("beside", {})
            own_metadata = question.metadata.get(_NAME, {})
            diff = {
                part: own_metadata[part] for part in ("extra", "absent") if part in own_metadata
            }
            rows[name] = apply_diff(_NAME, _row(passage, question), {_NAME: diff})
    if rows:
        yield key, apply_diff(_NAME, _member(text, rows), other_fields)


FORMAT = Format(name=_NAME, sniff=sniff, read=read, write=write, metrics=("cmrc",))
