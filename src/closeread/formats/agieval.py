"""AGIEval multiple choice (Zhong et al. 2023): one question a line.

``{"passage", "question", "options": ["(A)text", ...], "label": letter, "answer": null, "other"}``;
``passage`` may be null. The options lose their ``(A)`` here and get it back when written. Rows
have no ids: a question's id is made from its content, so it does not depend on the order.
"""

import re
from collections.abc import Iterator
from typing import Any, BinaryIO

import msgspec

from closeread.formats.files.head import Head
from closeread.formats.files.source import Source
from closeread.formats.layouts.choices import (
    gold_from_letter,
    gold_letter,
    make_options,
    require_options,
)
from closeread.formats.layouts.extra_fields import apply_diff, rendering_diff
from closeread.formats.layouts.ids import ContentIds, content_id
from closeread.formats.layouts.json_objects import (
    describe_place,
    document_path,
    iter_objects,
    line_number,
)
from closeread.formats.layouts.json_writing import write_lines
from closeread.formats.registry import Format
from closeread.text.language import detect
from closeread.text.polarity import asks_for
from closeread.types import Dataset, Defects, Item, Passage, Question

_NAME = "agieval"
_PREFIX = re.compile(r"\s*(?:\([A-Z]\)|[A-Z][.．、])\s*")


class _Row(msgspec.Struct):
    question: str
    options: list[str]
    passage: str | None = None
    label: str | list[str] | None = None


def sniff(head: Head) -> bool:
    """Whether the first line has options with their letters in brackets."""
    options = head.row.get("options")
    option = options[0] if isinstance(options, list) and options else None
    return (
        head.row.keys() >= {"question", "label"}
        and isinstance(option, str)
        and bool(_PREFIX.match(option))
    )


def read(source: Source, defects: Defects) -> Iterator[Item]:
    """Yield each question with its passage (empty if there is none).

    Counts ``odd-option-letter`` (another prefix than ``(A)``, or none), ``several-right-options``
    (such a question has no gold here), ``answer-not-an-option`` and ``duplicate-question``.
    """
    ids = ContentIds(defects)
    for at, raw in iter_objects(source):
        number = line_number(at)
        row = source.convert(raw, _Row, line=number, within=document_path(at))
        name = ids.make(row.passage or "", row.question, *row.options, line=number)
        prefixes = [match[0] if (match := _PREFIX.match(o)) else "" for o in row.options]
        choices = make_options(
            [text.removeprefix(p) for text, p in zip(row.options, prefixes, strict=True)],
            describe_place(source, at, name),
        )
        label = row.label
        if isinstance(label, list):
            defects.add("several-right-options", ", ".join(label), question_id=name, line=number)
            label = None
        passage = Passage(
            passage_id=content_id(row.passage or ""),
            text=row.passage or "",
            language=detect(row.passage or row.question),
        )
        question = Question(
            question_id=name,
            passage_id=passage.passage_id,
            text=row.question,
            kind="choice",
            asks_for=asks_for(row.question),
            options=choices,
            answers=gold_from_letter(label, choices, name, defects),
        )
        own_metadata: dict[str, Any] = {}
        if prefixes != [f"({option.label})" for option in choices]:
            own_metadata["prefixes"] = prefixes
            defects.add("odd-option-letter", f"{prefixes}", question_id=name, line=number)
        own_metadata |= rendering_diff(_NAME, raw, _row(passage, question, own_metadata)).get(
            _NAME, {}
        )
        metadata = {_NAME: own_metadata} if own_metadata else {}
        yield passage, (msgspec.structs.replace(question, metadata=metadata),)


def _row(passage: Passage, question: Question, own_metadata: dict[str, Any]) -> dict[str, Any]:
    texts = require_options(question, _NAME)
    prefixes = own_metadata.get("prefixes") or [f"({option.label})" for option in question.options]
    return {
        "passage": passage.text,
        "question": question.text,
        "options": [prefix + text for prefix, text in zip(prefixes, texts, strict=True)],
        "label": gold_letter(question),
        "answer": None,
    }


def write(dataset: Dataset, stream: BinaryIO) -> None:
    """Write one question a line.

    Raises:
        UsageError: A question has no options.
    """
    write_lines(
        stream,
        (
            apply_diff(
                _NAME, _row(passage, question, question.metadata.get(_NAME, {})), question.metadata
            )
            for passage, questions in dataset
            for question in questions
        ),
    )


FORMAT = Format(name=_NAME, sniff=sniff, read=read, write=write, metrics=("choice",), in_lines=True)
