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

    @property
    def weigh_alike(self) -> bool:
        """Whether every unit has one weight in both systems."""
        return bool((self.first_below == self.second_below).all())


@dataclass(frozen=True)
class Differences:
    """Second value minus first, a swap each, and their variances; 0 where they are undefined.

    Attributes:
        values: Shape (swaps,).
        variances: What the value would vary by over samples of units (linearised); shape (swaps,).
    """

    values: "NDArray[Any]"
    variances: "NDArray[Any]"


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

    @property
    def n_unlike(self) -> int:
        """How many units differ between the two systems."""
        return len(self._moved)

    @cached_property
    def drawn(self) -> "Differences":
        """The differences after random swaps."""
        return self._differences(draw_swapped_sums(self._moved, self.resamples, self.generator))

    @property
    def observed(self) -> "Differences":
        """The one difference without any swap."""
        import numpy as np

        return self.after(np.zeros((1, self.n_unlike)))

    def after(self, swapped: "NDArray[Any]") -> "Differences":
        """Return the differences after given swaps: 0 or 1 by swap and unit that differs."""
        return self._differences(swapped @ self._moved)

    @cached_property
    def _moved(self) -> "NDArray[Any]":
        one = self.sides
        unlike = (one.first_above != one.second_above) | (one.first_below != one.second_below)
        first, second = _products(Sides(*(column[unlike] for column in one.columns)))
        moved: NDArray[Any] = second - first
        return moved

    def _differences(self, moved: "NDArray[Any]") -> "Differences":
        """The differences once sums of ``_products`` went over, a row a swap."""
        import numpy as np

        one = self.sides
        left, right = (side.sum(axis=0) for side in _products(one))
        (above_1, below_1, *of_1), (above_2, below_2, *of_2) = (left + moved).T, (right - moved).T
        with np.errstate(invalid="ignore", divide="ignore"):
            first, second = above_1 / below_1, above_2 / below_2
            # of each system's residuals, above - value * below: their squares and their products
            squares = [
                (product[0] - 2 * value * product[1] + value**2 * product[2]) / below**2
                for product, value, below in ((of_1, first, below_1), (of_2, second, below_2))
            ]
            both = (one.first_above * one.second_above).sum() - first * of_2[3] - second * of_1[3]
            both += first * second * (one.first_below * one.second_below).sum()
            variances = squares[0] + squares[1] - 2 * both / (below_1 * below_2)
            known = np.isfinite(first) & np.isfinite(second)
            return Differences(
                np.where(known, second - first, 0.0), np.where(known, variances, 0.0)
            )


def _products(sides: Sides) -> "tuple[NDArray[Any], NDArray[Any]]":
    """Return what differences and their variances are made of: of each system, (units, 6)."""
    import numpy as np

    above_1, below_1, above_2, below_2 = sides.columns
    first, second = (
        np.stack([above, below, above**2, above * below, below**2, above * other], axis=1)
        for above, below, other in ((above_1, below_1, below_2), (above_2, below_2, below_1))
    )
    return first, second


def draw_swapped_sums(
    rows: "NDArray[Any]", resamples: int, generator: "Generator"
) -> "NDArray[Any]":
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
