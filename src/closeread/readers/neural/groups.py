"""Runs questions with several sequences each through a model, in common batches."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol, TypeVar

from closeread.readers.competition import not_for_it
from closeread.readers.neural.checkpoint import Checkpoint
from closeread.readers.neural.engine import Network, Rows, forward
from closeread.readers.windows import Encoded
from closeread.types import Passage, PassageQuestion, Prediction, Question


class Group(Protocol):
    """A question with all of its input sequences."""

    @property
    def sequences(self) -> Sequence[Encoded]:
        """The input sequences, at least one."""
        ...


T = TypeVar("T", bound=Group)
# Sequences in memory at the same time. A passage of 200,000 characters may have thousands.
_MAX_SEQUENCES = 2048


def answer_groups(
    items: Sequence[PassageQuestion],
    build_group: Callable[[Passage, Question], T],
    build_prediction: Callable[[T, list[Rows]], Prediction],
    checkpoint: Checkpoint,
    *,
    answers: Callable[[Question], bool],
    token_budget: int | None,
    network: Network | None,
) -> Iterator[Prediction]:
    """Yield one prediction per item, each when its last sequence is computed.

    Sequences of different questions share batches; see ``engine.forward``.

    Args:
        items: The questions and their passages.
        build_group: Returns a question's group with its input sequences; called for portions of
            the questions, to limit memory.
        build_prediction: Returns the prediction of a group from one row per sequence, in order.
        checkpoint: The model to run.
        answers: Returns whether the reader answers a question; the others get their predictions
            without an answer first.
        token_budget: Maximum tokens of a batch, padding included; None uses the device's default.
        network: Another way to compute the model; see ``engine.forward``.
    """
    for _, question in items:
        if not answers(question):
            yield not_for_it(question)
    groups = (build_group(*item) for item in items if answers(item[1]))
    for portion in _iter_portions(groups):
        sequences = [sequence for _, group_sequences in portion for sequence in group_sequences]
        owners = [
            (index, position)
            for index, (_, group_sequences) in enumerate(portion)
            for position in range(len(group_sequences))
        ]
        rows: dict[int, dict[int, Rows]] = {}
        for index, row in forward(
            checkpoint, sequences, token_budget=token_budget, network=network
        ):
            group_index, position = owners[index]
            group_rows = rows.setdefault(group_index, {})
            group_rows[position] = row
            group, group_sequences = portion[group_index]
            if len(group_rows) == len(group_sequences):
                del rows[group_index]
                ordered_rows = [group_rows[index] for index in range(len(group_sequences))]
                yield build_prediction(group, ordered_rows)


def _iter_portions(groups: Iterable[T]) -> Iterator[list[tuple[T, Sequence[Encoded]]]]:
    portion: list[tuple[T, Sequence[Encoded]]] = []
    total = 0
    for group in groups:
        portion.append((group, group.sequences))
        total += len(portion[-1][1])
        if total >= _MAX_SEQUENCES:
            yield portion
            portion, total = [], 0
    if portion:
        yield portion
