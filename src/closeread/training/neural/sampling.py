"""Orders the features of an epoch into batches: sources mixed, similar lengths together.

The order depends only on seed and epoch, so that a resumed training continues where it stopped.
"""

import random
from collections.abc import Iterator, Sequence

# Batches whose features are sorted together: more means less padding, fewer mixes better.
_POOL_BATCHES = 50


def draw_counts(sizes: Sequence[int], weights: Sequence[float], temperature: float) -> list[int]:
    """Return how many features of each source to draw in an epoch.

    Args:
        sizes: The number of features of each source.
        weights: How often an epoch passes over each source.
        temperature: Sizes times weights are raised to the power of ``1 / temperature``: 1 keeps
            the proportions, larger values even them out; the sum stays the same up to rounding.
    """
    shares_of_total = [size * weight for size, weight in zip(sizes, weights, strict=True)]
    largest = max(shares_of_total)  # relative to it, powers do not overflow
    tempered = [
        (number / largest) ** (1 / temperature) if number else 0.0 for number in shares_of_total
    ]
    scale = sum(shares_of_total) / sum(tempered)
    return [
        max(1, round(number * scale)) if size else 0
        for number, size in zip(tempered, shares_of_total, strict=True)
    ]


class EpochOrder:
    """The order of features in each epoch; a sampler for torch's data loaders.

    Args:
        lengths: Tokens of each feature, source by source.
        sizes: The number of features of each source.
        counts: How many features of each source an epoch draws, from ``draw_counts``.
        batch: Features of one step over all devices.
        seed: The seed of the order.
        grouped: Whether batches hold features of similar length.
        tasks: The task of each source; a batch holds features of one task only, and the last batch
            of a task is filled up with features drawn again. Empty for a single task.
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
        tasks: Sequence[int] = (),
    ) -> None:
        self._lengths = lengths
        self._sizes = sizes
        self._counts = counts
        self._batch = batch
        self._seed = seed
        self._grouped = grouped
        self._epoch = 0
        self._tasks = tasks or [0] * len(sizes)

    def set_epoch(self, epoch: int) -> None:
        """Select the epoch whose order is iterated."""
        self._epoch = epoch

    def __len__(self) -> int:
        distinct = set(self._tasks)
        if len(distinct) < 2:
            return sum(self._counts)
        by_task = [
            sum(
                count
                for count, source_task in zip(self._counts, self._tasks, strict=True)
                if source_task == task
            )
            for task in distinct
        ]
        return sum(-(-count // self._batch) * self._batch for count in by_task)

    def __iter__(self) -> Iterator[int]:
        rng = random.Random(f"{self._seed}/{self._epoch}")
        distinct = sorted(set(self._tasks))
        batches: list[list[int]] = []
        for task in distinct:
            order = self._draw(rng, task)
            rng.shuffle(order)
            if len(distinct) > 1:
                order += rng.choices(order, k=-len(order) % self._batch) if order else []
            batches += self._split_into_batches(order)
        full = [batch for batch in batches if len(batch) == self._batch]
        if self._grouped or len(distinct) > 1:
            rng.shuffle(full)
        partial = [batch for batch in batches if len(batch) < self._batch]
        return (feature for batch in (*full, *partial) for feature in batch)

    def _draw(self, rng: random.Random, task: int) -> list[int]:
        """Return the drawn features of a task: whole passes over each source, then a sample."""
        drawn: list[int] = []
        base = 0
        for size, count, source_task in zip(self._sizes, self._counts, self._tasks, strict=True):
            if source_task == task:
                passes, rest = divmod(count, size) if size else (0, 0)
                drawn += list(range(base, base + size)) * passes
                drawn += rng.sample(range(base, base + size), rest)
            base += size
        return drawn

    def _split_into_batches(self, order: list[int]) -> list[list[int]]:
        """Split an order into batches; if ``grouped``, sort by length within pools of batches."""
        pool_size = self._batch * _POOL_BATCHES
        batches = []
        for pool_start in range(0, len(order), pool_size):
            pool = order[pool_start : pool_start + pool_size]
            if self._grouped:
                pool.sort(key=lambda feature: -self._lengths[feature])
            batches += [
                pool[start : start + self._batch] for start in range(0, len(pool), self._batch)
            ]
        return batches
