"""Runs questions of several sequences through a model; each is answered after its last row."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol, TypeVar

from closeread.readers.competition import not_for_it
from closeread.readers.neural.checkpoint import Checkpoint
from closeread.readers.neural.engine import Network, Rows, forward
from closeread.readers.windows import Encoded
from closeread.types import Passage, PassageQuestion, Prediction, Question


class Group(Protocol):
    """A question with all that the model is shown of it."""

    @property
    def sequences(self) -> Sequence[Encoded]:
        """One or more."""
        ...


T = TypeVar("T", bound=Group)
# Sequences held at once; what is beyond waits. A passage of 200,000 characters may have thousands.
_MAX_SEQUENCES = 2048


def answer_groups(
    items: Sequence[PassageQuestion],
    asked: Callable[[Passage, Question], T],
    told: Callable[[T, list[Rows]], Prediction],
    checkpoint: Checkpoint,
    *,
    answers: Callable[[Question], bool],
    token_budget: int | None,
    network: Network | None,
) -> Iterator[Prediction]:
    """Yield one prediction an item, each as soon as its last sequence is computed.

    Sequences of many questions share batches; see ``engine.forward``.

    Args:
        items: The questions.
        asked: Makes what the model is shown of one; called for as many at a time as memory should
            hold, one at least.
        told: Makes the prediction of it and of a row of the model's for each of its sequences.
        checkpoint: What computes.
        answers: Whether a question is of the reader's kind; others get no answer, first of all.
        token_budget: Tokens of a batch, padding included; None: what suits the device.
        network: Another way to compute it; see ``engine.forward``.
    """
    for _, question in items:
        if not answers(question):
            yield not_for_it(question)
    groups = (asked(*item) for item in items if answers(item[1]))
    for held in _iter_portions(groups):
        sequences = [one for _, shown in held for one in shown]
        owner = [(index, at) for index, (_, shown) in enumerate(held) for at in range(len(shown))]
        rows: dict[int, dict[int, Rows]] = {}
        for index, row in forward(
            checkpoint, sequences, token_budget=token_budget, network=network
        ):
            place, at = owner[index]
            found = rows.setdefault(place, {})
            found[at] = row
            group, shown = held[place]
            if len(found) == len(shown):
                del rows[place]
                yield told(group, [found[one] for one in range(len(shown))])


def _iter_portions(groups: Iterable[T]) -> Iterator[list[tuple[T, Sequence[Encoded]]]]:
    held: list[tuple[T, Sequence[Encoded]]] = []
    total = 0
    for one in groups:
        held.append((one, one.sequences))
        total += len(held[-1][1])
        if total >= _MAX_SEQUENCES:
            yield held
            held, total = [], 0
    if held:
        yield held
