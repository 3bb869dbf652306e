"""The score over the questions answered, as the least sure ones are declined one by one."""

from collections.abc import Iterable
from typing import NamedTuple

from closeread.metrics.confidence.band import band
from closeread.metrics.intervals import Resampling

_POINTS = 200
_FEWEST = 10
_FEWEST_KINDS = 3  # of confidences: fewer leave nothing to decline by


class Judged(NamedTuple):
    """A question that was judged: how sure its answer is, how right, and its unit."""

    confidence: float | None
    value: float
    unit: str


class Point(NamedTuple):
    """The mean value where a share of the questions is answered, and its band (None for none)."""

    coverage: float
    value: float
    low: float | None
    high: float | None


def curve(judged: Iterable[Judged], resampling: Resampling | None, name: str) -> list[Point]:
    """Return the curve, thinned; none where confidences are too few or too much alike.

    A question without confidence is never answered. A point stands only where equally sure answers
    end.

    Args:
        judged: Every question that was judged, in the data set's order.
        resampling: How the band is made; None for none.
        name: Names the band's draws.
    """
    told = sorted(
        judged, key=lambda one: float("inf") if one.confidence is None else -one.confidence
    )
    sure = [one.confidence for one in told if one.confidence is not None]
    if len(sure) < _FEWEST or len(set(sure)) < _FEWEST_KINDS:
        return []
    found, total = [], 0.0
    for number, one in enumerate(told[: len(sure)], 1):
        total += one.value
        tied = number < len(sure) and sure[number] == one.confidence
        if not tied and number >= max(3, len(sure) // 50):
            found.append((number / len(told), total / number))
    step = max(1, len(found) // _POINTS)
    found = found[::-step][::-1]
    if resampling is None:
        return [Point(coverage, value, None, None) for coverage, value in found]
    low, high = band(
        [one.confidence for one in told],
        [one.value for one in told],
        [one.unit for one in told],
        [coverage for coverage, _ in found],
        resampling=resampling,
        name=name,
    )
    bounds = zip(found, low.tolist(), high.tolist(), strict=True)
    return [Point(*point, *between) for point, *between in bounds]
