"""``POST /``: one context of the MRQA shared task in, ``{qid: answer}`` out.

This is the protocol of submissions to the shared task: its ``predict_server.py`` posts each
context of a file by itself and merges the replies. A header line gets no answers.
"""

from typing import Any

import msgspec

from closeread.formats.files.parse_errors import PARSER_ERRORS
from closeread.serve.checks import check_count, check_passage, check_question
from closeread.serve.order import Order, ShownQuestion, hide_gold
from closeread.serve.refusals import RefusedError, invalid_body_refusal
from closeread.serve.settings import Settings
from closeread.text.language import detect
from closeread.types import Answer, Passage, Question

_CURE = 'send one object: {"context": ..., "qas": [{"qid": ..., "question": ...}]}'


# Answers and tokens, the largest part of a context, are skipped without parsing, because no reader
# sees them.
class _Question(msgspec.Struct, gc=False):
    qid: str
    question: str


class _Context(msgspec.Struct):
    context: str
    qas: list[_Question]


class _Line(msgspec.Struct):
    header: Any = None
    context: Any = None


_CONTEXT = msgspec.json.Decoder(_Context)
_LINE = msgspec.json.Decoder(_Line)


def parse_context(raw: bytes, settings: Settings) -> list[ShownQuestion]:
    """Return the questions of a context without gold; none for a header line.

    Raises:
        RefusedError: The body is not JSON (400), has another format or a text that is too long
            (422), or holds too many questions (413).
    """
    try:
        context = _CONTEXT.decode(raw)
    except PARSER_ERRORS as error:
        if _is_header(raw):
            return []
        raise invalid_body_refusal(error, raw, _CURE, _Context) from error
    check_count(len(context.qas), settings)
    passage = Passage(passage_id="0", text=context.context, language=detect(context.context))
    check_passage(passage, settings, text_location="context", title_location="")
    questions = [
        Question(question_id=question.qid, passage_id="0", text=question.question, kind="span")
        for question in context.qas
    ]
    for index, question in enumerate(questions):
        check_question(question, settings, f"qas[{index}]", text_field="question")
    return hide_gold(passage, questions)


def _is_header(raw: bytes) -> bool:
    try:
        line = _LINE.decode(raw)
    except PARSER_ERRORS:
        return False
    return line.header is not None and line.context is None


def encode_answers(order: Order) -> tuple[bytes, int]:
    """Return ``{qid: answer text}`` as JSON, and the number of failed questions.

    A failed question is left out, because the shared task's evaluation counts a missing answer as
    wrong. No answer is the empty text.

    Raises:
        RefusedError: Every question failed (500).
    """
    answers = order.all_answers()
    text_by_id = {
        answer.prediction.question_id: _text(answer.prediction.answer)
        for answer in answers
        if not answer.prediction.error
    }
    n_failed = sum(bool(answer.prediction.error) for answer in answers)
    if n_failed and not text_by_id:
        raise RefusedError(
            500,
            "reader-failed",
            f"the reader failed: {answers[0].prediction.error}",
            where=f"question {answers[0].prediction.question_id}",
            expected="an answer to at least one question",
            cure="POST /v1/answer returns the error of every question",
        )
    return msgspec.json.encode(text_by_id), n_failed


def _text(answer: Answer | None) -> str:
    return answer.text if answer is not None else ""
