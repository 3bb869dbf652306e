"""Make statements about a passage, and apply proposed edits to them."""

import random
from collections.abc import Callable, Iterator

from closeread.attacks.statements import Statement, StatementEdit

Propose = Callable[[Statement, random.Random], Iterator[StatementEdit]]


def statement(text: str, evidence: str = "", *, holds: bool | None = True) -> Statement:
    return Statement(text, evidence or text, evidence or text, holds)


def edited_statements(
    propose: Propose, original: Statement, truth: str, seed: int = 0
) -> dict[str, str]:
    """Return the edited statements that a strategy proposes, each with the rule of its edit."""
    return {
        original.text[: edit.span.start] + edit.words + original.text[edit.span.end :]: edit.rule
        for edit in propose(original, random.Random(seed))
        if edit.truth == truth
    }
