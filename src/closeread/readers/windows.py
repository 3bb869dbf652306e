"""Cuts a long passage into overlapping windows; no torch, shared with training.

Windows follow Devlin et al. (2019) and the baseline of MRQA 2019: question, separator, as much of
the passage as fits, and so again some tokens further on (there 128), until the passage ends.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from closeread.errors import UsageError
from closeread.types import Span


class Tokens(NamedTuple):
    """A text's tokens: vocabulary ids, and the characters ``[start, end)`` of each."""

    ids: list[int]
    starts: list[int]
    ends: list[int]

    def span(self, first: int, last: int) -> Span:
        """Return the characters from token ``first`` to token ``last``, both included."""
        return Span(self.starts[first], self.ends[last])


class Encoded(NamedTuple):
    """What a model is given: vocabulary ids, and of which segment each is."""

    ids: list[int]
    types: list[int]


@dataclass(frozen=True, kw_only=True)
class Template:
    """How a tokenizer frames two texts: the special tokens around them.

    Attributes:
        before: Ids before the first text.
        between: Ids between two texts.
        after: Ids after the last text.
        second: The segment of the second text and of what follows it (0 in RoBERTa and its like).
    """

    before: tuple[int, ...]
    between: tuple[int, ...]
    after: tuple[int, ...]
    second: int

    @property
    def n_special(self) -> int:
        """How many tokens frame a pair."""
        return len(self.before) + len(self.between) + len(self.after)

    def pair(self, first: Sequence[int], second: Sequence[int]) -> Encoded:
        """Return two texts framed."""
        ids = [*self.before, *first, *self.between, *second, *self.after]
        head = len(self.before) + len(first) + len(self.between)
        return Encoded(ids, [0] * head + [self.second] * (len(ids) - head))


class Window(NamedTuple):
    """A question with a part of the passage.

    Attributes:
        encoded: What the model is given.
        at: Where in it the passage begins.
        first: The passage's token that stands there.
        length: How many of the passage's tokens follow.
    """

    encoded: Encoded
    at: int
    first: int
    length: int


def make_windows(
    question: Sequence[int],
    passage: Sequence[int],
    template: Template,
    *,
    max_length: int,
    stride: int | None,
    overlap: int = 0,
    max_question_length: int = 64,
) -> list[Window]:
    """Return the windows of a passage; one at least, even where the passage is empty.

    Args:
        question: Ids of the question; what is beyond ``max_question_length`` is left out.
        passage: Ids of the passage.
        template: How the tokenizer frames two texts.
        max_length: Tokens a window may have, special ones included.
        stride: Tokens by which each window begins further on, at most; None leaves that to
            ``overlap``.
        overlap: Tokens of the passage that neighbours share at least, where there is room: one
            less than the longest answer, and every answer stands whole in a window.
        max_question_length: Tokens of the question that are shown.

    Raises:
        UsageError: No room is left for the passage.
    """
    shown = list(question[:max_question_length])
    room = max_length - template.n_special - len(shown)
    if room < 1 or (stride is not None and stride < 1):
        raise UsageError(
            f"max_length={max_length}"
            + ("" if stride is None else f", stride={stride}")
            + ": such windows cannot cover a passage",
            expected=f"max_length above {template.n_special + max_question_length}, "
            "stride at least 1",
        )
    step = max(1, room - overlap)  # a larger one would skip tokens
    if stride is not None:
        step = min(stride, step)
    found = []
    first = 0
    while True:
        part = passage[first : first + room]
        at = len(template.before) + len(shown) + len(template.between)
        found.append(Window(template.pair(shown, part), at, first, len(part)))
        if first + room >= len(passage):
            return found
        first += step
