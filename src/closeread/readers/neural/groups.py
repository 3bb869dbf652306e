"""Sequences that are answered together: a question's, whose rows come when the last is computed."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol, TypeVar

from closeread.readers.neural.checkpoint import Checkpoint
from closeread.readers.neural.engine import Network, Rows, forward
from closeread.readers.windows import Encoded


class Group(Protocol):
    """A question with all that the model is shown of it."""

    @property
    def sequences(self) -> Sequence[Encoded]:
        """One or more."""
        ...


T = TypeVar("T", bound=Group)
# Sequences held at once; what is beyond waits. A passage of 200,000 characters may have thousands.
_MOST = 2048


def forward_groups(
    checkpoint: Checkpoint,
    groups: Iterable[T],
    *,
    token_budget: int | None,
    network: Network | None,
) -> Iterator[tuple[T, list[Rows]]]:
    """Yield each group and its sequences' rows, as soon as the last of them is computed.

    Sequences of many groups share batches; see ``engine.forward``.

    Args:
        checkpoint: What computes.
        groups: Made one by one, as many at a time as memory should hold, one at least.
        token_budget: Tokens of a batch, padding included; None: what suits the device.
        network: Another way to compute it; see ``engine.forward``.
    """
    for held in _portions(groups):
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
                yield group, [found[one] for one in range(len(shown))]


def _portions(groups: Iterable[T]) -> Iterator[list[tuple[T, Sequence[Encoded]]]]:
    held: list[tuple[T, Sequence[Encoded]]] = []
    total = 0
    for one in groups:
        held.append((one, one.sequences))
        total += len(held[-1][1])
        if total >= _MOST:
            yield held
            held, total = [], 0
    if held:
        yield held
