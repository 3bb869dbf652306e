"""``POST /v1/answer``: questions in our own form, with n-best, evidence and what it covers."""

from typing import Any

import msgspec

from closeread.evidence.claims.unit_index import UnitIndex
from closeread.evidence.cover import claim_and_context, explain
from closeread.formats.files.parse_errors import PARSER_ERRORS
from closeread.protocols import Retriever
from closeread.readers.confidence.calibrate import CalibratorUse
from closeread.readers.http.answer_wire import (
    MOST_QUOTED,
    AnswerReply,
    AnswerRequest,
    Coverage,
)
from closeread.runs.answers import encode_prediction, quote_evidence
from closeread.runs.records import ReaderInfo
from closeread.serve.checks import check_count, check_passage, check_question
from closeread.serve.order import Answered, Order, Place, ShownQuestion, hide_gold
from closeread.serve.refusals import RefusedError, invalid_body
from closeread.serve.settings import Settings
from closeread.text.language import detect, language_code
from closeread.text.polarity import polarity
from closeread.types import Evidence, Passage, Prediction, Question
from closeread.version import __version__

_REQUEST = msgspec.json.Decoder(AnswerRequest)
_PREDICTION = msgspec.json.Decoder(Prediction)


def parse_request(raw: bytes, settings: Settings) -> tuple[AnswerRequest, list[ShownQuestion]]:
    """Parse a request; return it and its questions as a reader may see them, in order.

    Raises:
        RefusedError: The body is not JSON (400); has another format, an id twice, a text that is
            too long, or a choice without options (422); or too many questions (413).
    """
    try:
        asked = _REQUEST.decode(raw)
    except PARSER_ERRORS as error:
        raise invalid_body(
            error, raw, "correct the request; GET /docs shows its format", AnswerRequest
        ) from error
    check_count(sum(len(item.questions) for item in asked.items), settings)
    found: list[ShownQuestion] = []
    seen: dict[str, str] = {}
    for number, item in enumerate(asked.items):
        where = f"items[{number}]"
        passage: Passage = item.passage
        check_passage(passage, settings, f"{where}.passage.text", f"{where}.passage.title")
        language = language_code(passage.language) or detect(passage.text)
        if language != passage.language:
            passage = msgspec.structs.replace(passage, language=language)
        read = []
        for place, question in enumerate(item.questions):
            here = f"{where}.questions[{place}]"
            check_question(question, settings, here)
            _check_passage_id(question, passage, here)
            if question.question_id in seen:
                raise RefusedError(
                    422,
                    "wrong-fields",
                    f"{seen[question.question_id]} has the id {question.question_id!r} too",
                    where=f"{here}.question_id",
                    expected="a different id for each question of a request",
                    cure="change one of the ids",
                )
            seen[question.question_id] = here
            read.append(_with_asks_for(question))
        found.extend(hide_gold(passage, read))
    return asked, found


def _with_asks_for(question: Question) -> Question:
    """Fill in ``asks_for`` of a verification from its stem, if the client does not set it.

    A choice stays as it is: its client means options that answer the stem.
    """
    if question.kind != "verification" or question.asks_for is not None:
        return question
    return msgspec.structs.replace(question, asks_for=polarity(question.text))


def _check_passage_id(question: Question, passage: Passage, where: str) -> None:
    if question.passage_id not in ("", passage.passage_id):
        raise RefusedError(
            422,
            "wrong-fields",
            f"the question names the passage {question.passage_id!r}",
            where=f"{where}.passage_id",
            expected=f"{passage.passage_id!r}, the id of its item's passage, or none",
            cure="remove the question's passage_id",
        )


def encode_reply(order: Order, reader: ReaderInfo, record_sha256: str) -> bytes:
    """Return the reply as JSON: answers, reader, options and version."""
    answered = order.answered()
    return msgspec.json.encode(
        AnswerReply(
            predictions=tuple(one.prediction for one in answered),
            coverage=tuple(one.coverage for one in answered) if order.evidence else (),
            reader=reader.name,
            options=reader.options,
            version=__version__,
            record_sha256=record_sha256,
        )
    )


class Finisher:
    """Limits a prediction to what the request asks for, and adds what its evidence covers."""

    def __init__(
        self, retriever: Retriever | None, name: str, sure: CalibratorUse | None = None
    ) -> None:
        """Make it.

        Args:
            retriever: Finds evidence where the reader gives none; None finds none.
            name: The retriever's name, which its evidence carries.
            sure: Replaces the reader's confidences with calibrated ones.
        """
        self._retriever = retriever
        self._name = name
        self._sure = sure

    def __call__(self, order: Order, place: Place, prediction: Prediction) -> Answered:
        """Return the answer to one question, which JSON can hold."""
        passage, question, *_ = place.shown
        if self._sure is not None:
            prediction = self._sure(passage, question, prediction)
        evidence: tuple[Evidence, ...] = ()
        if order.evidence and not prediction.error:
            evidence = _limit_quoted(
                order, prediction.evidence or tuple(self._found(passage, question))
            )
        found_by = "" if prediction.evidence else self._name
        cut = msgspec.structs.replace(
            prediction, candidates=prediction.candidates[: order.n_best], evidence=evidence
        )
        line, failed = encode_prediction(cut)
        if failed:
            return Answered(_PREDICTION.decode(line))
        sentences = UnitIndex(passage.text)
        told = (_coverage(passage, question, one, found_by, sentences) for one in evidence)
        return Answered(cut, tuple(told))

    def _found(self, passage: Passage, question: Question) -> list[Evidence]:
        if self._retriever is None:
            return []
        claims = question.claims or (None,)
        found = (self._retriever.retrieve(question, passage, claim) for claim in claims)
        return [quote_evidence(one, passage) for one in found]


def _limit_quoted(order: Order, evidence: tuple[Evidence, ...]) -> tuple[Evidence, ...]:
    """Drop the texts of evidence (keeping its spans) once a reply quotes too much.

    A passage without a sentence mark may be the evidence of a hundred options of each question.
    """
    order.quoted += sum(len(text) for one in evidence for text in one.texts)
    if order.quoted <= MOST_QUOTED:
        return evidence
    return tuple(msgspec.structs.replace(one, texts=()) if one.spans else one for one in evidence)


def _coverage(
    passage: Passage, question: Question, evidence: Evidence, found_by: str, sentences: UnitIndex
) -> Coverage:
    label: Any = evidence.option_label
    option = next((one for one in question.options if label and one.label == label), None)
    told = explain(question, passage, option, evidence, sentences)
    return Coverage(
        claim=claim_and_context(question, option)[0],
        option_label=evidence.option_label,
        covered=told.covered,
        uncovered=told.uncovered,
        found_by=found_by,
    )
