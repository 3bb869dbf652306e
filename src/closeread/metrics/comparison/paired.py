"""Pair two systems on one data set unit by unit, as every comparison of them needs.

Resamples and swaps are drawn once, and shared by the comparisons of the data set and of averages.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from closeread.errors import MismatchError
from closeread.metrics.comparison.seeds import average_runs
from closeread.metrics.comparison.swaps import Sides, Swaps
from closeread.metrics.intervals import Resampling
from closeread.metrics.resamples import resample_ratios
from closeread.protocols import Pool
from closeread.wording import count_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class System:
    """A named system with one pool per run: several if it was run with several seeds."""

    name: str
    pools: Sequence[Pool]


@dataclass(frozen=True)
class Paired:
    """One value of two systems on one data set.

    Attributes:
        first: The baseline.
        second: The system compared with it.
        resampling: Number of resamples and swaps, level, seed.
        dataset: A part of the names of random generators: draws of several data sets are
            independent.
    """

    first: System
    second: System
    resampling: Resampling
    dataset: str = ""

    @cached_property
    def pools(self) -> tuple[Pool, Pool]:
        """One pool per system, averaged over its runs.

        Raises:
            MismatchError: The systems were not scored on the same questions.
        """
        left, right = average_runs(self.first.pools), average_runs(self.second.pools)
        if left.metric != right.metric:
            raise MismatchError(f"{left.metric} and {right.metric} are different metrics")
        if left.n_questions != right.n_questions:
            raise MismatchError(
                f"{self.first.name} was scored on {count_of(left.n_questions, 'question')}, "
                f"{self.second.name} on {right.n_questions}",
                expected="the same questions",
                cure="score both runs on the same data set, without --limit or with the same one",
            )
        # A value over a part of the questions may depend on the answers, and its units with it.
        covers_all = all(pool.n_scored == pool.n_questions for pool in (left, right))
        shared = set(left.unit_ids) & set(right.unit_ids)
        if covers_all and not shared and left.unit_ids and right.unit_ids:
            raise MismatchError(
                f"{self.first.name} and {self.second.name} share no unit of {left.metric}",
                expected="runs on the same data set",
                cure="score both runs again with the same version of closeread",
            )
        return left, right

    @cached_property
    def sides(self) -> Sides:
        """Both systems' sums in the same order; a unit missing in one system has weight 0 there."""
        import numpy as np

        units = dict.fromkeys(unit for pool in self.pools for unit in pool.unit_ids)
        index_of_unit = {unit: index for index, unit in enumerate(units)}
        columns = []
        for pool in self.pools:
            indices = np.fromiter(map(index_of_unit.__getitem__, pool.unit_ids), dtype=np.intp)
            for numbers in (pool.numerators, pool.denominators):  # an id may be repeated
                weights = np.asarray(numbers, dtype=float)
                columns.append(np.bincount(indices, weights, minlength=len(index_of_unit)))
        return Sides(*columns)

    @cached_property
    def swaps(self) -> Swaps:
        """The random swaps of the permutation test."""
        name = f"swaps|{self.pools[0].metric}|{self.dataset}"  # independent of the runs' names
        return Swaps(self.sides, self.resampling.resamples, self.resampling.generator(name))

    @cached_property
    def drawn(self) -> "NDArray[Any]":
        """The difference in each resample of the units, shape (resamples,); NaN if undefined."""
        resamples = self.resampling.resamples
        generator = self.resampling.generator(f"difference|{self.dataset}")
        above_1, below_1, above_2, below_2 = self.sides.columns
        if (below_1 == below_2).all():
            (differences,) = resample_ratios([(above_2 - above_1, below_1)], resamples, generator)
            return differences
        ratios = [(above_1, below_1), (above_2, below_2)]
        first, second = resample_ratios(ratios, resamples, generator)
        difference: NDArray[Any] = second - first
        return difference


def pair_with_first(
    systems: Sequence[System], resampling: Resampling, dataset: str = ""
) -> list[Paired]:
    """Pair every system with the first one.

    Args:
        systems: Two or more, all pooled by the same metric over the same data.
        resampling: Number of resamples, level, seed.
        dataset: An identifier of the data set, if averages over several are compared too.
    """
    baseline, *others = systems
    return [Paired(baseline, other, resampling, dataset) for other in others]
