"""VGaokao (Zhang et al. 2021): exam passages, statements to verify, truth values, gold evidence.

``{"version", "data": [{"cid", "context", "qas": [{"qid", "question", "options", "answer",
"correctness": [1, 0, ...], "golden_evidence": [[sentence, ...], ...]}]}]}``; line breaks separate
paragraphs. ``correctness`` becomes ``option_truth``; the sentences of ``golden_evidence`` become
spans (``Question.gold_evidence``, one a option, in text order), found in the passage.
"""

from collections.abc import Iterator
from typing import Any, BinaryIO

import msgspec

from closeread.errors import InputError
from closeread.formats.files.head import Head
from closeread.formats.files.source import Source
from closeread.formats.layouts.choices import (
    gold_from_letter,
    gold_letter,
    make_options,
    require_options,
)
from closeread.formats.layouts.extra_fields import apply_diff, rendering_diff, without_none
from closeread.formats.layouts.ids import Ids
from closeread.formats.layouts.json_writing import write_array
from closeread.formats.registry import Format, Info
from closeread.text import segment
from closeread.text.language import detect
from closeread.text.polarity import polarity
from closeread.types import Dataset, Defects, Evidence, Item, Passage, Question, Span
from closeread.wording import count_of

_NAME = "vgaokao"
_PUBLISHED = ("VGaokao-train", "VGaokao-test", "samples from test set")


class _Question(msgspec.Struct):
    qid: str | int
    question: str
    options: list[str]
    answer: str | None = None
    correctness: list[int] | None = None
    golden_evidence: list[list[str]] | None = None


class _Context(msgspec.Struct):
    context: str
    qas: list[Any]
    cid: str | int = ""


def sniff(head: Head) -> bool:
    """Whether the first passage's first question has options; truth and evidence may be missing."""
    first = ("data", 0, "qas", 0)
    return head.has("context", at=("data", 0)) and head.has("qid", "options", at=first)


def info(source: Source) -> Info:
    """Read the version."""
    members = source.other_members("data")
    version = str(members.get("version", ""))
    return Info(
        name=version if version in _PUBLISHED[:2] else "",
        version=version,
        license="Apache-2.0" if version in _PUBLISHED else "",
        metadata={_NAME: members},
    )


def read(source: Source, defects: Defects) -> Iterator[Item]:
    """Yield each passage with its questions.

    Counts ``evidence-not-a-sentence``, ``evidence-not-found``, ``truth-against-answer``,
    ``answer-not-an-option``, ``duplicate-id``.
    """
    ids = Ids(defects)
    for index, raw in enumerate(source.elements("data", dict)):
        where = f"data[{index}]"
        typed = source.convert(raw, _Context, within=where)
        passage = Passage(
            passage_id=str(typed.cid) if typed.cid != "" else str(index),
            text=typed.context,
            language=detect(typed.context),
        )
        sentences = segment.vgaokao(passage.text)
        questions = []
        for number, row in enumerate(typed.qas):
            place = f"{where}.qas[{number}]"
            item = source.convert(row, _Question, within=place)
            place = source.place(place, item.qid)
            question = _question(item, passage, sentences, where=place, defects=defects)
            ids.note(question.question_id)
            metadata = rendering_diff(_NAME, row, _row(question, passage))
            questions.append(msgspec.structs.replace(question, metadata=metadata))
        metadata = rendering_diff(_NAME, raw, _context(passage, raw["qas"]))
        yield msgspec.structs.replace(passage, metadata=metadata), tuple(questions)


def _question(
    item: _Question,
    passage: Passage,
    sentences: tuple[Span, ...],
    *,
    where: str,
    defects: Defects,
) -> Question:
    name = str(item.qid)
    options = make_options(item.options, where, exactly=4)
    for field, values in (
        ("correctness", item.correctness),
        ("golden_evidence", item.golden_evidence),
    ):
        if values is not None and len(values) != len(options):
            raise InputError(
                f"{count_of(len(values), 'value')} in {field} for "
                f"{count_of(len(options), 'option')}",
                where=where,
                cure=f"give one value of {field} for each option",
            )
    gold = tuple(
        _evidence(texts, option.label, passage.text, sentences, name=name, defects=defects)
        for option, texts in zip(options, item.golden_evidence or [], strict=False)
    )
    question = Question(
        question_id=name,
        passage_id=passage.passage_id,
        text=item.question,
        kind="verification",
        asks_for=polarity(item.question),
        options=options,
        option_truth=tuple([{0: False, 1: True}.get(value) for value in item.correctness or ()]),
        answers=gold_from_letter(item.answer, options, name, defects),
        gold_evidence=gold,
    )
    _check_truth(question, defects)
    return question


def _evidence(
    texts: list[str],
    label: str,
    passage: str,
    sentences: tuple[Span, ...],
    *,
    name: str,
    defects: Defects,
) -> Evidence:
    places = {}
    for span in reversed(sentences):
        places[span.of(passage)] = span
    spans = set()
    for text in texts:
        if text in places:
            spans.add(places[text])
            continue
        start = passage.find(text.strip()) if text.strip() else -1
        if start >= 0:
            defects.add(
                "evidence-not-a-sentence",
                f"{label}: {text[:40]!r} is in the passage, but is not a sentence of it",
                question_id=name,
            )
            spans.add(Span(start, start + len(text.strip())))
        else:
            contained = [s for s in sentences if s.of(passage).strip() in text]
            defects.add(
                "evidence-not-found",
                f"{label}: {text[:40]!r} is not in the passage"
                + (f"; {len(contained)} of its sentences are" if contained else ""),
                question_id=name,
            )
            spans.update(contained)
    return Evidence(option_label=label, spans=tuple(sorted(spans)))


def _check_truth(question: Question, defects: Defects) -> None:
    letter = gold_letter(question)
    if not letter or not question.option_truth:
        return
    picked = question.asks_for == "supported"
    fitting = [
        option.label
        for option, true in zip(question.options, question.option_truth, strict=True)
        if true is picked
    ]
    if fitting != [letter]:
        defects.add(
            "truth-against-answer",
            f"the stem asks for a {question.asks_for} statement, which are "
            f"{', '.join(fitting) or 'none'}; the answer is {letter}",
            question_id=question.question_id,
        )


def _context(passage: Passage, rows: list[dict[str, Any]]) -> dict[str, Any]:
    name = passage.passage_id
    cid = int(name) if name.isdecimal() and str(int(name)) == name else name
    return {"cid": cid, "context": passage.text, "qas": rows}


def _row(question: Question, passage: Passage) -> dict[str, Any]:
    evidence = {
        gold.option_label: list(gold.texts) or [span.of(passage.text) for span in gold.spans]
        for gold in question.gold_evidence
    }
    texts = require_options(question, _NAME, exactly=4)
    truth = question.option_truth
    return without_none(
        qid=question.question_id,
        question=question.text,
        options=texts,
        answer=gold_letter(question),
        correctness=[int(bool(true)) for true in truth] if truth and None not in truth else None,
        golden_evidence=[evidence.get(option.label, []) for option in question.options]
        if evidence
        else None,
    )


def write(dataset: Dataset, stream: BinaryIO) -> None:
    """Write the authors' form.

    Raises:
        UsageError: A question does not have four options.
    """
    members = dataset.metadata.get(_NAME, {"version": dataset.version or dataset.name})
    write_array(stream, _contexts(dataset), "data", **members)


def _contexts(dataset: Dataset) -> Iterator[dict[str, Any]]:
    for passage, questions in dataset:
        rows = [
            apply_diff(_NAME, _row(question, passage), question.metadata) for question in questions
        ]
        yield apply_diff(_NAME, _context(passage, rows), passage.metadata)


FORMAT = Format(
    name=_NAME,
    sniff=sniff,
    read=read,
    write=write,
    info=info,
    metrics=("choice", "option", "evidence"),
)
