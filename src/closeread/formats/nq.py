"""Natural Questions (Kwiatkowski et al. 2019): questions over whole pages of Wikipedia.

Simplified, a line each: ``{"example_id", "question_text", "document_text", "document_url",
"annotations": [{"yes_no_answer": "NONE", "long_answer": {"start_token", "end_token", ...},
"short_answers": [{"start_token", "end_token"}, ...], "annotation_id"}], ...}``, whose tokens are
separated by blanks. The original form (``document_tokens``) and rows of ``datasets`` (``document``)
become such lines (``layouts/nq_rows.py``).

Each short answer, and yes or no, is accepted if at least two of several annotators gave an answer
(the official evaluation's threshold), or the only annotator did; otherwise there is no answer. Long
answers are gold evidence, by the same threshold.
"""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import accumulate
from typing import BinaryIO

import msgspec

from closeread.formats.files.head import Head
from closeread.formats.files.source import Source
from closeread.formats.layouts import nq_rows
from closeread.formats.layouts.extra_fields import Json, apply_diff, rendering_diff
from closeread.formats.layouts.ids import Ids, content_id
from closeread.formats.layouts.json_objects import document_path, line_number
from closeread.formats.layouts.json_writing import unwritable_error, write_lines
from closeread.formats.registry import Format, Info
from closeread.text.language import detect
from closeread.types import Answer, Dataset, Defects, Evidence, Item, Passage, Question, Span

_NAME = "nq"
_THRESHOLD = 2  # how many of several annotators must give an answer
_WORDS = {"YES": "yes", "NO": "no"}


class _Tokens(msgspec.Struct):
    start_token: int = -1
    end_token: int = -1


class _Annotation(msgspec.Struct):
    short_answers: list[_Tokens]
    long_answer: _Tokens
    yes_no_answer: str = "NONE"


class _Line(msgspec.Struct):
    example_id: int | str
    question_text: str
    document_text: str
    annotations: list[_Annotation] | None = None
    document_title: str = ""


def sniff(head: Head) -> bool:
    """Whether the first row is a question over a document of tokens."""
    row = head.row
    if {"example_id", "question_text"} <= row.keys():
        return "document_text" in row or "document_tokens" in row
    return nq_rows.are_rows(head)


def info(source: Source) -> Info:
    """Return the terms of the published set."""
    return Info(license="CC BY-SA 3.0" if "document_url" in source.head().row else "")


def read(source: Source, defects: Defects) -> Iterator[Item]:
    """Yield each question with its page; counts ``token-out-of-range`` and ``duplicate-id``."""
    ids = Ids(defects)
    for at, raw in nq_rows.iter_lines(source):
        line = line_number(at)
        item = source.convert(raw, _Line, line=line, within=document_path(at))
        name = ids.note(str(item.example_id), line=line)
        text = item.document_text
        passage = Passage(
            passage_id=content_id(text),
            text=text,
            title=item.document_title,
            language=detect(text),
        )
        annotations = item.annotations or []
        locate = partial(
            _locate,
            starts=[0, *accumulate(len(token) + 1 for token in text.split(" "))],
            count_defect=partial(defects.add, "token-out-of-range", question_id=name, line=line),
        )
        answers = [
            answer
            for annotation in annotations
            for answer in _answers(annotation, [*map(locate, annotation.short_answers)], text)
        ]
        long_spans = [
            span
            for annotation in annotations
            if (span := locate(annotation.long_answer)) is not None
        ]
        if not _is_majority(sum(map(_is_answered, annotations)), len(annotations)):
            answers = [Answer(kind="none")] if annotations else []
        if not _is_majority(len(long_spans), len(annotations)):
            long_spans = []
        question = Question(
            question_id=name,
            passage_id=passage.passage_id,
            text=item.question_text,
            kind="span",
            answers=tuple(answers),
            gold_evidence=tuple(
                Evidence(spans=(span,), texts=(span.of(text),))
                for span in dict.fromkeys(long_spans)
            ),
            tags={"answer_type": _type(answers)} if answers else {},
        )
        metadata = rendering_diff(_NAME, raw, _line(passage, question))
        yield passage, (msgspec.structs.replace(question, metadata=metadata),)


def _locate(
    tokens: _Tokens, *, starts: list[int], count_defect: Callable[[str], None]
) -> Span | None:
    """Return the characters of a range of tokens; None for no range, or one beyond the page.

    Args:
        tokens: The range; negative if there is none.
        starts: The offset of each token, and of the end of the page plus one.
        count_defect: Called with a message if the page does not have the tokens.
    """
    if tokens.start_token < 0:
        return None
    if tokens.start_token < tokens.end_token < len(starts):
        return Span(starts[tokens.start_token], starts[tokens.end_token] - 1)
    count_defect(f"tokens {tokens.start_token} to {tokens.end_token} of {len(starts) - 1:,}")
    return None


def _answers(annotation: _Annotation, places: list[Span | None], text: str) -> list[Answer]:
    """Return the answers of one annotator; empty if the annotator gave none."""
    if word := _WORDS.get(annotation.yes_no_answer.upper()):
        return [Answer(kind="span", texts=(word,))]
    spans = [span for span in places if span is not None]
    return [Answer(kind="span", texts=(span.of(text),), spans=(span,)) for span in spans]


def _is_answered(annotation: _Annotation) -> bool:
    """Whether an annotator gave an answer, even with tokens outside the page."""
    return annotation.yes_no_answer.upper() in _WORDS or any(
        short_answer.start_token >= 0 for short_answer in annotation.short_answers
    )


def _is_majority(n_answers: int, n_annotators: int) -> bool:
    return n_answers >= min(_THRESHOLD, max(n_annotators, 1))


def _type(answers: list[Answer]) -> str:
    if any(answer.kind == "none" for answer in answers):
        return "none"
    return "span" if any(answer.spans for answer in answers) else "yes-no"


def _line(passage: Passage, question: Question) -> Json:
    name = question.question_id
    return {
        "example_id": int(name) if name.lstrip("-").isdecimal() else name,
        "question_text": question.text,
        "document_text": passage.text,
    } | ({"document_title": passage.title} if passage.title else {})


def write(dataset: Dataset, stream: BinaryIO) -> None:
    """Write simplified lines.

    Raises:
        UsageError: A question was not read from this form, so it has no annotations to write.
    """
    write_lines(stream, _iter_lines(dataset))


def _iter_lines(dataset: Dataset) -> Iterator[Json]:
    for passage, questions in dataset:
        for question in questions:
            extra_fields = question.metadata.get(_NAME, {}).get("extra", {})
            is_unchanged = (
                passage.passage_id == content_id(passage.text) and "annotations" in extra_fields
            )
            if question.options or (question.answers and not is_unchanged):
                raise unwritable_error(
                    "the nq format cannot hold this question",
                    question.question_id,
                    "annotations by tokens of the page as it was read, and no options",
                )
            yield apply_diff(_NAME, _line(passage, question), question.metadata)


FORMAT = Format(
    name=_NAME, sniff=sniff, read=read, write=write, info=info, metrics=("squad",), in_lines=True
)
