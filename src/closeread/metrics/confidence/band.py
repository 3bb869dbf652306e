"""How sure each point of a risk-coverage curve is: a band, point by point.

The units of the metric are resampled as for its interval; in each resample its own surest answers
are taken up to the same coverage. Each point by itself lies in its bounds as often as the level
says; that the whole curve lies in the band is less sure.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from closeread.metrics.intervals import Resampling, unseen_bounds

if TYPE_CHECKING:
    from numpy.typing import NDArray


def band(
    confidences: Sequence[float | None],
    correct: Sequence[float],
    units: Sequence[str],
    coverages: Sequence[float],
    *,
    resampling: Resampling,
    name: str,
) -> "tuple[NDArray[Any], NDArray[Any]]":
    """Return the lower and the upper bound of the mean at each coverage, both (coverages,).

    Where a coverage ends among equally sure answers, these count as right as they are on the
    average. Where the answers of a point are all alike the bound of what may have gone unseen is
    taken in too (``intervals.unseen_bounds``).

    Args:
        confidences: One an answer; None is less sure than any.
        correct: How right each is, 0 to 1.
        units: What each belongs to: answers of one unit are drawn together.
        coverages: Where the curve is read, in (0, 1].
        resampling: How many resamples, which level, which seed.
        name: Names the draws, so that no other number moves them.
    """
    import numpy as np

    surest, ends, right, unit_of, members = _ranked(confidences, correct, units)
    across = np.asarray(coverages, dtype=float)
    generator = resampling.generator(name)
    drawn = np.empty((resampling.resamples, len(across)))
    for row in range(resampling.resamples):
        picked = generator.integers(0, members, size=members, dtype=np.uint32)
        times = np.bincount(picked, minlength=members)[unit_of]
        drawn[row] = _read(times, right, ends, across)
    tail = (1 - resampling.level) / 2
    low, high = np.quantile(drawn, [tail, 1 - tail], axis=0)
    for place, share in enumerate(across):
        answered = surest[: max(1, round(share * len(right)))]
        found = right[: len(answered)]
        if found.min() == found.max():
            bounds = unseen_bounds(
                float(found[0]), len({units[at] for at in answered}), resampling.level
            )
            low[place], high[place] = min(low[place], bounds[0]), max(high[place], bounds[1])
    return low, high


def _ranked(
    confidences: Sequence[float | None], correct: Sequence[float], units: Sequence[str]
) -> "tuple[list[int], NDArray[Any], NDArray[Any], NDArray[Any], int]":
    """Return the answers' places, the surest first; where equally sure ones end; and the rest.

    That is how right each of them is, the number of its unit, and how many units there are.
    """
    import numpy as np

    sure = np.array([-np.inf if one is None else one for one in confidences], dtype=float)
    order = np.argsort(-sure, kind="stable")
    falling = sure[order]
    (ends,) = np.nonzero(np.append(falling[1:] != falling[:-1], True))
    numbers = {unit: number for number, unit in enumerate(dict.fromkeys(units))}
    unit_of = np.array([numbers[unit] for unit in units], dtype=np.intp)[order]
    right = np.asarray(correct, dtype=float)[order]
    return order.tolist(), ends, right, unit_of, len(numbers)


def _read(
    times: "NDArray[Any]", right: "NDArray[Any]", ends: "NDArray[Any]", across: "NDArray[Any]"
) -> "NDArray[Any]":
    """Return the mean over the surest at each coverage, every answer counted so many times."""
    import numpy as np

    counted = np.concatenate(([0], np.cumsum(times)[ends]))
    summed = np.concatenate(([0.0], np.cumsum(times * right)[ends]))
    wanted = across * counted[-1]
    found: NDArray[Any] = np.interp(wanted, counted, summed) / wanted
    return found
