"""A strategy that edits options that are statements, given their evidence."""

import random
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from msgspec.structs import replace

from closeread.attacks.context import Surroundings
from closeread.text.polarity import infer_asks_for
from closeread.types import Edit, Passage, Question, Span, Truth

HIDDEN = "\ue000"  # replaces characters that no pattern may match
_QUOTED = re.compile(r"“[^”]*”?|‘[^’]*’?|「[^」]*」?|《[^》]*》?|\"[^\"]*\"?")


class Statement(NamedTuple):
    """An option that is a statement about a passage.

    Attributes:
        text: The text of the option.
        evidence: The passage's sentences relevant to it, one per line.
        passage: The text of the passage.
        holds: Whether the passage supports the statement; None if unknown.
    """

    text: str
    evidence: str
    passage: str
    holds: bool | None


class StatementEdit(NamedTuple):
    """An edit of a statement: the span, its replacement, the rule and the effect on the truth."""

    span: Span
    words: str
    rule: str
    truth: Truth


class Rewording(NamedTuple):
    """A pattern and its replacement, a template as in ``re.Match.expand``."""

    pattern: re.Pattern[str]
    template: str


ProposeEdits = Callable[[Statement, random.Random], Iterator[StatementEdit]]


def hide_quotations(text: str) -> str:
    """Return a text of the same length whose quotations are replaced by ``HIDDEN``."""
    return _QUOTED.sub(lambda match: HIDDEN * len(match[0]), text)


def infer_statements(question: Question) -> Question:
    """Return a question with ``asks_for`` and ``option_truth`` inferred from its stem and answer.

    Many sets call every question a choice; the stem tells whether its options are statements. A
    question with another stem is returned unchanged. If the answer is not an option, the truth of
    the options stays unknown.
    """
    asks_for = question.asks_for or infer_asks_for(question.kind, question.text)
    if asks_for is None or not question.options:
        return question
    correct_labels = {answer.label for answer in question.answers}
    truth = question.option_truth
    if (
        not truth
        and len(correct_labels) == 1
        and correct_labels <= {option.label for option in question.options}
    ):
        truth = tuple(
            (option.label in correct_labels) == (asks_for == "supported")
            for option in question.options
        )
    return replace(question, asks_for=asks_for, option_truth=truth)


class StatementStrategy:
    """Proposes edits of options that are statements, and none for other questions.

    Args:
        name: The name of the strategy.
        proposers: By language, the function that proposes edits of one statement.
        around: The retriever, the seed and the other passages.
    """

    def __init__(self, name: str, proposers: dict[str, ProposeEdits], around: Surroundings) -> None:
        self._name = name
        self._proposers = proposers
        self._surroundings = around

    def propose(self, passage: Passage, question: Question) -> Iterator[Edit]:
        """Yield the edits of the options, option by option."""
        propose_edits = self._proposers.get(passage.language)
        if question.asks_for is None or question.kind == "entailment" or propose_edits is None:
            return
        truths = question.option_truth or (None,) * len(question.options)
        for option, holds in zip(question.options, truths, strict=True):
            evidence = self._surroundings.evidence(passage, question, option)
            statement = Statement(option.text, evidence, passage.text, holds)
            seed = (
                f"{self._surroundings.seed}\0{question.question_id}\0{option.label}\0{self._name}"
            )
            for edit in propose_edits(statement, random.Random(seed)):
                yield Edit(
                    strategy=self._name,
                    rule=edit.rule,
                    place="option",
                    label=option.label,
                    span=edit.span,
                    words=edit.words,
                    truth=edit.truth,
                )
