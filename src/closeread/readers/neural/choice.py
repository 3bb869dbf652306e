"""The torch part of the reader ``choice``: a multiple-choice head scores every option.

The stem is part of every sequence, and the head was trained to find the option that answers it. So
stems that ask for what the passage contradicts need no special treatment.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
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
from closeread.readers.neural.vocabulary import unknown_share
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
    """A question, the windows of each of its options, and its passage's number of tokens."""

    question: Question
    windows: list[list[Window]]
    n_passage: int

    @property
    def sequences(self) -> list[Encoded]:
        """The sequences of all options, in order."""
        return [window.encoded for option_windows in self.windows for window in option_windows]


def open_reader(
    model: str, *, device: str, dtype: str, pickled: bool, **settings: Any
) -> "ChoiceReader":
    """Open the model and make the reader; see ``readers.choice.choice``."""
    checkpoint = open_checkpoint(model, "choice", device=device, dtype=dtype, pickled=pickled)
    return ChoiceReader(checkpoint, network=open_fused(checkpoint), **settings)


class ChoiceReader:
    """Answers questions with options; others get a note instead of an answer.

    The candidates' scores and ``confidence`` are the softmax over the question's options;
    ``option_scores`` are the same, or 1 minus it if the stem asks for what the passage contradicts.
    Every question is read independently of the others in its group.

    Args:
        checkpoint: A checkpoint with a ``choice`` head.
        max_length: Maximum tokens of a sequence.
        stride: Tokens between the starts of neighbouring windows; None reads only the beginning of
            the passage.
        aggregate: ``max`` or ``mean`` over an option's windows.
        token_budget: Maximum tokens of a batch; None uses the device's default.
        network: Another way to compute the model; see ``engine.forward``.

    Attributes:
        batch_size: Questions read together: enough for full batches of one length.
        passing_options: Options that do not change answers; a resumed run may change them.
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
        self._max_length = checkpoint.limit_length(max_length, MIN_TEXT_TOKENS)
        self._checkpoint = checkpoint
        self._stride = stride
        self._aggregate = max if aggregate == "max" else _mean
        self._token_budget = token_budget
        self._network = network
        self._ids = TextCache(lambda text: checkpoint.tokens(text).ids, max_results=4096)
        self._passage = TextCache(
            lambda text: checkpoint.marked_tokens(text).ids, max_results=_PASSAGES_KEPT
        )

    @cached_property
    def record(self) -> dict[str, Any]:
        """The record of the model for the run folder."""
        model = lineage_record(self._checkpoint.name, self._checkpoint.n_parameters)
        return {"max_length": self._max_length, **model}

    def unknown_share(self, texts: Iterable[str]) -> float:
        """Return the share of the texts' tokens that the model's vocabulary lacks."""
        return unknown_share(self._checkpoint, texts)

    @staticmethod
    def answers(question: Question) -> bool:
        """Return whether the reader answers questions of this kind."""
        return bool(question.options)

    def read(self, items: Sequence[PassageQuestion]) -> Iterator[Prediction]:
        """Yield one prediction per item, each when its last sequence is scored."""
        return answer_groups(
            items, self._tokenize_question, self._build_prediction, self._checkpoint,
            answers=self.answers, token_budget=self._token_budget, network=self._network,
        )  # fmt: skip

    def _tokenize_question(self, passage: Passage, question: Question) -> _QuestionWindows:
        n_passage = len(self._passage(passage.text))
        return _QuestionWindows(question, self._build_windows(passage, question), n_passage)

    def _build_windows(self, passage: Passage, question: Question) -> list[list[Window]]:
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

    def _build_prediction(self, group: _QuestionWindows, rows: Sequence[Rows]) -> Prediction:
        row_scores = [float(row[0]) for row in rows]
        if not all(map(math.isfinite, row_scores)):
            return Prediction(question_id=group.question.question_id, error=NOT_FINITE)
        remaining = iter(row_scores)
        scores = [self._aggregate([*islice(remaining, len(windows))]) for windows in group.windows]
        note = format_amount(group.sequences)
        n_read = min(windows[0].length for windows in group.windows)
        if self._stride is None and n_read < group.n_passage:
            note += f"; read the first {n_read} of {group.n_passage} tokens of the passage"
        return choose_by_share(group.question, softmax(scores), note)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
