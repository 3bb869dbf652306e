"""MRQA 2019 (Fisch et al. 2019, section 3): JSON lines, an optional header, then a context a line.

``{"header": {"dataset", "split"}}``, then ``{"context", "context_tokens": [[token, offset]...],
"qas": [{"qid", "question", "question_tokens", "detected_answers": [{"text", "char_spans",
"token_spans"}], "answers": [text...]}]}``. Spans on disk are inclusive at both ends. The markers
``[TLE]``, ``[DOC]`` and ``[PAR]`` stay in the text. A file of one JSON object over many lines is
taken as one context.

What ``read`` keeps in metadata, and ``write`` needs (a set in another format gets it from
``closeread convert --to mrqa``); a value of None means that the file had no such field:

- ``Dataset.metadata["header"]``: the header's object; without the key no header is written.
- ``Passage.metadata["context_tokens"]``: ``[[token, offset], ...]`` as on disk.
- ``Question.metadata["question_tokens"]``: the same for the question.
- ``Question.metadata["detected_answers"]``: ``[{"text", "char_spans": [[start, end], ...],
  "token_spans": [[start, end], ...]}, ...]``, here half-open like every other span of ours.
- ``metadata["mrqa_extra"]`` of passages and questions, ``extra`` of detected answers: fields of
  other publishers.

``Question.answers`` holds one answer for each string of ``answers``, in order, with the places of
those detected answers that are equal to it after the scorer's normalisation.
"""

from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, NamedTuple, TypeVar

import msgspec

from closeread.errors import UsageError
from closeread.formats.files.head import Head
from closeread.formats.files.parse_errors import PARSER_ERRORS
from closeread.formats.files.source import Source
from closeread.formats.layouts.answer_places import locate_answer
from closeread.formats.layouts.extra_fields import unknown_fields, without_empty, without_none
from closeread.formats.layouts.ids import Ids
from closeread.formats.layouts.tokens import MAX_TOKENS, Tokens, covers, describe_misplaced
from closeread.formats.registry import Format, Info
from closeread.text.language import detect
from closeread.text.normalize import mrqa
from closeread.types import Answer, Dataset, Defects, Item, Passage, Question, Span

T = TypeVar("T")
# An object with its members unparsed, to look for those of other publishers.
_Members = dict[str, msgspec.Raw]


class _Detected(msgspec.Struct):
    text: str
    char_spans: list[tuple[int, int]]
    token_spans: list[tuple[int, int]]


class _Question(msgspec.Struct):
    qid: str
    question: str
    question_tokens: Tokens | None = None
    detected_answers: list[_Detected] | None = None
    answers: list[str] | None = None


class _Context(msgspec.Struct):
    context: str
    qas: list[_Question]
    context_tokens: Tokens | None = None


class _GoldQuestion(msgspec.Struct, gc=False):
    qid: str
    question: str
    answers: list[str] = []


class _GoldContext(msgspec.Struct, gc=False):
    qas: list[_GoldQuestion]


def match_key(text: str) -> str:
    """Return what a detected and an accepted answer must share to be the same answer.

    It is the text as the scorer normalises it. Where that leaves nothing, as of ``the``, it is the
    text itself: otherwise any place of an article or a mark would equal any other.
    """
    return mrqa(text) or text.strip()


def sniff(head: Head) -> bool:
    """Whether the first JSON value is a header, or a context with questions that have a qid."""
    if head.has("header"):
        return True
    return head.has("context", "qas") and head.has("qid", at=("qas", 0))


def info(source: Source) -> Info:
    """Read the header, if there is one, and find the terms of the shared task's own sets."""
    from closeread.downloads.mrqa import terms

    header = source.head().first("header")
    if not isinstance(header, dict):
        return Info()
    converted = "tokenizer" in header  # by `convert --to mrqa`, with a name of the user's
    published_terms = "" if converted else terms(str(header.get("dataset")))
    return Info(
        name="-".join(str(header[key]) for key in ("dataset", "split") if header.get(key)),
        license=str(header.get("license") or published_terms),
        metadata={"header": header},
    )


def read(source: Source, defects: Defects) -> Iterator[Item]:
    """Yield one passage a line; count what breaks the shared task's promises (docs/formats.md)."""
    ids = Ids(defects)
    for index, (number, raw, context) in enumerate(_contexts(source, _Context)):
        try:
            yield _item(context, raw, str(index), _Notes(ids, defects, number))
        except PARSER_ERRORS as error:
            raise source.explain(error, raw, line=number) from error


def _contexts(source: Source, kind: type[T]) -> Iterator[tuple[int | None, bytes, T]]:
    """Yield line number, text and record of each context; skip headers."""
    decoder = msgspec.json.Decoder(kind)
    for number, raw in source.records():
        try:
            context = decoder.decode(raw)
        except PARSER_ERRORS:
            value = source.decode(raw, dict[str, Any], line=number)
            if "header" in value and "context" not in value:
                continue
            context = source.convert(value, kind, line=number)
        yield number, raw, context


class _Notes(NamedTuple):
    ids: Ids
    defects: Defects
    line: int | None


def _item(typed: _Context, raw: bytes, passage_id: str, notes: _Notes) -> Item:
    members = msgspec.json.decode(raw, type=_Members)
    passage = Passage(
        passage_id=passage_id,
        text=typed.context,
        language=detect(typed.context),
        metadata={"context_tokens": typed.context_tokens}
        | without_empty(mrqa_extra=unknown_fields(members, _Context)),
    )
    if wrong := describe_misplaced(typed.context_tokens or [], passage.text):
        notes.defects.add("wrong-token", wrong, line=notes.line)
    if (n := len(typed.context_tokens or ())) > MAX_TOKENS:
        notes.defects.add("too-many-tokens", f"a context of {n:,} tokens", line=notes.line)
    rows = msgspec.json.decode(members["qas"], type=list[_Members])
    questions = []
    for item, fields in zip(typed.qas, rows, strict=True):
        notes.ids.note(item.qid, line=notes.line)
        questions.append(_question(item, fields, passage, notes))
    return passage, tuple(questions)


def _question(item: _Question, fields: _Members, passage: Passage, notes: _Notes) -> Question:
    def defect(code: str, message: str) -> None:
        notes.defects.add(code, message, question_id=item.qid, line=notes.line)

    places: dict[str, list[Span]] = {match_key(text): [] for text in item.answers or ()}
    if not places:
        defect("no-answer", "no accepted answer")
    if wrong := describe_misplaced(item.question_tokens or [], item.question):
        defect("wrong-token", wrong)
    detected = None
    if item.detected_answers is not None:
        detected = []
        rows = msgspec.json.decode(fields["detected_answers"], type=list[_Members])
        for detection, raw in zip(item.detected_answers, rows, strict=True):
            standing = _locate_detected(detection, passage, defect)
            if match_key(detection.text) in places:
                places[match_key(detection.text)] += standing
            elif places:
                defect("answer-not-accepted", f"{detection.text!r} equals no accepted answer")
            detected.append(
                {
                    "text": detection.text,
                    "char_spans": [[start, end + 1] for start, end in detection.char_spans],
                    "token_spans": [[start, end + 1] for start, end in detection.token_spans],
                }
                | without_empty(extra=unknown_fields(raw, _Detected))
            )
        if places and not any(places.values()):
            defect("answer-without-place", "no accepted answer has a place in the context")
    return Question(
        question_id=item.qid,
        passage_id=passage.passage_id,
        text=item.question,
        kind="span",
        answers=tuple(
            Answer(kind="span", texts=(text,), spans=tuple(places[match_key(text)]))
            for text in item.answers or ()
        ),
        metadata={"question_tokens": item.question_tokens, "detected_answers": detected}
        | without_empty(
            mrqa_extra=unknown_fields(fields, _Question), no_gold=None if item.answers != [] else []
        ),
    )


def _locate_detected(
    detected: _Detected, passage: Passage, defect: Callable[[str, str], None]
) -> list[Span]:
    """Return the spans of a detected answer: at the file's offsets, else the nearest."""
    spans: list[Span] = []
    for start, end in detected.char_spans:
        span = locate_answer(detected.text, passage.text, start, defect) if detected.text else None
        right = span == Span(start, end + 1)
        if not detected.text or (span is not None and span.start == start and not right):
            defect("wrong-offset", f"characters {start} to {end} are not {detected.text!r}")
        if span is not None and (right or span not in spans):
            spans.append(span)
    tokens = passage.metadata["context_tokens"]
    if tokens is not None and not _tokens_match(detected, tokens):
        defect(
            "wrong-token-span", f"the token span of {detected.text!r} does not match its characters"
        )
    return spans


def _tokens_match(detected: _Detected, tokens: Tokens) -> bool:
    """Whether each token span matches its character span."""
    if len(detected.token_spans) != len(detected.char_spans):
        return False
    places = zip(detected.token_spans, detected.char_spans, strict=True)
    return all(covers(tokens, *token, Span(start, end + 1)) for token, (start, end) in places)


def read_gold(source: Source, defects: Defects) -> Iterator[Question]:
    """Yield the questions with only ids, texts and accepted answers: no tokens, no places."""
    ids = Ids(defects)
    for index, (number, _, context) in enumerate(_contexts(source, _GoldContext)):
        for item in context.qas:
            yield Question(
                question_id=ids.note(item.qid, line=number),
                passage_id=str(index),
                text=item.question,
                kind="span",
                answers=tuple([Answer(kind="span", texts=(text,)) for text in item.answers]),
            )


def write(dataset: Dataset, stream: BinaryIO) -> None:
    """Write a header, if the data set has one, and a line for each passage.

    Raises:
        UsageError: A passage or question is not tokenized, or an answer is not a span.
    """
    encode = msgspec.json.Encoder().encode
    if "header" in dataset.metadata:
        stream.write(encode({"header": dataset.metadata["header"]}) + b"\n")
    for passage, questions in dataset:
        if "context_tokens" not in passage.metadata:
            raise _untokenized_error(f"passage {passage.passage_id}")
        line = without_none(
            context=passage.text,
            qas=[_row(question) for question in questions],
            context_tokens=passage.metadata["context_tokens"],
        )
        stream.write(encode({**line, **passage.metadata.get("mrqa_extra", {})}) + b"\n")


def _row(question: Question) -> dict[str, Any]:
    metadata = question.metadata
    if "question_tokens" not in metadata or "detected_answers" not in metadata:
        raise _untokenized_error(f"question {question.question_id}")
    for answer in question.answers:
        if answer.kind != "span" or len(answer.texts) != 1:
            raise UsageError(
                f"the MRQA form cannot hold an answer of kind {answer.kind!r}",
                where=f"question {question.question_id}",
                expected="one span of the passage",
                cure="`closeread convert --to mrqa` drops and counts such questions",
            )
    answers = [answer.texts[0] for answer in question.answers]
    row = without_none(
        qid=question.question_id,
        question=question.text,
        question_tokens=metadata["question_tokens"],
        detected_answers=_inclusive(metadata["detected_answers"]),
        answers=answers or metadata.get("no_gold"),
    )
    return {**row, **metadata.get("mrqa_extra", {})}


def _inclusive(detected: list[dict[str, Any]] | None) -> list[dict[str, Any]] | None:
    if detected is None:
        return None
    return [
        {
            "text": detected_answer["text"],
            "char_spans": [[start, end - 1] for start, end in detected_answer["char_spans"]],
            "token_spans": [[start, end - 1] for start, end in detected_answer["token_spans"]],
        }
        | detected_answer.get("extra", {})
        for detected_answer in detected
    ]


def _untokenized_error(where: str) -> UsageError:
    return UsageError(
        "the MRQA form needs tokens, and this data set has none",
        where=where,
        cure="`closeread convert --to mrqa` tokenizes and finds the answers",
    )


FORMAT = Format(
    name="mrqa",
    sniff=sniff,
    read=read,
    write=write,
    info=info,
    read_gold=read_gold,
    metrics=("mrqa",),
    in_lines=True,
)
