"""Could two systems on the same questions be equally good? The tests, on plain numbers.

Nothing here knows runs or metrics; ``significance`` brings pools into this form.
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

_EXACT = 16  # differing units: up to 2**16 swaps are counted out
_COUNTED = 2_000  # terms of a binomial tail that are added up in whole numbers
# Standard errors of a difference that is shown at 5 % in four of five tests.
DETECTABLE = NormalDist().inv_cdf(0.975) + NormalDist().inv_cdf(0.8)
_ALIKE = 1e-9  # ratios that differ by such a share are equal but for rounding
_LEAST_VARIANCE = 1e-14  # of fractions: what is less is rounding


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


def permutation(every: Sequence[Swaps]) -> tuple[float, bool]:
    """Return the two-sided p-value of a paired permutation test, and whether it is exact.

    If the systems are equally good, swapping their results within any unit changes nothing. With
    16 differing units at most every swap is counted; else as many random ones as were drawn, the
    observed one among them: (1 + as extreme) / (1 + drawn), never zero (Phipson & Smyth 2010).

    Where a unit weighs more in one of them (one leaves out answers that the other gives), equally
    good systems may yet vary unlike, and swaps are not as good as what was seen. Differences then
    count in their standard errors, which keeps the level of many units (Chung & Romano 2013).

    Args:
        every: Two systems on a data set, or on several: then what is tested is the mean of their
            differences, each of which has its own sums in every swap.
    """
    import numpy as np

    ends = list(accumulate(one.n_unlike for one in every))
    exact = ends[-1] <= _EXACT
    if exact:
        swapped = (np.arange(2 ** ends[-1])[:, None] >> np.arange(ends[-1])) & 1
        parts = np.split(swapped, ends[:-1], axis=1)
        drawn = [one.after(part) for one, part in zip(every, parts, strict=True)]
    else:
        drawn = [one.drawn for one in every]
    far = _in_units if all(one.sides.weigh_alike for one in every) else _in_errors
    (observed,) = far([one.observed for one in every])
    extreme = far(drawn) >= observed * (1 - _ALIKE) - ROUNDING
    if exact:
        return float(extreme.mean()), True
    return (1 + int(extreme.sum())) / (1 + len(extreme)), False


def _in_units(every: Sequence[Differences]) -> "NDArray[Any]":
    """How far the means over data sets lie apart in every swap."""
    import numpy as np

    apart: NDArray[Any] = np.abs(np.mean([one.values for one in every], axis=0))
    return apart


def _in_errors(every: Sequence[Differences]) -> "NDArray[Any]":
    """The same in standard errors."""
    import numpy as np

    apart = np.abs(np.sum([one.values for one in every], axis=0))
    errors = np.sqrt(np.sum([one.variances for one in every], axis=0).clip(_LEAST_VARIANCE))
    ratio: NDArray[Any] = apart / errors
    return ratio


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
