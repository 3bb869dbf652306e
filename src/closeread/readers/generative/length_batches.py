"""Plans batches for a causal model: similar lengths, under a token budget; no torch."""

from collections.abc import Sequence


def plan_by_length(
    lengths: Sequence[int], *, room: int, most: int, token_budget: int, padded: bool = True
) -> list[list[int]]:
    """Return batches that hold every sequence's place once, the longest first.

    The longest come first so that memory runs out at once or never.

    Args:
        lengths: Tokens of each sequence.
        room: Tokens that may be written behind each.
        most: Sequences that a batch may have.
        token_budget: Tokens that a batch may have, padding and room included; a sequence that is
            longer than that is a batch alone.
        padded: Whether a batch may hold different lengths.
    """
    found: list[list[int]] = []
    longest = -1
    for place in sorted(range(len(lengths)), key=lambda one: -lengths[one]):
        fits = found and len(found[-1]) < min(most, token_budget // max(1, longest + room))
        if not fits or not (padded or lengths[place] == longest):
            found.append([])
            longest = lengths[place]
        found[-1].append(place)
    return found
