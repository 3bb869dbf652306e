"""Scores of models against their general level: correlations, and clusters of stuck models."""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_FEW = 4
_UNLIKELY = 0.005


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """Models with nearly the same score at different general levels."""

    names: tuple[str, ...]
    low: float
    high: float
    level_low: float
    level_high: float


def find_cluster(points: Sequence[tuple[str, float, float]]) -> Cluster | None:
    """Return the largest group of models with nearly one score over a wide range of levels.

    A group is a run of neighbouring scores with these properties:

    - The scores span at most a quarter of the range of all scores.
    - It has four models or more, and a third of all models or more.
    - Its levels span half of the range of all levels or more, and so do the middle halves of both:
      a few outliers alone could span any range. (Where scores follow levels, a quarter of the
      scores spans a quarter of the levels.)
    - It has at least twice as many models as the other models' line predicts, and more than chance
      explains: if scores follow levels loosely, most are near the middle at any level.

    Args:
        points: Model, mean of the other benchmarks, score.
    """
    import numpy as np

    if len(points) < 2 * _FEW:
        return None
    by_score = sorted(points, key=lambda point: point[2])
    levels = [level for _, level, _ in points]
    min_level_range, min_middle_width = (
        (max(levels) - min(levels)) / 2,
        _middle_half_width(levels) / 2,
    )
    max_score_range = (by_score[-1][2] - by_score[0][2]) / 4
    columns = np.array([point[1:] for point in by_score])
    best: Cluster | None = None
    end = 0
    for start, (_, _, lowest) in enumerate(by_score):
        # Only the longest run from here matters: a shorter one has fewer models and levels.
        while end < len(by_score) and by_score[end][2] - lowest <= max_score_range:
            end += 1
        size = end - start
        if size < _FEW or 3 * size < len(points) or (best and len(best.names) >= size):
            continue
        run = by_score[start:end]
        levels_in_run = [level for _, level, _ in run]
        is_wide_enough = (
            max(levels_in_run) - min(levels_in_run) >= min_level_range
            and _middle_half_width(levels_in_run) >= min_middle_width
        )
        if is_wide_enough and _is_crowded(columns, start, end):
            best = Cluster(
                names=tuple(name for name, *_ in run), low=lowest, high=run[-1][2],
                level_low=min(levels_in_run), level_high=max(levels_in_run),
            )  # fmt: skip
    return best


def _is_crowded(columns: "NDArray[np.float64]", start: int, end: int) -> bool:
    """Whether a run of scores has more models than the regression line of the others predicts.

    Args:
        columns: Levels and scores of all models, by score.
        start: The run's first row.
        end: The row after its last. With too few other models the result is False.
    """
    import numpy as np
    from scipy.special import bdtrc, ndtr

    n, size = len(columns), end - start
    if n - size < _FEW:
        return False
    level, score = np.delete(columns, slice(start, end), axis=0).T
    level_deviations = level - level.mean()
    level_variation = level_deviations @ level_deviations
    slope = level_deviations @ score / level_variation if level_variation else 0.0
    predicted = score.mean() + slope * (columns[:, 0] - level.mean())
    residuals = score - np.delete(predicted, slice(start, end))
    # Even if all others are exactly on one line, the next model may not be.
    deviation = max(math.sqrt(residuals @ residuals / (n - size - 2)), 1e-6)
    low, high = columns[start, 1], columns[end - 1, 1]
    expected = float(
        np.sum(ndtr((high - predicted) / deviation) - ndtr((low - predicted) / deviation))
    )
    return size >= 2 * expected and bool(bdtrc(size - 1, n, expected / n) < _UNLIKELY)


def _middle_half_width(numbers: Sequence[float]) -> float:
    """Return the width of the middle half of some numbers."""
    ordered = sorted(numbers)
    end = len(ordered) - 1
    return ordered[round(0.75 * end)] - ordered[round(0.25 * end)]


def round_correlation(number: float | None) -> float | None:
    """Return a correlation with three decimals."""
    return None if number is None else round(number, 3)


def pearson_of(points: Sequence[tuple[str, float, float]]) -> float | None:
    """Return the correlation of level and score over models."""
    return pearson([point[1] for point in points], [point[2] for point in points])


def pearson(left: Sequence[float], right: Sequence[float]) -> float | None:
    """Return Pearson's correlation; None for fewer than three pairs or a constant side."""
    if len(left) < 3:
        return None
    a, b = math.fsum(left) / len(left), math.fsum(right) / len(right)
    covariance = math.fsum((x - a) * (y - b) for x, y in zip(left, right, strict=True))
    scale = math.sqrt(
        math.fsum((x - a) ** 2 for x in left) * math.fsum((y - b) ** 2 for y in right)
    )
    return covariance / scale if scale else None


def spearman(left: Sequence[float], right: Sequence[float]) -> float | None:
    """Return Spearman's rank correlation; None in the same cases as Pearson's."""
    return pearson(ranks(left), ranks(right))


def ranks(numbers: Sequence[float]) -> list[float]:
    """Return the ranks from 1; equal numbers share the mean of their ranks."""
    order = sorted(numbers)
    ranks = {number: (bisect_left(order, number) + bisect_right(order, number) + 1) / 2
             for number in numbers}  # fmt: skip
    return [ranks[number] for number in numbers]
