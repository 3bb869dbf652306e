"""Compare systems on the same questions: differences, intervals, paired tests and Holm's method."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from closeread.errors import MismatchError
from closeread.metrics.comparison.paired import Paired
from closeread.metrics.comparison.paired_tests import (
    DETECTABLE_ERRORS,
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


_NOT_PAIRED = "the two runs have different units: no paired test for this value"
# The smallest p-value of a test, in units of 1 / (1 + resamples).
_SMALLEST_COUNTS = {"permutation": 1, "bootstrap": 2}


class Comparison(Record, frozen=True, kw_only=True):
    """Two systems on one value. The difference is the second's value minus the first's.

    Attributes:
        test: ``mcnemar-exact``, ``permutation-exact``, ``permutation`` (Monte Carlo),
            ``bootstrap`` (values that are not ratios of sums), or ``none``.
        p_holm: The p-value adjusted for all systems compared with the first one, and for all data
            sets if they were compared on several.
        sure: Whether the adjusted p-value is below 1 minus the level of the intervals.
        only_first: For McNemar's test: units that only the first got right; so ``only_second``.
        n_units: The number of paired units: questions, passages or groups.
        smallest_difference: What this many units detect with power 0.8 at level 0.05.
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
    """Compare systems pair by pair, with p-values adjusted for all pairs (Holm).

    Several runs of a system count with their mean in each unit, and their spread is reported.

    Args:
        pairs: Every other system paired with the first one (``pair_with_first``).

    Raises:
        MismatchError: The systems were not scored on the same questions.
    """
    comparisons = [_compare_pair(pair) for pair in pairs]
    return adjust_p_values(comparisons, pairs[0].resampling) if pairs else ()


def adjust_p_values(
    comparisons: Sequence[Comparison], resampling: Resampling
) -> tuple[Comparison, ...]:
    """Return comparisons with their p-values adjusted for all of them together (Holm).

    Args:
        comparisons: The comparisons that are reported together.
        resampling: Their resampling. A difference is sure if its adjusted p-value is below 1 minus
            the level; if only more resamples could make it smaller, a note says so.
    """
    known = [comparison.p_value for comparison in comparisons if comparison.p_value is not None]
    adjusted = iter(holm(known))
    alpha = round(1 - resampling.level, 10)  # 0.05, unlike the difference of the two floats
    smallest = {test: n / (1 + resampling.resamples) for test, n in _SMALLEST_COUNTS.items()}
    note = f"p is the smallest that {resampling.resamples:,} resamples can give"

    def adjust(comparison: Comparison) -> Comparison:
        if comparison.p_value is None:
            return comparison
        p_holm = next(adjusted)
        is_smallest = comparison.p_value <= smallest.get(comparison.test, 0)
        comparison = replace(comparison, p_holm=p_holm, sure=p_holm < alpha)
        if is_smallest and not comparison.sure and note not in comparison.note:
            return _add_note(comparison, note)
        return comparison

    return tuple(map(adjust, comparisons))


def _compare_pair(pair: Paired) -> Comparison:
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
        note=_differing_notes(pair),
    )
    if values[0] is None or values[1] is None or not units:
        return _add_note(blank, "one of the two runs has no value")
    blank = replace(blank, difference=values[1] - values[0])
    if any(pool.statistic is not None and not pool.of_sums for pool in (left, right)):
        return _compare_by_bootstrap(blank, left, right, pair.resampling)
    n_unpaired = len(units) - len(set(left.unit_ids) & set(right.unit_ids))
    if n_unpaired == len(units):
        return _add_note(blank, _NOT_PAIRED)
    if n_unpaired:
        unpaired = count_of(n_unpaired, "unit counts", "units count")
        blank = _add_note(blank, f"{unpaired} in only one of the two runs")
    return _compare_by_sums(blank, pair)


def _compare_by_sums(blank: Comparison, pair: Paired) -> Comparison:
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
        note=_add_note(blank, note).note,
    )


def _differing_notes(pair: Paired) -> str:
    """Return the notes that only one of the two values has, such as how it was judged."""
    left, right = (pool.note.split("; ") if pool.note else [] for pool in pair.pools)
    notes = [f"the first: {note}" for note in left if note not in right]
    notes += [f"the second: {note}" for note in right if note not in left]
    return "; ".join(notes)


def _add_note(comparison: Comparison, note: str) -> Comparison:
    return replace(comparison, note="; ".join(part for part in (comparison.note, note) if part))


def _difference_interval(pair: Paired) -> tuple[float | None, float | None, str]:
    """Return the percentile interval of the difference, with both systems resampled together."""
    import numpy as np

    sides, level = pair.sides, pair.resampling.level
    weights, counted = sides.first_below, sides.first_below != 0
    differences = np.unique((sides.second_above - sides.first_above)[counted] / weights[counted])
    if len(differences) == 1 and (weights == sides.second_below).all():  # then so are all resamples
        most = unseen_bounds(0.0, int(counted.sum()), level)[1]
        share = float(differences[0])
        low = max(-1.0, share * (1 - most) - most)
        high = min(1.0, share * (1 - most) + most)
        return (
            low,
            high,
            "the difference is the same in every unit: exact interval instead of the bootstrap",
        )
    return _percentiles(pair.drawn, level)


def _second_moment(sides: Sides) -> float:
    """Return the mean squared difference per unit in the value's scale, linearised in weights."""
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


def _compare_by_bootstrap(
    blank: Comparison, left: Pool, right: Pool, resampling: Resampling
) -> Comparison:
    """Compare values that are not ratios of sums by the share of resamples beyond 0."""
    import numpy as np

    if list(left.unit_ids) != list(right.unit_ids):
        return _add_note(blank, _NOT_PAIRED)
    if left.statistic is None or right.statistic is None:
        raise MismatchError(f"the two runs compute {left.metric} in different ways")
    first, second = resample_together([left, right], resampling, "difference|")
    drawn = second - first
    drawn = drawn[np.isfinite(drawn)]
    if not drawn.size:
        return _add_note(blank, "no resample gives a value")
    tail = min((drawn <= 0).sum(), (drawn >= 0).sum())
    p_value = 2 * (1 + float(tail)) / (1 + drawn.size)
    # With few units, resamples that agree prove nothing: swapping the systems within units gives
    # 2**units results, of which two are as extreme as possible.
    p_value = min(1.0, max(p_value, 2.0 ** (1 - blank.n_units)))
    low, high, note = _percentiles(drawn, resampling.level)
    return replace(
        blank,
        test="bootstrap",
        p_value=p_value,
        low=low,
        high=high,
        smallest_difference=None if low is None else DETECTABLE_ERRORS * float(drawn.std()),
        note=note,
    )


def _percentiles(drawn: "NDArray[Any]", level: float) -> tuple[float | None, float | None, str]:
    """Return the bounds and a note; no bounds if all resamples agree, as if they were certain."""
    import numpy as np

    drawn = drawn[np.isfinite(drawn)]
    if not drawn.size or drawn.max() - drawn.min() <= ROUNDING:
        return None, None, NO_INTERVAL
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high), ""
