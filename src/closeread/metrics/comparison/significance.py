"""Which of several systems is better on the same questions, by how much, and how surely."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from closeread.errors import MismatchError
from closeread.metrics.comparison.paired import Paired
from closeread.metrics.comparison.paired_tests import (
    DETECTABLE,
    holm,
    mcnemar,
    permutation,
    smallest_difference,
)
from closeread.metrics.comparison.seeds import Spread, spread
from closeread.metrics.comparison.swaps import Sides
from closeread.metrics.intervals import (
    FEW_UNITS,
    NO_INTERVAL,
    Resampling,
    resample_together,
    unseen_bounds,
    value,
)
from closeread.protocols import Pool
from closeread.summation import ROUNDING
from closeread.types import Record
from closeread.wording import count_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


# How many resamples and one more a p-value stands for at least, by test.
_SMALLEST = {"permutation": 1, "bootstrap": 2}


class Comparison(Record, frozen=True, kw_only=True):
    """Two systems on one value. The difference is the second's value minus the first's.

    Attributes:
        test: ``mcnemar-exact``, ``permutation-exact``, ``permutation`` (Monte Carlo),
            ``bootstrap`` (values that are no ratio of sums), or ``none``.
        p_holm: Adjusted for all systems that were compared with the first one, and for all data
            sets where they were compared on several.
        sure: Whether the adjusted p-value is below 1 less the level of the intervals.
        only_first: By McNemar's test: units that only the first got right; ``only_second`` alike.
        n_units: What was paired: questions, passages or groups.
        smallest_difference: What so many units would show with power 0.8 at level 0.05.
    """

    metric: str
    first: str
    second: str
    first_value: float | None
    second_value: float | None
    difference: float | None
    low: float | None = None
    high: float | None = None
    test: str = "none"
    p_value: float | None = None
    p_holm: float | None = None
    sure: bool = False
    only_first: int | None = None
    only_second: int | None = None
    n_units: int
    smallest_difference: float | None = None
    first_spread: Spread | None = None
    second_spread: Spread | None = None
    note: str = ""


def compare(pairs: Sequence[Paired]) -> tuple[Comparison, ...]:
    """Compare systems pair by pair; p-values are adjusted for doing so (Holm).

    Several runs of a system count with their mean in each unit, and their spread is reported.

    Args:
        pairs: Every other system with the first one (``paired``).

    Raises:
        MismatchError: The systems were not scored on the same questions.
    """
    found = [_compared(pair) for pair in pairs]
    return adjust_p_values(found, pairs[0].resampling) if pairs else ()


def adjust_p_values(found: Sequence[Comparison], resampling: Resampling) -> tuple[Comparison, ...]:
    """Return comparisons with their p-values adjusted for all of them together (Holm).

    Args:
        found: What is looked at together.
        resampling: Of all of them. A difference is sure where its p-value is below 1 less the
            level; where only more resamples could show a smaller one, a note says so.
    """
    known = [one.p_value for one in found if one.p_value is not None]
    together = iter(holm(known))
    chance = round(1 - resampling.level, 10)  # 0.05, which the difference of the two floats is not
    least = {test: n / (1 + resampling.resamples) for test, n in _SMALLEST.items()}
    note = f"p is the smallest that {resampling.resamples:,} resamples can give"

    def told(one: Comparison) -> Comparison:
        if one.p_value is None:
            return one
        p_holm = next(together)
        made = replace(one, p_holm=p_holm, sure=p_holm < chance)
        at_least = one.p_value <= least.get(one.test, 0)
        return _noted(made, note) if at_least and not made.sure and note not in one.note else made

    return tuple(map(told, found))


def _compared(pair: Paired) -> Comparison:
    left, right = pair.pools
    values = value(left), value(right)
    units = list(dict.fromkeys([*left.unit_ids, *right.unit_ids]))
    blank = Comparison(
        metric=left.metric,
        first=pair.first.name,
        second=pair.second.name,
        first_value=values[0],
        second_value=values[1],
        difference=None,
        n_units=len(units),
        first_spread=spread(list(map(value, pair.first.pools))),
        second_spread=spread(list(map(value, pair.second.pools))),
        note=_unlike(pair),
    )
    if values[0] is None or values[1] is None or not units:
        return _noted(blank, "one of the two runs has no value")
    blank = replace(blank, difference=values[1] - values[0])
    if any(pool.statistic is not None and not pool.of_sums for pool in (left, right)):
        return _by_bootstrap(blank, left, right, pair.resampling)
    apart = len(units) - len(set(left.unit_ids) & set(right.unit_ids))
    if apart:
        units_count = count_of(apart, "unit counts", "units count")
        blank = _noted(blank, f"{units_count} in only one of the two runs")
    return _by_sums(blank, pair)


def _by_sums(blank: Comparison, pair: Paired) -> Comparison:
    import numpy as np

    sides = pair.sides
    weights = np.array(sides.columns[1::2])
    zero_one = bool((weights == 1).all()) and all(
        set(np.unique(column)) <= {0.0, 1.0} for column in sides.columns[::2]
    )
    if zero_one:
        only_first = int((sides.first_above > sides.second_above).sum())
        only_second = int((sides.second_above > sides.first_above).sum())
        blank = replace(blank, only_first=only_first, only_second=only_second)
        p_value, test = mcnemar(only_first, only_second), "mcnemar-exact"
    else:
        p_value, exact = permutation([pair.swaps])
        test = "permutation-exact" if exact else "permutation"
    low, high, note = _difference_interval(pair)
    if not zero_one and low is not None and not note and blank.n_units < FEW_UNITS:
        note = f"fewer than {FEW_UNITS} units: the interval is probably too narrow"
    return replace(
        blank,
        test=test,
        p_value=p_value,
        low=low,
        high=high,
        smallest_difference=smallest_difference(_second_moment(sides), blank.n_units),
        note=_noted(blank, note).note,
    )


def _unlike(pair: Paired) -> str:
    """Say what is known of one value and not of the other: how it was judged, say."""
    left, right = (pool.note.split("; ") if pool.note else [] for pool in pair.pools)
    told = [f"the first: {note}" for note in left if note not in right]
    told += [f"the second: {note}" for note in right if note not in left]
    return "; ".join(told)


def _noted(one: Comparison, note: str) -> Comparison:
    return replace(one, note="; ".join(part for part in (one.note, note) if part))


def _difference_interval(pair: Paired) -> tuple[float | None, float | None, str]:
    """Percentile interval of the difference over resamples of the units, both systems' together."""
    import numpy as np

    sides, level = pair.sides, pair.resampling.level
    weights, counted = sides.first_below, sides.first_below != 0
    apart = np.unique((sides.second_above - sides.first_above)[counted] / weights[counted])
    if len(apart) == 1 and (weights == sides.second_below).all():  # as in every resample
        most = unseen_bounds(0.0, int(counted.sum()), level)[1]
        share = float(apart[0])
        low = max(-1.0, share * (1 - most) - most)
        high = min(1.0, share * (1 - most) + most)
        return (
            low,
            high,
            "the difference is the same in every unit: exact interval instead of the bootstrap",
        )
    return _percentiles(pair.drawn, level)


def _second_moment(sides: Sides) -> float:
    """Mean squared difference a unit, in the value's scale (linearised where weights differ)."""
    import numpy as np

    influences = []
    difference = 0.0
    for above, below, sign in (
        (sides.first_above, sides.first_below, -1),
        (sides.second_above, sides.second_below, 1),
    ):
        ratio = above.sum() / below.sum()
        influences.append(sign * (above - ratio * below) / below.mean())
        difference += sign * ratio
    return float(np.mean((influences[0] + influences[1]) ** 2) + difference**2)


def _by_bootstrap(blank: Comparison, left: Pool, right: Pool, resampling: Resampling) -> Comparison:
    """For values that are no ratio of sums: the share of resamples beyond no difference."""
    import numpy as np

    if list(left.unit_ids) != list(right.unit_ids):
        return _noted(blank, "the two runs have different units: no paired test for this value")
    if left.statistic is None or right.statistic is None:
        raise MismatchError(f"the two runs compute {left.metric} in different ways")
    first, second = resample_together([left, right], resampling, "difference|")
    drawn = second - first
    drawn = drawn[np.isfinite(drawn)]
    if not drawn.size:
        return _noted(blank, "no resample gives a value")
    tail = min((drawn <= 0).sum(), (drawn >= 0).sum())
    p_value = 2 * (1 + float(tail)) / (1 + drawn.size)
    # Of few units resamples that agree are no proof: swapping the systems within each could give
    # 2**units results, of which two are as extreme as any.
    p_value = min(1.0, max(p_value, 2.0 ** (1 - blank.n_units)))
    low, high, note = _percentiles(drawn, resampling.level)
    return replace(
        blank,
        test="bootstrap",
        p_value=p_value,
        low=low,
        high=high,
        smallest_difference=None if low is None else DETECTABLE * float(drawn.std()),
        note=note,
    )


def _percentiles(drawn: "NDArray[Any]", level: float) -> tuple[float | None, float | None, str]:
    """Return the bounds and a note; no bounds where resamples that all agree would seem certain."""
    import numpy as np

    drawn = drawn[np.isfinite(drawn)]
    if not drawn.size or drawn.max() - drawn.min() <= ROUNDING:
        return None, None, NO_INTERVAL
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high), ""
