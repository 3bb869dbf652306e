"""Average several runs of one system with different seeds by unit, and measure their spread."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from closeread.errors import MismatchError
from closeread.protocols import Family, Pool, Statistic
from closeread.types import Record
from closeread.wording import count_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Spread(Record, frozen=True, kw_only=True):
    """A system's value in each of its runs, and their spread.

    ``deviation`` is the sample standard deviation (n - 1), which tells how much of a difference
    between two single runs the seed could explain.
    """

    values: tuple[float, ...]
    mean: float
    deviation: float
    low: float
    high: float


def spread(of_runs: Sequence[float | None]) -> Spread | None:
    """Return the spread of runs' values; None for a single run, or if a run has no value."""
    values = [value for value in of_runs if value is not None]
    if len(of_runs) < 2 or len(values) < len(of_runs):
        return None
    return Spread(
        values=tuple(values),
        mean=math.fsum(values) / len(values),
        deviation=statistics.stdev(values),
        low=min(values),
        high=max(values),
    )


def average_runs(pools: Sequence[Pool]) -> Pool:
    """Return one pool with the runs' mean in every unit.

    A unit that counts in some runs only has weight 0 in the others.

    Raises:
        MismatchError: The runs do not have the same value over the same questions.
    """
    first = pools[0]
    if len(pools) == 1:
        return first
    for pool in pools[1:]:
        if (pool.metric, pool.n_questions) != (first.metric, first.n_questions):
            raise MismatchError(
                f"runs of one system differ: {first.metric} over "
                f"{count_of(first.n_questions, 'question')}, {pool.metric} over {pool.n_questions}",
                expected="the same value over the same questions",
            )
    averaged = replace(
        first,
        statistic=_mean_statistic(pools),
        extremes=None,
        family=_mean_family(pools),
        n_scored=min(pool.n_scored for pool in pools),
        n_answered=min(pool.n_answered for pool in pools),
        n_failed=max(pool.n_failed for pool in pools),
    )
    if averaged.statistic is not None and not averaged.of_sums:  # its sums are not used
        return averaged
    numerators: dict[str, list[float]] = {}
    denominators: dict[str, list[float]] = {}
    for pool in pools:
        for unit, numerator, denominator in zip(
            pool.unit_ids, pool.numerators, pool.denominators, strict=True
        ):
            numerators.setdefault(unit, []).append(numerator)
            denominators.setdefault(unit, []).append(denominator)
    return replace(
        averaged,
        unit_ids=tuple(numerators),
        numerators=[math.fsum(of_runs) / len(pools) for of_runs in numerators.values()],
        denominators=[math.fsum(of_runs) / len(pools) for of_runs in denominators.values()],
    )


@dataclass(frozen=True)
class _MeanFamily:
    """The mean over several runs' families; a ``protocols.Family``."""

    of: tuple[Family, ...]

    @property
    def name(self) -> str:
        return self.of[0].name

    @property
    def unit_ids(self) -> Sequence[str]:
        return self.of[0].unit_ids

    def read(self, times: "NDArray[Any]") -> "dict[str, NDArray[Any]]":
        import numpy as np

        values_by_run = [family.read(times) for family in self.of]
        return {
            key: np.mean([values[key] for values in values_by_run], axis=0)
            for key in values_by_run[0]
        }


def _mean_family(pools: Sequence[Pool]) -> Family | None:
    families = tuple(pool.family for pool in pools if pool.family is not None)
    return _MeanFamily(families) if len(families) == len(pools) else None


def _mean_statistic(pools: Sequence[Pool]) -> Statistic | None:
    statistics_ = [pool.statistic for pool in pools if pool.statistic is not None]
    if not statistics_:
        return None
    if len({tuple(pool.unit_ids) for pool in pools}) > 1 or len(statistics_) < len(pools):
        raise MismatchError(
            f"runs of one system have different units for {pools[0].metric}",
            expected="the same questions, in the same order",
        )

    def mean(indices: Sequence[int] | None = None, /) -> float | None:
        values = [statistic(indices) for statistic in statistics_]
        known = [number for number in values if number is not None]
        return math.fsum(known) / len(known) if len(known) == len(values) else None

    return mean
