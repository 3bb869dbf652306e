"""Plans which sequences a model computes together; needs no torch.

A sequence is padded to its own length, rounded up, never to the length of another: all sequences
of a batch have the same rounded length. So the result for a sequence depends neither on the other
sequences of its batch nor on their number.
"""

from collections.abc import Sequence
from typing import NamedTuple

from closeread.errors import UsageError


class Batch(NamedTuple):
    """Sequences that are computed together.

    Attributes:
        indices: The index of each among all sequences.
        length: Tokens of each after padding.
    """

    indices: list[int]
    length: int


def plan_batches(
    lengths: Sequence[int],
    *,
    token_budget: int,
    multiple: int = 8,
    max_length: int | None = None,
    secondary_lengths: Sequence[int] | None = None,
) -> list[Batch]:
    """Return batches that together hold every sequence once, the longest first.

    The longest come first so that memory, if too small, runs out at once.

    Args:
        lengths: Tokens of each sequence.
        token_budget: Maximum tokens of a batch, padding included; a longer sequence is a batch of
            its own.
        multiple: Lengths are rounded up to a multiple of this.
        max_length: Maximum tokens that the model takes: padding stops there.
        secondary_lengths: A second length of each sequence. Sequences of one rounded length are
            sorted by it, the largest first, so that a batch holds similar ones.

    Raises:
        UsageError: The budget or the multiple is below 1.
    """
    if token_budget < 1 or multiple < 1:
        raise UsageError(
            f"token_budget={token_budget}, multiple={multiple}", expected="both at least 1"
        )
    by_length: dict[int, list[int]] = {}
    for index, length in enumerate(lengths):
        rounded = max(1, -(-length // multiple)) * multiple
        if max_length is not None:
            rounded = max(length, min(rounded, max_length))
        by_length.setdefault(rounded, []).append(index)
    batches: list[Batch] = []
    for rounded in sorted(by_length, reverse=True):
        indices = by_length[rounded]
        if secondary_lengths is not None:
            indices.sort(key=lambda index: -secondary_lengths[index])
        size = max(1, token_budget // rounded)
        batches.extend(
            Batch(indices[first : first + size], rounded) for first in range(0, len(indices), size)
        )
    return batches
