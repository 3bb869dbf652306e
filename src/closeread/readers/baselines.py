"""Baselines that do not read: the floor to compare a score with."""

import random
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import islice

from closeread.errors import UsageError
from closeread.text.segment import sentences
from closeread.types import Answer, Option, PassageQuestion, Prediction, Question, Span


def first_sentence() -> "Floor":
    """Make a reader that answers with the passage's first sentence, whatever is asked.

    A title that the MRQA shared task's ``[TLE]`` marks is none, unless nothing else is there.
    """
    return Floor(_first_sentence)


def random_option(seed: int = 0) -> "Floor":
    """Make a reader that picks an option by chance.

    Args:
        seed: With the question's id it fixes the choice, so that order and batches move nothing.
    """
    return Floor(lambda item: _pick(item, lambda options: _pick_random(seed, item[1], options)))


def longest_option() -> "Floor":
    """Make a reader that picks the longest option, the first of equals."""
    return Floor(lambda item: _pick(item, lambda options: max(options, key=_length)))


def majority(label: str = "A") -> "Floor":
    """Make a reader that always picks one label.

    Args:
        label: Name the label that is right most often in training data; a question that has no
            such option fails, with its error in the prediction.
    """
    return Floor(lambda item: _pick(item, lambda options: _pick_label(label, options)))


class Floor:
    """A reader that answers every question by one rule.

    A question that the rule cannot touch (no option is there to be picked) fails: its prediction
    says why, it counts as wrong, and the run goes on.
    """

    def __init__(self, rule: Callable[[PassageQuestion], Answer]) -> None:
        self._rule = rule

    def read(self, items: Sequence[PassageQuestion]) -> Iterator[Prediction]:
        """Yield one prediction an item, in order."""
        for item in items:
            try:
                answer = self._rule(item)
            except UsageError as error:
                yield Prediction(question_id=item[1].question_id, error=error.found)
            else:
                yield Prediction(question_id=item[1].question_id, answer=answer)


def _first_sentence(item: PassageQuestion) -> Answer:
    passage, _ = item
    spans = _first_sentence_span(passage.text, passage.language)
    if not spans:
        return Answer(kind="none")
    return Answer(kind="span", texts=(spans[0].of(passage.text),), spans=spans)


@lru_cache(maxsize=64)
def _first_sentence_span(text: str, language: str) -> tuple[Span, ...]:
    found = sentences(text, language)
    no_title = (one for one in found if not text[: one.start].rstrip().endswith("[TLE]"))
    return tuple(islice(no_title, 1)) or found[:1]


def _pick(item: PassageQuestion, rule: Callable[[Sequence[Option]], Option]) -> Answer:
    options = item[1].options
    if not options:
        raise UsageError("the question has no options to pick from")
    return rule(options).answer


def _pick_random(seed: int, question: Question, options: Sequence[Option]) -> Option:
    return random.Random(f"{seed} {question.question_id}").choice(options)


def _length(option: Option) -> int:
    return len(option.text)


def _pick_label(label: str, options: Sequence[Option]) -> Option:
    for option in options:
        if option.label == label:
            return option
    labels = ", ".join(option.label for option in options)
    raise UsageError(f"no option has the label {label!r}; the labels are {labels}")
