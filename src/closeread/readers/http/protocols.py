"""Builds requests to a served reader and decodes its replies, in two protocols."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from typing import Any

import msgspec

from closeread.errors import EndpointError, InputError
from closeread.formats.conversion.spacy_tokens import tokenizer
from closeread.formats.submissions.raw_prediction import parse_prediction
from closeread.readers.http.answer_wire import (
    MOST_CANDIDATES,
    AnswerReply,
    AnswerRequest,
    Coverage,
    to_wire,
)
from closeread.readers.http.endpoint import error_text
from closeread.readers.http.failures import MalformedReplyError
from closeread.readers.http.waiting import Served
from closeread.types import Answer, PassageQuestion, Prediction, Question

Portion = tuple[PassageQuestion, ...]  # questions about one passage


@dataclass(frozen=True)
class Exchange:
    """One request, and the function that decodes its reply into predictions, in question order."""

    path: str
    body: Mapping[str, Any]
    read: Callable[[bytes], list[Prediction]]


@dataclass(frozen=True)
class CloseReadProtocol:
    """``POST /v1/answer`` of ``closeread serve``: options, n-best, confidence and evidence.

    Attributes:
        address: The server's address, for messages.
        served: The reader that was served when reading began.
    """

    address: str
    served: Served
    name: str = "closeread"

    @property
    def max_questions(self) -> int:
        """Maximum questions of a request: the server refuses more than its queue has room for."""
        return max(1, min(self.served.batch_size, self.served.queue_limit))

    def unsupported_reason(self, question: Question) -> str:
        """Return "": the protocol supports every question."""
        return ""

    def exchange(self, portion: Portion) -> Exchange:
        """Return the request for questions on one passage, without gold, tags and metadata."""
        request = AnswerRequest(
            items=(to_wire(portion[0][0], [question for _, question in portion]),),
            n_best=MOST_CANDIDATES,
        )
        question_ids = [question.question_id for _, question in portion]

        def read(raw: bytes) -> list[Prediction]:
            reply = _decode(raw, AnswerReply)
            if [prediction.question_id for prediction in reply.predictions] != question_ids:
                raise MalformedReplyError("the reply answers other questions")
            self._check_same_reader(reply)
            coverage = chain(reply.coverage, repeat(()))
            return list(map(_without_service_evidence, reply.predictions, coverage))

        return Exchange("/v1/answer", msgspec.to_builtins(request), read)

    def _check_same_reader(self, reply: AnswerReply) -> None:
        """Reject the answers of another reader that was started at the address meanwhile.

        Raises:
            EndpointError: The reader, its version, its options or its weights have changed.
        """
        expected, actual = _describe_identity(self.served), _describe_identity(reply)
        differing = [
            f"{name}: {expected.get(name)} at the start, {actual.get(name)} now"
            for name in sorted({*expected, *actual})
            if expected.get(name) != actual.get(name)
        ]
        if differing:
            raise EndpointError(
                "the server runs another reader than at the start:\n    "
                + "\n    ".join(differing),
                where=self.address,
                expected="the same reader from the first question to the last",
                cure="predictions so far are saved; serve the first reader again and rerun the "
                "same command with --resume to continue",
            )


@dataclass(frozen=True)
class MrqaProtocol:
    """``POST /`` of a submission to the MRQA 2019 shared task: ``{qid: answer}``.

    A fork of its baseline replies ``{qid: {"answers": [text], "scores": [number]}}``, an n-best
    list (domenicrosati/MRQA-Shared-Task-2019 at 9162fd39, ``mrqa_predictor.py``). The official
    client posts each line of the data set unchanged, with gold answers; here their lists are empty.

    Attributes:
        tokens: Whether passage and questions are also sent as tokens.
        max_questions: Maximum questions of a request.
        name: The protocol's name.
    """

    tokens: bool
    max_questions: int = 10_000
    name: str = "mrqa"

    def unsupported_reason(self, question: Question) -> str:
        """Return why a question cannot be sent: it has options; "" if it can."""
        return "the MRQA protocol cannot carry options" if question.options else ""

    def exchange(self, portion: Portion) -> Exchange:
        """Return the request for questions on one passage, in the form of the data sets."""
        passage = portion[0][0]
        tokenize = tokenizer(passage.language) if self.tokens else None
        body: dict[str, Any] = {"context": passage.text, "qas": []}
        if tokenize is not None:
            body["context_tokens"] = tokenize(passage.text)
        for _, question in portion:
            row: dict[str, Any] = {
                "qid": question.question_id,
                "question": question.text,
                "answers": [],
                "detected_answers": [],
            }
            if tokenize is not None:
                row["question_tokens"] = tokenize(question.text)
            body["qas"].append(row)

        def read(raw: bytes) -> list[Prediction]:
            texts = _decode(raw, dict[str, Any])
            return [_mrqa_prediction(question.question_id, texts) for _, question in portion]

        return Exchange("/", body, read)


AnswerProtocol = CloseReadProtocol | MrqaProtocol


def group_by_passage(items: Iterable[PassageQuestion], max_questions: int) -> Iterator[Portion]:
    """Yield runs of consecutive questions on the same passage, at most ``max_questions`` each."""
    portion: list[PassageQuestion] = []
    for item in items:
        if portion and (len(portion) == max_questions or portion[0][0] != item[0]):
            yield tuple(portion)
            portion = []
        portion.append(item)
    if portion:
        yield tuple(portion)


def _describe_identity(source: Served | AnswerReply) -> dict[str, Any]:
    return {
        "reader": source.reader,
        "version": source.version,
        "record_sha256": source.record_sha256,
        **{f"option {name}": value for name, value in source.options.items()},
    }


def _without_service_evidence(prediction: Prediction, coverage: Sequence[Coverage]) -> Prediction:
    """Return a prediction without evidence if the service's retriever, not the reader, found it."""
    if not any(item.found_by for item in coverage):
        return prediction
    return msgspec.structs.replace(prediction, evidence=())


def _mrqa_prediction(question_id: str, replies: Mapping[str, Any]) -> Prediction:
    if question_id not in replies:
        return Prediction(
            question_id=question_id, error="the server's reply has no answer to this question"
        )
    reply = replies[question_id]
    if isinstance(reply, str):
        return Prediction(question_id=question_id, answer=Answer(kind="span", texts=(reply,)))
    if not isinstance(reply, dict) or not {"answers", "scores"} <= reply.keys():
        raise MalformedReplyError("an answer is not text, which the MRQA protocol requires")
    try:
        return parse_prediction("the server's reply", question_id, reply)
    except InputError as error:
        raise MalformedReplyError(f"an n-best list is not one: {error.found}") from error


def _decode(raw: bytes, type: Any) -> Any:  # noqa: A002
    try:
        return msgspec.json.decode(raw, type=type)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise MalformedReplyError(
            f"the reply has an unexpected form: {error}; "
            f"it says: {error_text(raw)[:200] or 'nothing'}"
        ) from error
