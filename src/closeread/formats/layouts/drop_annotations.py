"""Reads and writes DROP's annotations: a number, spans or a date."""

from dataclasses import dataclass

import msgspec

from closeread.errors import InputError
from closeread.formats.files.source import Source
from closeread.formats.layouts.answer_places import iter_occurrences
from closeread.formats.layouts.extra_fields import Json
from closeread.formats.layouts.json_writing import unwritable_error
from closeread.types import Answer, AnswerKind, Defects, Span

_DATE = ("day", "month", "year")
_BLANK = "  "


class _Annotation(msgspec.Struct):
    number: str | int | float | None = None
    spans: list[str] | None = None
    date: dict[str, str | int] | None = None


@dataclass(frozen=True)
class AnnotatedQuestion:
    """A question with annotations, and its place in the file."""

    question_id: str
    question: str
    passage: str
    source: Source
    within: str
    defects: Defects

    def defect(self, code: str, message: str) -> None:
        """Count a defect of this question."""
        self.defects.add(code, message, question_id=self.question_id)


def read_annotation(
    raw: Json, question: AnnotatedQuestion, starts: list[int] | None = None
) -> Answer:
    """Read one annotation with the precedence of the official evaluator.

    Args:
        raw: ``{"number", "date", "spans"}``.
        question: The question; its defects are counted.
        starts: The offsets of the spans, if the file has them; else every occurrence is searched.

    Raises:
        InputError: The annotation has neither number, spans nor date.
    """
    annotation = question.source.convert(raw, _Annotation, within=question.within)
    if annotation.number:
        return Answer(kind="number", texts=(str(annotation.number),))
    if annotation.spans:
        kind: AnswerKind = "span" if len(annotation.spans) == 1 else "spans"
        spans = _places(annotation.spans, question, starts)
        return Answer(kind=kind, texts=tuple(annotation.spans), spans=spans)
    if annotation.date is None:
        raise InputError(
            "an answer without number, spans and date",
            where=question.source.place(question.within, question.question_id),
            expected="one of the three",
            cure="complete the annotation or remove it",
        )
    missing = [part for part in _DATE if part not in annotation.date]
    if missing:
        raise InputError(
            f"a date without {' and '.join(missing)}",
            where=question.source.place(question.within, question.question_id),
            expected="day, month and year, blank where unknown",
            cure="complete the annotation; the official evaluator also stops here",
        )
    text = " ".join([str(annotation.date[part]) for part in _DATE])
    if text == _BLANK:
        question.defect("blank-annotation", "an annotation is empty")
    return Answer(kind="date", texts=(text,))


def _places(
    texts: list[str], question: AnnotatedQuestion, starts: list[int] | None
) -> tuple[Span, ...]:
    places: list[Span] = []
    for index, text in enumerate(texts):
        if starts is not None:
            span = Span(starts[index], starts[index] + len(text))
            if span.of(question.passage) == text:
                places.append(span)
                continue
            question.defect(
                "wrong-offset", f"{text[:60]!r} does not begin at character {span.start}"
            )
        places += iter_occurrences(text, question.passage)
        if text.strip() and text not in question.passage and text not in question.question:
            question.defect(
                "answer-not-in-passage", f"{text[:60]!r} is in neither the passage nor the question"
            )
    return tuple(places)


def write_annotation(answer: Answer, question_id: str = "") -> Json:
    """Return an answer as an annotation; ``question_id`` is for the error.

    Raises:
        UsageError: The drop format cannot hold such an answer.
    """
    number, spans, parts = "", list[str](), ["", "", ""]
    if answer.kind == "number":
        number = answer.texts[0]
    elif answer.kind in {"span", "spans"}:
        spans = list(answer.texts)
    elif answer.kind == "date":
        parts = answer.texts[0].split(" ", 2)
        parts = [""] * (3 - len(parts)) + parts
    else:
        raise unwritable_error(
            f"the drop format cannot hold an answer of kind {answer.kind!r}", question_id
        )
    return {"number": number, "date": dict(zip(_DATE, parts, strict=True)), "spans": spans}
