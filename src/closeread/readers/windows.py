"""Cuts a long passage into overlapping windows; no torch, shared with training.

Windows follow Devlin et al. (2019) and the baseline of MRQA 2019: question, separator, as much of
the passage as fits. Each next window starts some tokens later (128 in that baseline), until the
passage ends.
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
    """One input sequence of a model: vocabulary ids, and the segment (0 or 1) of each."""

    ids: list[int]
    types: list[int]


@dataclass(frozen=True, kw_only=True)
class Template:
    """How a tokenizer frames two texts: the special tokens around them.

    Attributes:
        before: Ids before the first text.
        between: Ids between two texts.
        after: Ids after the last text.
        second: The segment of the second text and of the ids after it (0 in models like RoBERTa).
    """

    before: tuple[int, ...]
    between: tuple[int, ...]
    after: tuple[int, ...]
    second: int

    @property
    def n_special(self) -> int:
        """Number of special tokens around a pair."""
        return len(self.before) + len(self.between) + len(self.after)

    def pair(self, first: Sequence[int], second: Sequence[int]) -> Encoded:
        """Return the sequence of two texts with the special tokens around them."""
        ids = [*self.before, *first, *self.between, *second, *self.after]
        head = len(self.before) + len(first) + len(self.between)
        return Encoded(ids, [0] * head + [self.second] * (len(ids) - head))


class Window(NamedTuple):
    """A question with a part of the passage.

    Attributes:
        encoded: The input sequence.
        offset: Index in ``encoded`` of the first passage token.
        first: Index in the passage of that token.
        length: Number of passage tokens in the window.
    """

    encoded: Encoded
    offset: int
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
    """Return the windows of a passage: at least one, even for an empty passage.

    Args:
        question: Ids of the question; ids after ``max_question_length`` are left out.
        passage: Ids of the passage.
        template: How the tokenizer frames two texts.
        max_length: Maximum tokens of a window, special ones included.
        stride: Maximum tokens between the starts of neighbouring windows; None: no maximum, only
            ``overlap`` decides.
        overlap: Minimum number of passage tokens that neighbours share, as far as there is room.
            With one less than the longest answer, every answer is whole in some window.
        max_question_length: Maximum tokens of the question.

    Raises:
        UsageError: There is no room for the passage, or ``stride`` is below 1.
    """
    shown_question = list(question[:max_question_length])
    room = max_length - template.n_special - len(shown_question)
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
    windows = []
    first = 0
    while True:
        part = passage[first : first + room]
        offset = len(template.before) + len(shown_question) + len(template.between)
        windows.append(Window(template.pair(shown_question, part), offset, first, len(part)))
        if first + room >= len(passage):
            return windows
        first += step
