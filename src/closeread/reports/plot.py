"""One plot as numbers, and the intervals that reports compute themselves."""

import math
from collections.abc import Sequence
from typing import Any, Literal

import msgspec

_Z = 1.959964  # of the normal distribution, for 95 %


class Plot(msgspec.Struct, frozen=True, kw_only=True):
    """One plot: what kind, which question it answers, its numbers.

    Attributes:
        title: Names the words of the title; ``params`` fills them.
        data: What the drawing of this kind needs, parallel to the page's ``DRAWINGS``.
        numbers: The same as a table, headings first.
    """

    kind: Literal["dots", "curve", "ranks", "square"]
    title: str
    params: dict[str, str] = {}
    data: dict[str, Any]
    numbers: list[list[str]]

    def merged(self) -> dict[str, Any]:
        """Return everything as one flat object, for the page."""
        return {
            "kind": self.kind,
            "title": self.title,
            "params": self.params,
            "numbers": self.numbers,
        } | self.data


def wilson(share: float, n: int) -> tuple[float, float]:
    """Return the 95 % interval of a share of ``n`` (Wilson 1927)."""
    if n == 0:
        return 0.0, 1.0
    square = _Z * _Z
    middle = (share + square / (2 * n)) / (1 + square / n)
    half = _Z * math.sqrt(share * (1 - share) / n + square / (4 * n * n)) / (1 + square / n)
    return max(0.0, middle - half), min(1.0, middle + half)


def mean_interval(values: Sequence[float]) -> tuple[float, float, float]:
    """Return a mean with its 95 % interval: Wilson's for 0/1 values, else the normal one.

    Of values that are all alike, or a single one, it is the exact bound of what could have gone
    unseen (docs/statistics.md): that nothing varies is no certainty.
    """
    mean, n = math.fsum(values) / len(values), len(values)
    if all(value in (0.0, 1.0) for value in values):
        return mean, *wilson(mean, n)
    if min(values) == max(values):
        unseen = 1 - 0.025 ** (1 / n)
        return mean, mean * (1 - unseen), mean * (1 - unseen) + unseen
    spread = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (n - 1) / n)
    return mean, max(0.0, mean - _Z * spread), min(1.0, mean + _Z * spread)


def percent(value: float | None) -> str:
    """Return a fraction as percent with one decimal; empty for None."""
    return "" if value is None else f"{value * 100:.1f}"
