"""Test whether two systems on the same questions could be equally good, from plain numbers.

This module knows neither runs nor metrics; ``significance`` converts pools into these numbers.
"""

import math
from collections.abc import Sequence
from itertools import accumulate
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

from closeread.metrics.comparison.swaps import Differences, Swaps
from closeread.summation import ROUNDING

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ENUMERATED = 16  # differing units up to which all swaps, at most 2**16, are enumerated
_INTEGER_TERMS = 2_000  # terms of a binomial tail; longer sums use floating-point numbers
# The smallest detectable difference in standard errors: significant at 5 % with a power of 0.8.
DETECTABLE_ERRORS = NormalDist().inv_cdf(0.975) + NormalDist().inv_cdf(0.8)
_RELATIVE_TOLERANCE = 1e-9  # ratios that differ by a smaller share differ by rounding only
_LEAST_VARIANCE = 1e-14  # variance of fractions; smaller ones are rounding errors


def mcnemar(only_first: int, only_second: int) -> float:
    """Return the exact two-sided p-value of McNemar's test (1947).

    It is twice the smaller tail of Binomial(n, 1/2), where n is the number of questions that
    exactly one of the two systems answered rightly. It is computed in integers until the last
    division; if both ``only_first`` and ``only_second`` exceed 2,000, it is accurate to eight
    digits.

    Args:
        only_first: Number of questions that only the first system answered rightly.
        only_second: Number of questions that only the second system answered rightly.
    """
    total, fewer = only_first + only_second, min(only_first, only_second)
    if fewer > _INTEGER_TERMS:  # exact integers would take minutes
        return _large_mcnemar(total, fewer)
    term: int = 1
    tail: int = 1
    for chosen in range(fewer):
        term = term * (total - chosen) // (chosen + 1)
        tail += term
    return min(1.0, 2 * tail / (1 << total))


def _large_mcnemar(total: int, fewer: int) -> float:
    """Sum the tail relative to its largest term, from there down until the sum does not change."""
    share = tail = 1.0
    for chosen in range(fewer, 0, -1):
        share *= chosen / (total - chosen + 1)
        if tail + share == tail:
            break
        tail += share
    ways = math.lgamma(total + 1) - math.lgamma(fewer + 1) - math.lgamma(total - fewer + 1)
    return min(1.0, 2 * tail * math.exp(ways - total * math.log(2)))


def permutation(all_swaps: Sequence[Swaps]) -> tuple[float, bool]:
    """Return the two-sided p-value of a paired permutation test, and whether it is exact.

    If the systems are equally good, swapping their results within any unit changes nothing. With at
    most 16 differing units all swaps are enumerated. Otherwise the p-value is computed from the
    random swaps drawn, to which the observed one is added: (1 + as extreme) / (1 + drawn), which is
    never zero (Phipson & Smyth 2010).

    If units have different weights in the two systems (one leaves out answers that the other
    gives), equally good systems may have different variances, and results cannot be exchanged. The
    test then compares studentized differences, which keeps its level for many units (Chung & Romano
    2013).

    Args:
        all_swaps: The swaps of two systems on one data set, or on several. For several, the mean of
            the differences is tested.
    """
    import numpy as np

    ends = list(accumulate(swaps.n_differing for swaps in all_swaps))
    exact = ends[-1] <= _ENUMERATED
    if exact:
        swapped = (np.arange(2 ** ends[-1])[:, None] >> np.arange(ends[-1])) & 1
        parts = np.split(swapped, ends[:-1], axis=1)
        drawn = [swaps.after_swaps(part) for swaps, part in zip(all_swaps, parts, strict=True)]
    else:
        drawn = [swaps.drawn for swaps in all_swaps]
    statistic = (
        _distances
        if all(swaps.sides.have_equal_weights for swaps in all_swaps)
        else _studentized_distances
    )
    (observed,) = statistic([swaps.observed for swaps in all_swaps])
    extreme = statistic(drawn) >= observed * (1 - _RELATIVE_TOLERANCE) - ROUNDING
    if exact:
        return float(extreme.mean()), True
    return (1 + int(extreme.sum())) / (1 + len(extreme)), False


def _distances(all_differences: Sequence[Differences]) -> "NDArray[Any]":
    """Return the absolute difference of the means over data sets in every swap."""
    import numpy as np

    distances: NDArray[Any] = np.abs(
        np.mean([differences.values for differences in all_differences], axis=0)
    )
    return distances


def _studentized_distances(all_differences: Sequence[Differences]) -> "NDArray[Any]":
    """Return the absolute summed difference in standard errors in every swap."""
    import numpy as np

    distances = np.abs(np.sum([differences.values for differences in all_differences], axis=0))
    errors = np.sqrt(
        np.sum([differences.variances for differences in all_differences], axis=0).clip(
            _LEAST_VARIANCE
        )
    )
    ratio: NDArray[Any] = distances / errors
    return ratio


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Return Holm's adjusted p-values (1979), valid for all comparisons together."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for rank, index in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = largest
    return tuple(adjusted)


def smallest_difference(second_moment: float, units: int) -> float | None:
    """Return the smallest true difference that this many units detect with a power of 0.8.

    Solves ``d * sqrt(n) = z(0.975) * sqrt(m) + z(0.8) * sqrt(m - d**2)`` for d, with m the mean
    squared difference a unit. For 0/1 metrics m is the share of questions on which the
    systems differ, and this is Connor's formula for McNemar's test (1987).

    Args:
        second_moment: m, in the squared scale of the metric.
        units: n.

    Returns:
        The difference; None if no difference is detectable (too few units, or systems that never
        differ).
    """
    above, below = NormalDist().inv_cdf(1 - 0.05 / 2), NormalDist().inv_cdf(0.8)
    inside = units + below**2 - above**2
    if inside <= 0 or second_moment <= 0:
        return None
    share = (above * math.sqrt(units) + below * math.sqrt(inside)) / (units + below**2)
    return math.sqrt(second_moment) * share if share < 1 else None
