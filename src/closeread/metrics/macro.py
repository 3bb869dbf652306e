"""Compute macro-averages over data sets with intervals, and compare those of several systems.

Every data set has the same weight however many questions it has, as in the MRQA 2019 shared task.
Resamples are drawn within each data set, independently of the others.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from closeread.metrics.comparison.paired import Paired, System
from closeread.metrics.comparison.paired_tests import DETECTABLE_ERRORS, permutation
from closeread.metrics.comparison.seeds import Spread, spread
from closeread.metrics.comparison.significance import Comparison, adjust_p_values
from closeread.metrics.intervals import (
    NO_INTERVAL,
    Interval,
    Resampling,
    common_share,
    draw_unseen,
    resample_values,
    value,
)
from closeread.metrics.summary import interval_settings
from closeread.protocols import Pool
from closeread.summation import ROUNDING
from closeread.types import Summary, Unit

if TYPE_CHECKING:
    from numpy.typing import NDArray


def macro_average(
    name: str,
    pools: Sequence[Pool],
    signature: str,
    unit: Unit,
    resampling: Resampling | None,
) -> Summary:
    """Return the unweighted mean of several data sets' values (MRQA 2019).

    The interval resamples within each data set independently of the others, and averages. If all
    units of a data set are right, or all wrong, its plausible means (``draw_unseen``) are drawn for
    the bound on its other side. For the bound on its own side its value stays fixed, so the
    interval contains the mean however many such sets there are.

    Args:
        name: The full dotted name, such as ``mrqa.f1``.
        pools: One pool of the same value per data set; ``Pool.metric`` may differ between them.
        signature: The metric's signature; ``macro:`` and the number of data sets are added.
        unit: The unit of the pools.
        resampling: The settings of the interval; None for no interval.
    """
    values = [value(pool) for pool in pools]
    mean = _mean(values)
    bounds = None
    if resampling is not None and mean is not None:
        sides = [
            _draw_values(pool, resampling, f"{name}#{index}") for index, pool in enumerate(pools)
        ]
        bounds = _interval(sides, resampling.level, "the same score in every unit")
    parts = [name, signature.partition("|")[2], f"macro:{len(pools)}"]
    parts += [f"n:{sum(pool.n_questions for pool in pools)}", interval_settings(bounds, resampling)]
    note = "" if bounds is None else "; ".join(filter(None, (_uniform_note(pools), bounds.note)))
    if mean is None:
        note = f"{values.count(None)} of {len(pools)} data sets have no value"
    return Summary(
        metric=name,
        signature="|".join(part for part in parts if part),
        value=mean,
        unit=unit,
        low=bounds.low if bounds is not None else None,
        high=bounds.high if bounds is not None else None,
        n_questions=sum(pool.n_questions for pool in pools),
        n_scored=sum(pool.n_scored for pool in pools),
        n_answered=sum(pool.n_answered for pool in pools),
        n_failed=sum(pool.n_failed for pool in pools),
        note=note,
    )


def compare_averages(name: str, systems: Sequence[Sequence[Paired]]) -> tuple[Comparison, ...]:
    """Compare every system's macro-average with that of the first system.

    The test swaps the two systems' results within any unit of any data set (``permutation``);
    the interval resamples the units of each data set, those of both systems together.

    Args:
        name: The full dotted name of the value.
        systems: For each system but the first, its pairs with the first, one per data set, all in
            the same order; their values must be ratios of sums.

    Raises:
        MismatchError: Systems were not scored on the same questions.
    """
    resampling = systems[0][0].resampling
    return adjust_p_values([_compare(name, pairs) for pairs in systems], resampling)


def _compare(name: str, pairs: Sequence[Paired]) -> Comparison:
    import numpy as np

    means = [
        _mean(list(map(value, side))) for side in zip(*(pair.pools for pair in pairs), strict=True)
    ]
    blank = Comparison(
        metric=name,
        first=pairs[0].first.name,
        second=pairs[0].second.name,
        first_value=means[0],
        second_value=means[1],
        difference=None,
        n_units=sum(len(pair.sides.first_below) for pair in pairs),
        first_spread=_spread([pair.first for pair in pairs]),
        second_spread=_spread([pair.second for pair in pairs]),
    )
    if means[0] is None or means[1] is None:
        return replace(blank, note="a data set has no value")
    drawn = [pair.drawn for pair in pairs]
    level, agreement = pairs[0].resampling.level, "the same difference in every unit"
    bounds = _interval([(values, values) for values in drawn], level, agreement)
    p_value, exact = permutation([pair.swaps for pair in pairs])
    detectable = (
        None
        if bounds.low is None
        else DETECTABLE_ERRORS * float(np.nanstd(sum(drawn) / len(drawn)))
    )
    return replace(
        blank,
        difference=means[1] - means[0],
        low=bounds.low,
        high=bounds.high,
        test="permutation-exact" if exact else "permutation",
        p_value=p_value,
        smallest_difference=detectable,
        note=bounds.note,
    )


def _spread(systems: Sequence[System]) -> Spread | None:
    """Return the spread of a system's averages, one per seed; all sets have the same run order."""
    seeds = zip(*(system.pools for system in systems), strict=True)
    return spread([_mean(list(map(value, of_sets))) for of_sets in seeds])


def _uniform_share(pool: Pool) -> tuple[float, int] | None:
    """Return 1 or 0, and the number of units, if all are right or all wrong; else None."""
    same = common_share(pool)
    return same if same is not None and same[0] in (0, 1) else None


def _draw_values(
    pool: Pool, resampling: Resampling, name: str
) -> "tuple[NDArray[Any], NDArray[Any]]":
    """Return a data set's value in every resample, for the lower and for the upper bound."""
    import numpy as np

    generator = resampling.generator(name)
    if (uniform := _uniform_share(pool)) is None:
        values = resample_values(pool, resampling.resamples, generator)
        return values, values
    fixed = np.full(resampling.resamples, uniform[0], dtype=float)
    unseen = draw_unseen(*uniform, resampling.resamples, generator)
    return (unseen, fixed) if uniform[0] else (fixed, unseen)


def _uniform_note(pools: Sequence[Pool]) -> str:
    n_uniform = sum(_uniform_share(pool) is not None for pool in pools)
    if not n_uniform:
        return ""
    sets = f"{n_uniform} of {len(pools)} data sets are all right or all wrong"
    return f"{sets}: they are resampled from the exact interval"


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if len(known) == len(values) > 0 else None


def _interval(
    sides: "Sequence[tuple[NDArray[Any], NDArray[Any]]]", level: float, agreement: str
) -> Interval:
    """Return the interval of a mean over data sets from the resamples of each data set.

    Args:
        sides: For each data set its value in every resample, for the lower and the upper bound.
        level: The level of the interval.
        agreement: What the units of a data set have in common if all resamples agree; for the
            note.
    """
    import numpy as np

    fixed = sum(
        all(np.nanmax(side) - np.nanmin(side) <= ROUNDING for side in pair) for pair in sides
    )
    tail = (1 - level) / 2
    bounds = []
    for drawn, quantile in zip(zip(*sides, strict=True), (tail, 1 - tail), strict=True):
        total = sum(drawn) / len(drawn)
        means = total[np.isfinite(total)]
        if not means.size:
            return Interval(low=None, high=None, method="none", note="no resample gives a value")
        bounds.append(float(np.quantile(means, quantile)))
    low, high = bounds
    if high - low <= ROUNDING:
        return Interval(low=None, high=None, method="none", note=NO_INTERVAL)
    note = (
        (
            f"{fixed} of {len(sides)} data sets have {agreement}: the interval ignores their "
            "uncertainty"
        )
        if fixed
        else ""
    )
    return Interval(low=low, high=high, method="percentile", note=note)
