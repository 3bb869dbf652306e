"""Plans batches for a causal model: similar lengths, under a token budget; no torch."""

from collections.abc import Sequence


def plan_by_length(
    lengths: Sequence[int],
    *,
    max_new_tokens: int,
    max_batch_size: int,
    token_budget: int,
    padded: bool = True,
) -> list[list[int]]:
    """Return batches of sequence indices that together hold every index once, the longest first.

    The longest come first so that memory, if too small, runs out at once.

    Args:
        lengths: Tokens of each sequence.
        max_new_tokens: Maximum tokens generated after each.
        max_batch_size: Maximum sequences of a batch.
        token_budget: Maximum tokens of a batch, padding and new tokens included; a longer sequence
            is a batch of its own.
        padded: Whether a batch may hold sequences of different lengths.
    """
    batches: list[list[int]] = []
    longest = -1
    for index in sorted(range(len(lengths)), key=lambda index: -lengths[index]):
        fits = batches and len(batches[-1]) < min(
            max_batch_size, token_budget // max(1, longest + max_new_tokens)
        )
        if not fits or not (padded or lengths[index] == longest):
            batches.append([])
            longest = lengths[index]
        batches[-1].append(index)
    return batches
