"""Sequences that are answered together: a question's, whose rows come when the last is computed."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from closeread.readers.neural.checkpoint import Checkpoint
from closeread.readers.neural.engine import Network, Rows, forward
from closeread.readers.windows import Encoded

T = TypeVar("T")
# Sequences held at once; what is beyond waits. A passage of 200,000 characters may have thousands.
_MOST = 2048


def portions(asked: Iterable[T], n_sequences: Callable[[T], int]) -> Iterator[list[T]]:
    """Yield questions in lists whose sequences memory holds, one question at least in each.

    Args:
        asked: Made one by one, and not before it is their turn.
        n_sequences: How many sequences one has.
    """
    found: list[T] = []
    total = 0
    for one in asked:
        found.append(one)
        total += n_sequences(one)
        if total >= _MOST:
            yield found
            found, total = [], 0
    if found:
        yield found


def forward_groups(
    checkpoint: Checkpoint,
    groups: Sequence[Sequence[Encoded]],
    *,
    token_budget: int | None = None,
    network: Network | None = None,
) -> Iterator[tuple[int, list[Rows]]]:
    """Yield each group's index and its sequences' rows, as soon as the last of them is computed.

    Sequences of all groups share batches; see ``engine.forward``.

    Args:
        checkpoint: What computes.
        groups: One sequence or more each.
        token_budget: Tokens of a batch, padding included; None: what suits the device.
        network: Another way to compute it; see ``engine.forward``.
    """
    sequences = [one for group in groups for one in group]
    owner = [(index, place) for index, group in enumerate(groups) for place in range(len(group))]
    rows: dict[int, dict[int, Rows]] = {}
    for index, row in forward(checkpoint, sequences, token_budget=token_budget, network=network):
        group, place = owner[index]
        found = rows.setdefault(group, {})
        found[place] = row
        if len(found) == len(groups[group]):
            del rows[group]
            yield group, [found[one] for one in range(len(found))]
