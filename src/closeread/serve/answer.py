"""``POST /v1/answer``: closeread's own protocol, with n-best answers, evidence and coverage."""

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
from closeread.serve.order import Order, QuestionAnswer, QueuedQuestion, ShownQuestion, hide_gold
from closeread.serve.refusals import RefusedError, invalid_body_refusal
from closeread.serve.settings import Settings
from closeread.text.language import detect, language_code
from closeread.text.polarity import polarity
from closeread.types import Evidence, Passage, Prediction, Question
from closeread.version import __version__

_REQUEST = msgspec.json.Decoder(AnswerRequest)
_PREDICTION = msgspec.json.Decoder(Prediction)


def parse_request(raw: bytes, settings: Settings) -> tuple[AnswerRequest, list[ShownQuestion]]:
    """Return a parsed request, and its questions in order, without gold.

    Raises:
        RefusedError: The body is not JSON (400); has another format, an id twice, a text that is
            too long, or a choice without options (422); or too many questions (413).
    """
    try:
        request = _REQUEST.decode(raw)
    except PARSER_ERRORS as error:
        raise invalid_body_refusal(
            error, raw, "correct the request; GET /docs shows its format", AnswerRequest
        ) from error
    check_count(sum(len(item.questions) for item in request.items), settings)
    questions: list[ShownQuestion] = []
    location_by_id: dict[str, str] = {}
    for item_index, item in enumerate(request.items):
        where = f"items[{item_index}]"
        passage: Passage = item.passage
        check_passage(passage, settings, f"{where}.passage.text", f"{where}.passage.title")
        language = language_code(passage.language) or detect(passage.text)
        if language != passage.language:
            passage = msgspec.structs.replace(passage, language=language)
        checked = []
        for index, question in enumerate(item.questions):
            location = f"{where}.questions[{index}]"
            check_question(question, settings, location)
            _check_passage_id(question, passage, location)
            if question.question_id in location_by_id:
                raise RefusedError(
                    422,
                    "wrong-fields",
                    f"{location_by_id[question.question_id]} has the id"
                    f" {question.question_id!r} too",
                    where=f"{location}.question_id",
                    expected="a different id for each question of a request",
                    cure="change one of the ids",
                )
            location_by_id[question.question_id] = location
            checked.append(_infer_asks_for(question))
        questions.extend(hide_gold(passage, checked))
    return request, questions


def _infer_asks_for(question: Question) -> Question:
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
    answers = order.all_answers()
    return msgspec.json.encode(
        AnswerReply(
            predictions=tuple(answer.prediction for answer in answers),
            coverage=tuple(answer.coverage for answer in answers) if order.with_evidence else (),
            reader=reader.name,
            options=reader.options,
            version=__version__,
            record_sha256=record_sha256,
        )
    )


class AnswerBuilder:
    """Builds the answer to a question: the prediction as requested, with evidence and coverage."""

    def __init__(
        self,
        retriever: Retriever | None,
        retriever_name: str,
        calibrate: CalibratorUse | None = None,
    ) -> None:
        """Make it.

        Args:
            retriever: Finds evidence if the reader gives none; None for no evidence.
            retriever_name: The name that its evidence carries.
            calibrate: Replaces the reader's confidences with calibrated ones.
        """
        self._retriever = retriever
        self._retriever_name = retriever_name
        self._calibrate = calibrate

    def __call__(
        self, order: Order, queued: QueuedQuestion, prediction: Prediction
    ) -> QuestionAnswer:
        """Return the answer to one question, encodable as JSON."""
        passage, question, *_ = queued.question
        if self._calibrate is not None:
            prediction = self._calibrate(passage, question, prediction)
        evidence: tuple[Evidence, ...] = ()
        if order.with_evidence and not prediction.error:
            evidence = _drop_excess_texts(
                order, prediction.evidence or tuple(self._retrieve(passage, question))
            )
        found_by = "" if prediction.evidence else self._retriever_name
        limited = msgspec.structs.replace(
            prediction, candidates=prediction.candidates[: order.n_best], evidence=evidence
        )
        encoded, failed = encode_prediction(limited)
        if failed:
            return QuestionAnswer(_PREDICTION.decode(encoded))
        sentences = UnitIndex(passage.text)
        coverages = (
            _build_coverage(passage, question, piece, found_by, sentences) for piece in evidence
        )
        return QuestionAnswer(limited, tuple(coverages))

    def _retrieve(self, passage: Passage, question: Question) -> list[Evidence]:
        if self._retriever is None:
            return []
        claims = question.claims or (None,)
        retrieved = (self._retriever.retrieve(question, passage, claim) for claim in claims)
        return [quote_evidence(piece, passage) for piece in retrieved]


def _drop_excess_texts(order: Order, evidence: tuple[Evidence, ...]) -> tuple[Evidence, ...]:
    """Drop the texts of evidence (keeping its spans) once a reply quotes too much.

    A passage without a sentence mark may be the evidence of a hundred options of each question.
    """
    order.n_quoted_characters += sum(len(text) for piece in evidence for text in piece.texts)
    if order.n_quoted_characters <= MOST_QUOTED:
        return evidence
    return tuple(
        msgspec.structs.replace(piece, texts=()) if piece.spans else piece for piece in evidence
    )


def _build_coverage(
    passage: Passage, question: Question, evidence: Evidence, found_by: str, sentences: UnitIndex
) -> Coverage:
    label: Any = evidence.option_label
    option = next(
        (candidate for candidate in question.options if label and candidate.label == label), None
    )
    explanation = explain(question, passage, option, evidence, sentences)
    return Coverage(
        claim=claim_and_context(question, option)[0],
        option_label=evidence.option_label,
        covered=explanation.covered,
        uncovered=explanation.uncovered,
        found_by=found_by,
    )
