"""Requests to a served reader and how its replies are read, in both protocols."""

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
    """One request, and how its reply becomes predictions in the order of its questions."""

    path: str
    body: Mapping[str, Any]
    read: Callable[[bytes], list[Prediction]]


@dataclass(frozen=True)
class CloseReadProtocol:
    """``POST /v1/answer`` of ``closeread serve``: options, n-best, confidence and evidence.

    Attributes:
        address: Where it is, for messages.
        served: What was served there when the reading began.
    """

    address: str
    served: Served
    name: str = "closeread"

    @property
    def most(self) -> int:
        """Questions a request: one of more than may wait is never taken."""
        return max(1, min(self.served.batch_size, self.served.queue_limit))

    def unaskable(self, question: Question) -> str:
        """Return nothing: every question can be put."""
        return ""

    def exchange(self, portion: Portion) -> Exchange:
        """Return the request; gold, tags and metadata are not in it."""
        request = AnswerRequest(
            items=(to_wire(portion[0][0], [question for _, question in portion]),),
            n_best=MOST_CANDIDATES,
        )
        names = [question.question_id for _, question in portion]

        def read(raw: bytes) -> list[Prediction]:
            reply = _decode(raw, AnswerReply)
            if [one.question_id for one in reply.predictions] != names:
                raise MalformedReplyError("the reply answers other questions")
            self._check(reply)
            covered = chain(reply.coverage, repeat(()))
            return list(map(_without_service_evidence, reply.predictions, covered))

        return Exchange("/v1/answer", msgspec.to_builtins(request), read)

    def _check(self, reply: AnswerReply) -> None:
        """Refuse the answers of another reader, which came up at the address meanwhile.

        Raises:
            EndpointError: It is another one, or has other options or weights.
        """
        before, now = _identity(self.served), _identity(reply)
        differing = [
            f"{name}: {before.get(name)} at the start, {now.get(name)} now"
            for name in sorted({*before, *now})
            if before.get(name) != now.get(name)
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

    A fork of its baseline replies ``{qid: {"answers": [text], "scores": [number]}}``, the n best
    (domenicrosati/MRQA-Shared-Task-2019 at 9162fd39, ``mrqa_predictor.py``). The official client
    posts each line of the data set as it stands, gold answers included; here their lists are empty.

    Attributes:
        tokens: Whether passage and questions are sent as tokens too.
        most: Questions a request.
    """

    tokens: bool
    most: int = 10_000
    name: str = "mrqa"

    def unaskable(self, question: Question) -> str:
        """Return that options cannot be put, where there are some."""
        return "the MRQA protocol cannot carry options" if question.options else ""

    def exchange(self, portion: Portion) -> Exchange:
        """Return the request in the form of the data sets."""
        passage = portion[0][0]
        cut = tokenizer(passage.language) if self.tokens else None
        body: dict[str, Any] = {"context": passage.text, "qas": []}
        if cut is not None:
            body["context_tokens"] = cut(passage.text)
        for _, question in portion:
            row: dict[str, Any] = {
                "qid": question.question_id,
                "question": question.text,
                "answers": [],
                "detected_answers": [],
            }
            if cut is not None:
                row["question_tokens"] = cut(question.text)
            body["qas"].append(row)

        def read(raw: bytes) -> list[Prediction]:
            texts = _decode(raw, dict[str, Any])
            return [_mrqa_prediction(question.question_id, texts) for _, question in portion]

        return Exchange("/", body, read)


AnswerProtocol = CloseReadProtocol | MrqaProtocol


def group_by_passage(items: Iterable[PassageQuestion], most: int) -> Iterator[Portion]:
    """Yield the questions that stand together and are about the same passage, ``most`` at most."""
    begun: list[PassageQuestion] = []
    for item in items:
        if begun and (len(begun) == most or begun[0][0] != item[0]):
            yield tuple(begun)
            begun = []
        begun.append(item)
    if begun:
        yield tuple(begun)


def _identity(told: Served | AnswerReply) -> dict[str, Any]:
    return {
        "reader": told.reader,
        "version": told.version,
        "record_sha256": told.record_sha256,
        **{f"option {name}": value for name, value in told.options.items()},
    }


def _without_service_evidence(prediction: Prediction, coverage: Sequence[Coverage]) -> Prediction:
    """Return a prediction without the evidence that the reader did not name itself."""
    if not any(one.found_by for one in coverage):
        return prediction
    return msgspec.structs.replace(prediction, evidence=())


def _mrqa_prediction(name: str, replied: Mapping[str, Any]) -> Prediction:
    if name not in replied:
        return Prediction(
            question_id=name, error="the server's reply has no answer to this question"
        )
    given = replied[name]
    if isinstance(given, str):
        return Prediction(question_id=name, answer=Answer(kind="span", texts=(given,)))
    if not isinstance(given, dict) or not {"answers", "scores"} <= given.keys():
        raise MalformedReplyError("an answer is not text, which the MRQA protocol requires")
    try:
        return parse_prediction("the server's reply", name, given)
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
