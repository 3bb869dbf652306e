"""Requests and replies of ``closeread serve``, as records that server and client share.

``POST /v1/answer`` takes an :class:`AnswerRequest` and returns an :class:`AnswerReply`; every
refusal, whatever its path and status, is an :class:`ErrorReply`; ``GET /health`` returns a
:class:`Health`.
"""

from collections.abc import Iterable
from typing import Annotated, Any, Literal

import msgspec

from closeread.evidence.claims.explanation import Match
from closeread.types import Option, Passage, Prediction, Question, Record, Span

MOST_CANDIDATES = 1000
MOST_QUOTED = 4_000_000
Count = Annotated[int, msgspec.Meta(ge=0)]


class AskedPassage(Passage, frozen=True, kw_only=True, omit_defaults=False):
    """A passage as it is sent. Without ``language`` it is detected from the characters.

    Every field is written out: an absent ``language`` is not the same as ``en``.
    """

    passage_id: str = ""
    language: str = ""


class AskedQuestion(Question, frozen=True, kw_only=True):
    """A question as it is sent. Gold and metadata are allowed, and no reader sees them.

    A reader never gets two questions of one ``group_id`` together. ``passage_id`` may be left out;
    it is that of the passage in the same item.
    """

    passage_id: str = ""


class Asked(Record, frozen=True, kw_only=True):
    """A passage and the questions about it."""

    passage: AskedPassage
    questions: tuple[AskedQuestion, ...]


class AnswerRequest(Record, frozen=True, kw_only=True):
    """Questions to be answered; their ids are unique within the request.

    Attributes:
        n_best: How many candidates an answer has at most.
        evidence: Whether the reply includes evidence and its coverage.
    """

    items: tuple[Asked, ...]
    n_best: Annotated[int, msgspec.Meta(ge=0, le=MOST_CANDIDATES)] = 5
    evidence: bool = True


class Coverage(Record, frozen=True, kw_only=True):
    """Which parts of a claim one piece of evidence covers.

    Attributes:
        claim: The option's text, or the question's where there are no options; the spans of
            ``covered[].option_span`` and of ``uncovered`` lie in it.
        option_label: The option; empty where the claim is the question.
        covered: Parts of the claim with their positions in the passage.
        uncovered: Parts of the claim that the evidence does not cover.
        found_by: The service's retriever, if the reader gave no evidence itself.
    """

    claim: str
    option_label: str = ""
    covered: tuple[Match, ...] = ()
    uncovered: tuple[Span, ...] = ()
    found_by: str = ""


class AnswerReply(Record, frozen=True, kw_only=True):
    """The answers, in the order in which the questions stood in the request.

    Attributes:
        predictions: One per question. A question that failed has its ``error`` and no answer. The
            texts of evidence repeat at most four million characters of passages; further evidence
            has only its spans.
        coverage: One entry per prediction: the coverage of each of its ``evidence``, in the same
            order. Empty if the request wanted no evidence.
        reader: The reader's name.
        options: All options of the reader, defaults included.
        version: The version of closeread that answered.
        record_sha256: Hash of the reader's record, as ``GET /health`` returns it.
    """

    predictions: tuple[Prediction, ...]
    coverage: tuple[tuple[Coverage, ...], ...] = ()
    reader: str
    options: dict[str, Any]
    version: str
    record_sha256: str = ""


class Refusal(msgspec.Struct, frozen=True, kw_only=True):
    """The error of a request: what is wrong, where, what was expected, and the cure."""

    what: str
    where: str = ""
    expected: str = ""
    cure: str = ""


class ErrorReply(msgspec.Struct, frozen=True, kw_only=True):
    """The body of every reply whose status is 400 or above."""

    error: Refusal


class Health(msgspec.Struct, frozen=True, kw_only=True):
    """Whether the service answers, and how busy it is.

    Attributes:
        status: ``stopping`` (with status 503) once the process has received the signal to stop.
        reader: The reader's name.
        options: All options of the reader, defaults included.
        version: The version of closeread.
        record_sha256: Hash of the reader's record, which includes the hash of its weights: it
            differs for other weights under the same name. Empty if the reader has no record.
        calibrated: The calibrator of the confidences, the data that it was fitted on, and the
            threshold below which answers are withheld, if any; ``warnings`` says if it was fitted
            on another reader's answers. Empty if confidences are the reader's own.
        uptime_seconds: Seconds since the service started.
        batch_size: Maximum number of questions that the reader gets at once.
        queue_questions: Questions that wait for the reader, without those that it is reading.
        queue_limit: Maximum number of waiting questions; a request beyond it gets 503.
        reading_questions: Questions that the reader is reading.
        reading_seconds: Seconds since it started to read them; large if the reader hangs.
        max_body_bytes: A larger body gets 413.
    """

    status: Literal["ready", "stopping"]
    reader: str
    options: dict[str, Any]
    version: str
    record_sha256: str = ""
    calibrated: dict[str, Any] = {}
    uptime_seconds: float
    batch_size: Count
    queue_questions: Count
    queue_limit: Count
    reading_questions: Count
    reading_seconds: float
    max_body_bytes: Count


def to_wire(passage: Passage, questions: Iterable[Question]) -> Asked:
    """Return a passage and its questions for a request, without gold, tags and metadata."""
    return Asked(
        passage=AskedPassage(
            passage_id=passage.passage_id,
            text=passage.text,
            title=passage.title,
            language=passage.language,
        ),
        questions=tuple(
            AskedQuestion(
                question_id=question.question_id,
                text=question.text,
                kind=question.kind,
                asks_for=question.asks_for,
                options=tuple(
                    Option(label=option.label, text=option.text) for option in question.options
                ),
                group_id=question.group_id,
            )
            for question in questions
        ),
    )
