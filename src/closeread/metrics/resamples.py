"""Resample units: compute counts, sums and ratios of sums in many resamples at once.

Resampling n units with replacement is the same as drawing how often each *distinct* value occurs,
which is one multinomial draw. Values that many units share are therefore drawn as counts, and
only the others one by one. The distribution is exactly that of the ordinary bootstrap, and a 0/1
metric costs one binomial draw per resample instead of n.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

_COUNTED_FROM = 16  # for this many equal units or more, counting is cheaper than drawing
_CELLS = 2_000_000  # array cells in memory at a time
_CACHED_CELLS = 10_000  # the same if cells are read repeatedly and should stay in the cache


def draw_counts(
    unit_ids: Sequence[str], resamples: int, generator: "Generator"
) -> "Iterator[NDArray[Any]]":
    """Resample the units, and yield how often each item is drawn with its unit.

    Args:
        unit_ids: The unit of each item.
        resamples: The number of resamples.
        generator: The random generator.

    Yields:
        Counts of some resamples at a time, shape (some, items).
    """
    import numpy as np

    number = {unit: index for index, unit in enumerate(dict.fromkeys(unit_ids))}
    units = len(number)
    unit_of = np.array([number[unit] for unit in unit_ids]) if units < len(unit_ids) else None
    step = max(1, _CACHED_CELLS // len(unit_ids))
    for start in range(0, resamples, step):
        n_rows = min(step, resamples - start)
        picked = generator.integers(0, units, size=(n_rows, units))
        picked += units * np.arange(n_rows)[:, None]
        times = np.bincount(picked.ravel(), minlength=n_rows * units).reshape(n_rows, units)
        yield times if unit_of is None else times.take(unit_of, axis=1)


def resample_ratios(
    ratios: "Sequence[tuple[NDArray[Any], NDArray[Any]]]", resamples: int, generator: "Generator"
) -> "list[NDArray[Any]]":
    """Return ratios of sums in every resample of the units, each of shape (resamples,).

    Args:
        ratios: Numerators and denominators of each ratio, all of shape (units,).
        resamples: The number of resamples.
        generator: The random generator.

    Returns:
        One array per ratio; NaN where the denominators sum to zero.
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
        columns: One number per unit, all of shape (units,); a resample draws whole rows.
        resamples: The number of resamples.
        generator: The random generator.
    """
    import numpy as np

    units = len(columns[0])
    if len(columns) == 1:
        distinct, counts = np.unique(columns[0], return_counts=True)
        values = [distinct]
    else:
        rows, counts = np.unique(np.stack(columns, axis=1), axis=0, return_counts=True)
        values = list(rows.T)  # sorted, so the order of the units does not matter
    frequent = counts >= _COUNTED_FROM
    rare = [np.append(np.repeat(column[~frequent], counts[~frequent]), 0.0) for column in values]
    n_rare = len(rare[0]) - 1
    odds = np.append(counts[frequent], n_rare) / units
    sums = [np.empty(resamples) for _ in columns]
    step = max(1, _CELLS // (n_rare + len(odds)))
    for start in range(0, resamples, step):
        part = slice(start, min(start + step, resamples))
        drawn = generator.multinomial(units, odds, size=part.stop - part.start)
        for total, column in zip(sums, values, strict=True):
            total[part] = drawn[:, :-1] @ column[frequent]
        if n_rare:
            ends = np.cumsum(drawn[:, -1])
            # 64-bit integers are drawn three times slower
            picked = generator.integers(0, n_rare, size=int(ends[-1]), dtype=np.uint32)
            # with the appended zero, every segment starts inside the array
            picked = np.append(picked.astype(np.intp), n_rare)
            starts = ends - drawn[:, -1]
            for total, column in zip(sums, rare, strict=True):
                if (column[:-1] == 1).all():  # weights of questions: their sum is their number
                    total[part] += drawn[:, -1]
                    continue
                segments = np.add.reduceat(column.take(picked), starts)
                total[part] += np.where(drawn[:, -1] > 0, segments, 0.0)
    return sums
