"""``POST /``: one context of the MRQA shared task in, ``{qid: answer}`` out.

As submissions to the shared task had to (its ``predict_server.py`` posts every context of a file
by itself and merges what comes back). A header line is answered with no answers.
"""

from collections.abc import Iterator

import msgspec

from closeread.errors import InputError
from closeread.formats.files.source import Source
from closeread.formats.mrqa import FORMAT
from closeread.serve.checks import check_passage, check_question
from closeread.serve.order import Order, Shown, shown
from closeread.serve.refusals import RefusedError, unfit
from closeread.serve.settings import Settings
from closeread.types import Answer, Defects

_CURE = 'send one object: {"context": ..., "qas": [{"qid": ..., "question": ...}]}'


class Body(Source):
    """A request's body in place of a file."""

    is_large = False

    def __init__(self, raw: bytes) -> None:
        super().__init__("the request")
        self._body = raw.removeprefix(b"\xef\xbb\xbf")

    @property
    def cure(self) -> str:
        """What to do about a body of another form."""
        return _CURE

    def read(self) -> bytes:
        """Return the body."""
        return self._body

    def records(self) -> Iterator[tuple[int | None, bytes]]:
        """Yield the one JSON text that it is."""
        yield None, self._body


def questions(raw: bytes, settings: Settings) -> list[Shown]:
    """Return the questions of a context as a reader may see them; none of a header line.

    Raises:
        RefusedError: No JSON (400), of another form, or too long (422); says where.
    """
    try:
        items = list(FORMAT.read(Body(raw), Defects()))
    except InputError as error:
        if isinstance(error.__cause__, msgspec.ValidationError):
            raise unfit(error) from error
        raise unfit(error, status=400, reason="not-json") from error
    found: list[Shown] = []
    for passage, asked in items:
        check_passage(passage, settings, "context")
        for number, question in enumerate(asked):
            check_question(question, settings, f"qas[{number}]")
        found.extend(shown(passage, asked))
    return found


def reply(order: Order) -> tuple[bytes, int]:
    """Return ``{qid: answer text}`` as JSON, and how many questions failed.

    What failed is left out, as the shared task's evaluation counts a missing answer as wrong. No
    answer is the empty text.

    Raises:
        RefusedError: Every question failed (500).
    """
    answered = order.answered()
    good = {
        one.prediction.question_id: _text(one.prediction.answer)
        for one in answered
        if not one.prediction.error
    }
    n_failed = sum(bool(one.prediction.error) for one in answered)
    if n_failed and not good:
        raise RefusedError(
            500,
            "reader-failed",
            f"the reader failed: {answered[0].prediction.error}",
            where=f"question {answered[0].prediction.question_id}",
            cure="POST /v1/answer tells of every question why it failed",
        )
    return msgspec.json.encode(good), n_failed


def _text(answer: Answer | None) -> str:
    return answer.texts[0] if answer is not None and answer.texts else ""
