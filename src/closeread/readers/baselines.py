"""Baselines that ignore the question or the passage: a floor to compare scores with."""

import random
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import islice

from closeread.errors import UsageError
from closeread.text.segment import sentences
from closeread.types import Answer, Option, PassageQuestion, Prediction, Question, Span


def first_sentence() -> "Floor":
    """Make a reader that answers every question with the passage's first sentence.

    A title marked by the MRQA shared task's ``[TLE]`` is skipped unless it is the whole passage.
    """
    return Floor(_first_sentence)


def random_option(seed: int = 0) -> "Floor":
    """Make a reader that picks a random option.

    Args:
        seed: Seed and question id together fix the choice, independent of order and batches.
    """
    return Floor(lambda item: _pick(item, lambda options: _pick_random(seed, item[1], options)))


def longest_option() -> "Floor":
    """Make a reader that picks the longest option, the first of equals."""
    return Floor(lambda item: _pick(item, lambda options: max(options, key=_length)))


def majority(label: str = "A") -> "Floor":
    """Make a reader that always picks one label.

    Args:
        label: The label that is right most often in the training data. A question without this
            option gets a prediction with an error.
    """
    return Floor(lambda item: _pick(item, lambda options: _pick_label(label, options)))


class Floor:
    """A reader that answers every question by one rule.

    If the rule does not apply (a question has no options to pick from), the prediction has an
    error: it counts as wrong, and the run continues.
    """

    def __init__(self, rule: Callable[[PassageQuestion], Answer]) -> None:
        self._rule = rule

    def read(self, items: Sequence[PassageQuestion]) -> Iterator[Prediction]:
        """Yield one prediction per item, in order."""
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
    spans = sentences(text, language)
    not_titles = (span for span in spans if not text[: span.start].rstrip().endswith("[TLE]"))
    return tuple(islice(not_titles, 1)) or spans[:1]


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
