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


class Answered(NamedTuple):
    """A prediction, and what each of its evidence covers."""

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
        shown: Without gold and under opaque ids, in the order asked.
        n_best: How many candidates an answer keeps.
        evidence: Whether evidence is wanted.
        done: Set in the event loop when all questions are answered.
        answers: In the order of ``shown``, filled by the worker.
        left: How many are not answered.
        dropped: Nobody waits for it any more.
        quoted: How many characters of evidence its answers repeat.
    """

    shown: Sequence[ShownQuestion]
    n_best: int
    evidence: bool
    done: "asyncio.Future[None]"
    answers: list[Answered | None] = field(default_factory=list)
    left: int = 0
    dropped: bool = False
    quoted: int = 0
    arrived: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self.answers = [None] * len(self.shown)
        self.left = len(self.shown)

    def settle(self, place: int, answered: Answered) -> None:
        """Store an answer under the question's original id."""
        asked = self.shown[place].question_id
        named = msgspec.structs.replace(answered.prediction, question_id=asked)
        self.answers[place] = Answered(named, answered.coverage)
        self.left -= 1

    def answered(self) -> list[Answered]:
        """Return all answers, in the order asked."""
        return [one for one in self.answers if one is not None]


class Place(NamedTuple):
    """One question of an order."""

    order: Order
    number: int

    @property
    def shown(self) -> ShownQuestion:
        """The question as the reader is shown it."""
        return self.order.shown[self.number]


def hide_gold(passage: Passage, questions: Sequence[Question]) -> list[ShownQuestion]:
    """Return questions as a reader may see them: no gold, no tags, opaque ids."""
    seen = strip_passage(passage)
    return [
        ShownQuestion(
            seen,
            msgspec.structs.replace(strip_question(question), passage_id=seen.passage_id),
            question.question_id,
            question.group_id,
        )
        for question in questions
    ]


def plan_batch(batch: Sequence[Place]) -> list[Planned]:
    """Return a batch as the reader gets it, with unique ids.

    An id is the same as in any run, so that readers that draw by it answer alike here, unless
    another client's question in the batch has the same: then it gets a new one.

    Returns:
        One entry a place; its ``question_id`` is the place's number in the batch.
    """
    questions: set[str] = set()
    names: set[str] = set()
    passages: dict[tuple[str, str, str, str], Passage] = {}
    made = []
    for number, place in enumerate(batch):
        passage, question, *_ = place.shown
        key = (passage.passage_id, passage.text, passage.title, passage.language)
        own = passages.get(key)
        if own is None:
            name = _unique_name(passage.passage_id, names)
            own = passages[key] = (
                passage
                if name == passage.passage_id
                else msgspec.structs.replace(passage, passage_id=name)
            )
        name = _unique_name(question.question_id, questions)
        if name != question.question_id or own is not passage:
            question = msgspec.structs.replace(
                question, question_id=name, passage_id=own.passage_id
            )
        made.append(Planned(number, str(number), (own, question)))
    return made


def _unique_name(name: str, taken: set[str]) -> str:
    """Return ``name``, or a new name made from it if it is taken; add it to ``taken``."""
    free = name
    while free in taken:
        free = opaque_id(f"{free} {len(taken)}")
    taken.add(free)
    return free
