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
    """A passage as it is sent. Without ``language``, that which its letters show.

    Every field is written out: an absent ``language`` is not the same as ``en``.
    """

    passage_id: str = ""
    language: str = ""


class AskedQuestion(Question, frozen=True, kw_only=True):
    """A question as it is sent. Gold and metadata are allowed, and no reader sees them.

    Questions with one ``group_id`` are never shown to a reader together. ``passage_id`` may be
    left out; it is that of the passage beside it.
    """

    passage_id: str = ""


class Asked(Record, frozen=True, kw_only=True):
    """A passage and the questions about it."""

    passage: AskedPassage
    questions: tuple[AskedQuestion, ...]


class AnswerRequest(Record, frozen=True, kw_only=True):
    """Questions to be answered; their ids are unique within the request.

    Attributes:
        n_best: How many candidates an answer carries at most.
        evidence: Whether evidence is wanted, with what it covers.
    """

    items: tuple[Asked, ...]
    n_best: Annotated[int, msgspec.Meta(ge=0, le=MOST_CANDIDATES)] = 5
    evidence: bool = True


class Coverage(Record, frozen=True, kw_only=True):
    """What one piece of evidence says of its claim, and what it does not.

    Attributes:
        claim: The option's text, or the question's where there are no options; the spans of
            ``covered[].option_span`` and of ``uncovered`` lie in it.
        option_label: The option; empty where the claim is the question.
        covered: Parts of the claim with their places in the passage.
        uncovered: Parts of the claim that the evidence does not say.
        found_by: The service's retriever, where the reader named no evidence itself.
    """

    claim: str
    option_label: str = ""
    covered: tuple[Match, ...] = ()
    uncovered: tuple[Span, ...] = ()
    found_by: str = ""


class AnswerReply(Record, frozen=True, kw_only=True):
    """The answers, in the order in which the questions stood in the request.

    Attributes:
        predictions: One a question. A question that failed has its ``error`` and no answer. The
            texts of evidence repeat four million characters of passages at most; what would be
            told beyond has its spans alone.
        coverage: One entry a prediction: for each of its ``evidence``, in the same order, what
            that covers. Empty where the request wanted no evidence.
        reader: The reader's name.
        options: Every option that it was made with.
        version: The version of closeread that answered.
        record_sha256: Of all that the reader records of itself, as ``GET /health`` tells it.
    """

    predictions: tuple[Prediction, ...]
    coverage: tuple[tuple[Coverage, ...], ...] = ()
    reader: str
    options: dict[str, Any]
    version: str
    record_sha256: str = ""


class Refusal(msgspec.Struct, frozen=True, kw_only=True):
    """Why a request was not answered: what was found, where, what was expected, what to do."""

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
        status: ``stopping`` (with status 503) once the process was told to stop.
        record_sha256: Of all that the reader records of itself, such as the hash of its weights:
            other weights under the same name have another. Empty where it records nothing.
        calibrated: By which calibrator confidences are the chance of being right, what it was
            learned from, and the threshold below which answers are withheld, if any; under
            ``warnings`` that it was learned from another reader's answers, where it was. Empty
            where confidences are the reader's own.
        batch_size: How many questions the reader is given at once, at most.
        queue_questions: Questions that wait for the reader, those in its hands not counted.
        queue_limit: So many may wait; a request beyond gets 503.
        reading_questions: Questions in the reader's hands.
        reading_seconds: Since when; a reader that hangs is seen by it.
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
    """Return a passage and its questions as they are sent: without gold, tags and metadata."""
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
                options=tuple(Option(label=one.label, text=one.text) for one in question.options),
                group_id=question.group_id,
            )
            for question in questions
        ),
    )
