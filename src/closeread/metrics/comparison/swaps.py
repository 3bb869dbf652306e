"""Swap two systems' results within units at random, and compute the difference after each swap.

If the systems are equally good, their results within a unit are exchangeable.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

_COUNTED_FROM = 256  # for this many equal units or more, a binomial number is cheaper than bits
_CELLS = 2_000_000  # cells of tables in memory at a time


@dataclass(frozen=True)
class Sides:
    """Two systems' sums per unit: arrays of shape (units,), in the same order of units."""

    first_above: "NDArray[Any]"
    first_below: "NDArray[Any]"
    second_above: "NDArray[Any]"
    second_below: "NDArray[Any]"

    @property
    def columns(self) -> "list[NDArray[Any]]":
        """The four arrays in the order of the fields."""
        return [self.first_above, self.first_below, self.second_above, self.second_below]

    @property
    def have_equal_weights(self) -> bool:
        """Whether every unit has the same weight in both systems."""
        return bool((self.first_below == self.second_below).all())


@dataclass(frozen=True)
class Differences:
    """Second value minus first after each swap, and their variances; 0 if undefined.

    Attributes:
        values: Shape (swaps,).
        variances: The linearised variance of the value over samples of units; shape (swaps,).
    """

    values: "NDArray[Any]"
    variances: "NDArray[Any]"


@dataclass(frozen=True)
class Swaps:
    """The random swaps of two systems on one data set, drawn once and cached.

    Attributes:
        sides: Both systems' sums.
        resamples: The number of random swaps.
        generator: The random generator.
    """

    sides: Sides
    resamples: int
    generator: "Generator"

    @property
    def n_differing(self) -> int:
        """The number of units that differ between the two systems."""
        return len(self._moved)

    @cached_property
    def drawn(self) -> "Differences":
        """The differences after random swaps."""
        return self._differences(draw_swapped_sums(self._moved, self.resamples, self.generator))

    @property
    def observed(self) -> "Differences":
        """The difference without any swap."""
        import numpy as np

        return self.after_swaps(np.zeros((1, self.n_differing)))

    def after_swaps(self, swapped: "NDArray[Any]") -> "Differences":
        """Return the differences after given swaps: 0 or 1 by swap and differing unit."""
        return self._differences(swapped @ self._moved)

    @cached_property
    def _moved(self) -> "NDArray[Any]":
        sides = self.sides
        differs = (sides.first_above != sides.second_above) | (
            sides.first_below != sides.second_below
        )
        first, second = _products(Sides(*(column[differs] for column in sides.columns)))
        moved: NDArray[Any] = second - first
        return moved

    def _differences(self, moved: "NDArray[Any]") -> "Differences":
        """Return the differences after moving sums of ``_products``, one row per swap."""
        import numpy as np

        sides = self.sides
        left, right = (side.sum(axis=0) for side in _products(sides))
        (above_1, below_1, *of_1), (above_2, below_2, *of_2) = (left + moved).T, (right - moved).T
        with np.errstate(invalid="ignore", divide="ignore"):
            first, second = above_1 / below_1, above_2 / below_2
            # squares and products of each system's residuals, above - value * below
            squares = [
                (product[0] - 2 * value * product[1] + value**2 * product[2]) / below**2
                for product, value, below in ((of_1, first, below_1), (of_2, second, below_2))
            ]
            both = (
                (sides.first_above * sides.second_above).sum() - first * of_2[3] - second * of_1[3]
            )
            both += first * second * (sides.first_below * sides.second_below).sum()
            variances = squares[0] + squares[1] - 2 * both / (below_1 * below_2)
            known = np.isfinite(first) & np.isfinite(second)
            return Differences(
                np.where(known, second - first, 0.0), np.where(known, variances, 0.0)
            )


def _products(sides: Sides) -> "tuple[NDArray[Any], NDArray[Any]]":
    """Return each system's sums, squares and products per unit, from which differences follow.

    Shape (units, 6) each.
    """
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
    """Return sums over random subsets of the rows: each row is taken with probability 1/2.

    One random byte decides for eight rows, whose 256 possible sums are in a table; frequent equal
    rows are counted by one binomial number.

    Args:
        rows: Numbers per unit, shape (units, k).
        resamples: The number of sums.
        generator: The random generator.

    Returns:
        Shape (resamples, k).
    """
    import numpy as np

    rows, times = np.unique(rows, axis=0, return_counts=True)
    frequent = times >= _COUNTED_FROM
    counts = generator.binomial(times[frequent], 0.5, size=(resamples, frequent.sum()))
    sums: NDArray[Any] = counts @ rows[frequent]
    rare = np.repeat(rows[~frequent], times[~frequent], axis=0)
    rare = np.concatenate([rare, np.zeros((-len(rare) % 8, rare.shape[1]))])
    blocks = rare.reshape(-1, 8, rare.shape[1])
    tosses = (np.arange(256)[:, None] >> np.arange(8)) & 1
    step = max(1, _CELLS // (256 * rare.shape[1]))
    for start in range(0, len(blocks), step):
        for table in np.einsum("st,etk->esk", tosses, blocks[start : start + step]):
            picked = np.frombuffer(generator.bytes(resamples), dtype=np.uint8)
            sums += table.take(picked, axis=0)
    return sums
