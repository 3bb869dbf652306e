"""MultiRC (Khashabi et al. 2018): any number of a question's options may be right.

Published as ``{"data": [{"id", "paragraph": {"text", "questions": [{"question", "sentences_used":
[0, ...], "answers": [{"text", "isAnswer"}, ...], "idx", "multisent"}, ...]}}]}``, whose text marks
its sentences (``<b>Sent 1: </b>...<br>``): the passage is without these marks, sentences that were
used are gold evidence, ids are ``id==number``, as in the official program. SuperGLUE has a line a
paragraph, ``{"idx", "passage": {"text", "questions": [{"idx", "question", "answers": [{"idx",
"text", "label"}, ...]}, ...]}}``; rows of ``datasets`` become such lines
(``layouts/multirc_rows.py``). Ids are ``paragraph-question``.

A question has a truth value for each option, and no single answer.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

import msgspec

from closeread.formats.files.head import Head
from closeread.formats.files.source import Source
from closeread.formats.layouts import multirc_rows
from closeread.formats.layouts.choices import MAX_LETTERED, count_unclear_options, make_options
from closeread.formats.layouts.extra_fields import Json, apply_diff, rendering_diff
from closeread.formats.layouts.ids import Ids
from closeread.formats.layouts.json_objects import (
    Positioned,
    describe_place,
    document_path,
    iter_objects,
    line_number,
)
from closeread.formats.layouts.json_writing import unwritable_error, write_array, write_lines
from closeread.formats.registry import Format, Info
from closeread.text.language import detect
from closeread.types import Dataset, Defects, Evidence, Item, Option, Passage, Question, Span

_NAME = "multirc"
# Numbers that read back as the same id, within 64 bits.
_WHOLE = re.compile(r"0|[1-9][0-9]{0,17}")
_SENTENCE = re.compile(r"<b>Sent (\d+): </b>(.*?)<br>", re.DOTALL)
# True and False are 1 and 0, too.
_TRUTH: dict[bool | int | str | None, bool] = {1: True, 0: False, "True": True, "False": False}


class _Answer(msgspec.Struct):
    text: str
    label: bool | int | str | None = None
    is_answer: bool | int | None = msgspec.field(name="isAnswer", default=None)

    @property
    def truth(self) -> bool | None:
        """Whether the option is right; None if unknown."""
        return _TRUTH.get(self.label if self.is_answer is None else self.is_answer)


class _Question(msgspec.Struct):
    question: str
    answers: list[_Answer]
    idx: int | str = ""
    sentences_used: list[int] = []


class _Text(msgspec.Struct):
    text: str
    questions: list[_Question]


class _Paragraph(msgspec.Struct):
    id: str
    paragraph: _Text


class _Line(msgspec.Struct):
    idx: int
    passage: _Text


def sniff(head: Head) -> bool:
    """Whether there are paragraphs with answers that are right or wrong, in one of three forms."""
    if head.has("questions", "text", at=("data", 0, "paragraph")):
        return True
    passage = head.row.get("passage")
    if isinstance(passage, dict) and {"text", "questions"} <= passage.keys():
        return "idx" in head.row
    return multirc_rows.are_rows(head)


def info(source: Source) -> Info:
    """Return which form the file has, and the fields beside the paragraphs."""
    if source.head().first("data") is None:
        return Info(metadata={_NAME: {"lines": True}})
    return Info(metadata={_NAME: {"lines": False, "beside": source.other_members("data")}})


def read(source: Source, defects: Defects) -> Iterator[Item]:
    """Yield each paragraph with its questions.

    Counts ``duplicate-id``, equal and empty options, and ``evidence-not-in-passage``.

    Raises:
        InputError: A question has fewer than two options, or more than there are letters.
    """
    ids = Ids(defects)
    lines = source.head().first("data") is None
    for at, raw in _objects(source, lines=lines):
        if lines:
            line = source.convert(raw, _Line, line=line_number(at), within=document_path(at))
            name, content, inner = str(line.idx), line.passage, raw["passage"]
        else:
            paragraph = source.convert(raw, _Paragraph, within=document_path(at))
            name, content, inner = paragraph.id, paragraph.paragraph, raw["paragraph"]
        text, cuts = _without_marks(content.text)
        passage = Passage(passage_id=name, text=text, language=detect(text))
        questions = []
        for number, (item, row) in enumerate(
            zip(content.questions, inner["questions"], strict=True)
        ):
            key = f"{name}-{item.idx}" if lines else f"{name}=={number}"
            options = make_options(
                [answer.text for answer in item.answers],
                describe_place(source, at, key),
                most=MAX_LETTERED,
            )
            count_unclear_options(options, key, defects)
            ids.note(key, line=line_number(at))
            evidence = _evidence(item.sentences_used, cuts, text, key, defects)
            question = _make_question(item, key, name, options, evidence)
            metadata = _question_metadata(question, row, lines=lines)
            questions.append(msgspec.structs.replace(question, metadata=metadata))
        metadata = _passage_metadata(passage, cuts, raw, lines=lines)
        yield msgspec.structs.replace(passage, metadata=metadata), tuple(questions)


def _make_question(
    item: _Question,
    name: str,
    passage_id: str,
    options: tuple[Option, ...],
    evidence: tuple[Evidence, ...],
) -> Question:
    truth = tuple(answer.truth for answer in item.answers)
    return Question(
        question_id=name,
        passage_id=passage_id,
        text=item.question,
        kind="verification",
        asks_for="supported",
        options=options,
        option_truth=truth if any(value is not None for value in truth) else (),
        gold_evidence=evidence,
    )


def _question_metadata(question: Question, row: Json, *, lines: bool) -> Json:
    """Return how a question's row, and the row of each option, differ from their rendering."""
    own_metadata = rendering_diff(_NAME, row, _question(question, lines=lines)).get(_NAME, {})
    own_metadata.get("extra", {}).pop("answers", None)
    answers = [
        rendering_diff(_NAME, answer, rendered_answer).get(_NAME, {})
        for answer, rendered_answer in zip(
            row["answers"], _answers(question, lines=lines), strict=True
        )
    ]
    if any(answers):
        own_metadata["answers"] = answers
    return {_NAME: own_metadata} if own_metadata else {}


def _passage_metadata(
    passage: Passage, cuts: list[tuple[int, int]], raw: Json, *, lines: bool
) -> Json:
    """Return a passage's sentences, and how its two objects differ from their rendering."""
    own_metadata: Json = {"cuts": cuts} if cuts else {}
    marked = msgspec.structs.replace(passage, metadata={_NAME: own_metadata})
    key = "passage" if lines else "paragraph"
    rendered = _passage(marked, [], lines=lines)
    for part, nested, value, rendering in (
        ("outer", key, raw, rendered),
        ("inner", "questions", raw[key], rendered[key]),
    ):
        own_metadata[part] = rendering_diff(_NAME, value, rendering).get(_NAME, {})
        own_metadata[part].get("extra", {}).pop(nested, None)
    return {_NAME: own_metadata}


def _objects(source: Source, *, lines: bool) -> Iterator[Positioned]:
    """Yield published paragraphs, or SuperGLUE's lines, also from rows."""
    if not lines:
        elements = enumerate(source.elements("data", dict[str, Any]))
        return ((f"data[{number}]", raw) for number, raw in elements)
    rows = multirc_rows.are_rows(source.head())
    return multirc_rows.iter_lines(source) if rows else iter_objects(source)


def _without_marks(marked: str) -> tuple[str, list[tuple[int, int]]]:
    """Return a text without its sentence marks, and the spans of the sentences.

    If the marks are incomplete or missing, returns the text unchanged and no spans.
    """
    matches = [*_SENTENCE.finditer(marked)]
    numbers = [int(match[1]) for match in matches]
    is_complete = "".join(match[0] for match in matches) == marked
    if not matches or not is_complete or numbers != [*range(1, len(matches) + 1)]:
        return marked, []
    cuts, end = [], -1
    for match in matches:
        cuts.append((end + 1, end + 1 + len(match[2])))
        end = cuts[-1][1]
    return " ".join(match[2] for match in matches), cuts


def _evidence(
    used: Iterable[int], cuts: list[tuple[int, int]], text: str, name: str, defects: Defects
) -> tuple[Evidence, ...]:
    if not cuts:
        return ()
    spans = []
    for number in sorted(set(used)):
        if 0 <= number < len(cuts):
            spans.append(Span(*cuts[number]))
        else:
            message = f"the paragraph has no sentence {number}"
            defects.add("evidence-not-in-passage", message, question_id=name)
    if not spans:
        return ()
    return (Evidence(spans=tuple(spans), texts=tuple(span.of(text) for span in spans)),)


def _answers(question: Question, *, lines: bool) -> list[Json]:
    truth = question.option_truth or (None,) * len(question.options)
    rows: list[Json] = []
    for number, (option, right) in enumerate(zip(question.options, truth, strict=True)):
        row: Json = {"text": option.text}
        if lines:
            row["idx"] = number
        if right is not None:
            row["label" if lines else "isAnswer"] = int(right) if lines else right
        rows.append(row)
    return rows


def _question(question: Question, *, lines: bool) -> Json:
    number = question.question_id.rpartition("-" if lines else "==")[2]
    row: Json = {"question": question.text, "answers": _answers(question, lines=lines)}
    return row | {"idx": _number(number) if lines else number}


def _number(name: str) -> int | str:
    """Return an id of SuperGLUE's lines as a number; other ids, such as 01, as they are."""
    return int(name) if _WHOLE.fullmatch(name) else name


def _passage(passage: Passage, questions: list[Json], *, lines: bool) -> Json:
    cuts = passage.metadata.get(_NAME, {}).get("cuts", ())
    text = passage.text
    if cuts:
        sentences = (text[start:end] for start, end in cuts)
        text = "".join(
            f"<b>Sent {n}: </b>{sentence}<br>" for n, sentence in enumerate(sentences, 1)
        )
    content = {"text": text, "questions": questions}
    if lines:
        return {"idx": _number(passage.passage_id), "passage": content}
    return {"id": passage.passage_id, "paragraph": content}


def write(dataset: Dataset, stream: BinaryIO) -> None:
    """Write the published form, or SuperGLUE's lines if the set was read from lines.

    Raises:
        UsageError: A question has no options, or the set was read from another form.
    """
    facts = dataset.metadata.get(_NAME, {"lines": True})
    if facts["lines"]:
        write_lines(stream, _iter_paragraphs(dataset, lines=True))
    else:
        write_array(stream, _iter_paragraphs(dataset, lines=False), "data", **facts["beside"])


def _iter_paragraphs(dataset: Dataset, *, lines: bool) -> Iterator[Json]:
    mark, key = ("-", "passage") if lines else ("==", "paragraph")
    is_foreign = _NAME not in dataset.metadata
    for passage, questions in dataset:
        cuts = passage.metadata.get(_NAME, {}).get("cuts")
        is_changed = bool(cuts) and cuts[-1][1] != len(passage.text)
        rows = []
        for question in questions:
            parts = question.question_id.rpartition(mark)
            has_such_id = question.question_id.startswith(passage.passage_id + mark)
            if is_foreign:
                has_such_id &= all(map(_WHOLE.fullmatch, parts[::2]))
            if not question.options or not has_such_id or is_changed:
                raise unwritable_error(
                    "the multirc format cannot hold this question",
                    question.question_id,
                    f"options, an id PASSAGE{mark}NUMBER{' of two integers' * is_foreign}, and the "
                    "sentences as they were read",
                )
            question_metadata = question.metadata.get(_NAME, {})
            row = apply_diff(_NAME, _question(question, lines=lines), question.metadata)
            for number, answer_diff in enumerate(question_metadata.get("answers", ())):
                row["answers"][number] = apply_diff(
                    _NAME, row["answers"][number], {_NAME: answer_diff}
                )
            rows.append(row)
        passage_metadata = passage.metadata.get(_NAME, {})
        passage_row = _passage(passage, rows, lines=lines)
        inner = apply_diff(_NAME, passage_row[key], {_NAME: passage_metadata.get("inner", {})})
        yield apply_diff(_NAME, passage_row, {_NAME: passage_metadata.get("outer", {})}) | {
            key: inner
        }


FORMAT = Format(name=_NAME, sniff=sniff, read=read, write=write, info=info, metrics=("multirc",))
