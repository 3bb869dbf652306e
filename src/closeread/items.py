"""Iterate over passages and questions: with a limit, whole groups, or one at a time."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TypeVar

import msgspec

from closeread.types import Dataset, Item, Passage, PassageQuestion, Question

_STEP = 256  # questions per progress report: a step of a progress bar takes microseconds

T = TypeVar("T", Item, Question)


def whole_groups(items: Iterable[Item], limit: int | None) -> Iterator[Item]:
    """Yield passages with the first ``limit`` questions, and with the rest of the last one's group.

    What is scored together is read together: half a triple could not be scored. The questions of
    a group are adjacent. Passages without questions are yielded until the limit is reached.
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
    """Yield passages with their questions, at most ``limit`` questions in all."""
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
    """Yield position, passage and question, one question at a time, at most ``limit``."""
    position = 0
    for passage, questions in items:
        for question in questions:
            if position == limit:
                return
            yield position, passage, question
            position += 1


def drop_metadata(items: Iterable[PassageQuestion]) -> Iterator[PassageQuestion]:
    """Yield questions and passages without format metadata, to hold many in memory.

    MRQA's token lists take about twenty times the memory of the texts.
    """
    last, kept = None, None
    for passage, question in items:
        if kept is None or passage is not last:
            last, kept = passage, msgspec.structs.replace(passage, metadata={})
        yield kept, msgspec.structs.replace(question, metadata={})


def count_reads(dataset: Dataset, advance: Callable[[int], None]) -> Dataset:
    """Return the data set; reading it calls ``advance`` with the number of questions read."""
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
