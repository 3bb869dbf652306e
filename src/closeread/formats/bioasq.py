"""BioASQ's task B (Tsatsaronis et al. 2015): biomedical questions with snippets of papers.

``{"questions": [{"id", "body", "type", "snippets": [{"text", ...}, ...], "exact_answer",
"ideal_answer", "documents", ...}, ...]}``. The snippets are the passage, a line each.

Of a ``factoid`` every name in ``exact_answer`` is accepted, of a ``list`` the first name of each
item belongs to the one answer of several spans; a ``yesno`` has the options yes and no. A
``summary`` asks for a free text and is skipped. Without ``exact_answer`` there is no gold.
"""

from collections.abc import Iterator
from typing import Any, BinaryIO

import msgspec

from closeread.formats.files.head import Head
from closeread.formats.files.source import Source
from closeread.formats.layouts.answer_places import first_span
from closeread.formats.layouts.choices import gold_from_text, make_options
from closeread.formats.layouts.extra_fields import Json, apply_diff, join_paragraphs, rendering_diff
from closeread.formats.layouts.ids import Ids
from closeread.formats.layouts.json_writing import unwritable_error, write_array
from closeread.formats.registry import Format, Info
from closeread.text.language import detect
from closeread.types import (
    Answer,
    Dataset,
    Defects,
    Item,
    Option,
    Passage,
    Question,
    QuestionKind,
    Span,
)

_NAME = "bioasq"
_FREE = "summary"


class _Snippet(msgspec.Struct):
    text: str


class _Question(msgspec.Struct):
    id: str
    body: str
    type: str
    snippets: list[_Snippet] = []
    exact_answer: str | list[str | list[str]] | None = None


def sniff(head: Head) -> bool:
    """Whether the first question has a body and a type."""
    return head.has("id", "body", "type", at=("questions", 0))


def info(source: Source) -> Info:
    """Read the fields beside the questions."""
    return Info(metadata={_NAME: source.other_members("questions")})


def read(source: Source, defects: Defects) -> Iterator[Item]:
    """Yield each question with its snippets.

    Counts ``free-answer`` (skipped), ``answer-not-in-passage``, ``answer-not-an-option`` and
    ``duplicate-id``. Skipped questions are kept in the metadata of the next one, or the last one.
    """
    ids = Ids(defects)
    skipped = list[Json]()
    last: tuple[Passage, Question] | None = None
    for index, raw in enumerate(source.elements("questions", dict)):
        item = source.convert(raw, _Question, within=f"questions[{index}]")
        if item.type == _FREE:
            defects.add("free-answer", "closeread skips free-form answers", question_id=item.id)
            skipped.append(raw)
            continue
        if last is not None:
            yield last[0], (last[1],)
        text, _ = join_paragraphs([snippet.text for snippet in item.snippets])
        passage = Passage(passage_id=item.id, text=text, language=detect(text or item.body))
        name = ids.note(item.id)
        question = _make_question(item, text, name, defects)
        own_metadata = rendering_diff(_NAME, raw, _row(question)).get(_NAME, {})
        if skipped:
            own_metadata["before"] = skipped
            skipped = []
        last = (
            passage,
            msgspec.structs.replace(
                question, metadata={_NAME: own_metadata} if own_metadata else {}
            ),
        )
    if last is not None:
        passage, question = last
        if skipped:
            own_metadata = question.metadata.get(_NAME, {}) | {"after": skipped}
            question = msgspec.structs.replace(question, metadata={_NAME: own_metadata})
        yield passage, (question,)


def _make_question(item: _Question, text: str, name: str, defects: Defects) -> Question:
    exact_answer = item.exact_answer
    kind: QuestionKind = "span"
    options: tuple[Option, ...] = ()
    answers: tuple[Answer, ...] = ()
    if item.type == "yesno":
        kind, options = "choice", make_options(["yes", "no"], name)
        answer = next(iter(_names(_items(exact_answer))), None)
        answers = gold_from_text(
            None if answer is None else answer.lower().strip(), options, name, defects
        )
    elif item.type == "list" and _names(_items(exact_answer)):
        kind = "discrete"
        texts = tuple(_names([item])[0] for item in _items(exact_answer) if _names([item]))
        places = [_place(answer_text, text, name, defects) for answer_text in texts]
        answers = (Answer(kind="spans", texts=texts, spans=tuple(s for p in places for s in p)),)
    else:
        answers = tuple(
            Answer(
                kind="span", texts=(answer_text,), spans=_place(answer_text, text, name, defects)
            )
            for answer_text in _names(_items(exact_answer))
        )
    return Question(
        question_id=name,
        passage_id=item.id,
        text=item.body,
        kind=kind,
        options=options,
        answers=answers,
        tags={"type": item.type},
    )


def _items(exact_answer: str | list[Any] | None) -> list[Any]:
    return [exact_answer] if isinstance(exact_answer, str) else exact_answer or []


def _names(items: list[Any]) -> list[str]:
    """Return all names of answers, in lists or bare, except blank ones."""
    synonyms = [item if isinstance(item, list) else [item] for item in items]
    return list(
        dict.fromkeys(text for item_synonyms in synonyms for text in item_synonyms if text.strip())
    )


def _place(text: str, passage: str, name: str, defects: Defects) -> tuple[Span, ...]:
    spans = first_span(text, passage)
    if not spans:
        defects.add("answer-not-in-passage", f"{text!r} is not in the passage", question_id=name)
    return spans


def _row(question: Question) -> Json:
    return {
        "id": question.question_id,
        "body": question.text,
        "type": question.tags.get("type", ""),
    }


def write(dataset: Dataset, stream: BinaryIO) -> None:
    """Write one document.

    Raises:
        UsageError: A question was not read from this form, or its passage has changed since.
    """
    write_array(stream, _rows(dataset), "questions", **dataset.metadata.get(_NAME, {}))


def _rows(dataset: Dataset) -> Iterator[Json]:
    for passage, questions in dataset:
        for question in questions:
            own_metadata = question.metadata.get(_NAME, {})
            extra_fields = own_metadata.get("extra", {})
            texts = [snippet["text"] for snippet in extra_fields.get("snippets", ())]
            if passage.text != join_paragraphs(texts)[0] or "type" not in question.tags:
                raise unwritable_error(
                    "the bioasq format cannot hold this question",
                    question.question_id,
                    "a question with its type, on snippets as they were read",
                )
            yield from own_metadata.get("before", ())
            yield apply_diff(_NAME, _row(question), question.metadata)
            yield from own_metadata.get("after", ())


FORMAT = Format(name=_NAME, sniff=sniff, read=read, write=write, info=info)
