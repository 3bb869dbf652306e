"""The torch side of the reader ``choice``: every option of a question through one head.

The head learned which option answers the stem as it is written, so what a stem asks for (supported
or contradicted) needs no treatment of its own: the stem stands in every sequence.
"""

import math
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from closeread.errors import UsageError
from closeread.readers.competition import by_share
from closeread.readers.lineage import lineage_record
from closeread.readers.neural.checkpoint import Checkpoint, open_checkpoint
from closeread.readers.neural.engine import forward
from closeread.readers.option_scores import shares
from closeread.readers.option_sequences import NOT_FINITE, option_windows
from closeread.readers.windows import Encoded, Window
from closeread.types import Answer, Passage, Prediction, Question

Item = tuple[Passage, Question]
_LEAST = 8  # tokens beside the special ones, below which nothing can be said
_PASSAGES_KEPT = 64


class _Asked(NamedTuple):
    """A question, and which of all sequences are its options' windows.

    Attributes:
        windows: For each option the places of its sequences.
        n_read: Tokens of the passage in the first window of the option with the fewest.
        n_passage: Tokens of the passage.
    """

    question: Question
    windows: list[range]
    n_read: int
    n_passage: int


def opened(
    model: str, *, device: str, dtype: str, pickled: bool, **settings: Any
) -> "ChoiceReader":
    """Open the model and make the reader; see ``readers.choice.choice``."""
    checkpoint = open_checkpoint(model, "choice", device=device, dtype=dtype, pickled=pickled)
    return ChoiceReader(checkpoint, **settings)


class ChoiceReader:
    """Answers questions with two options or more; others get ``none``, a single option itself.

    ``option_scores``, the candidates' scores and ``confidence`` are the softmax over the question's
    own options. Every question is read alone: the siblings of a group never meet.

    Args:
        checkpoint: With a ``choice`` head.
        max_length: Tokens of a sequence.
        stride: Tokens by which windows of a passage move; None reads its beginning alone.
        aggregate: ``max`` or ``mean`` over an option's windows.
        token_budget: Tokens of a batch; None for what suits the device.

    Attributes:
        batch_size: Questions at once, so that sequences of one length meet.
        independent: What is said of a question does not depend on those beside it.
        passing_options: Options that leave answers as they are; a resumed run may have others.
    """

    batch_size = 64
    independent = True
    passing_options = ("device", "token_budget")

    def __init__(
        self,
        checkpoint: Checkpoint,
        *,
        max_length: int = 384,
        stride: int | None = None,
        aggregate: str = "max",
        token_budget: int | None = None,
    ) -> None:
        self._max_length = min(max_length, checkpoint.max_length)
        least = checkpoint.template.n_special + _LEAST
        if self._max_length < least:
            raise UsageError(f"max_length={self._max_length}", expected=f"at least {least}")
        self._checkpoint = checkpoint
        self._stride = stride
        self._aggregate = max if aggregate == "max" else _mean
        self._token_budget = token_budget
        self._ids = lru_cache(maxsize=4096)(lambda text: checkpoint.tokens(text).ids)
        self._passage = lru_cache(maxsize=_PASSAGES_KEPT)(
            lambda text: checkpoint.marked_tokens(text).ids
        )

    @cached_property
    def record(self) -> dict[str, Any]:
        """What the run folder keeps about the model."""
        model = lineage_record(self._checkpoint.name, self._checkpoint.n_parameters)
        return {"max_length": self._max_length, **model}

    def read(self, items: Sequence[Item]) -> Iterator[Prediction]:
        """Yield one prediction an item, each as soon as its last sequence is scored."""
        asked: list[_Asked] = []
        sequences: list[Encoded] = []
        owner: list[int] = []
        for passage, question in items:
            if not question.options:
                yield Prediction(
                    question_id=question.question_id, answer=Answer(kind="none"), confidence=0.0
                )
                continue
            made = self._windows(passage, question)
            places, base = [], len(sequences)
            for of_option in made:
                places.append(range(base, base + len(of_option)))
                base += len(of_option)
                sequences += [window.encoded for window in of_option]
            owner += [len(asked)] * (base - len(owner))
            n_read = min(of_option[0].length for of_option in made)
            asked.append(_Asked(question, places, n_read, len(self._passage(passage.text))))
        left = [sum(map(len, one.windows)) for one in asked]
        scored: dict[int, float] = {}
        for index, row in forward(self._checkpoint, sequences, token_budget=self._token_budget):
            scored[index] = float(row[0])
            left[owner[index]] -= 1
            if not left[owner[index]]:
                yield self._told(asked[owner[index]], scored, sequences)

    def _windows(self, passage: Passage, question: Question) -> list[list[Window]]:
        return [
            option_windows(
                self._passage(passage.text),
                self._ids(question.text),
                self._ids(option.text),
                self._checkpoint.template,
                max_length=self._max_length,
                stride=self._stride,
            )
            for option in question.options
        ]

    def _told(
        self, asked: _Asked, scored: dict[int, float], sequences: Sequence[Encoded]
    ) -> Prediction:
        scores = [
            self._aggregate([scored.pop(place) for place in places]) for places in asked.windows
        ]
        if not all(map(math.isfinite, scores)):
            return Prediction(question_id=asked.question.question_id, error=NOT_FINITE)
        shown = [sequences[place] for places in asked.windows for place in places]
        note = f"{sum(len(one.ids) for one in shown)} tokens in {len(shown)} sequences"
        if self._stride is None and asked.n_read < asked.n_passage:
            note += f"; of the passage the first {asked.n_read} of {asked.n_passage} tokens"
        return by_share(asked.question, shares(scores), note)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
