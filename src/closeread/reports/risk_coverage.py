"""Computes the score of answered questions as the least confident answers are withheld."""

from collections.abc import Iterable
from typing import NamedTuple

from closeread.metrics.confidence.band import band
from closeread.metrics.intervals import Resampling

_POINTS = 200
_MIN_CONFIDENCES = 10
_MIN_DISTINCT = 3  # fewer distinct confidences cannot rank answers


class JudgedQuestion(NamedTuple):
    """A judged question: the confidence of its answer, its value, and its unit."""

    confidence: float | None
    value: float
    unit: str


class Point(NamedTuple):
    """The mean value at a coverage, and its band (None for none)."""

    coverage: float
    value: float
    low: float | None
    high: float | None


def risk_coverage_curve(
    judged: Iterable[JudgedQuestion], resampling: Resampling | None, name: str
) -> list[Point]:
    """Return the thinned curve; empty if there are too few distinct confidences.

    A question without confidence is never answered. Answers of equal confidence share a point.

    Args:
        judged: Every judged question, in the data set's order.
        resampling: The band's resampling; None for no band.
        name: Seeds the band's draws.
    """
    ordered = sorted(
        judged, key=lambda one: float("inf") if one.confidence is None else -one.confidence
    )
    sure = [one.confidence for one in ordered if one.confidence is not None]
    if len(sure) < _MIN_CONFIDENCES or len(set(sure)) < _MIN_DISTINCT:
        return []
    found, total = [], 0.0
    for number, one in enumerate(ordered[: len(sure)], 1):
        total += one.value
        tied = number < len(sure) and sure[number] == one.confidence
        if not tied and number >= max(3, len(sure) // 50):
            found.append((number / len(ordered), total / number))
    step = max(1, len(found) // _POINTS)
    found = found[::-step][::-1]
    if resampling is None:
        return [Point(coverage, value, None, None) for coverage, value in found]
    low, high = band(
        [one.confidence for one in ordered],
        [one.value for one in ordered],
        [one.unit for one in ordered],
        [coverage for coverage, _ in found],
        resampling=resampling,
        name=name,
    )
    bounds = zip(found, low.tolist(), high.tolist(), strict=True)
    return [Point(*point, *between) for point, *between in bounds]
