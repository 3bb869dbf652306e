"""Bring your own: one question a row, as JSON lines or as a table; docs/formats.md is its manual.

A passage's questions stand in neighbouring rows that repeat its text.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby, takewhile
from string import ascii_uppercase
from typing import Any

import msgspec

from closeread.errors import InputError
from closeread.formats.files.source import Source
from closeread.formats.layouts import choices
from closeread.formats.layouts.answer_places import stated
from closeread.formats.layouts.ids import Ids
from closeread.formats.layouts.json_objects import At, Numbered, line_of, place, within
from closeread.text.language import code, detect
from closeread.text.polarity import understood
from closeread.types import (
    Answer,
    Defects,
    Evidence,
    Item,
    Option,
    Passage,
    Polarity,
    Question,
    QuestionKind,
    Role,
    Span,
)

# An answer, or every accepted one; a list in the list is one answer of several spans.
Given = str | int | float | list[str | int | float | list[str]]


class Row(msgspec.Struct):
    """The columns with a meaning of their own; every other one becomes a tag."""

    id: str | int
    passage: str
    question: str
    passage_id: str | int | None = None
    title: str | None = None
    language: str | None = None
    kind: QuestionKind | None = None
    options: list[str] | dict[str, str] | None = None
    answer: Given | msgspec.UnsetType | None = msgspec.UNSET
    answer_start: int | list[int] | None = None
    asks_for: Polarity | None = None
    truth: list[bool | None] | None = None
    evidence: list[str] | dict[str, list[str]] | None = None
    group: str | int | None = None
    role: Role | None = None


_WITHOUT_QUESTION = (
    "for passages without questions, write JSON lines "
    '{"passage": {"passage_id": "1", "text": "..."}, "questions": []}'
)


def items(source: Source, rows: Iterable[Numbered], defects: Defects) -> Iterator[Item]:
    """Gather rows into passages with their questions.

    Raises:
        InputError: A column is missing or of another type; says line and question.
    """
    ids = Ids(defects)
    rows = ((at, _with_options(raw)) for at, raw in rows)
    typed = ((_row(source, raw, at), at, raw) for at, raw in rows)
    by_passage = groupby(typed, key=lambda found: (found[0].passage, found[0].passage_id))
    for index, ((text, own_id), group) in enumerate(by_passage):
        members = list(group)
        first = members[0][0]
        passage = Passage(
            passage_id=str(index if own_id is None else own_id),
            text=text,
            title=first.title or "",
            language=code(first.language or "") or detect(text),
        )
        questions = []
        for row, at, raw in members:
            place = _Place(source, at, str(row.id), defects)
            question = _question(place, row, raw, passage)
            ids.note(question.question_id, line=place.line)
            questions.append(question)
        yield passage, tuple(questions)


def _with_options(raw: dict[str, Any]) -> dict[str, Any]:
    """Return a row with the options that stand in columns A, B, ..., as exams' tables have them."""
    if "options" in raw or not lettered(raw):
        return raw
    letters = list(takewhile(lambda letter: isinstance(raw.get(letter), str), ascii_uppercase))
    rest = {name: value for name, value in raw.items() if name not in letters}
    return rest | {"options": [raw[letter] for letter in letters]}


def lettered(names: Mapping[str, Any]) -> bool:
    """Whether columns are taken for options by their names."""
    return isinstance(names.get("A"), str) and isinstance(names.get("B"), str)


def _row(source: Source, raw: dict[str, Any], at: At) -> Row:
    try:
        return source.convert(raw, Row, line=line_of(at), within=within(at))
    except InputError as error:
        if "passage" not in raw or "question" in raw:
            raise
        raise InputError(
            error.found, where=error.where, expected=error.expected, cure=_WITHOUT_QUESTION
        ) from error


class _Place(msgspec.Struct):
    source: Source
    at: At
    name: str
    defects: Defects

    @property
    def line(self) -> int | None:
        """The number of the row's line, where it has one for itself."""
        return line_of(self.at)

    def __str__(self) -> str:
        return place(self.source, self.at, self.name.strip())

    def defect(self, code: str, message: str) -> None:
        self.defects.add(code, message, question_id=self.name, line=self.line)

    def wrong(self, found: str, expected: str) -> InputError:
        return InputError(
            found, where=str(self), expected=expected, cure="fix the row; see docs/formats.md"
        )


def _question(place: _Place, row: Row, raw: dict[str, Any], passage: Passage) -> Question:
    if not place.name.strip():
        raise place.wrong("the id is empty", "a string or an integer that no other row has")
    made = _options(place, row.options)
    if made:
        kind: QuestionKind = "verification" if row.asks_for or row.truth else "choice"
        answers = _choice(place, row.answer, made)
    else:
        answers = _answers(place, row, passage.text)
        numbers = any(answer.kind in {"number", "spans"} for answer in answers)
        kind = "discrete" if numbers else "span"
    kind = row.kind or kind
    if row.truth is not None and len(row.truth) != len(made):
        raise place.wrong(f"{len(row.truth)} truth values", f"{len(made)}, one for each option")
    return Question(
        question_id=str(row.id),
        passage_id=passage.passage_id,
        text=row.question,
        kind=kind,
        asks_for=row.asks_for or (understood(kind, row.question) if made else None),
        options=made,
        option_truth=tuple(row.truth or ()),
        answers=answers,
        gold_evidence=_evidence(place, row.evidence, made, passage.text),
        group_id="" if row.group is None else str(row.group),
        role=row.role,
        tags=_tags(place, raw),
    )


def _options(place: _Place, given: list[str] | dict[str, str] | None) -> tuple[Option, ...]:
    if isinstance(given, dict):
        _lettered(place, list(given.values()))
        return tuple(Option(label=label, text=text) for label, text in given.items())
    return _lettered(place, given) if given else ()


def _lettered(place: _Place, texts: list[str]) -> tuple[Option, ...]:
    return choices.options(texts, str(place), most=choices.MOST_LETTERED)


def _choice(place: _Place, answer: Any, made: tuple[Option, ...]) -> tuple[Answer, ...]:
    if answer is msgspec.UNSET or answer is None:
        return choices.by_letter(None, made, place.name, place.defects)
    labels = [option.label for option in made]
    if isinstance(answer, list) and len(answer) == 1:
        answer = answer[0]
    if not isinstance(answer, str):
        raise place.wrong(
            f"the answer {answer!r}", "one of " + ", ".join(labels) + ", or an option's text"
        )
    if answer in labels:
        return choices.by_letter(answer, made, place.name, place.defects)
    letter = choices.as_typed(answer)
    if letter in labels and answer not in (option.text for option in made):
        return choices.by_letter(letter, made, place.name, place.defects)
    return choices.by_text(answer, made, place.name, place.defects)


def _answers(place: _Place, row: Row, passage: str) -> tuple[Answer, ...]:
    if row.answer is msgspec.UNSET:
        return ()
    if row.answer is None:
        return (Answer(kind="none"),)
    listed = row.answer if isinstance(row.answer, list) else [row.answer]
    starts = row.answer_start
    if isinstance(starts, int):
        starts = [starts]
    if starts is not None and len(starts) != len(listed):
        raise place.wrong(
            f"{len(starts)} answer_start values", f"{len(listed)}, one for each answer"
        )
    made = []
    for index, answer in enumerate(listed):
        if isinstance(answer, list):
            spans = [stated(text, passage, None, place.defect) for text in answer]
            known = tuple(span for span in spans if span)
            made.append(Answer(kind="spans", texts=tuple(answer), spans=known))
        elif isinstance(answer, float | int):
            made.append(Answer(kind="number", texts=(str(answer),)))
        else:
            span = stated(answer, passage, starts[index] if starts else None, place.defect)
            made.append(Answer(kind="span", texts=(answer,), spans=(span,) if span else ()))
    return tuple(made)


def _evidence(
    place: _Place,
    given: list[str] | dict[str, list[str]] | None,
    made: tuple[Option, ...],
    passage: str,
) -> tuple[Evidence, ...]:
    if not given:
        return ()
    by_label = given if isinstance(given, dict) else {"": given}
    labels = {option.label for option in made} | {""}
    found = []
    for label, sentences in by_label.items():
        if label not in labels:
            raise place.wrong(f"evidence for an option {label!r}", "the label of an option")
        spans = []
        for sentence in sentences:
            start = passage.find(sentence)
            if start < 0:
                place.defect("evidence-not-in-passage", f"{sentence!r} is not in the passage")
            else:
                spans.append(Span(start, start + len(sentence)))
        found.append(Evidence(spans=tuple(spans), texts=tuple(sentences), option_label=label))
    return tuple(found)


def _tags(place: _Place, raw: dict[str, Any]) -> dict[str, str]:
    tags = {}
    for key, value in raw.items():
        if key in Row.__struct_fields__ or value is None:
            continue
        if isinstance(value, dict | list):
            raise place.wrong(
                f"the column {key!r} holds {'a list' if isinstance(value, list) else 'an object'}",
                "a string, a number, true or false: such columns become tags",
            )
        tags[key] = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return tags
