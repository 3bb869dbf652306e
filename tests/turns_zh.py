"""Make statements about a passage, and apply turns to them."""

import random
from collections.abc import Callable, Iterator

from closeread.attacks.statements import Statement, StatementEdit

Turns = Callable[[Statement, random.Random], Iterator[StatementEdit]]


def statement(text: str, evidence: str = "", *, holds: bool | None = True) -> Statement:
    return Statement(text, evidence or text, evidence or text, holds)


def made(turns: Turns, of: Statement, truth: str, seed: int = 0) -> dict[str, str]:
    """Return the statements that a turn makes of one, each with its rule."""
    return {
        of.text[: turn.span.start] + turn.words + of.text[turn.span.end :]: turn.rule
        for turn in turns(of, random.Random(seed))
        if turn.truth == truth
    }
