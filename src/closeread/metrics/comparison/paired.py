"""Two systems on one data set, unit by unit: what every comparison of them is made from.

All is drawn once, however many comparisons ask for it: a data set's own and those of averages.
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
    """A named system: one pool a run of it (several where it was run with several seeds)."""

    name: str
    pools: Sequence[Pool]


@dataclass(frozen=True)
class Paired:
    """One value of two systems on one data set.

    Attributes:
        first: The baseline.
        second: What is compared with it.
        resampling: How many resamples and swaps, from which seed.
        dataset: Names the draws, so that those of several data sets are independent.
    """

    first: System
    second: System
    resampling: Resampling
    dataset: str = ""

    @cached_property
    def pools(self) -> tuple[Pool, Pool]:
        """Of each system one pool for all its runs.

        Raises:
            MismatchError: They were not scored on the same questions.
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
        shared = set(left.unit_ids) & set(right.unit_ids)
        if not shared and left.unit_ids and right.unit_ids:
            raise MismatchError(
                f"{self.first.name} and {self.second.name} share no unit of {left.metric}",
                expected="runs on the same data set",
                cure="score both runs again with the same version of closeread",
            )
        return left, right

    @cached_property
    def sides(self) -> Sides:
        """Both in one order; a unit that counts in only one of them weighs 0 in the other."""
        import numpy as np

        units = dict.fromkeys(unit for pool in self.pools for unit in pool.unit_ids)
        places = {unit: place for place, unit in enumerate(units)}
        columns = []
        for pool in self.pools:
            own = np.fromiter(map(places.__getitem__, pool.unit_ids), dtype=np.intp)
            for numbers in (pool.numerators, pool.denominators):  # an id may come twice
                weights = np.asarray(numbers, dtype=float)
                columns.append(np.bincount(own, weights, minlength=len(places)))
        return Sides(*columns)

    @cached_property
    def swaps(self) -> Swaps:
        """The random swaps that the permutation test looks at."""
        name = f"swaps|{self.pools[0].metric}|{self.dataset}"  # what runs are called moves nothing
        return Swaps(self.sides, self.resampling.resamples, self.resampling.generator(name))

    @cached_property
    def drawn(self) -> "NDArray[Any]":
        """The difference in each resample of the units, shape (resamples,); NaN for none."""
        resamples = self.resampling.resamples
        generator = self.resampling.generator(f"difference|{self.dataset}")
        above_1, below_1, above_2, below_2 = self.sides.columns
        if (below_1 == below_2).all():
            (found,) = resample_ratios([(above_2 - above_1, below_1)], resamples, generator)
            return found
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
        resampling: How many resamples, which level, which seed.
        dataset: What tells the data set from others whose averages are compared, too.
    """
    baseline, *others = systems
    return [Paired(baseline, other, resampling, dataset) for other in others]
