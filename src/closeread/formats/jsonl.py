"""closeread's own JSON lines, which hold everything, and bring-your-own rows.

A canonical line is ``{"passage": {...}, "questions": [...]}``, the records as they are; but if a
verification does not state what it asks for, its stem decides, as in every format. A first
line ``{"dataset": {"name", "version", "license", "metadata"}}`` may describe the set. A flat row
(docs/formats.md) is one question with its passage's text; rows may also be in one JSON list.
"""

from collections.abc import Iterator
from itertools import chain
from typing import Any, BinaryIO

import msgspec

from closeread.errors import InputError
from closeread.formats.files.head import Head
from closeread.formats.files.source import Source
from closeread.formats.layouts import rows
from closeread.formats.layouts.choices import count_unclear_options
from closeread.formats.layouts.ids import Ids
from closeread.formats.layouts.json_objects import is_list, iter_objects
from closeread.formats.registry import Format, Info
from closeread.text.language import detect, language_code
from closeread.text.polarity import infer_asks_for
from closeread.types import Dataset, Defects, Item, Passage, Question, Record, Span
from closeread.wording import count_of

_DEFAULT = Passage(passage_id="", text="").language  # records omit this language


class _Header(Record, frozen=True, kw_only=True):
    name: str = ""
    version: str = ""
    license: str = ""
    metadata: dict[str, Any] = msgspec.field(default_factory=dict)


class _HeaderLine(Record, frozen=True, kw_only=True):
    dataset: _Header


class _Line(Record, frozen=True, kw_only=True):
    passage: Passage
    questions: tuple[Question, ...]


def sniff(head: Head) -> bool:
    """Whether the first line is a canonical line, a header, or a row with passage and question.

    Rows may also be the elements of one list.
    """
    if isinstance(head.value, list):
        row = isinstance(head.first(0, "passage"), str)
        return row and head.has("passage", "question", at=(0,))
    if head.has("dataset"):
        return isinstance(head.first("dataset"), dict) and len(head.value) == 1
    if head.has("passage", "questions"):
        return head.has("passage_id", at=("passage",))
    return head.has("passage", "question") and isinstance(head.first("passage"), str)


def info(source: Source) -> Info:
    """Read the header line, if there is one."""
    head = source.head()
    if not head.has("dataset"):
        return Info()
    header = source.convert(head.value, _HeaderLine, line=1).dataset
    return Info(
        name=header.name,
        version=header.version,
        license=header.license,
        metadata=header.metadata,
    )


def read(source: Source, defects: Defects) -> Iterator[Item]:
    """Yield passages with their questions, from canonical lines or rows."""
    if is_list(source):
        yield from rows.gather_passages(source, iter_objects(source), defects)
        return
    lines = source.records()
    if source.head().has("dataset"):
        next(lines)
    first = next(lines, None)
    if first is None:
        return
    stream = chain([first], lines)
    fields = source.decode(first[1], dict[str, Any], line=first[0])
    if "questions" in fields:
        yield from _canonical(source, stream, defects)
    else:
        numbered = (
            (line or "", source.decode(raw, dict[str, Any], line=line)) for line, raw in stream
        )
        yield from rows.gather_passages(source, numbered, defects)


def _canonical(
    source: Source, lines: Iterator[tuple[int | None, bytes]], defects: Defects
) -> Iterator[Item]:
    ids = Ids(defects)
    for line, raw in lines:
        item = source.decode(raw, _Line, line=line)
        passage = item.passage
        language = language_code(passage.language) or detect(passage.text)
        if language == _DEFAULT != (detected := detect(passage.text)):
            passage_fields = source.decode(raw, dict[str, Any], line=line)["passage"]
            if "language" not in passage_fields:  # detected, as in rows
                language = detected
        if language != passage.language:
            passage = msgspec.structs.replace(passage, language=language)
        for question in item.questions:
            _check(question, item.passage, source.place("", question.question_id, line=line))
            name = ids.note(question.question_id, line=line)
            count_unclear_options(question.options, name, defects)
            for span in _spans(question):
                if not 0 <= span.start <= span.end <= len(item.passage.text):
                    defects.add(
                        "span-out-of-range",
                        f"characters {span.start} to {span.end} are not in the passage",
                        question_id=name,
                        line=line,
                    )
        yield passage, tuple(map(_with_polarity, item.questions))


def _with_polarity(question: Question) -> Question:
    """Return a question with ``asks_for``: readers take a missing value for supported."""
    if question.kind != "verification" or not question.options or question.asks_for is not None:
        return question
    return msgspec.structs.replace(question, asks_for=infer_asks_for(question.kind, question.text))


def _check(question: Question, passage: Passage, where: str) -> None:
    wrong = expected = ""
    if question.passage_id != passage.passage_id:
        wrong, expected = f"the passage_id {question.passage_id!r}", f"{passage.passage_id!r}"
    elif question.option_truth and len(question.option_truth) != len(question.options):
        options = count_of(len(question.options), "option")
        wrong = f"{options} and {count_of(len(question.option_truth), 'truth value')}"
        expected = "one truth value for each option"
    if wrong:
        raise InputError(
            wrong,
            where=where,
            expected=expected,
            cure="fix the line",
        )


def _spans(question: Question) -> Iterator[Span]:
    for answer in question.answers:
        yield from answer.spans
    for evidence in question.gold_evidence:
        yield from evidence.spans


def write(dataset: Dataset, stream: BinaryIO) -> None:
    """Write canonical lines; also a header if the set has a version, a licence or metadata."""
    encode = msgspec.json.Encoder().encode
    if dataset.version or dataset.license or dataset.metadata:
        header = _Header(
            name=dataset.name,
            version=dataset.version,
            license=dataset.license,
            metadata=dict(dataset.metadata),
        )
        stream.write(encode(_HeaderLine(dataset=header)) + b"\n")
    for passage, questions in dataset:
        line: Any = _Line(passage=passage, questions=questions)
        if passage.language == _DEFAULT != detect(passage.text):  # otherwise it would be detected
            line = msgspec.to_builtins(line)
            line["passage"]["language"] = passage.language
        stream.write(encode(line) + b"\n")


FORMAT = Format(name="jsonl", sniff=sniff, read=read, write=write, info=info)
