"""Which features stand in which batch of an epoch: mixed by source, together by length.

The order follows from seed and epoch alone, so that a resumed training goes on where it stopped.
"""

import random
from collections.abc import Iterator, Sequence

_POOL_BATCHES = (
    50  # batches whose features are sorted together: longer sorts more, shorter mixes more
)


def draw_counts(sizes: Sequence[int], weights: Sequence[float], temperature: float) -> list[int]:
    """Return how many features of each source an epoch has.

    Args:
        sizes: Features of each source.
        weights: How often an epoch passes over each.
        temperature: Sizes times weights are raised to the power of ``1 / temperature``: 1 keeps
            the proportions, larger ones even them out; the sum stays but for rounding.
    """
    wanted = [size * weight for size, weight in zip(sizes, weights, strict=True)]
    most = max(wanted)  # powers of shares stay small
    tempered = [(number / most) ** (1 / temperature) if number else 0.0 for number in wanted]
    scale = sum(wanted) / sum(tempered)
    return [
        max(1, round(number * scale)) if size else 0
        for number, size in zip(tempered, wanted, strict=True)
    ]


class EpochOrder:
    """An order of features for each epoch; a sampler as torch's loaders take it.

    Args:
        lengths: Tokens of each feature, the sources' features one after the other.
        sizes: Features of each source.
        counts: From ``draw_counts``.
        batch: Features of one step over all devices.
        seed: What the order follows from.
        grouped: Whether batches hold features of like length.
        apart: The task of each source, where a batch must be of one task: the last batch of a
            task is filled up with features drawn again.
    """

    def __init__(
        self,
        lengths: Sequence[int],
        sizes: Sequence[int],
        counts: Sequence[int],
        batch: int,
        *,
        seed: int,
        grouped: bool = True,
        apart: Sequence[int] = (),
    ) -> None:
        self._lengths = lengths
        self._sizes = sizes
        self._counts = counts
        self._batch = batch
        self._seed = seed
        self._grouped = grouped
        self._epoch = 0
        self._apart = apart or [0] * len(sizes)

    def set_epoch(self, epoch: int) -> None:
        """Take the order of another epoch."""
        self._epoch = epoch

    def __len__(self) -> int:
        tasks = set(self._apart)
        if len(tasks) < 2:
            return sum(self._counts)
        each = [
            sum(count for count, one in zip(self._counts, self._apart, strict=True) if one == task)
            for task in tasks
        ]
        return sum(-(-count // self._batch) * self._batch for count in each)

    def __iter__(self) -> Iterator[int]:
        rng = random.Random(f"{self._seed}/{self._epoch}")
        tasks = sorted(set(self._apart))
        batches: list[list[int]] = []
        for task in tasks:
            order = self._drawn(rng, task)
            rng.shuffle(order)
            if len(tasks) > 1:
                order += rng.choices(order, k=-len(order) % self._batch) if order else []
            batches += self._cut(order)
        whole = [one for one in batches if len(one) == self._batch]
        if self._grouped or len(tasks) > 1:
            rng.shuffle(whole)
        rest = [one for one in batches if len(one) < self._batch]
        return (one for batch in (*whole, *rest) for one in batch)

    def _drawn(self, rng: random.Random, task: int) -> list[int]:
        found: list[int] = []
        base = 0
        for size, count, one in zip(self._sizes, self._counts, self._apart, strict=True):
            if one == task:
                passes, rest = divmod(count, size) if size else (0, 0)
                found += list(range(base, base + size)) * passes
                found += rng.sample(range(base, base + size), rest)
            base += size
        return found

    def _cut(self, order: list[int]) -> list[list[int]]:
        """Return batches; by length, where asked, within pools of them."""
        pool = self._batch * _POOL_BATCHES
        batches = []
        for start in range(0, len(order), pool):
            part = order[start : start + pool]
            if self._grouped:
                part.sort(key=lambda one: -self._lengths[one])
            batches += [part[at : at + self._batch] for at in range(0, len(part), self._batch)]
        return batches
