"""Plans which sequences a model computes together; needs no torch.

Every sequence is padded to its own length rounded up, never to its neighbours': a batch holds
sequences of one rounded length. So what is computed for a sequence does not depend on what stands
beside it, nor on how many do.
"""

from collections.abc import Sequence
from typing import NamedTuple

from closeread.errors import UsageError


class Batch(NamedTuple):
    """Sequences that are computed together.

    Attributes:
        indices: The index of each among all sequences.
        length: Number of tokens that each is padded to.
    """

    indices: list[int]
    length: int


def plan_batches(
    lengths: Sequence[int],
    *,
    token_budget: int,
    multiple: int = 8,
    most: int | None = None,
    then: Sequence[int] | None = None,
) -> list[Batch]:
    """Return batches that hold every sequence once, the longest first.

    The longest come first so that memory runs out at once or never.

    Args:
        lengths: Tokens of each sequence.
        token_budget: Tokens that a batch may have, padding included; a sequence longer than that
            is a batch alone.
        multiple: To what lengths are rounded up.
        most: Tokens that a model can be given; no sequence is padded beyond, though it may be
            longer itself.
        then: A second number of each sequence: among those of one rounded length the largest come
            first, so that what a batch holds is alike in this too.

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
        if most is not None:
            rounded = max(length, min(rounded, most))
        by_length.setdefault(rounded, []).append(index)
    found: list[Batch] = []
    for rounded in sorted(by_length, reverse=True):
        indices = by_length[rounded]
        if then is not None:
            indices.sort(key=lambda index: -then[index])
        size = max(1, token_budget // rounded)
        found.extend(
            Batch(indices[first : first + size], rounded) for first in range(0, len(indices), size)
        )
    return found
