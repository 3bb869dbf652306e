"""Reads and writes SQuAD's tree of articles, paragraphs and questions (SQuAD, CMRC, ExpMRC, QuAC).

Metadata keeps what closeread's records have no field for, to write it back:

- passage: ``article`` (its article's index), ``article_extra`` and ``squad_extra`` (fields of
  other publishers), ``own_id`` (the paragraph has an id), ``untitled`` (the article has no title);
- question: ``is_impossible`` and ``plausible_answers`` where the file has them, ``integer_id``,
  ``answer_starts`` (the file's offsets, where one of them is wrong), ``answer_extras``,
  ``no_gold`` (what stands under answers without being gold: answers of an impossible question,
  an empty list, or None where the field is missing), ``squad_extra``.

Where the file's name says the language, it is the passages', and each question's tag
``answer_language``.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby
from typing import Any, BinaryIO, Literal

import msgspec

from closeread.errors import UsageError
from closeread.formats.files.source import Source
from closeread.formats.layouts.answer_places import locate_answer
from closeread.formats.layouts.extra_fields import unknown_fields, without_empty
from closeread.formats.layouts.ids import Ids
from closeread.formats.layouts.json_writing import write_remaining_members
from closeread.formats.layouts.language_in_name import language_in_name
from closeread.text.language import detect
from closeread.types import Answer, Dataset, Defects, Item, Passage, Question


class _Answer(msgspec.Struct):
    text: str
    answer_start: int


# CJRC has it as text, blank where it is withheld.
_Impossible = bool | Literal["true", "false", ""] | None
_IMPOSSIBLE = (True, "true")


class _Question(msgspec.Struct):
    id: str | int
    question: str
    answers: list[_Answer] | None = None
    is_impossible: _Impossible = None
    plausible_answers: list[_Answer] | None = None


class _Paragraph(msgspec.Struct):
    context: str
    qas: list[_Question]
    id: str | None = None


class _Article(msgspec.Struct):
    paragraphs: list[_Paragraph]
    title: str | None = None


class _GoldAnswer(msgspec.Struct, gc=False):
    text: str


class _GoldQuestion(msgspec.Struct, gc=False):
    id: str | int
    question: str
    answers: list[_GoldAnswer] | None = None
    is_impossible: _Impossible = None


class _GoldParagraph(msgspec.Struct, gc=False):
    qas: list[_GoldQuestion]
    id: str | None = None


class _GoldArticle(msgspec.Struct, gc=False):
    paragraphs: list[_GoldParagraph]


def read(source: Source, defects: Defects) -> Iterator[Item]:
    """Yield one passage a paragraph; counts repeated ids, wrong offsets and lost answers."""
    return items(source, source.elements("data", dict[str, Any]), defects)


def items(source: Source, articles: Iterable[dict[str, Any]], defects: Defects) -> Iterator[Item]:
    """Yield one passage for each paragraph of articles that come from elsewhere than ``data``."""
    ids = Ids(defects)
    language, tags = _language_and_tags(source)
    for index, raw in enumerate(articles):
        article = source.convert(raw, _Article, within=f"data[{index}]")
        if not article.paragraphs:
            defects.add("empty-article", f"article {index} has no paragraphs and is skipped")
        shared = {"article": index} | without_empty(
            article_extra=unknown_fields(raw, _Article), untitled=article.title is None or None
        )
        for number, (paragraph, fields) in enumerate(
            zip(article.paragraphs, raw["paragraphs"], strict=True)
        ):
            passage = Passage(
                passage_id=_passage_id(paragraph.id, index, number),
                text=paragraph.context,
                title=article.title or "",
                language=language or detect(paragraph.context),
                metadata=shared
                | without_empty(
                    squad_extra=unknown_fields(fields, _Paragraph),
                    own_id=paragraph.id is not None or None,
                ),
            )
            yield (
                passage,
                tuple(
                    _question(item, values, passage, ids, defects, tags=tags)
                    for item, values in zip(paragraph.qas, fields["qas"], strict=True)
                ),
            )


def read_gold(source: Source, defects: Defects) -> Iterator[Question]:
    """Yield the questions with ids, texts and accepted answers alone: no places."""
    ids = Ids(defects)
    _, tags = _language_and_tags(source)
    for index, article in enumerate(source.elements("data", _GoldArticle)):
        for number, paragraph in enumerate(article.paragraphs):
            passage_id = _passage_id(paragraph.id, index, number)
            for item in paragraph.qas:
                if item.is_impossible in _IMPOSSIBLE:
                    answers: tuple[Answer, ...] = (Answer(kind="none"),)
                else:
                    answers = tuple(
                        [Answer(kind="span", texts=(answer.text,)) for answer in item.answers or ()]
                    )
                yield Question(
                    question_id=ids.note(str(item.id)),
                    passage_id=passage_id,
                    text=item.question,
                    kind="span",
                    answers=answers,
                    tags=tags,
                )


def _language_and_tags(source: Source) -> tuple[str, dict[str, str]]:
    """Return the language in the file's name, and the tags that record it in questions."""
    language = language_in_name(source.stem)
    return language, {"answer_language": language} if language else {}


def _passage_id(own: str | None, article: int, paragraph: int) -> str:
    return f"{article}-{paragraph}" if own is None else own


def _question(
    item: _Question,
    raw: dict[str, Any],
    passage: Passage,
    ids: Ids,
    defects: Defects,
    *,
    tags: dict[str, str],
) -> Question:
    name = ids.note(str(item.id))
    add_defect = partial(defects.add, question_id=name)
    impossible = item.is_impossible in _IMPOSSIBLE
    if impossible:
        if any(answer.text for answer in item.answers or ()):  # DuReader-checklist has an empty one
            add_defect(
                "impossible-with-answers", "closeread ignores the answers of an impossible question"
            )
        answers: tuple[Answer, ...] = (Answer(kind="none"),)
    else:
        answers = _locate_answers(item, passage, add_defect)
    extras = [unknown_fields(answer, _Answer) for answer in raw.get("answers") or ()]
    metadata = without_empty(
        is_impossible=item.is_impossible,
        plausible_answers=raw.get("plausible_answers"),
        integer_id=isinstance(item.id, int) or None,
        answer_starts=None if impossible else _wrong_starts(item, answers),
        answer_extras=extras if any(extras) else None,
        squad_extra=unknown_fields(raw, _Question),
    )
    if impossible and item.answers != []:
        metadata["no_gold"] = raw.get("answers")
    elif not impossible and not item.answers:
        metadata["no_gold"] = item.answers
    return Question(
        question_id=name,
        passage_id=passage.passage_id,
        text=item.question,
        kind="span",
        answers=answers,
        tags=tags,
        metadata=metadata,
    )


def _locate_answers(
    item: _Question, passage: Passage, add_defect: Callable[[str, str], None]
) -> tuple[Answer, ...]:
    """Return the accepted answers with their places in the passage, as far as they are in it."""
    if item.answers == []:
        add_defect("no-answer", "no accepted answer")
    answers = []
    for answer in item.answers or ():
        place = locate_answer(answer.text, passage.text, answer.answer_start, add_defect)
        spans = () if place is None else (place,)
        answers.append(Answer(kind="span", texts=(answer.text,), spans=spans))
    return tuple(answers)


def _wrong_starts(item: _Question, answers: Sequence[Answer]) -> list[int] | None:
    """Return the file's offsets if any of them is wrong, to write them back."""
    starts = [answer.answer_start for answer in item.answers or ()]
    located = [answer.spans[0].start if answer.spans else None for answer in answers]
    return starts if located != starts else None


def write(dataset: Dataset, stream: BinaryIO, *, with_ids: bool = False) -> None:
    """Write a data set as one document, article by article.

    Adjacent passages with one title make an article, unless metadata gives the articles.

    Args:
        dataset: Any data set whose answers are spans.
        stream: The output.
        with_ids: Give each article and paragraph an id, as CMRC does.

    Raises:
        UsageError: A question has options, or an answer that is not a span of its passage.
    """
    encode = msgspec.json.Encoder().encode
    stream.write(b'{"data":[')
    unanswerable = False
    articles = groupby(dataset, key=lambda item: (item[0].metadata.get("article"), item[0].title))
    for index, (_, items) in enumerate(articles):
        for number, (passage, questions) in enumerate(items):
            if number == 0:
                stream.write((b"," if index else b"") + _article_opening(passage, encode, with_ids))
            unanswerable |= any(
                answer.kind == "none" for question in questions for answer in question.answers
            )
            rows = [_row(question, passage) for question in questions]
            fields = {"context": passage.text, "qas": rows}
            if with_ids or passage.metadata.get("own_id"):
                fields["id"] = passage.passage_id
            line = fields | passage.metadata.get("squad_extra", {})
            stream.write((b"," if number else b"") + encode(line))
        stream.write(b"]}")
    stream.write(b"]")
    document = dataset.metadata.get("document")
    if document is None:
        document = {"version": "v2.0" if unanswerable else "1.1"}
    write_remaining_members(stream, document)


def _article_opening(passage: Passage, encode: Any, own_ids: bool) -> bytes:
    fields: dict[str, Any] = {"id": passage.passage_id} if own_ids else {}
    fields |= passage.metadata.get("article_extra", {})
    if not passage.metadata.get("untitled"):
        fields["title"] = passage.title
    start: bytes = encode(fields)[:-1]
    return start + (b"," if fields else b"") + b'"paragraphs":['


def _row(question: Question, passage: Passage) -> dict[str, Any]:
    metadata = question.metadata
    if question.options:
        raise _unwritable_error(question, "options")
    row: dict[str, Any] = {
        "id": _id(question),
        "question": question.text,
    }
    kinds = {answer.kind for answer in question.answers}
    if "no_gold" in metadata and kinds <= {"none"}:
        row["answers"] = metadata["no_gold"]
    elif kinds == {"none"}:
        row["answers"] = []
        row["is_impossible"] = True
    else:
        row["answers"] = _answers(question, passage)
    for key in ("is_impossible", "plausible_answers"):
        if key in metadata:
            row[key] = metadata[key]
    if row["answers"] is None:
        del row["answers"]
    return row | dict(metadata.get("squad_extra", {}))


def _answers(question: Question, passage: Passage) -> list[dict[str, Any]]:
    starts = _parallel(question, "answer_starts")
    extras = _parallel(question, "answer_extras")
    rows = []
    for index, answer in enumerate(question.answers):
        if answer.kind not in {"span", "spans"} or len(answer.texts) != 1:
            raise _unwritable_error(question, f"an answer of kind {answer.kind!r}")
        text = answer.texts[0]
        if starts:
            start = starts[index]
        elif answer.spans:
            start = answer.spans[0].start
        else:
            start = passage.text.find(text)
            if start < 0:
                raise _unwritable_error(
                    question, f"the answer {text!r}, which is not in the passage"
                )
        rows.append({"text": text, "answer_start": start} | (extras[index] if extras else {}))
    return rows


def _id(question: Question) -> str | int:
    name = question.question_id
    is_number = question.metadata.get("integer_id") and name.lstrip("-").isdecimal()
    return int(name) if is_number else name


def _parallel(question: Question, key: str) -> list[Any] | None:
    """Return the metadata of each answer; nothing if the answers were changed after reading."""
    values: list[Any] | None = question.metadata.get(key)
    return values if values and len(values) == len(question.answers) else None


def _unwritable_error(question: Question, content: str) -> UsageError:
    return UsageError(
        f"SQuAD's form cannot hold {content}",
        where=f"question {question.question_id}",
        expected="spans of the passage, or no answer",
        cure="choose another format; `jsonl` holds every question",
    )
