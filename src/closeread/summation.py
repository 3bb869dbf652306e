"""Adding floating-point numbers in one order, so that a sum is the same under every Python.

The built-in ``sum`` compensates for rounding from Python 3.12 on. Sums of earlier versions, and of
the official programs whose outputs are compared to the last bit, differ from it in their last bits;
so do two sums that would be equal, and then another answer comes first.
"""

from collections.abc import Iterable
from functools import reduce
from operator import add

ROUNDING = 1e-12  # sums that differ by less are equal but for rounding


def sum_in_order(numbers: Iterable[float]) -> float:
    """Add from left to right, rounding after each; 0.0 of nothing."""
    return reduce(add, numbers, 0.0)
