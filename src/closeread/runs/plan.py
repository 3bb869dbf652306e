"""Which questions are read together, and what a reader is allowed to see of them.

Batches follow from the data set's order alone, never from what is left to do, so that a resumed
run asks a reader exactly what an uninterrupted one does. Two questions of one group never stand in
one batch: in a triple the right letters all differ, and a reader that saw the three together could
repair its answers.
"""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from closeread.items import iter_questions
from closeread.types import Item, Option, Passage, PassageQuestion, Question

_MAX_OPEN = 64  # batches begun and not full; bounds memory where groups are huge


class Planned(NamedTuple):
    """One question of the plan.

    Attributes:
        position: Its place in the data set, from 0.
        question_id: Its real id; the reader gets another one.
        shown: The passage and the question as the reader sees them.
    """

    position: int
    question_id: str
    shown: PassageQuestion


def plan_batches(items: Iterable[Item], size: int) -> Iterator[list[Planned]]:
    """Yield the batches of a data set, each of ``size`` questions but for the last ones.

    Args:
        items: Passages with their questions, in the data set's order.
        size: Questions a batch.
    """
    begun: list[_Batch] = []
    for position, passage, question in iter_questions(items):
        keys = {"question " + question.question_id}
        if question.group_id:
            keys.add("group " + question.group_id)
        batch = next((one for one in begun if one.keys.isdisjoint(keys)), None)
        if batch is None:
            if len(begun) == _MAX_OPEN:
                yield begun.pop(0).planned
            batch = _Batch()
            begun.append(batch)
        batch.keys |= keys
        batch.planned.append(
            Planned(
                position, question.question_id, (strip_passage(passage), strip_question(question))
            )
        )
        if len(batch.planned) == size:
            begun.remove(batch)
            yield batch.planned
    for batch in begun:
        yield batch.planned


@dataclass(eq=False)
class _Batch:
    planned: list[Planned] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)


def strip_question(question: Question) -> Question:
    """Return the question without gold, group, role, tags and the ids that may tell of them."""
    return Question(
        question_id=opaque_id(question.question_id),
        passage_id=opaque_id(question.passage_id),
        text=question.text,
        kind=question.kind,
        asks_for=question.asks_for,
        options=tuple(Option(label=o.label, text=o.text) for o in question.options),
    )


def strip_passage(passage: Passage) -> Passage:
    """Return the passage as a reader sees it: its text, title and language."""
    return Passage(
        passage_id=opaque_id(passage.passage_id),
        text=passage.text,
        title=passage.title,
        language=passage.language,
    )


def opaque_id(name: str) -> str:
    """Return an id that stays the same in every run and says nothing."""
    return hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
