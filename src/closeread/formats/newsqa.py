"""NewsQA (Trischler et al. 2017) as its tools write it: ``combined-newsqa-data-v1.json``.

``{"version", "data": [{"storyId", "type", "text", "questions": [{"q", "consensus": {"s", "e"},
"answers": [...], "validatedAnswers": [...], "isAnswerAbsent", "isQuestionBad"}, ...]}]}``.

Gold is the consensus, without white space at its ends: a range of characters, ``noAnswer`` (the
story does not tell), or ``badQuestion``: such a question makes no sense, and is left out. Question
ids are ``storyId-number``.
"""

from collections.abc import Iterator
from typing import BinaryIO

import msgspec

from closeread.formats.files.head import Head
from closeread.formats.files.source import Source
from closeread.formats.layouts.extra_fields import Json, apply_diff, rendering_diff
from closeread.formats.layouts.ids import Ids, content_id
from closeread.formats.layouts.json_writing import unwritable_error, write_array
from closeread.formats.registry import Format, Info
from closeread.text.language import detect
from closeread.types import Answer, Dataset, Defects, Item, Passage, Question, Span

_NAME = "newsqa"


class _Consensus(msgspec.Struct):
    s: int | None = None
    e: int | None = None
    no_answer: bool = msgspec.field(name="noAnswer", default=False)
    bad_question: bool = msgspec.field(name="badQuestion", default=False)


class _Question(msgspec.Struct):
    q: str
    consensus: _Consensus | None = None


class _Story(msgspec.Struct):
    story_id: str = msgspec.field(name="storyId")
    text: str
    questions: list[Json]
    type: str = ""


def sniff(head: Head) -> bool:
    """Whether the first of the data is a story with its id."""
    return head.has("storyId", "text", "questions", at=("data", 0))


def info(source: Source) -> Info:
    """Read the version and the other fields beside the stories."""
    other_fields = source.other_members("data")
    return Info(version=str(other_fields.get("version", "")), metadata={_NAME: other_fields})


def read(source: Source, defects: Defects) -> Iterator[Item]:
    """Yield each story with its questions.

    Counts ``bad-question`` (left out), ``no-consensus`` (kept, without gold), ``span-out-of-range``
    and ``duplicate-id``.
    """
    ids = Ids(defects)
    for index, raw in enumerate(source.elements("data", dict)):
        within = f"data[{index}]"
        story = source.convert(raw, _Story, within=within)
        questions, bad_questions = [], list[tuple[int, Json]]()
        for number, row in enumerate(story.questions):
            item = source.convert(row, _Question, within=f"{within}.questions[{number}]")
            name = f"{story.story_id}-{number}"
            if item.consensus is not None and item.consensus.bad_question:
                defects.add("bad-question", "left out", question_id=name)
                bad_questions.append((number, row))
                continue
            question = Question(
                question_id=ids.note(name),
                passage_id=story.story_id,
                text=item.q,
                kind="span",
                answers=_answers(item.consensus, story.text, name, defects),
                tags={"type": story.type} if story.type else {},
            )
            metadata = rendering_diff(_NAME, row, _row(question))
            questions.append(msgspec.structs.replace(question, metadata=metadata))
        passage = Passage(passage_id=story.story_id, text=story.text, language=detect(story.text))
        own_metadata = rendering_diff(_NAME, raw, _story(passage, story.questions)).get(_NAME, {})
        own_metadata["of"] = content_id(story.text)  # the text that the kept offsets refer to
        if bad_questions:
            own_metadata["left_out"] = bad_questions
        yield (
            msgspec.structs.replace(passage, metadata={_NAME: own_metadata}),
            tuple(questions),
        )


def _answers(
    consensus: _Consensus | None, text: str, name: str, defects: Defects
) -> tuple[Answer, ...]:
    if consensus is not None and consensus.no_answer:
        return (Answer(kind="none"),)
    if consensus is None or consensus.s is None or consensus.e is None:
        defects.add("no-consensus", "has no gold", question_id=name)
        return ()
    words = text[max(consensus.s, 0) : max(consensus.e, 0)]
    if not 0 <= consensus.s < consensus.e <= len(text) or not words.strip():
        message = f"{consensus.s} to {consensus.e} is not a span of the story"
        defects.add("span-out-of-range", message, question_id=name)
        return ()
    start = consensus.s + len(words) - len(words.lstrip())
    words = words.strip()
    return (Answer(kind="span", texts=(words,), spans=(Span(start, start + len(words)),)),)


def _row(question: Question) -> Json:
    row: Json = {"q": question.text}
    for answer in question.answers[:1]:
        if answer.kind == "none":
            row["consensus"] = {"noAnswer": True}
        elif answer.spans:
            row["consensus"] = {"s": answer.spans[0].start, "e": answer.spans[0].end}
    return row


def _story(passage: Passage, questions: list[Json]) -> Json:
    return {"storyId": passage.passage_id, "text": passage.text, "questions": questions}


def write(dataset: Dataset, stream: BinaryIO) -> None:
    """Write one document.

    Raises:
        UsageError: A question has options, or more than one accepted answer.
    """
    write_array(stream, _stories(dataset), "data", **dataset.metadata.get(_NAME, {}))


def _stories(dataset: Dataset) -> Iterator[Json]:
    for passage, questions in dataset:
        rows, read_text_id = [], passage.metadata.get(_NAME, {}).get("of")
        for question in questions:
            has_places = all(answer.spans or answer.kind == "none" for answer in question.answers)
            is_changed = read_text_id != content_id(passage.text) and _NAME in question.metadata
            if question.options or len(question.answers) > 1 or not has_places or is_changed:
                raise unwritable_error(
                    "the newsqa format cannot hold this question",
                    question.question_id,
                    "one answer at most, with its place in the story as it was read; no options",
                )
            rows.append(apply_diff(_NAME, _row(question), question.metadata))
        for number, row in passage.metadata.get(_NAME, {}).get("left_out", ()):
            rows.insert(number, row)
        yield apply_diff(_NAME, _story(passage, rows), passage.metadata)


FORMAT = Format(name=_NAME, sniff=sniff, read=read, write=write, info=info, metrics=("squad",))
