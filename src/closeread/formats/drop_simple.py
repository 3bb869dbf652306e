r"""DROP as OpenAI's simple-evals ships it: JSON lines ``{"context", "completion", "ref_text"}``.

``context`` is ``Passage: ...\nQuestion: ...\nAnswer:``; ``ref_text`` holds the accepted answers
between ``|``, each flattened to one string (several spans are joined with `` and ``), and
``completion`` is a space and the first of them. Rows have no ids: a question's id is made from
its content. Every accepted answer is one answer of one span, not stripped, which is how the
official DROP functions were given them.
"""

from collections.abc import Iterator
from typing import BinaryIO

import msgspec

from closeread.errors import InputError
from closeread.formats.files.head import Head
from closeread.formats.files.source import Source
from closeread.formats.layouts.answer_places import iter_occurrences
from closeread.formats.layouts.extra_fields import Json, apply_diff, rendering_diff
from closeread.formats.layouts.ids import ContentIds, content_id
from closeread.formats.layouts.json_objects import (
    describe_place,
    document_path,
    iter_objects,
    line_number,
)
from closeread.formats.layouts.json_writing import unwritable_error, write_lines
from closeread.formats.registry import Format
from closeread.text.language import detect
from closeread.types import Answer, Dataset, Defects, Item, Passage, Question

_NAME = "drop-simple"
_PASSAGE, _QUESTION, _ANSWER = "Passage: ", "\nQuestion: ", "\nAnswer:"


class _Row(msgspec.Struct):
    context: str
    ref_text: str
    completion: str = ""


def sniff(head: Head) -> bool:
    """Whether the first line has a context and the flattened references."""
    return head.row.keys() >= {"context", "ref_text"}


def read(source: Source, defects: Defects) -> Iterator[Item]:
    """Yield each question with its passage; counts ``duplicate-question``.

    Raises:
        InputError: A context has not the three parts.
    """
    ids = ContentIds(defects)
    for at, raw in iter_objects(source):
        number = line_number(at)
        row = source.convert(raw, _Row, line=number, within=document_path(at))
        before, cut, stem = row.context.rpartition(_QUESTION)
        if not (cut and before.startswith(_PASSAGE) and stem.endswith(_ANSWER)):
            raise InputError(
                f"a context that begins {row.context[:40]!r}",
                where=describe_place(source, at),
                expected="Passage: ... Question: ... Answer:, each on its own line",
                cure=source.cure,
            )
        text, stem = before.removeprefix(_PASSAGE), stem.removesuffix(_ANSWER)
        passage = Passage(passage_id=content_id(text), text=text, language=detect(text))
        question = Question(
            question_id=ids.make(text, stem, line=number),
            passage_id=passage.passage_id,
            text=stem,
            kind="discrete",
            answers=tuple(
                [
                    Answer(kind="span", texts=(piece,), spans=tuple(iter_occurrences(piece, text)))
                    for piece in row.ref_text.split("|")
                ]
            ),
        )
        metadata = rendering_diff(_NAME, raw, _row(passage, question))
        yield passage, (msgspec.structs.replace(question, metadata=metadata),)


def _row(passage: Passage, question: Question) -> Json:
    flat = [" and ".join(answer.texts) for answer in question.answers]
    unanswered = not flat or any(answer.kind == "none" for answer in question.answers)
    if unanswered or question.options or any("|" in text for text in flat):
        raise unwritable_error(
            "no answer, options, or an answer with `|` in it",
            question.question_id,
            "accepted answers as plain text",
        )
    return {
        "context": f"{_PASSAGE}{passage.text}{_QUESTION}{question.text}{_ANSWER}",
        "completion": f" {flat[0]}",
        "ref_text": "|".join(flat),
    }


def write(dataset: Dataset, stream: BinaryIO) -> None:
    """Write one question a line; several spans become one string, which cannot be undone.

    Raises:
        UsageError: A question has options or no answer.
    """
    write_lines(
        stream,
        (
            apply_diff(_NAME, _row(passage, question), question.metadata)
            for passage, questions in dataset
            for question in questions
        ),
    )


FORMAT = Format(name=_NAME, sniff=sniff, read=read, write=write, metrics=("drop",), in_lines=True)
