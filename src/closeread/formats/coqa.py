"""CoQA (Reddy et al. 2019): conversations about a story, with free-form answers.

``{"version", "data": [{"source", "id", "filename", "story", "questions": [{"input_text",
"turn_id"}, ...], "answers": [{"input_text", "span_start", "span_end", "span_text", "turn_id"},
...], "additional_answers": {"0": [...], ...}, "name"}]}``; rows of ``datasets`` become such stories
(``layouts/coqa_rows.py``).

A question's id is ``id-turn``. Its gold answers are the first one and each additional one; their
rationales (``span_text``) are gold evidence. How earlier turns are shown: ``layouts/turns.py``.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import BinaryIO

import msgspec

from closeread.errors import InputError
from closeread.formats.files.head import Head
from closeread.formats.files.source import Source
from closeread.formats.layouts import coqa_rows
from closeread.formats.layouts.answer_places import locate_answer
from closeread.formats.layouts.extra_fields import Json, apply_diff, rendering_diff
from closeread.formats.layouts.ids import Ids, content_id
from closeread.formats.layouts.json_writing import unwritable_error, write_array
from closeread.formats.layouts.turns import (
    TURNS,
    parse_turns,
    with_earlier_turns,
    without_earlier_turns,
)
from closeread.formats.registry import Format, Info
from closeread.text.language import detect
from closeread.types import Answer, Dataset, Defects, Evidence, Item, Passage, Question, Span
from closeread.wording import count_of

_NAME = "coqa"


class _Turn(msgspec.Struct):
    input_text: str
    turn_id: int


class _Answer(msgspec.Struct):
    input_text: str
    turn_id: int
    span_start: int = -1
    span_end: int = -1
    span_text: str = ""


class _Story(msgspec.Struct):
    id: str
    story: str
    questions: list[_Turn]
    answers: list[_Answer] | None = None
    additional_answers: dict[str, list[_Answer]] = {}
    source: str = ""


def sniff(head: Head) -> bool:
    """Whether the first story has turns, answered or not, or the first row a conversation."""
    return head.has("story", "questions", at=("data", 0)) or coqa_rows.are_rows(head)


def info(source: Source) -> Info:
    """Read the version and the other fields beside the stories."""
    other_fields = {} if coqa_rows.are_rows(source.head()) else source.other_members("data")
    return Info(version=str(other_fields.get("version", "")), metadata={_NAME: other_fields})


def read(source: Source, defects: Defects, turns: int = TURNS) -> Iterator[Item]:
    """Yield each story with its questions, each shown with ``turns`` earlier turns.

    Counts ``duplicate-id``, and for rationales ``wrong-offset`` and ``evidence-not-in-passage``.

    Raises:
        InputError: A story does not have as many answers as questions.
    """
    ids = Ids(defects)
    is_rows = coqa_rows.are_rows(source.head())
    for at, raw in coqa_rows.iter_stories(source) if is_rows else _iter_published(source):
        story = source.convert(raw, _Story, within=at)
        answer_lists = [story.answers] if story.answers else []
        answer_lists += story.additional_answers.values()
        if odd := {len(answers) for answers in answer_lists} - {len(story.questions)}:
            raise InputError(
                f"{count_of(len(story.questions), 'question')}, {count_of(min(odd), 'answer')}",
                where=source.place(at, story.id),
                expected="an answer for each question",
                cure="complete the story or remove it",
            )
        story_passage = Passage(passage_id=story.id, text=story.story, language=detect(story.story))
        story_metadata = rendering_diff(_NAME, raw, _story(story_passage, raw)).get(_NAME, {}) | {
            "of": content_id(story_passage.text)
        }
        passage = msgspec.structs.replace(story_passage, metadata={_NAME: story_metadata})
        questions, earlier_turns = [], list[tuple[str, str]]()
        for index, turn in enumerate(story.questions):
            name = ids.note(f"{story.id}-{turn.turn_id}")
            golds = [answers[index] for answers in answer_lists]
            question = Question(
                question_id=name,
                passage_id=story.id,
                text=with_earlier_turns(turn.input_text, earlier_turns, turns),
                kind="span",
                answers=tuple(_answer(gold, story.story) for gold in golds),
                gold_evidence=tuple(
                    evidence
                    for gold in golds
                    for evidence in _evidence(gold, story.story, name, defects)
                ),
                tags={"source": story.source} if story.source else {},
            )
            raw_answer_lists = [raw["answers"]] if story.answers else []
            raw_answer_lists += raw.get("additional_answers", {}).values()
            metadata = rendering_diff(_NAME, raw["questions"][index], _turn(question))
            answer_diffs = [
                rendering_diff(_NAME, raw_answers[index], _answer_row(question, number)).get(
                    _NAME, {}
                )
                for number, raw_answers in enumerate(raw_answer_lists)
            ]
            if any(answer_diffs):
                metadata[_NAME] = metadata.get(_NAME, {}) | {"answers": answer_diffs}
            questions.append(msgspec.structs.replace(question, metadata=metadata))
            earlier_turns.append((turn.input_text, golds[0].input_text if golds else ""))
        yield passage, tuple(questions)


def _iter_published(source: Source) -> Iterator[tuple[str, Json]]:
    for number, raw in enumerate(source.elements("data", dict)):
        yield f"data[{number}]", raw


def _answer(gold: _Answer, story: str) -> Answer:
    start = story.find(gold.input_text, gold.span_start, gold.span_end)
    is_located = start >= 0 and gold.span_start >= 0 and gold.input_text
    spans = (Span(start, start + len(gold.input_text)),) if is_located else ()
    return Answer(kind="span", texts=(gold.input_text,), spans=spans)


def _evidence(gold: _Answer, story: str, name: str, defects: Defects) -> Iterator[Evidence]:
    """Yield the rationale of an answer; nothing if the question has no answer."""
    if gold.span_start < 0 or not (words := gold.span_text.strip()):
        return
    cut = story[gold.span_start : gold.span_end]
    start = gold.span_start + len(cut) - len(cut.lstrip())

    def count_defect(code: str, message: str) -> None:
        code = code.replace("answer-not", "evidence-not")
        defects.add(code, message, question_id=name)

    if span := locate_answer(words, story, start, count_defect):
        yield Evidence(spans=(span,), texts=(words,))


def _turn(question: Question) -> Json:
    number = question.question_id.rpartition("-")[2]
    turn = int(number) if number.isdecimal() else number
    return {"input_text": without_earlier_turns(question.text), "turn_id": turn}


def _answer_row(question: Question, number: int) -> Json:
    text = question.answers[number].text
    return {"input_text": text, "turn_id": _turn(question)["turn_id"]}


def _story(passage: Passage, turns: Mapping[str, object]) -> Json:
    """Return a story with the fields of its turns."""
    keys = ("questions", "answers", "additional_answers", "source")
    row: Json = {"id": passage.passage_id, "story": passage.text}
    fields = {key: turns[key] for key in keys if turns.get(key)}
    return row | fields if turns.get("questions") else row


def write(dataset: Dataset, stream: BinaryIO) -> None:
    """Write the published form.

    Raises:
        UsageError: A question has options, or another number of answers than the story's others.
    """
    write_array(stream, _iter_stories(dataset), "data", **dataset.metadata.get(_NAME, {}))


def _iter_stories(dataset: Dataset) -> Iterator[Json]:
    for passage, questions in dataset:
        counts = {len(question.answers) for question in questions}
        read_text_id = passage.metadata.get(_NAME, {}).get("of")
        for question in questions:
            turn = _turn(question)["turn_id"]
            numbered = question.question_id == f"{passage.passage_id}-{turn}"
            has_such_id = numbered and isinstance(turn, int)
            changed = read_text_id != content_id(
                passage.text
            ) and "answers" in question.metadata.get(_NAME, {})
            if question.options or len(counts) > 1 or not has_such_id or changed:
                raise unwritable_error(
                    "the coqa format cannot hold this question",
                    question.question_id,
                    "an id PASSAGE-NUMBER, as many answers as the passage's other questions have, "
                    "no options, and the story as it was read",
                )
        turns: Json = {
            "questions": [apply_diff(_NAME, _turn(q), _story_metadata(q)) for q in questions]
        }
        rows = [
            [
                apply_diff(_NAME, _answer_row(q, number), {_NAME: _answer_metadata(q, number)})
                for q in questions
            ]
            for number in range(max(counts, default=0))
        ]  # fmt: skip
        if rows:
            turns["answers"] = rows[0]
        if len(rows) > 1:
            turns["additional_answers"] = {str(n): row for n, row in enumerate(rows[1:])}
        if questions and (source := questions[0].tags.get("source")):
            turns["source"] = source
        yield apply_diff(_NAME, _story(passage, turns), passage.metadata)


def _story_metadata(question: Question) -> Json:
    own_metadata = question.metadata.get(_NAME, {})
    return {_NAME: {key: value for key, value in own_metadata.items() if key != "answers"}}


def _answer_metadata(question: Question, number: int) -> Json:
    own_metadata = question.metadata.get(_NAME, {}).get("answers", [])
    fields: Json = own_metadata[number] if number < len(own_metadata) else {}
    return fields


def with_turns(settings: Mapping[str, str]) -> Format:
    """Return the format with a user's number of earlier turns: ``coqa,turns=3``.

    Raises:
        UsageError: The number is not an integer from 0 on.
    """
    return replace(FORMAT, read=partial(read, turns=parse_turns(_NAME, settings)))


FORMAT = Format(
    name=_NAME, sniff=sniff, read=read, write=write, info=info, metrics=("coqa",), named=with_turns
)
