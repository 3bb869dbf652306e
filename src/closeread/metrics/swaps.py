"""What two systems' difference becomes where their results are swapped within units at random.

If the systems are equally good, it says nothing which of the two gave which result of a unit.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

_FREQUENT = 256  # from so many equal units on, one binomial number is cheaper than bits
_CELLS = 2_000_000  # of tables in memory at a time


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


@dataclass(frozen=True)
class Swaps:
    """The random swaps of two systems on one data set, drawn once however often they are asked for.

    Attributes:
        sides: Both systems' sums.
        resamples: How many random swaps there are.
        generator: Where draws come from.
    """

    sides: Sides
    resamples: int
    generator: "Generator"

    @cached_property
    def moved(self) -> "NDArray[Any]":
        """What each unit that differs moves over (above, below); shape (units that differ, 2)."""
        import numpy as np

        columns = np.stack(self.sides.columns, axis=1)
        unlike = columns[(columns[:, :2] != columns[:, 2:]).any(axis=1)]
        moved: NDArray[Any] = unlike[:, 2:] - unlike[:, :2]
        return moved

    @cached_property
    def drawn(self) -> "NDArray[Any]":
        """The difference after each random swap, shape (resamples,); 0 where it is undefined."""
        return self._difference(swapped_sums(self.moved, self.resamples, self.generator))

    @property
    def observed(self) -> float:
        """The difference without any swap."""
        import numpy as np

        return float(self._difference(np.zeros((1, 2)))[0])

    def after(self, swapped: "NDArray[Any]") -> "NDArray[Any]":
        """Return the difference after given swaps: 0 or 1 by swap and unit of ``moved``."""
        return self._difference(swapped @ self.moved)

    def _difference(self, moved: "NDArray[Any]") -> "NDArray[Any]":
        """Second minus first value once ``moved`` (above, below) went over, a row a swap."""
        import numpy as np

        totals = [column.sum() for column in self.sides.columns]
        first, second = totals[:2] + moved, totals[2:] - moved
        with np.errstate(invalid="ignore", divide="ignore"):
            found = second[:, 0] / second[:, 1] - first[:, 0] / first[:, 1]
        return np.where(np.isfinite(found), found, 0.0)


def swapped_sums(rows: "NDArray[Any]", resamples: int, generator: "Generator") -> "NDArray[Any]":
    """Return sums of rows of which each is taken or not by the toss of a coin.

    A byte tosses for eight rows, whose 256 sums lie in a table; equal rows that are many are
    counted by a binomial number.

    Args:
        rows: Numbers a unit, shape (units, k).
        resamples: How many sums.
        generator: Where draws come from.

    Returns:
        Shape (resamples, k).
    """
    import numpy as np

    rows, times = np.unique(rows, axis=0, return_counts=True)
    many = times >= _FREQUENT
    counts = generator.binomial(times[many], 0.5, size=(resamples, many.sum()))
    sums: NDArray[Any] = counts @ rows[many]
    few = np.repeat(rows[~many], times[~many], axis=0)
    few = np.concatenate([few, np.zeros((-len(few) % 8, few.shape[1]))])
    eights = few.reshape(-1, 8, few.shape[1])
    tosses = (np.arange(256)[:, None] >> np.arange(8)) & 1
    step = max(1, _CELLS // (256 * few.shape[1]))
    for start in range(0, len(eights), step):
        for table in np.einsum("st,etk->esk", tosses, eights[start : start + step]):
            picked = np.frombuffer(generator.bytes(resamples), dtype=np.uint8)
            sums += table.take(picked, axis=0)
    return sums
