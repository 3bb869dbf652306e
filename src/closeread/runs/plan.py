"""Plan the batches of a run, and hide from the reader what it must not see.

Batches depend only on the data set's order, never on what is left to do, so that a resumed run
gives the reader exactly the same batches as an uninterrupted one. Two questions of one group are
never in one batch: the right letters of a triple all differ, and a reader that saw the three
together could correct its answers.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from closeread.items import iter_questions
from closeread.types import Item, Option, Passage, PassageQuestion, Question

_OPAQUE = re.compile(r"[0-9a-f]{16}")
_MAX_OPEN = 64  # open batches; bounds memory for huge groups


class Planned(NamedTuple):
    """One question of the plan.

    Attributes:
        position: Its place in the data set, from 0.
        question_id: Its real id; the reader sees an opaque one.
        shown: The passage and the question as the reader sees them.
    """

    position: int
    question_id: str
    shown: PassageQuestion


def plan_batches(items: Iterable[Item], size: int) -> Iterator[list[Planned]]:
    """Yield the batches of a data set; all but the last ones have ``size`` questions.

    Args:
        items: Passages with their questions, in the data set's order.
        size: Questions per batch.
    """
    open_batches: list[_Batch] = []
    for position, passage, question in iter_questions(items):
        keys = {"question " + question.question_id}
        if question.group_id:
            keys.add("group " + question.group_id)
        batch = next(
            (open_batch for open_batch in open_batches if open_batch.keys.isdisjoint(keys)), None
        )
        if batch is None:
            if len(open_batches) == _MAX_OPEN:
                yield open_batches.pop(0).planned
            batch = _Batch()
            open_batches.append(batch)
        batch.keys |= keys
        batch.planned.append(
            Planned(
                position, question.question_id, (strip_passage(passage), strip_question(question))
            )
        )
        if len(batch.planned) == size:
            open_batches.remove(batch)
            yield batch.planned
    for batch in open_batches:
        yield batch.planned


@dataclass(eq=False)
class _Batch:
    planned: list[Planned] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)


def strip_question(question: Question) -> Question:
    """Return the question without gold, group, role and tags, and with opaque ids."""
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
    """Return an id that is the same in every run and reveals nothing about the question.

    An opaque id stays as it is: a service receives opaque ids from ``--reader http:URL``, and its
    reader must see the same ids as in a run without HTTP.
    """
    if _OPAQUE.fullmatch(name):
        return name
    return hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
