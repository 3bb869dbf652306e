"""Which of several systems is better on the same questions, by how much, and how surely."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from closeread.errors import MismatchError
from closeread.metrics.intervals import (
    NO_INTERVAL,
    Resampling,
    drawing,
    resampled_sums,
    unseen,
    value,
)
from closeread.metrics.paired_tests import (
    ROUNDING,
    SHOWN,
    Sides,
    holm,
    mcnemar,
    permutation,
    smallest_difference,
)
from closeread.metrics.seeds import Spread, average, spread
from closeread.protocols import Pool
from closeread.types import Record

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Comparison(Record, frozen=True, kw_only=True):
    """Two systems on one value. The difference is the second's value minus the first's.

    Attributes:
        test: ``mcnemar-exact``, ``permutation-exact``, ``permutation`` (Monte Carlo),
            ``bootstrap`` (values that are no ratio of sums), or ``none``.
        p_holm: Adjusted for all systems that were compared with the first one, and for all data
            sets where they were compared on several.
        only_first: For 0/1 metrics: questions that only the first got right; ``only_second`` alike.
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
    only_first: int | None = None
    only_second: int | None = None
    n_units: int
    smallest_difference: float | None = None
    first_spread: Spread | None = None
    second_spread: Spread | None = None
    note: str = ""


@dataclass(frozen=True)
class System:
    """A named system: one pool a run of it (several where it was run with several seeds)."""

    name: str
    pools: Sequence[Pool]


def compare(systems: Sequence[System], resampling: Resampling) -> tuple[Comparison, ...]:
    """Compare every system with the first one; p-values are adjusted for doing so (Holm).

    Several runs of a system count with their mean in each unit, and their spread is reported.

    Args:
        systems: Two or more, all pooled by the same metric over the same data.
        resampling: How many resamples, which level, which seed.

    Raises:
        MismatchError: The systems were not scored on the same questions.
    """
    baseline, *others = systems
    return adjusted([_pair(baseline, other, resampling) for other in others])


def adjusted(found: Sequence[Comparison]) -> tuple[Comparison, ...]:
    """Return comparisons with their p-values adjusted for all of them together (Holm)."""
    known = [one.p_value for one in found if one.p_value is not None]
    together = iter(holm(known))
    return tuple(
        one if one.p_value is None else replace(one, p_holm=next(together)) for one in found
    )


def _pair(first: System, second: System, resampling: Resampling) -> Comparison:
    left, right = joined(first, second)
    values = value(left), value(right)
    units = list(dict.fromkeys([*left.unit_ids, *right.unit_ids]))
    blank = Comparison(
        metric=left.metric,
        first=first.name,
        second=second.name,
        first_value=values[0],
        second_value=values[1],
        difference=None,
        n_units=len(units),
        first_spread=spread(first.pools),
        second_spread=spread(second.pools),
    )
    if values[0] is None or values[1] is None or not units:
        return replace(blank, note="one of the two has no value")
    blank = replace(blank, difference=values[1] - values[0])
    if left.statistic is not None or right.statistic is not None:
        return _by_bootstrap(blank, left, right, resampling)
    apart = len(units) - len(set(left.unit_ids) & set(right.unit_ids))
    if apart:
        blank = replace(blank, note=f"{apart} units count in only one of the two")
    return _by_sums(blank, sides(left, right), resampling)


def joined(first: System, second: System) -> tuple[Pool, Pool]:
    """Return of each of two systems one pool for all its runs.

    Raises:
        MismatchError: They were not scored on the same questions.
    """
    left, right = average(first.pools), average(second.pools)
    if left.metric != right.metric:
        raise MismatchError(f"{left.metric} and {right.metric} are two different values")
    if left.n_questions != right.n_questions:
        raise MismatchError(
            f"{first.name} was scored on {left.n_questions} questions, "
            f"{second.name} on {right.n_questions}",
            expected="the same questions",
            cure="score both runs on the same data set, without --limit or with the same one",
        )
    shared = set(left.unit_ids) & set(right.unit_ids)
    if not shared and left.unit_ids and right.unit_ids:
        raise MismatchError(
            f"{first.name} and {second.name} share no unit of {left.metric}",
            expected="runs on the same data set",
            cure="score both again, where another version of closeread scored one of them",
        )
    return left, right


def sides(left: Pool, right: Pool) -> Sides:
    """Put both pools in one order; a unit that counts in only one of them weighs 0 in the other."""
    import numpy as np

    units = [*left.unit_ids, *right.unit_ids]
    columns = []
    for pool in (left, right):
        for numbers in (pool.numerators, pool.denominators):
            sums = dict.fromkeys(units, 0.0)
            for unit, number in zip(pool.unit_ids, numbers, strict=True):
                sums[unit] += number  # a data set may hold an id twice
            columns.append(list(sums.values()))
    return Sides(*(np.array(column, dtype=float) for column in columns))


def _by_sums(blank: Comparison, sides: Sides, resampling: Resampling) -> Comparison:
    import numpy as np

    generator = resampling.generator(f"{blank.metric}|{blank.first}|{blank.second}")
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
        p_value, exact = permutation(sides, resampling.resamples, generator)
        test = "permutation-exact" if exact else "permutation"
    low, high, note = _difference_interval(sides, resampling)
    return replace(
        blank,
        test=test,
        p_value=p_value,
        low=low,
        high=high,
        smallest_difference=smallest_difference(_second_moment(sides), blank.n_units),
        note="; ".join(part for part in (blank.note, note) if part),
    )


def _difference_interval(
    sides: Sides, resampling: Resampling
) -> tuple[float | None, float | None, str]:
    """Percentile interval of the difference over resamples of the units, both systems' together."""
    import numpy as np

    weights, counted = sides.first_below, sides.first_below != 0
    apart = np.unique((sides.second_above - sides.first_above)[counted] / weights[counted])
    if len(apart) == 1 and (weights == sides.second_below).all():  # as in every resample
        most = unseen(0.0, int(counted.sum()), resampling.level)[1]
        share = float(apart[0])
        low = max(-1.0, share * (1 - most) - most)
        high = min(1.0, share * (1 - most) + most)
        return low, high, "the same difference in every unit: exact bound instead of the bootstrap"
    drawn = drawn_differences(sides, resampling, "difference")
    return _percentiles(drawn, resampling.level)


def drawn_differences(sides: Sides, resampling: Resampling, name: str) -> "NDArray[Any]":
    """Return the difference in each resample of the units, shape (resamples,); NaN for none.

    Args:
        sides: Both systems' sums, which are drawn together.
        resampling: How many resamples, from which seed.
        name: Names the draws.
    """
    import numpy as np

    above_1, below_1, above_2, below_2 = resampled_sums(
        sides.columns, resampling.resamples, resampling.generator(name)
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        drawn: NDArray[Any] = above_2 / below_2 - above_1 / below_1
    return drawn


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
        return replace(blank, note="units of the two differ: no paired test for this value")
    if left.statistic is None or right.statistic is None:
        raise MismatchError(f"{left.metric} is computed in two ways")
    generator = resampling.generator(f"{blank.metric}|{blank.first}|{blank.second}")
    draw = drawing(left.unit_ids)
    drawn = np.empty(resampling.resamples)
    for row in range(resampling.resamples):
        indices = draw(generator)
        first, second = left.statistic(indices), right.statistic(indices)
        drawn[row] = math.nan if first is None or second is None else second - first
    drawn = drawn[np.isfinite(drawn)]
    if not drawn.size:
        return replace(blank, note="no resample has a value")
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
        smallest_difference=None if low is None else SHOWN * float(drawn.std()),
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
