"""QuAC (Choi et al. 2018): conversations about a section of Wikipedia, with spans as answers.

SQuAD's tree with ``section_title`` and ``background`` beside an article's title, and with
``followup``, ``yesno`` and ``orig_answer`` beside a question, which are kept under ``quac``: a set
of another form is not a conversation. A paragraph is one conversation, and has an id. An
unanswerable question has the answer ``CANNOTANSWER``, which ends the text. Rows of ``datasets``
have a conversation each and become such articles. How earlier turns are shown:
``layouts/turns.py``.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import BinaryIO

import msgspec

from closeread.errors import InputError
from closeread.formats.files.head import Head
from closeread.formats.files.source import Source
from closeread.formats.layouts import squad_tree
from closeread.formats.layouts.extra_fields import Json, without_empty
from closeread.formats.layouts.json_objects import (
    describe_place,
    document_path,
    iter_objects,
    line_number,
)
from closeread.formats.layouts.json_writing import unwritable_error
from closeread.formats.layouts.turns import (
    TURNS,
    parse_turns,
    with_earlier_turns,
    without_earlier_turns,
)
from closeread.formats.registry import Format, Info
from closeread.types import Dataset, Defects, Item, Question

_NAME = "quac"
_OF_TURNS = ("followup", "yesno", "orig_answer")
_YESNO, _FOLLOWUP = "ynx", "ynm"  # what the numbers of rows stand for


class _AnswerLists(msgspec.Struct):
    texts: list[list[str]]
    answer_starts: list[list[int]]


class _AnswerTexts(msgspec.Struct):
    texts: list[str]
    answer_starts: list[int]


class _Row(msgspec.Struct):
    dialogue_id: str
    context: str
    turn_ids: list[str]
    questions: list[str]
    answers: _AnswerLists
    orig_answers: _AnswerTexts
    followups: list[int | str]
    yesnos: list[int | str]
    wikipedia_page_title: str = ""
    section_title: str = ""
    background: str = ""


def sniff(head: Head) -> bool:
    """Whether the first question has followup and yesno, or the first row is a conversation."""
    first = ("data", 0, "paragraphs", 0, "qas", 0)
    return head.has("followup", "yesno", at=first) or _are_rows(head)


def _are_rows(head: Head) -> bool:
    return head.row.keys() >= {"dialogue_id", "context", "questions", "followups", "yesnos"}


def info(source: Source) -> Info:
    """Read the fields beside the articles."""
    return Info(
        metadata={"document": {} if _are_rows(source.head()) else source.other_members("data")}
    )


def read(source: Source, defects: Defects, turns: int = TURNS) -> Iterator[Item]:
    """Yield each conversation's text with its questions, each shown with ``turns`` earlier turns.

    Counts the defects that ``squad`` counts.
    """
    if _are_rows(source.head()):
        items = squad_tree.items(source, _articles(source), defects)
    else:
        items = squad_tree.read(source, defects)
    for passage, questions in items:
        earlier_turns = list[tuple[str, str]]()
        with_turns_shown = []
        for question in questions:
            text = with_earlier_turns(question.text, earlier_turns, turns)
            with_turns_shown.append(msgspec.structs.replace(_with_turn_fields(question), text=text))
            earlier_turns.append((question.text, _teacher_answer(with_turns_shown[-1])))
        yield passage, tuple(with_turns_shown)


def _with_turn_fields(question: Question) -> Question:
    """Return a question with the fields of a turn under ``quac`` in its metadata."""
    extra = question.metadata.get("squad_extra", {})
    metadata = {key: value for key, value in question.metadata.items() if key != "squad_extra"}
    metadata[_NAME] = {key: value for key, value in extra.items() if key in _OF_TURNS}
    squad_extra = {key: value for key, value in extra.items() if key not in _OF_TURNS}
    return msgspec.structs.replace(
        question, metadata=metadata | without_empty(squad_extra=squad_extra or None)
    )


def _without_turns(question: Question) -> Question:
    """Return a question for SQuAD's tree, without the turns shown with it.

    Raises:
        UsageError: It was not read from a conversation.
    """
    if _NAME not in question.metadata:
        raise unwritable_error(
            "the quac format cannot hold this question",
            question.question_id,
            "a turn of a conversation that was read from this format",
        )
    extra = question.metadata.get("squad_extra", {}) | question.metadata[_NAME]
    metadata = question.metadata | without_empty(squad_extra=extra or None)
    return msgspec.structs.replace(
        question, text=without_earlier_turns(question.text), metadata=metadata
    )


def _teacher_answer(question: Question) -> str:
    """Return the answer of the conversation's teacher."""
    original = question.metadata[_NAME].get("orig_answer")
    text = original.get("text") if isinstance(original, dict) else None
    return text if isinstance(text, str) else next((answer.text for answer in question.answers), "")


def _articles(source: Source) -> Iterator[Json]:
    for at, raw in iter_objects(source):
        row = source.convert(raw, _Row, within=document_path(at), line=line_number(at))
        try:
            qas = [*_questions(row)]
        except ValueError as error:
            raise InputError(
                "the lists differ in length",
                where=describe_place(source, at, row.dialogue_id),
                expected="as many answers, followups, yesnos and turn_ids as questions",
                cure="fix the row or remove it",
            ) from error
        paragraph = {"context": row.context, "qas": qas, "id": row.dialogue_id}
        yield {
            "paragraphs": [paragraph],
            "section_title": row.section_title,
            "background": row.background,
            "title": row.wikipedia_page_title,
        }


def _questions(row: _Row) -> Iterator[Json]:
    """Yield a row's questions as objects of SQuAD's tree.

    Raises:
        ValueError: Lists are of unequal length.
    """
    lists = (
        row.turn_ids, row.questions, row.followups, row.yesnos, row.answers.texts,
        row.answers.answer_starts, row.orig_answers.texts, row.orig_answers.answer_starts,
    )  # fmt: skip
    for name, text, followup, yesno, texts, starts, original, begins in zip(*lists, strict=True):
        answer_places = zip(texts, starts, strict=True)
        yield {
            "id": name,
            "question": text,
            "answers": [
                {"text": answer_text, "answer_start": start} for answer_text, start in answer_places
            ],
            "followup": _letter(followup, _FOLLOWUP),
            "yesno": _letter(yesno, _YESNO),
            "orig_answer": {"text": original, "answer_start": begins},
        }


def _letter(value: int | str, letters: str) -> int | str:
    return letters[value] if isinstance(value, int) and 0 <= value < len(letters) else value


def write(dataset: Dataset, stream: BinaryIO) -> None:
    """Write the published tree; questions lose the turns shown with them.

    Raises:
        UsageError: As in ``squad``, or a question was not read from this form.
    """

    def read_without_turns(defects: Defects) -> Iterator[Item]:
        for passage, questions in dataset.read(defects):
            yield passage, tuple(map(_without_turns, questions))

    squad_tree.write(replace(dataset, read=read_without_turns), stream)


def with_turns(settings: Mapping[str, str]) -> Format:
    """Return the format with a user's number of earlier turns: ``quac,turns=3``.

    Raises:
        UsageError: The number is not an integer from 0 on.
    """
    return replace(FORMAT, read=partial(read, turns=parse_turns(_NAME, settings)))


FORMAT = Format(
    name=_NAME, sniff=sniff, read=read, write=write, info=info, metrics=("quac",), named=with_turns
)
