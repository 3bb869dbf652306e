"""Computes the score of answered questions as the least confident answers are withheld."""

from collections.abc import Iterable
from typing import NamedTuple

from closeread.metrics.confidence.band import band
from closeread.metrics.intervals import Resampling

_MAX_POINTS = 200
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
        judged,
        key=lambda question: float("inf") if question.confidence is None else -question.confidence,
    )
    confidences = [question.confidence for question in ordered if question.confidence is not None]
    if len(confidences) < _MIN_CONFIDENCES or len(set(confidences)) < _MIN_DISTINCT:
        return []
    points, total = [], 0.0
    for n_answered, question in enumerate(ordered[: len(confidences)], 1):
        total += question.value
        is_tied = n_answered < len(confidences) and confidences[n_answered] == question.confidence
        if not is_tied and n_answered >= max(3, len(confidences) // 50):
            points.append((n_answered / len(ordered), total / n_answered))
    step = max(1, len(points) // _MAX_POINTS)
    points = points[::-step][::-1]
    if resampling is None:
        return [Point(coverage, value, None, None) for coverage, value in points]
    low, high = band(
        [question.confidence for question in ordered],
        [question.value for question in ordered],
        [question.unit for question in ordered],
        [coverage for coverage, _ in points],
        resampling=resampling,
        name=name,
    )
    bounds = zip(points, low.tolist(), high.tolist(), strict=True)
    return [Point(*point, *bounds_of_point) for point, *bounds_of_point in bounds]
