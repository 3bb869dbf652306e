"""The questions of one request (an order), and batches of the questions of many requests."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import msgspec

from closeread.readers.http.answer_wire import Coverage
from closeread.runs.plan import Planned, opaque_id, strip_passage, strip_question
from closeread.types import Passage, Prediction, Question


class QuestionAnswer(NamedTuple):
    """A prediction, and the coverage of each of its evidence."""

    prediction: Prediction
    coverage: tuple[Coverage, ...] = ()


class ShownQuestion(NamedTuple):
    """A question as the reader sees it, its original id, and its group."""

    passage: Passage
    question: Question
    question_id: str
    group_id: str


@dataclass(eq=False, kw_only=True)
class Order:
    """The questions of one request.

    Attributes:
        questions: The questions without gold and under opaque ids, in the request's order.
        n_best: Maximum number of candidates of an answer.
        with_evidence: Whether evidence is wanted.
        done: Set in the event loop when all questions are answered.
        answers: In the order of ``questions``, filled by the worker.
        n_unanswered: Number of unanswered questions.
        is_dropped: Whether no client waits for it any more.
        n_quoted_characters: Number of characters of evidence in its answers.
    """

    questions: Sequence[ShownQuestion]
    n_best: int
    with_evidence: bool
    done: "asyncio.Future[None]"
    answers: list[QuestionAnswer | None] = field(default_factory=list)
    n_unanswered: int = 0
    is_dropped: bool = False
    n_quoted_characters: int = 0
    arrival_time: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self.answers = [None] * len(self.questions)
        self.n_unanswered = len(self.questions)

    def store_answer(self, index: int, answer: QuestionAnswer) -> None:
        """Store an answer under the question's original id."""
        question_id = self.questions[index].question_id
        renamed = msgspec.structs.replace(answer.prediction, question_id=question_id)
        self.answers[index] = QuestionAnswer(renamed, answer.coverage)
        self.n_unanswered -= 1

    def all_answers(self) -> list[QuestionAnswer]:
        """Return all answers in the request's order."""
        return [answer for answer in self.answers if answer is not None]


class QueuedQuestion(NamedTuple):
    """One question of an order."""

    order: Order
    position: int

    @property
    def question(self) -> ShownQuestion:
        """The question as the reader is shown it."""
        return self.order.questions[self.position]


def hide_gold(passage: Passage, questions: Sequence[Question]) -> list[ShownQuestion]:
    """Return questions as a reader may see them: no gold, no tags, opaque ids."""
    shown_passage = strip_passage(passage)
    return [
        ShownQuestion(
            shown_passage,
            msgspec.structs.replace(strip_question(question), passage_id=shown_passage.passage_id),
            question.question_id,
            question.group_id,
        )
        for question in questions
    ]


def plan_batch(batch: Sequence[QueuedQuestion]) -> list[Planned]:
    """Return a batch as the reader gets it, with unique ids.

    An id is the same as in any run, so that readers that use it as a seed give the same answer. If
    another client's question in the batch has the same id, it gets a new one.

    Returns:
        One entry a question; its ``question_id`` is its index in the batch.
    """
    question_ids: set[str] = set()
    passage_ids: set[str] = set()
    passages: dict[tuple[str, str, str, str], Passage] = {}
    planned = []
    for index, queued in enumerate(batch):
        passage, question, *_ = queued.question
        key = (passage.passage_id, passage.text, passage.title, passage.language)
        batch_passage = passages.get(key)
        if batch_passage is None:
            name = _make_unique(passage.passage_id, passage_ids)
            batch_passage = passages[key] = (
                passage
                if name == passage.passage_id
                else msgspec.structs.replace(passage, passage_id=name)
            )
        name = _make_unique(question.question_id, question_ids)
        if name != question.question_id or batch_passage is not passage:
            question = msgspec.structs.replace(
                question, question_id=name, passage_id=batch_passage.passage_id
            )
        planned.append(Planned(index, str(index), (batch_passage, question)))
    return planned


def _make_unique(name: str, used: set[str]) -> str:
    """Return ``name``, or a new name made from it if it is used; add the result to ``used``."""
    candidate = name
    while candidate in used:
        candidate = opaque_id(f"{candidate} {len(used)}")
    used.add(candidate)
    return candidate
