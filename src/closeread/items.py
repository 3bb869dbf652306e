"""Walks through passages with their questions: so many questions, groups whole, one at a time."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TypeVar

import msgspec

from closeread.types import Dataset, Item, Passage, PassageQuestion, Question

_STEP = 256  # questions that are told together: a step of a terminal's bar takes microseconds

T = TypeVar("T", Item, Question)


def whole_groups(items: Iterable[Item], limit: int | None) -> Iterator[Item]:
    """Yield passages with the first ``limit`` questions, and with the rest of the last one's group.

    What is scored together is read together: of a triple cut in two nothing could be said.
    Siblings follow one another. Passages without questions come as long as questions do.
    """
    if limit is None:
        yield from items
        return
    left, group = limit, ""
    for passage, questions in items:
        end = min(left, len(questions))
        group = questions[end - 1].group_id if end else group
        while group and end < len(questions) and questions[end].group_id == group:
            end += 1
        if end or left:
            yield passage, questions[:end]
        left = max(0, left - end)
        if not left and (not group or end < len(questions)):
            return


def take_questions(items: Iterable[Item], limit: int | None) -> Iterator[Item]:
    """Yield passages with their questions, ``limit`` questions of them all at most."""
    left = limit
    for passage, questions in items:
        yield passage, questions[:left]
        if left is not None:
            left -= len(questions)
            if left <= 0:
                return


def iter_questions(
    items: Iterable[Item], limit: int | None = None
) -> Iterator[tuple[int, Passage, Question]]:
    """Yield position, passage and question, one question at a time, ``limit`` of them at most."""
    position = 0
    for passage, questions in items:
        for question in questions:
            if position == limit:
                return
            yield position, passage, question
            position += 1


def drop_metadata(items: Iterable[PassageQuestion]) -> Iterator[PassageQuestion]:
    """Yield questions without what a format alone knows, where many are held in memory.

    MRQA's tokens, a list for each, take some twenty times the room of the texts.
    """
    last, kept = None, None
    for passage, question in items:
        if kept is None or passage is not last:
            last, kept = passage, msgspec.structs.replace(passage, metadata={})
        yield kept, msgspec.structs.replace(question, metadata={})


def count_reads(dataset: Dataset, advance: Callable[[int], None]) -> Dataset:
    """Return the data set, which tells ``advance`` how many questions more were read of it."""
    gold = dataset.read_gold
    return replace(
        dataset,
        read=lambda defects: _report_reads(
            dataset.read(defects), lambda item: len(item[1]), advance
        ),
        read_gold=gold and (lambda defects: _report_reads(gold(defects), lambda _: 1, advance)),
    )


def _report_reads(
    found: Iterable[T], questions: Callable[[T], int], advance: Callable[[int], None]
) -> Iterator[T]:
    untold = 0
    for one in found:
        yield one
        untold += questions(one)
        if untold >= _STEP:
            advance(untold)
            untold = 0
    advance(untold)
