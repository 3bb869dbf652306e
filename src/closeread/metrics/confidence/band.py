"""Compute a pointwise confidence band of a risk-coverage curve.

The units of the metric are resampled as for its interval; in each resample its own surest answers
are taken up to the same coverage. The level holds for each point by itself, not for the whole
curve.
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

    If a coverage ends among answers of equal confidence, each of them counts as their average. If
    the answers of a point are all equally right, the band includes ``intervals.unseen_bounds``.

    Args:
        confidences: One per answer; None ranks last.
        correct: How right each answer is, 0 to 1.
        units: The unit of each answer; answers of one unit are drawn together.
        coverages: The coverages of the points, in (0, 1].
        resampling: Number of resamples, level, seed.
        name: The name of the random generator, so that its draws depend on no other number.
    """
    import numpy as np

    surest, ends, right, unit_of, members = _rank(confidences, correct, units)
    coverage_points = np.asarray(coverages, dtype=float)
    generator = resampling.generator(name)
    drawn = np.empty((resampling.resamples, len(coverage_points)))
    for row in range(resampling.resamples):
        picked = generator.integers(0, members, size=members, dtype=np.uint32)
        times = np.bincount(picked, minlength=members)[unit_of]
        drawn[row] = _means_at(times, right, ends, coverage_points)
    tail = (1 - resampling.level) / 2
    low, high = np.quantile(drawn, [tail, 1 - tail], axis=0)
    for index, share in enumerate(coverage_points):
        answered = surest[: max(1, round(share * len(right)))]
        answered_correct = right[: len(answered)]
        if answered_correct.min() == answered_correct.max():
            bounds = unseen_bounds(
                float(answered_correct[0]),
                len({units[answer_index] for answer_index in answered}),
                resampling.level,
            )
            low[index], high[index] = min(low[index], bounds[0]), max(high[index], bounds[1])
    return low, high


def _rank(
    confidences: Sequence[float | None], correct: Sequence[float], units: Sequence[str]
) -> "tuple[list[int], NDArray[Any], NDArray[Any], NDArray[Any], int]":
    """Rank the answers, the surest first.

    Returns:
        Their indices; where ties end; how right each is; the number of its unit; the number of
        units.
    """
    import numpy as np

    confidence = np.array(
        [
            -np.inf if confidence_or_none is None else confidence_or_none
            for confidence_or_none in confidences
        ],
        dtype=float,
    )
    order = np.argsort(-confidence, kind="stable")
    falling = confidence[order]
    (ends,) = np.nonzero(np.append(falling[1:] != falling[:-1], True))
    numbers = {unit: number for number, unit in enumerate(dict.fromkeys(units))}
    unit_of = np.array([numbers[unit] for unit in units], dtype=np.intp)[order]
    right = np.asarray(correct, dtype=float)[order]
    return order.tolist(), ends, right, unit_of, len(numbers)


def _means_at(
    times: "NDArray[Any]",
    right: "NDArray[Any]",
    ends: "NDArray[Any]",
    coverage_points: "NDArray[Any]",
) -> "NDArray[Any]":
    """Return the mean over the surest answers at each coverage, each counted ``times`` times."""
    import numpy as np

    counted = np.concatenate(([0], np.cumsum(times)[ends]))
    summed = np.concatenate(([0.0], np.cumsum(times * right)[ends]))
    n_covered = coverage_points * counted[-1]
    means: NDArray[Any] = np.interp(n_covered, counted, summed) / n_covered
    return means
