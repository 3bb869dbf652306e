"""QASPER (Dasigi et al. 2021): questions about whole papers, with evidence paragraphs.

``{paper_id: {"title", "abstract", "full_text": [{"section_name", "paragraphs": [...]}, ...], "qas":
[{"question", "question_id", "answers": [{"answer": {"unanswerable", "extractive_spans", "yes_no",
"free_form_answer", "evidence", ...}, "annotation_id", ...}], ...}], "figures_and_tables"}}``; rows
of ``datasets`` have a paper each, in objects of lists, and become such members.

The passage is the abstract, then each section's name and paragraphs, a line each. An annotation is
one answer, read as the official program reads it, and one piece of evidence, even if empty: its
paragraphs, then what the text does not contain, such as figures and tables (``FLOAT SELECTED:
...``).
"""

from collections.abc import Iterator
from typing import Any, BinaryIO

import msgspec

from closeread.errors import InputError
from closeread.formats.files.head import Head
from closeread.formats.files.source import Source
from closeread.formats.layouts.answer_places import first_span
from closeread.formats.layouts.extra_fields import Json, apply_diff, rendering_diff, to_objects
from closeread.formats.layouts.ids import Ids
from closeread.formats.layouts.json_objects import describe_place, iter_objects
from closeread.formats.layouts.json_writing import unwritable_error, write_object
from closeread.formats.registry import Format
from closeread.text.language import detect
from closeread.types import Answer, Dataset, Defects, Evidence, Item, Passage, Question, Span

_NAME = "qasper"
_FLOAT = "FLOAT SELECTED"  # how evidence in figures and tables begins


class _AnnotatedAnswer(msgspec.Struct):
    unanswerable: bool
    extractive_spans: list[str]
    free_form_answer: str
    evidence: list[str]
    yes_no: bool | None = None


class _Annotation(msgspec.Struct):
    answer: _AnnotatedAnswer


class _Question(msgspec.Struct):
    question: str
    question_id: str
    answers: list[_Annotation] = []


class _Section(msgspec.Struct):
    paragraphs: list[str]
    section_name: str | None = None


class _Paper(msgspec.Struct):
    title: str
    abstract: str
    full_text: list[_Section]
    qas: list[Json]


def sniff(head: Head) -> bool:
    """Whether the first member, or the first row, is a paper with its questions."""
    return head.has("abstract", "full_text", "qas", at=(0,)) or _are_rows(head)


def _are_rows(head: Head) -> bool:
    return head.row.keys() >= {"id", "abstract", "full_text", "qas"}


def read(source: Source, defects: Defects) -> Iterator[Item]:
    """Yield each paper with its questions.

    Counts ``answer-not-in-passage`` (of spans), ``evidence-not-in-passage`` (but of figures and
    tables) and ``duplicate-id``.

    Raises:
        InputError: An annotation has no answer.
    """
    ids = Ids(defects)
    for name, raw in _papers(source) if _are_rows(source.head()) else source.members(dict):
        paper = source.convert(raw, _Paper, within=name)
        text, places = _lay_out(paper)
        passage = Passage(passage_id=name, text=text, title=paper.title, language=detect(text))
        questions = []
        for number, row in enumerate(paper.qas):
            at = f"{name}.qas[{number}]"
            item = source.convert(row, _Question, within=at)
            key = ids.note(item.question_id)
            question = Question(
                question_id=key,
                passage_id=name,
                text=item.question,
                kind="span",
                answers=tuple(
                    _answer(source.place(at, key), answer.answer, text, key, defects)
                    for answer in item.answers
                ),
                gold_evidence=tuple(
                    _evidence(answer.answer, places, key, defects) for answer in item.answers
                ),
            )
            metadata = rendering_diff(_NAME, row, _question(question))
            questions.append(msgspec.structs.replace(question, metadata=metadata))
        metadata = rendering_diff(_NAME, raw, _paper(passage, paper.qas))
        yield msgspec.structs.replace(passage, metadata=metadata), tuple(questions)


def _papers(source: Source) -> Iterator[tuple[str, Json]]:
    for at, raw in iter_objects(source):
        try:
            qas = to_objects(raw["qas"])
            for row in qas:
                if isinstance(row.get("answers"), dict):
                    row["answers"] = to_objects(row["answers"])
            figures = raw.get("figures_and_tables")
            paper = {key: value for key, value in raw.items() if key != "id"} | {
                "full_text": to_objects(raw["full_text"]),
                "qas": qas,
            }
            if isinstance(figures, dict):
                paper["figures_and_tables"] = to_objects(figures)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InputError(
                "full_text, qas or answers are not lists of equal length",
                where=describe_place(source, at, raw.get("id", "")),
                expected="lists of equal length: names and paragraphs, and the fields of questions",
                cure="fix the row or remove it",
            ) from error
        yield str(raw["id"]), paper


def _lay_out(paper: _Paper) -> tuple[str, dict[str, Span]]:
    """Return a paper's text, and the first span of each paragraph."""
    pieces, places, position = [], dict[str, Span](), 0
    for piece in (
        paper.abstract,
        *(
            paragraph
            for section in paper.full_text
            for paragraph in ((section.section_name or ""), *section.paragraphs)
        ),
    ):
        if piece:
            pieces.append(piece)
            places.setdefault(piece, Span(position, position + len(piece)))
            position += len(piece) + 1
    return "\n".join(pieces), places


def _answer(where: str, answer: _AnnotatedAnswer, text: str, name: str, defects: Defects) -> Answer:
    """Return an annotation's answer, by the official program's precedence."""
    if answer.unanswerable:
        return Answer(kind="none")
    if answer.extractive_spans:
        spans = [
            span
            for extractive_span in answer.extractive_spans
            for span in first_span(extractive_span, text)[:1]
            if extractive_span
        ]
        if len(spans) < len(answer.extractive_spans):
            not_located = next(
                extractive_span
                for extractive_span in answer.extractive_spans
                if not extractive_span or extractive_span not in text
            )
            defects.add(
                "answer-not-in-passage", f"{not_located!r} is not in the passage", question_id=name
            )
        texts = tuple(answer.extractive_spans)
        kind: Any = "span" if len(texts) == 1 else "spans"
        return Answer(kind=kind, texts=texts, spans=tuple(spans))
    if answer.free_form_answer or answer.yes_no is not None:
        words = answer.free_form_answer or ("Yes" if answer.yes_no else "No")
        return Answer(kind="span", texts=(words,))
    raise InputError(
        "an annotation without an answer",
        where=where,
        expected="extractive_spans, free_form_answer, yes_no, or unanswerable: true",
        cure="complete the annotation or remove it; the official program also stops here",
    )


def _evidence(
    answer: _AnnotatedAnswer, places: dict[str, Span], name: str, defects: Defects
) -> Evidence:
    if answer.unanswerable:  # whose evidence the official program ignores
        return Evidence()
    located = [text for text in answer.evidence if text in places]
    not_located = [text for text in answer.evidence if text not in places]
    for text in not_located:
        if not text.startswith(_FLOAT):
            message = f"{text:.60} is not a paragraph"
            defects.add("evidence-not-in-passage", message, question_id=name)
    return Evidence(spans=tuple(places[text] for text in located), texts=(*located, *not_located))


def _question(question: Question) -> Json:
    return {"question": question.text, "question_id": question.question_id}


def _paper(passage: Passage, questions: list[Json]) -> Json:
    return {"title": passage.title, "qas": questions}


def write(dataset: Dataset, stream: BinaryIO) -> None:
    """Write the published form.

    Raises:
        UsageError: A paper or an annotation was not read from this form.
    """
    write_object(stream, _members(dataset))


def _members(dataset: Dataset) -> Iterator[tuple[str, Json]]:
    for passage, questions in dataset:
        paper_fields = passage.metadata.get(_NAME, {}).get("extra", {})
        paper = {"title": passage.title, "qas": []} | paper_fields
        is_unchanged = (
            "full_text" in paper_fields
            and passage.text == _lay_out(msgspec.convert(paper, _Paper))[0]
        )
        rows = []
        for question in questions:
            question_fields = question.metadata.get(_NAME, {}).get("extra", {})
            if not is_unchanged or (question.answers and "answers" not in question_fields):
                raise unwritable_error(
                    "the qasper format cannot hold this question",
                    question.question_id,
                    "an annotated question on a paper with sections, as it was read",
                )
            rows.append(apply_diff(_NAME, _question(question), question.metadata))
        yield passage.passage_id, apply_diff(_NAME, _paper(passage, rows), passage.metadata)


FORMAT = Format(name=_NAME, sniff=sniff, read=read, write=write, metrics=("qasper",))
