"""RACE (Lai et al. 2017): English exam articles with four options a question.

One JSON object a file, ``{"article", "questions": [text, ...], "options": [[text, ...], ...],
"answers": [letter, ...], "id"}``, or many of them as JSON lines or in a list. Question ids are
``id-index``.
"""

import re
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
from closeread.formats.layouts.extra_fields import apply_diff, rendering_diff
from closeread.formats.layouts.ids import Ids
from closeread.formats.layouts.json_objects import (
    describe_place,
    document_path,
    iter_objects,
    line_number,
)
from closeread.formats.layouts.json_writing import write_lines
from closeread.formats.registry import Format, Info
from closeread.text.language import detect
from closeread.text.polarity import asks_for
from closeread.types import Dataset, Defects, Item, Passage, Question
from closeread.wording import count_of

_NAME = "race"
_PUBLISHED = re.compile(r"(?:high|middle)\d+\.txt")


class _Article(msgspec.Struct):
    article: str
    questions: list[str]
    options: list[list[str]]
    answers: list[str] | None = None
    id: str = ""


def sniff(head: Head) -> bool:
    """Whether the first object is an article with parallel questions and options."""
    questions = head.row.get("options")
    is_parallel = isinstance(questions, list) and bool(questions) and isinstance(questions[0], list)
    return is_parallel and head.row.keys() >= {"article", "questions"}


def info(source: Source) -> Info:
    """Return the terms of the published set, which is known by names such as ``high123.txt``."""
    published = _PUBLISHED.fullmatch(str(source.head().row.get("id")))
    return Info(license="non-commercial research only" if published else "")


def read(source: Source, defects: Defects) -> Iterator[Item]:
    """Yield each article with its questions; counts ``answer-not-an-option``, ``duplicate-id``.

    Raises:
        InputError: An article has not as many options and answers as questions.
    """
    ids = Ids(defects)
    for number, (at, raw) in enumerate(iter_objects(source), 1):
        line = line_number(at)
        article = source.convert(raw, _Article, line=line, within=document_path(at))
        passage_id = article.id or str(line or number)
        if len(article.questions) != len(article.options) or (
            article.answers is not None and len(article.answers) != len(article.questions)
        ):
            raise InputError(
                f"{count_of(len(article.questions), 'question')}, "
                f"{count_of(len(article.options), 'set of options', 'sets of options')}, "
                f"{count_of(len(article.answers or []), 'answer')}",
                where=describe_place(source, at, passage_id),
                expected="the same number of each",
                cure="complete the article or remove it",
            )
        passage = Passage(
            passage_id=passage_id, text=article.article, language=detect(article.article)
        )
        questions = []
        for index, (stem, texts) in enumerate(zip(article.questions, article.options, strict=True)):
            question_id = ids.note(f"{passage_id}-{index}", line=line)
            choices = make_options(texts, describe_place(source, at, question_id))
            letter = article.answers[index] if article.answers is not None else None
            questions.append(
                Question(
                    question_id=question_id,
                    passage_id=passage_id,
                    text=stem,
                    kind="choice",
                    asks_for=asks_for(stem),
                    options=choices,
                    answers=gold_from_letter(letter, choices, question_id, defects),
                )
            )
        metadata = rendering_diff(_NAME, raw, _article(passage, tuple(questions)))
        yield msgspec.structs.replace(passage, metadata=metadata), tuple(questions)


def _article(passage: Passage, questions: tuple[Question, ...]) -> dict[str, Any]:
    article: dict[str, Any] = {
        "article": passage.text,
        "questions": [question.text for question in questions],
        "options": [require_options(question, _NAME) for question in questions],
        "id": passage.passage_id,
    }
    letters = [gold_letter(question) for question in questions]
    if None not in letters:
        article["answers"] = letters
    return article


def write(dataset: Dataset, stream: BinaryIO) -> None:
    """Write one article a line.

    Raises:
        UsageError: A question has no options.
    """
    write_lines(
        stream,
        (
            apply_diff(_NAME, _article(passage, questions), passage.metadata)
            for passage, questions in dataset
        ),
    )


FORMAT = Format(
    name=_NAME, sniff=sniff, read=read, write=write, info=info, metrics=("choice",), in_lines=True
)
