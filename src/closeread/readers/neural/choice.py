"""The torch side of the reader ``choice``: every option of a question through one head.

The head learned which option answers the stem as it is written, so what a stem asks for (supported
or contradicted) needs no treatment of its own: the stem stands in every sequence.
"""

import math
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple

from closeread.readers.competition import choose_by_share, softmax
from closeread.readers.lineage import lineage_record
from closeread.readers.neural.checkpoint import Checkpoint
from closeread.readers.neural.checkpoint_opening import open_checkpoint
from closeread.readers.neural.engine import Network, Rows
from closeread.readers.neural.fused import open_fused
from closeread.readers.neural.groups import answer_groups
from closeread.readers.option_sequences import (
    MIN_TEXT_TOKENS,
    NOT_FINITE,
    format_amount,
    option_windows,
    text_after_question,
)
from closeread.readers.windows import Encoded, Window
from closeread.text.memo import TextCache
from closeread.types import Passage, PassageQuestion, Prediction, Question

_PASSAGES_KEPT = 64


class _QuestionWindows(NamedTuple):
    """A question, the windows of each of its options, and how many tokens its passage has."""

    question: Question
    windows: list[list[Window]]
    n_passage: int

    @property
    def sequences(self) -> list[Encoded]:
        """Of all options, one after the other."""
        return [window.encoded for of_option in self.windows for window in of_option]


def open_reader(
    model: str, *, device: str, dtype: str, pickled: bool, **settings: Any
) -> "ChoiceReader":
    """Open the model and make the reader; see ``readers.choice.choice``."""
    checkpoint = open_checkpoint(model, "choice", device=device, dtype=dtype, pickled=pickled)
    return ChoiceReader(checkpoint, network=open_fused(checkpoint), **settings)


class ChoiceReader:
    """Answers questions with options, a single option with itself; others get no answer.

    The candidates' scores and ``confidence`` are the softmax over the question's own options, and
    so are ``option_scores``, or 1 less it where the stem asks for what the passage contradicts.
    Every question is read alone: the siblings of a group never meet.

    Args:
        checkpoint: With a ``choice`` head.
        max_length: Tokens of a sequence.
        stride: Tokens by which windows of a passage move; None reads its beginning alone.
        aggregate: ``max`` or ``mean`` over an option's windows.
        token_budget: Tokens of a batch; None for what suits the device.

    Attributes:
        batch_size: Questions at once, so that sequences of one length meet.
        passing_options: Options that leave answers as they are; a resumed run may have others.
    """

    batch_size = 64
    passing_options = ("device", "token_budget")

    def __init__(
        self,
        checkpoint: Checkpoint,
        *,
        max_length: int = 384,
        stride: int | None = None,
        aggregate: str = "max",
        token_budget: int | None = None,
        network: Network | None = None,
    ) -> None:
        self._max_length = checkpoint.room(max_length, MIN_TEXT_TOKENS)
        self._checkpoint = checkpoint
        self._stride = stride
        self._aggregate = max if aggregate == "max" else _mean
        self._token_budget = token_budget
        self._network = network
        self._ids = TextCache(lambda text: checkpoint.tokens(text).ids, most=4096)
        self._passage = TextCache(
            lambda text: checkpoint.marked_tokens(text).ids, most=_PASSAGES_KEPT
        )

    @cached_property
    def record(self) -> dict[str, Any]:
        """What the run folder keeps about the model."""
        model = lineage_record(self._checkpoint.name, self._checkpoint.n_parameters)
        return {"max_length": self._max_length, **model}

    @staticmethod
    def answers(question: Question) -> bool:
        """Whether it has an answer to a question of this kind; to others it gives none."""
        return bool(question.options)

    def read(self, items: Sequence[PassageQuestion]) -> Iterator[Prediction]:
        """Yield one prediction an item, each as soon as its last sequence is scored."""
        return answer_groups(
            items, self._asked, self._told, self._checkpoint,
            answers=self.answers, token_budget=self._token_budget, network=self._network,
        )  # fmt: skip

    def _asked(self, passage: Passage, question: Question) -> _QuestionWindows:
        n_passage = len(self._passage(passage.text))
        return _QuestionWindows(question, self._windows(passage, question), n_passage)

    def _windows(self, passage: Passage, question: Question) -> list[list[Window]]:
        return [
            option_windows(
                self._passage(passage.text),
                self._ids(question.text),
                self._ids(text_after_question(option, passage.language)),
                self._checkpoint.template,
                max_length=self._max_length,
                stride=self._stride,
            )
            for option in question.options
        ]

    def _told(self, asked: _QuestionWindows, rows: Sequence[Rows]) -> Prediction:
        scored = [float(row[0]) for row in rows]
        if not all(map(math.isfinite, scored)):
            return Prediction(question_id=asked.question.question_id, error=NOT_FINITE)
        rest = iter(scored)
        scores = [self._aggregate([*islice(rest, len(one))]) for one in asked.windows]
        note = format_amount(asked.sequences)
        n_read = min(of_option[0].length for of_option in asked.windows)
        if self._stride is None and n_read < asked.n_passage:
            note += f"; read the first {n_read} of {asked.n_passage} tokens of the passage"
        return choose_by_share(asked.question, softmax(scores), note)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
