"""Resamples of units: sums, ratios of sums and counts in each, all at once.

Resampling n units with replacement is the same as drawing how often each *distinct* value comes
up, which is one multinomial draw. Values that many units share are therefore drawn as counts, and
only the others one by one: the distribution is the ordinary bootstrap's exactly, and a 0/1 metric
costs one binomial draw a resample instead of n.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

_FREQUENT = 16  # from so many equal units on, counting is cheaper than drawing
_CHUNK = 2_000_000  # cells in memory at a time
_IN_CACHE = 10_000  # and so many where each is looked at again and again


def draw_counts(
    unit_ids: Sequence[str], resamples: int, generator: "Generator"
) -> "Iterator[NDArray[Any]]":
    """Draw as many units as there are, and yield how often each place comes with its own.

    Args:
        unit_ids: What each place belongs to.
        resamples: How many.
        generator: Where draws come from.

    Yields:
        Some resamples at a time, of shape (some, places).
    """
    import numpy as np

    number = {unit: place for place, unit in enumerate(dict.fromkeys(unit_ids))}
    units = len(number)
    unit_of = np.array([number[unit] for unit in unit_ids]) if units < len(unit_ids) else None
    step = max(1, _IN_CACHE // len(unit_ids))
    for start in range(0, resamples, step):
        some = min(step, resamples - start)
        picked = generator.integers(0, units, size=(some, units))
        picked += units * np.arange(some)[:, None]
        times = np.bincount(picked.ravel(), minlength=some * units).reshape(some, units)
        yield times if unit_of is None else times.take(unit_of, axis=1)


def resample_ratios(
    ratios: "Sequence[tuple[NDArray[Any], NDArray[Any]]]", resamples: int, generator: "Generator"
) -> "list[NDArray[Any]]":
    """Return ratios of sums in every resample of the units, each of shape (resamples,).

    Args:
        ratios: Of each the numbers above the line and below it, all of shape (units,).
        resamples: How many.
        generator: Where draws come from.

    Returns:
        NaN where what is below sums to zero.
    """
    import numpy as np

    units = len(ratios[0][0])
    (above, below), *others = ratios
    if not others and (below == below[0]).all():
        (sums,) = resample_sums([above], resamples, generator)
        return [sums / (below[0] * units) if below[0] else np.full(resamples, np.nan)]
    columns = [column for ratio in ratios for column in ratio]
    drawn = resample_sums(columns, resamples, generator)
    with np.errstate(invalid="ignore", divide="ignore"):
        return [
            np.where(weights != 0, sums / weights, np.nan)
            for sums, weights in zip(drawn[::2], drawn[1::2], strict=True)
        ]


def resample_sums(
    columns: "list[NDArray[Any]]", resamples: int, generator: "Generator"
) -> "list[NDArray[Any]]":
    """Return each column's sum in every resample of the rows, each of shape (resamples,).

    Args:
        columns: Numbers a unit, all of shape (units,); a resample draws whole rows.
        resamples: How many.
        generator: Where draws come from.
    """
    import numpy as np

    units = len(columns[0])
    if len(columns) == 1:
        distinct, counts = np.unique(columns[0], return_counts=True)
        values = [distinct]
    else:
        rows, counts = np.unique(np.stack(columns, axis=1), axis=0, return_counts=True)
        values = list(rows.T)  # sorted: the order of the units is forgotten
    many = counts >= _FREQUENT
    rare = [np.append(np.repeat(column[~many], counts[~many]), 0.0) for column in values]
    n_rare = len(rare[0]) - 1
    odds = np.append(counts[many], n_rare) / units
    sums = [np.empty(resamples) for _ in columns]
    step = max(1, _CHUNK // (n_rare + len(odds)))
    for start in range(0, resamples, step):
        part = slice(start, min(start + step, resamples))
        drawn = generator.multinomial(units, odds, size=part.stop - part.start)
        for total, column in zip(sums, values, strict=True):
            total[part] = drawn[:, :-1] @ column[many]
        if n_rare:
            ends = np.cumsum(drawn[:, -1])
            # 64-bit integers are drawn three times slower
            picked = generator.integers(0, n_rare, size=int(ends[-1]), dtype=np.uint32)
            picked = np.append(picked.astype(np.intp), n_rare)  # the zero: no segment is cut
            starts = ends - drawn[:, -1]
            for total, column in zip(sums, rare, strict=True):
                if (column[:-1] == 1).all():  # as questions weigh: the sum is their number
                    total[part] += drawn[:, -1]
                    continue
                segments = np.add.reduceat(column.take(picked), starts)
                total[part] += np.where(drawn[:, -1] > 0, segments, 0.0)
    return sums
