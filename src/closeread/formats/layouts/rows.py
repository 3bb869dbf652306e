"""Reads closeread's own rows, one question each; docs/formats.md describes the columns.

The questions of a passage are in adjacent rows that repeat its text.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby, takewhile
from string import ascii_uppercase
from typing import Any

import msgspec

from closeread.errors import InputError
from closeread.formats.files.source import Source
from closeread.formats.layouts import choices
from closeread.formats.layouts.answer_places import locate_answer
from closeread.formats.layouts.ids import Ids
from closeread.formats.layouts.json_objects import (
    Position,
    Positioned,
    describe_place,
    document_path,
    line_number,
)
from closeread.text.language import detect, language_code
from closeread.text.polarity import infer_asks_for
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
GivenAnswer = str | int | float | list[str | int | float | list[str]]


class Row(msgspec.Struct):
    """The columns with a fixed meaning; any other column becomes a tag."""

    id: str | int
    passage: str
    question: str
    passage_id: str | int | None = None
    title: str | None = None
    language: str | None = None
    kind: QuestionKind | None = None
    options: list[str] | dict[str, str] | None = None
    answer: GivenAnswer | msgspec.UnsetType | None = msgspec.UNSET
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


def gather_passages(source: Source, rows: Iterable[Positioned], defects: Defects) -> Iterator[Item]:
    """Gather adjacent rows into passages with their questions.

    Raises:
        InputError: A column is missing or of another type; says line and question.
    """
    ids = Ids(defects)
    rows = ((at, _with_options(raw)) for at, raw in rows)
    typed = ((_row(source, raw, at), at, raw) for at, raw in rows)
    by_passage = groupby(
        typed, key=lambda typed_row: (typed_row[0].passage, typed_row[0].passage_id)
    )
    for index, ((text, own_id), group) in enumerate(by_passage):
        members = list(group)
        first = members[0][0]
        passage = Passage(
            passage_id=str(index if own_id is None else own_id),
            text=text,
            title=first.title or "",
            language=language_code(first.language or "") or detect(text),
        )
        questions = []
        for row, at, raw in members:
            place = _Place(source, at, str(row.id), defects)
            question = _question(place, row, raw, passage)
            ids.note(question.question_id, line=place.line)
            questions.append(question)
        yield passage, tuple(questions)


def _with_options(raw: dict[str, Any]) -> dict[str, Any]:
    """Return a row with the options of the columns A, B, ..., as in C-Eval's tables."""
    if "options" in raw or not has_lettered_columns(raw):
        return raw
    letters = list(takewhile(lambda letter: isinstance(raw.get(letter), str), ascii_uppercase))
    other_columns = {name: value for name, value in raw.items() if name not in letters}
    return other_columns | {"options": [raw[letter] for letter in letters]}


def has_lettered_columns(names: Mapping[str, Any]) -> bool:
    """Whether the columns A and B hold options."""
    return isinstance(names.get("A"), str) and isinstance(names.get("B"), str)


def _row(source: Source, raw: dict[str, Any], at: Position) -> Row:
    try:
        return source.convert(raw, Row, line=line_number(at), within=document_path(at))
    except InputError as error:
        if "passage" not in raw or "question" in raw:
            raise
        raise InputError(
            error.found, where=error.where, expected=error.expected, cure=_WITHOUT_QUESTION
        ) from error


class _Place(msgspec.Struct):
    source: Source
    at: Position
    name: str
    defects: Defects

    @property
    def line(self) -> int | None:
        """The number of the row's line, if the row has its own line."""
        return line_number(self.at)

    def __str__(self) -> str:
        return describe_place(self.source, self.at, self.name.strip())

    def defect(self, code: str, message: str) -> None:
        self.defects.add(code, message, question_id=self.name, line=self.line)

    def error(self, problem: str, expected: str) -> InputError:
        return InputError(
            problem, where=str(self), expected=expected, cure="fix the row; see docs/formats.md"
        )


def _question(place: _Place, row: Row, raw: dict[str, Any], passage: Passage) -> Question:
    if not place.name.strip():
        raise place.error("the id is empty", "a string or an integer that no other row has")
    options = _options(place, row.options)
    if options:
        kind: QuestionKind = "verification" if row.asks_for or row.truth else "choice"
        answers = _choice(place, row.answer, options)
    else:
        answers = _answers(place, row, passage.text)
        numbers = any(answer.kind in {"number", "spans"} for answer in answers)
        kind = "discrete" if numbers else "span"
    kind = row.kind or kind
    if row.truth is not None and len(row.truth) != len(options):
        raise place.error(f"{len(row.truth)} truth values", f"{len(options)}, one for each option")
    return Question(
        question_id=str(row.id),
        passage_id=passage.passage_id,
        text=row.question,
        kind=kind,
        asks_for=row.asks_for or (infer_asks_for(kind, row.question) if options else None),
        options=options,
        option_truth=tuple(row.truth or ()),
        answers=answers,
        gold_evidence=_evidence(place, row.evidence, options, passage.text),
        group_id="" if row.group is None else str(row.group),
        role=row.role,
        tags=_tags(place, raw),
    )


def _options(place: _Place, options: list[str] | dict[str, str] | None) -> tuple[Option, ...]:
    if isinstance(options, dict):
        _label_with_letters(place, list(options.values()))
        return tuple(Option(label=label, text=text) for label, text in options.items())
    return _label_with_letters(place, options) if options else ()


def _label_with_letters(place: _Place, texts: list[str]) -> tuple[Option, ...]:
    return choices.make_options(texts, str(place), most=choices.MAX_LETTERED)


def _choice(place: _Place, answer: Any, options: tuple[Option, ...]) -> tuple[Answer, ...]:
    if answer is msgspec.UNSET or answer is None:
        return choices.gold_from_letter(None, options, place.name, place.defects)
    labels = [option.label for option in options]
    if isinstance(answer, list) and len(answer) == 1:
        answer = answer[0]
    if not isinstance(answer, str):
        raise place.error(
            f"the answer {answer!r}", "one of " + ", ".join(labels) + ", or an option's text"
        )
    if answer in labels:
        return choices.gold_from_letter(answer, options, place.name, place.defects)
    letter = choices.parse_letter(answer)
    if letter in labels and answer not in (option.text for option in options):
        return choices.gold_from_letter(letter, options, place.name, place.defects)
    return choices.gold_from_text(answer, options, place.name, place.defects)


def _answers(place: _Place, row: Row, passage: str) -> tuple[Answer, ...]:
    if row.answer is msgspec.UNSET:
        return ()
    if row.answer is None:
        return (Answer(kind="none"),)
    given_answers = row.answer if isinstance(row.answer, list) else [row.answer]
    starts = row.answer_start
    if isinstance(starts, int):
        starts = [starts]
    if starts is not None and len(starts) != len(given_answers):
        raise place.error(
            f"{len(starts)} answer_start values", f"{len(given_answers)}, one for each answer"
        )
    answers = []
    for index, answer in enumerate(given_answers):
        if isinstance(answer, list):
            spans = [locate_answer(text, passage, None, place.defect) for text in answer]
            located = tuple(span for span in spans if span)
            answers.append(Answer(kind="spans", texts=tuple(answer), spans=located))
        elif isinstance(answer, float | int):
            answers.append(Answer(kind="number", texts=(str(answer),)))
        else:
            span = locate_answer(answer, passage, starts[index] if starts else None, place.defect)
            answers.append(Answer(kind="span", texts=(answer,), spans=(span,) if span else ()))
    return tuple(answers)


def _evidence(
    place: _Place,
    evidence: list[str] | dict[str, list[str]] | None,
    options: tuple[Option, ...],
    passage: str,
) -> tuple[Evidence, ...]:
    if not evidence:
        return ()
    by_label = evidence if isinstance(evidence, dict) else {"": evidence}
    labels = {option.label for option in options} | {""}
    located = []
    for label, sentences in by_label.items():
        if label not in labels:
            raise place.error(f"evidence for an option {label!r}", "the label of an option")
        spans = []
        for sentence in sentences:
            start = passage.find(sentence)
            if start < 0:
                place.defect("evidence-not-in-passage", f"{sentence!r} is not in the passage")
            else:
                spans.append(Span(start, start + len(sentence)))
        located.append(Evidence(spans=tuple(spans), texts=tuple(sentences), option_label=label))
    return tuple(located)


def _tags(place: _Place, raw: dict[str, Any]) -> dict[str, str]:
    tags = {}
    for key, value in raw.items():
        if key in Row.__struct_fields__ or value is None:
            continue
        if isinstance(value, dict | list):
            raise place.error(
                f"the column {key!r} holds {'a list' if isinstance(value, list) else 'an object'}",
                "a string, a number, true or false: such columns become tags",
            )
        tags[key] = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return tags
