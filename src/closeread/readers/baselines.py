"""Floors: what a score is worth is seen beside what a reader gets that does not read."""

import random
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from closeread.text.segment import sentences
from closeread.types import Answer, Option, Passage, Prediction, Question, Span

Item = tuple[Passage, Question]


def first_sentence() -> "Floor":
    """Make a reader that answers with the passage's first sentence, whatever is asked."""
    return Floor(_first_sentence)


def random_option(seed: int = 0) -> "Floor":
    """Make a reader that picks an option by chance.

    Args:
        seed: With the question's id it fixes the choice, so that order and batches move nothing.
    """
    return Floor(lambda item: _chosen(item, lambda options: _drawn(seed, item[1], options)))


def longest_option() -> "Floor":
    """Make a reader that picks the longest option, the first of equals."""
    return Floor(lambda item: _chosen(item, lambda options: max(options, key=_length)))


def majority(label: str = "A") -> "Floor":
    """Make a reader that always picks one label.

    Args:
        label: Name the label that is right most often in training data; where a question has no
            such option, the last one is picked.
    """
    return Floor(lambda item: _chosen(item, lambda options: _labelled(label, options)))


class Floor:
    """A reader that answers every question by one rule.

    A question that the rule cannot touch (no option is there to be picked) stays unanswered.
    """

    def __init__(self, rule: Callable[[Item], Answer | None]) -> None:
        self._rule = rule

    def read(self, items: Sequence[Item]) -> Iterator[Prediction]:
        """Yield one prediction an item, in order."""
        for item in items:
            yield Prediction(question_id=item[1].question_id, answer=self._rule(item))


def _first_sentence(item: Item) -> Answer:
    passage, _ = item
    spans = _beginning(passage.text, passage.language)
    if not spans:
        return Answer(kind="none")
    return Answer(kind="span", texts=(spans[0].of(passage.text),), spans=spans)


@lru_cache(maxsize=64)
def _beginning(text: str, language: str) -> tuple[Span, ...]:
    return sentences(text, language)[:1]


def _chosen(item: Item, rule: Callable[[Sequence[Option]], Option]) -> Answer | None:
    options = item[1].options
    if not options:
        return None
    option = rule(options)
    return Answer(kind="choice", label=option.label, texts=(option.text,))


def _drawn(seed: int, question: Question, options: Sequence[Option]) -> Option:
    return random.Random(f"{seed} {question.question_id}").choice(options)


def _length(option: Option) -> int:
    return len(option.text)


def _labelled(label: str, options: Sequence[Option]) -> Option:
    return next((option for option in options if option.label == label), options[-1])
