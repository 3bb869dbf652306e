"""ExpMRC (Cui et al. 2022): answers with the evidence for them, in four subsets.

SQuAD and CMRC: SQuAD's tree with ``"evidences": [text...]`` in every question. C3 and RACE:
``{"version", "data": [{"id", "article", "questions": [text...], "options": [[text...]...],
"answers": [letter...], "evidences": [[text...]...]}]}``, whose question ids are, as in the
submissions, ``<article id>-<index>``. Each evidence is one accepted reference, usually verbatim in
the passage.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from typing import Any, BinaryIO

import msgspec

from closeread.errors import InputError, UsageError
from closeread.formats import squad
from closeread.formats.files.head import Head
from closeread.formats.files.source import Source
from closeread.formats.layouts import answer_places, choices, squad_tree
from closeread.formats.layouts.extra_fields import unknown_fields, without_empty
from closeread.formats.layouts.ids import Ids
from closeread.formats.layouts.json_writing import write_remaining_members
from closeread.formats.registry import Format
from closeread.text.language import detect
from closeread.text.polarity import asks_for
from closeread.types import (
    Dataset,
    Defects,
    Evidence,
    Item,
    Passage,
    Question,
)


class _Article(msgspec.Struct):
    id: str
    article: str
    questions: list[str]
    options: list[list[str]]
    answers: list[str] | None = None
    evidences: list[list[str]] | None = None


def sniff(head: Head) -> bool:
    """Whether there are evidences beside questions, or articles with options for each question."""
    if head.has("article", "questions", "options", at=("data", 0)):
        return head.has("evidences", at=("data", 0)) or _version(head).startswith("expmrc")
    return head.has("evidences", at=("data", 0, "paragraphs", 0, "qas", 0))


def _version(head: Head) -> str:
    return str(head.first("version") or "")


def _is_choice(source: Source) -> bool:
    return source.head().has("article", at=("data", 0)) or source.head().has(
        "questions", at=("data", 0)
    )


def read(source: Source, defects: Defects) -> Iterator[Item]:
    """Yield one passage an article or paragraph, each question with its evidences."""
    if _is_choice(source):
        yield from _read_choice(source, defects)
        return
    for passage, questions in squad_tree.read(source, defects):
        yield (
            passage,
            tuple(_with_evidence(question, passage, source, defects) for question in questions),
        )


def _with_evidence(
    question: Question, passage: Passage, source: Source, defects: Defects
) -> Question:
    extra = dict(question.metadata.get("squad_extra", {}))
    metadata = {key: value for key, value in question.metadata.items() if key != "squad_extra"}
    if "evidences" not in extra:
        return msgspec.structs.replace(
            question, metadata=question.metadata | {"no_evidences": True}
        )
    texts = source.convert(
        extra.pop("evidences"), list[str], within=f"question {question.question_id}: evidences"
    )
    return msgspec.structs.replace(
        question,
        gold_evidence=_evidence(texts, passage.text, question.question_id, defects),
        metadata=metadata | without_empty(squad_extra=extra),
    )


def _evidence(
    texts: Iterable[str], passage: str, name: str, defects: Defects
) -> tuple[Evidence, ...]:
    evidence = []
    for text in texts:
        spans = answer_places.first_span(text, passage)
        if not spans:
            defects.add(
                "evidence-not-in-passage", f"{text!r} is not in the passage", question_id=name
            )
        evidence.append(Evidence(spans=spans, texts=(text,)))
    return tuple(evidence)


def _read_choice(source: Source, defects: Defects) -> Iterator[Item]:
    ids = Ids(defects)
    for index, raw in enumerate(source.elements("data", dict[str, Any])):
        article = source.convert(raw, _Article, within=f"data[{index}]")
        where = f"{source}, at data[{index}]"
        lengths = {
            key: len(value)
            for key in ("questions", "options", "answers", "evidences")
            if (value := getattr(article, key)) is not None
        }
        if len(set(lengths.values())) > 1:
            raise InputError(
                "the lists differ in length: "
                + ", ".join(f"{count} {key}" for key, count in lengths.items()),
                where=f"{where}, article {article.id}",
                expected="one entry for each question",
                cure="fix the file",
            )
        passage = Passage(
            passage_id=article.id,
            text=article.article,
            language=detect(article.article),
            metadata=without_empty(
                expmrc_extra=unknown_fields(raw, _Article),
                absent=[key for key in ("answers", "evidences") if key not in lengths] or None,
            ),
        )
        for number in range(len(article.questions)):
            ids.note(f"{article.id}-{number}")
        yield (
            passage,
            tuple(
                _choice(article, number, passage, where, defects)
                for number in range(len(article.questions))
            ),
        )


def _choice(
    article: _Article, number: int, passage: Passage, where: str, defects: Defects
) -> Question:
    name = f"{article.id}-{number}"
    options = choices.make_options(article.options[number], f"{where}, question {name}")
    letter = article.answers[number] if article.answers is not None else None
    evidences = article.evidences[number] if article.evidences is not None else []
    return Question(
        question_id=name,
        passage_id=article.id,
        text=article.questions[number],
        kind="choice",
        asks_for=asks_for(article.questions[number]),
        options=options,
        answers=choices.gold_from_letter(letter, options, name, defects),
        gold_evidence=_evidence(evidences, passage.text, name, defects),
    )


def write(dataset: Dataset, stream: BinaryIO) -> None:
    """Write choice questions in the form of C3 and RACE, spans in the form of SQuAD.

    Raises:
        UsageError: The set has both kinds, or an answer that the form cannot hold.
    """
    first = next((question for _, questions in dataset for question in questions), None)
    if first is not None and first.options:
        _write_choice(dataset, stream)
        return

    def with_evidences(defects: Defects) -> Iterator[Item]:
        for passage, questions in dataset.read(defects):
            yield passage, tuple(_with_evidences_field(question, passage) for question in questions)

    squad_tree.write(replace(dataset, read=with_evidences), stream)


def _with_evidences_field(question: Question, passage: Passage) -> Question:
    if question.metadata.get("no_evidences"):
        return question
    extra = question.metadata.get("squad_extra", {}) | {"evidences": _texts(question, passage)}
    return msgspec.structs.replace(question, metadata=question.metadata | {"squad_extra": extra})


def _texts(question: Question, passage: Passage) -> list[str]:
    return [
        "".join(evidence.texts or (span.of(passage.text) for span in evidence.spans))
        for evidence in question.gold_evidence
    ]


def _write_choice(dataset: Dataset, stream: BinaryIO) -> None:
    encode = msgspec.json.Encoder().encode
    stream.write(b'{"data":[')
    grouped = groupby(dataset, key=lambda item: (item[0].passage_id, item[0].text))
    for index, (_, items) in enumerate(grouped):
        stream.write((b"," if index else b"") + encode(_article_row(list(items))))
    stream.write(b"]")
    write_remaining_members(stream, dataset.metadata.get("document", {"version": dataset.version}))


def _article_row(items: list[Item]) -> dict[str, Any]:
    passage = items[0][0]
    questions = [question for _, questions_of_item in items for question in questions_of_item]
    options = [choices.require_options(question, "expmrc") for question in questions]
    for question in questions:
        if len(question.answers) != len(questions[0].answers) or len(question.answers) > 1:
            raise UsageError(
                f"the expmrc format cannot hold {len(question.answers)} answers of one question",
                where=f"question {question.question_id}",
                expected="one letter for each question of an article, or for none",
                cure="choose another format; `jsonl` holds every question",
            )
    row = {
        "id": passage.passage_id,
        "article": passage.text,
        "questions": [question.text for question in questions],
        "options": options,
        "answers": [answer.label for question in questions for answer in question.answers],
        "evidences": [_texts(question, passage) for question in questions],
    }
    for key in passage.metadata.get("absent", ()):
        del row[key]
    if questions and not row.get("answers"):
        row.pop("answers", None)
    return row | dict(passage.metadata.get("expmrc_extra", {}))


FORMAT = Format(
    name="expmrc",
    sniff=sniff,
    read=read,
    write=write,
    info=squad.info,
    metrics=("expmrc",),
)
