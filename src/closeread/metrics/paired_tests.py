"""Could two systems on the same questions be equally good? The tests, on plain numbers.

Nothing here knows runs or metrics; ``significance`` brings pools into this form.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

_EXACT = 16  # differing units: up to 2**16 swaps are counted out
_CHUNK = 2_000_000  # cells in memory at a time
_COUNTED = 2_000  # terms of a binomial tail that are added up in whole numbers
# Standard errors of a difference that is shown at 5 % in four of five tests.
SHOWN = NormalDist().inv_cdf(0.975) + NormalDist().inv_cdf(0.8)
ROUNDING = 1e-12  # sums that differ by less are equal but for rounding


@dataclass(frozen=True)
class Sides:
    """Two systems' sums a unit: arrays of shape (units,), in the same order of units."""

    first_above: "NDArray[Any]"
    first_below: "NDArray[Any]"
    second_above: "NDArray[Any]"
    second_below: "NDArray[Any]"

    @property
    def columns(self) -> "list[NDArray[Any]]":
        """The four arrays in the order of the fields."""
        return [self.first_above, self.first_below, self.second_above, self.second_below]


def mcnemar(only_first: int, only_second: int) -> float:
    """Return the exact two-sided p-value of McNemar's test (1947).

    Twice the smaller tail of Binomial(n, 1/2), n the questions that just one of the two got right;
    in whole numbers until the last division, or right to eight digits where either system alone
    got more than 2,000 right.

    Args:
        only_first: Questions that only the first system got right.
        only_second: Questions that only the second got right.
    """
    total, fewer = only_first + only_second, min(only_first, only_second)
    if fewer > _COUNTED:  # whole numbers of so many digits would take minutes
        return _large_mcnemar(total, fewer)
    term: int = 1
    tail: int = 1
    for chosen in range(fewer):
        term = term * (total - chosen) // (chosen + 1)
        tail += term
    return min(1.0, 2 * tail / (1 << total))


def _large_mcnemar(total: int, fewer: int) -> float:
    """Add the tail from its largest term down, in shares of it, until nothing is added."""
    share = tail = 1.0
    for chosen in range(fewer, 0, -1):
        share *= chosen / (total - chosen + 1)
        if tail + share == tail:
            break
        tail += share
    ways = math.lgamma(total + 1) - math.lgamma(fewer + 1) - math.lgamma(total - fewer + 1)
    return min(1.0, 2 * tail * math.exp(ways - total * math.log(2)))


def permutation(sides: Sides, resamples: int, generator: "Generator") -> tuple[float, bool]:
    """Return the two-sided p-value of a paired permutation test, and whether it is exact.

    If the systems are equally good, swapping their results within any unit changes nothing. With
    16 differing units at most every swap is counted; else ``resamples`` random ones are, the
    observed one among them: (1 + as extreme) / (1 + resamples), never zero (Phipson & Smyth 2010).
    """
    return mean_permutation([sides], resamples, generator)


def mean_permutation(
    every: Sequence[Sides], resamples: int, generator: "Generator"
) -> tuple[float, bool]:
    """Return the same of the mean over data sets, each of which has its own sums in every swap."""
    import numpy as np

    totals, differing = [], []
    for place, one in enumerate(every):
        columns = np.stack(one.columns, axis=1)
        totals.append(columns.sum(axis=0))
        unlike = columns[(columns[:, :2] != columns[:, 2:]).any(axis=1)]
        differing.append(np.insert(unlike[:, 2:] - unlike[:, :2], 0, place, axis=1))
    moved = np.concatenate(differing)
    observed = _mean_difference(totals, np.zeros((1, len(moved))), moved)[0]
    if len(moved) <= _EXACT:
        swaps = (np.arange(2 ** len(moved))[:, None] >> np.arange(len(moved))) & 1
        extreme = _mean_difference(totals, swaps, moved) >= observed - ROUNDING
        return float(extreme.mean()), True
    count = 0
    rows, times = np.unique(moved, axis=0, return_counts=True)
    once = times == 1  # bits are cheaper than binomial numbers
    step = max(1, _CHUNK // len(rows))
    for start in range(0, resamples, step):
        size = (min(step, resamples - start), len(rows))
        swapped = np.empty(size)
        swapped[:, once] = generator.integers(0, 2, size=(size[0], once.sum()), dtype=np.uint8)
        swapped[:, ~once] = generator.binomial(times[~once], 0.5, size=(size[0], (~once).sum()))
        count += int((_mean_difference(totals, swapped, rows) >= observed - ROUNDING).sum())
    return (1 + count) / (1 + resamples), False


def _mean_difference(
    totals: "Sequence[NDArray[Any]]", swaps: "NDArray[Any]", moved: "NDArray[Any]"
) -> "NDArray[Any]":
    """How far the two means over data sets lie apart once units were swapped, a row of swaps.

    Args:
        totals: Of each data set the four sums.
        swaps: How often each row of ``moved`` was swapped, shape (swaps, rows).
        moved: The data set's place, and what then goes over (above, below); shape (rows, 3), one
            data set after the other.
    """
    import numpy as np

    ends = np.searchsorted(moved[:, 0], np.arange(len(totals) + 1))
    found = np.zeros(len(swaps))
    for of, start, end in zip(totals, ends, ends[1:], strict=False):
        found += _difference(of, swaps[:, start:end] @ moved[start:end, 1:])
    return abs(found) / len(totals)


def _difference(totals: "NDArray[Any]", moved: "NDArray[Any]") -> "NDArray[Any]":
    """Second minus first value once ``moved`` (above, below) went over, a row a swap."""
    import numpy as np

    first, second = totals[:2] + moved, totals[2:] - moved
    with np.errstate(invalid="ignore", divide="ignore"):
        found = second[:, 0] / second[:, 1] - first[:, 0] / first[:, 1]
    return np.where(np.isfinite(found), found, 0.0)


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Return Holm's adjusted p-values (1979), which hold for all comparisons together."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for rank, place in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = largest
    return tuple(adjusted)


def smallest_difference(second_moment: float, units: int) -> float | None:
    """Return the smallest true difference that so many units would show with a power of 0.8.

    Solves ``d * sqrt(n) = z(0.975) * sqrt(m) + z(0.8) * sqrt(m - d**2)`` for d, with m the mean
    squared difference a unit. For 0/1 metrics m is the share of questions on which the
    systems differ, and this is Connor's formula for McNemar's test (1987).

    Args:
        second_moment: m, in the metric's scale squared.
        units: n.

    Returns:
        The difference, or None where no difference could be shown (too few units, or systems that
        never differ).
    """
    above, below = NormalDist().inv_cdf(1 - 0.05 / 2), NormalDist().inv_cdf(0.8)
    inside = units + below**2 - above**2
    if inside <= 0 or second_moment <= 0:
        return None
    share = (above * math.sqrt(units) + below * math.sqrt(inside)) / (units + below**2)
    return math.sqrt(second_moment) * share if share < 1 else None
