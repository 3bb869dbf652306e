"""Strategies for options that are statements: the statement, its evidence, and its changes."""

import random
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from msgspec.structs import replace

from closeread.attacks.context import Surroundings
from closeread.text.polarity import infer_asks_for
from closeread.types import Edit, Passage, Question, Span, Truth

HIDDEN = "\ue000"  # stands for a character that no pattern is to touch
_QUOTED = re.compile(r"“[^”]*”?|‘[^’]*’?|「[^」]*」?|《[^》]*》?|\"[^\"]*\"?")


class Statement(NamedTuple):
    """A statement about a passage, as an option makes it.

    Attributes:
        text: What it says.
        evidence: The passage's sentences that bear on it, a line each.
        passage: The whole text.
        holds: Whether the passage supports it; None where nobody says.
    """

    text: str
    evidence: str
    passage: str
    holds: bool | None


class StatementEdit(NamedTuple):
    """A change of a statement: what is replaced, by what, and what that does to its truth."""

    span: Span
    words: str
    rule: str
    truth: Truth


class Rewording(NamedTuple):
    """What is replaced, and by what: a template of ``re.Match.expand``."""

    pattern: re.Pattern[str]
    template: str


ProposeEdits = Callable[[Statement, random.Random], Iterator[StatementEdit]]


def hide_quotations(text: str) -> str:
    """Return a text of the same length in which no character inside quotation marks is seen."""
    return _QUOTED.sub(lambda match: HIDDEN * len(match[0]), text)


def infer_statements(question: Question) -> Question:
    """Return a question with ``asks_for`` and ``option_truth`` inferred from its stem and answer.

    Many sets call every question a choice; the stem tells whether its options are statements. A
    question whose stem does not is returned unchanged. An answer that is none of the options
    determines no truth.
    """
    asks_for = question.asks_for or infer_asks_for(question.kind, question.text)
    if asks_for is None or not question.options:
        return question
    right = {answer.label for answer in question.answers}
    truth = question.option_truth
    if not truth and len(right) == 1 and right <= {one.label for one in question.options}:
        truth = tuple((one.label in right) == (asks_for == "supported") for one in question.options)
    return replace(question, asks_for=asks_for, option_truth=truth)


class StatementStrategy:
    """Proposes changes of each option that is a statement; other questions it leaves alone.

    Args:
        name: The strategy's.
        turns: By language, what it would change in one statement.
        around: What it may know.
    """

    def __init__(self, name: str, turns: dict[str, ProposeEdits], around: Surroundings) -> None:
        self._name = name
        self._turns = turns
        self._around = around

    def propose(self, passage: Passage, question: Question) -> Iterator[Edit]:
        """Yield the changes of the options, option by option."""
        turns = self._turns.get(passage.language)
        if question.asks_for is None or question.kind == "entailment" or turns is None:
            return
        truths = question.option_truth or (None,) * len(question.options)
        for option, holds in zip(question.options, truths, strict=True):
            evidence = self._around.evidence(passage, question, option)
            statement = Statement(option.text, evidence, passage.text, holds)
            seed = f"{self._around.seed}\0{question.question_id}\0{option.label}\0{self._name}"
            for turn in turns(statement, random.Random(seed)):
                yield Edit(
                    strategy=self._name,
                    rule=turn.rule,
                    place="option",
                    label=option.label,
                    span=turn.span,
                    words=turn.words,
                    truth=turn.truth,
                )
