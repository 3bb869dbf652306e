"""Compute a pool's value and its interval: a percentile bootstrap over the metric's unit.

Efron & Tibshirani (1993, chapters 6 and 13); exact bounds if all resamples agree.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, cast

from closeread.errors import UsageError
from closeread.metrics.resamples import draw_counts, resample_ratios
from closeread.protocols import Family, Pool, Statistic
from closeread.summation import ROUNDING
from closeread.wording import count_of

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

# Increased with every change of a bound or its note, so that `verify` can distinguish numbers of an
# older version from wrong ones.
VERSION = 7

# For fewer units that each give a fraction, simulated 95 % percentile intervals cover 77 to 93 %.
FEW_UNITS = 20

_MOST_RESAMPLES = 1_000_000
_SAME_VALUE = "all resamples give the same value"
NO_INTERVAL = f"{_SAME_VALUE}: no interval can be estimated"


@dataclass(frozen=True, kw_only=True)
class Resampling:
    """The settings of an interval: number of resamples, level and seed.

    Raises:
        UsageError: Fewer than 100 or more than a million resamples, a level outside (0, 1), or a
            negative seed.
    """

    resamples: int = 10_000
    level: float = 0.95
    seed: int = 0

    def __post_init__(self) -> None:
        if self.resamples < 100:
            few = count_of(self.resamples, "resample is", "resamples are")
            raise UsageError(f"{few} too few for an interval", expected="at least 100")
        if self.resamples > _MOST_RESAMPLES:
            raise UsageError(
                f"{self.resamples:,} resamples are too many for an interval",
                expected=f"at most {_MOST_RESAMPLES:,}",
            )
        if not 0 < self.level < 1:
            raise UsageError(
                f"the level {self.level} is not between 0 and 1", expected="such as 0.95"
            )
        if self.seed < 0:
            raise UsageError(f"the seed {self.seed} is negative", expected="0 or more")

    def generator(self, name: str) -> "Generator":
        """Return the random generator of one named number: its draws depend on no other number."""
        import zlib

        import numpy as np

        return np.random.default_rng([self.seed, zlib.crc32(name.encode())])


@dataclass(frozen=True, kw_only=True)
class Interval:
    """Bounds and the method behind them; ``low`` and ``high`` are None if there is no interval."""

    low: float | None
    high: float | None
    method: Literal["percentile", "farther", "exact", "none"]
    note: str = ""


def value(pool: Pool) -> float | None:
    """Return a pool's value over all its units; None if its denominators sum to zero.

    Sums are exactly rounded (``math.fsum``), so the order of the questions does not matter.
    """
    if pool.statistic is not None:
        return pool.statistic(None)
    below = math.fsum(pool.denominators)
    return math.fsum(pool.numerators) / below if below else None


def interval(pool: Pool, resampling: Resampling) -> Interval:
    """Return the percentile interval of a pool's value over resamples of its units.

    If all units have the same score, so has every resample, and the bootstrap would claim
    certainty; ``unseen_bounds`` are returned instead. The same holds for a statistic if all its
    resamples agree and the pool knows its extremes. A best value gets ``farther_bounds``.

    Args:
        pool: The units.
        resampling: Number of resamples, level, seed.
    """
    import numpy as np

    units = len(pool.unit_ids)
    if not units or value(pool) is None:
        return Interval(low=None, high=None, method="none", note="no question was scored")
    if same := common_share(pool):
        share, scored = same
        if not 0 <= share <= 1:
            return Interval(
                low=None,
                high=None,
                method="none",
                note="every unit has the same score: no interval can be estimated",
            )
        low, high = unseen_bounds(share, scored, resampling.level)
        reason = (
            f"all {scored} scored units have the same score"
            if scored > 1
            else "only one unit was scored"
        )
        note = f"{reason}: exact interval instead of the bootstrap"
        return Interval(low=low, high=high, method="exact", note=note)
    if pool.statistic is not None:
        (drawn,) = resample_together([pool], resampling, "")
    else:
        drawn = resample_values(pool, resampling.resamples, resampling.generator(pool.metric))
    drawn = drawn[np.isfinite(drawn)]
    if not drawn.size:
        return Interval(low=None, high=None, method="none", note="no resample gives a value")
    tail = (1 - resampling.level) / 2
    low, high = np.quantile(drawn, [tail, 1 - tail])
    if high - low <= ROUNDING:
        return _zero_width_interval(pool, resampling.level)
    bounds = float(low), float(high)
    best_value = value(pool) if pool.best else None
    if best_value is None:
        return Interval(low=bounds[0], high=bounds[1], method="percentile")
    low, high = farther_bounds(best_value, bounds)
    return Interval(low=max(0.0, low), high=min(1.0, high), method="farther")


def farther_bounds(value: float, percentiles: tuple[float, float]) -> tuple[float, float]:
    """Return an interval for a value that resampling biases; it always contains the value.

    Each bound is the farther one of two: that of the percentile bootstrap, and that of the basic
    bootstrap, which reflects it at the value (Davison and Hinkley 1997, section 5.2).
    """
    low, high = percentiles
    return min(low, 2 * value - high), max(high, 2 * value - low)


def _zero_width_interval(pool: Pool, level: float) -> Interval:
    """Return the interval if all resamples agree: exact if the pool knows its extremes."""
    counted = zip(pool.unit_ids, pool.denominators, strict=True)
    units = len({unit for unit, below in counted if below != 0})
    if pool.extremes is None:
        return Interval(low=None, high=None, method="none", note=NO_INTERVAL)
    low, high = pool.extremes(unseen_share(units, level))
    many = f"{units} units" if units > 1 else "one unit"
    note = f"{_SAME_VALUE}: exact interval for {many}"
    return Interval(low=low, high=high, method="exact", note=note)


def unseen_bounds(share: float, units: int, level: float) -> tuple[float, float]:
    """Return bounds for a mean in [0, 1] if all ``units`` drawn units had the value ``share``.

    Units of other values, which were not drawn, could have 0 or 1. At 0 and at 1 this is the
    interval of Clopper and Pearson (1934).
    """
    rest = unseen_share(units, level)
    return share * (1 - rest), share * (1 - rest) + rest


def unseen_share(units: int, level: float) -> float:
    """Return an upper bound on the probability of what none of ``units`` draws showed.

    It is ``1 - tail**(1/n)`` with tail = (1 - level) / 2; at 0.95, of many units, about 3.7 / n
    (the rule of three, with both tails).
    """
    return -math.expm1(math.log((1 - level) / 2) / units)


def common_share(pool: Pool) -> tuple[float, int] | None:
    """Return the share that all units with a weight have, and their number; None if they differ."""
    shares = set() if pool.statistic else _shares(pool)
    if len(shares) != 1:
        return None
    return shares.pop(), sum(below != 0 for below in pool.denominators)


def draw_unseen(share: float, units: int, resamples: int, generator: "Generator") -> "NDArray[Any]":
    """Draw plausible means if all ``units`` units were 0, or all 1; shape (resamples,).

    The probability of the other value is drawn from the distribution that exceeds any p as often as
    p shows none of it in so many draws. The quantiles of these means are ``unseen_bounds``.
    """
    return abs(share - generator.beta(1, units, resamples))


def resample_values(pool: Pool, resamples: int, generator: "Generator") -> "NDArray[Any]":
    """Return the pool's value in each of ``resamples`` resamples of its units, shape (resamples,).

    The value is NaN in a resample whose denominators sum to zero.
    """
    import numpy as np

    if pool.statistic is not None:
        counts = draw_counts(pool.unit_ids, resamples, generator)
        return np.concatenate([_statistic_values(pool, times) for times in counts])
    sums = np.asarray(pool.numerators, dtype=float), np.asarray(pool.denominators, dtype=float)
    return resample_ratios([sums], resamples, generator)[0]


def resample_together(
    pools: Sequence[Pool], resampling: Resampling, name: str
) -> "list[NDArray[Any]]":
    """Return the values of pools with a statistic in the same resamples, each (resamples,).

    Args:
        pools: The same value of several systems, over the same units; all with a statistic.
        resampling: Number of resamples, seed.
        name: A prefix for the name of the random generator.
    """
    import numpy as np

    families = tuple(pool.family for pool in pools if pool.family is not None)
    if len(families) == len(pools):
        values_by_system = _resample_families(families, resampling, name + families[0].name)
        return [values[pool.metric] for values, pool in zip(values_by_system, pools, strict=True)]
    generator = resampling.generator(name + pools[0].metric)
    counts = draw_counts(pools[0].unit_ids, resampling.resamples, generator)
    parts = [[_statistic_values(pool, times) for pool in pools] for times in counts]
    return [np.concatenate(column) for column in zip(*parts, strict=True)]


@lru_cache(maxsize=8)  # callers compute one value for several pairs before the next value
def _resample_families(
    families: tuple[Family, ...], resampling: Resampling, name: str
) -> "list[dict[str, NDArray[Any]]]":
    """Return all values of several systems in the same resamples."""
    import numpy as np

    counts = draw_counts(families[0].unit_ids, resampling.resamples, resampling.generator(name))
    parts = [[family.read(times) for family in families] for times in counts]
    return [
        {key: np.concatenate([part[key] for part in column]) for key in column[0]}
        for column in zip(*parts, strict=True)
    ]


def _statistic_values(pool: Pool, times: "NDArray[Any]") -> "NDArray[Any]":
    """Return a statistic's value in some resamples, given counts as of ``draw_counts``."""
    import numpy as np

    if pool.family is not None:
        return pool.family.read(times)[pool.metric]
    indices = np.arange(times.shape[1])
    statistic = cast("Statistic", pool.statistic)
    values = [statistic(cast("Sequence[int]", np.repeat(indices, row))) for row in times]
    return np.array([math.nan if value is None else value for value in values])


def _shares(pool: Pool) -> set[float]:
    """Return the distinct values of the units with a weight, stopping at two."""
    shares: set[float] = set()
    for above, below in zip(pool.numerators, pool.denominators, strict=True):
        if below != 0:
            shares.add(above / below)
            if len(shares) > 1:
                break
    return shares
