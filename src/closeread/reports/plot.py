"""Defines a plot as numbers, and the interval of a mean that reports compute themselves."""

import math
from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from closeread.metrics.intervals import Resampling, interval
from closeread.metrics.pools import sum_by_unit
from closeread.protocols import Pool
from closeread.reports.material import Share

# Of fractions in a page: with four, 0.12546 would be 12.6 % there and 12.5 % elsewhere.
DIGITS = 6
# For intervals that a report computes itself, which are only drawn.
RESAMPLING = Resampling(resamples=1_000)


class Plot(msgspec.Struct, frozen=True, kw_only=True):
    """One plot: its kind, the question that it answers, and its numbers.

    Attributes:
        title: The key of the title's words; ``params`` fills them in.
        data: The input of this kind's drawing, parallel to the page's ``DRAWINGS``.
        numbers: The same as a table, headings first.
    """

    kind: Literal["dots", "curve", "ranks", "square"]
    title: str
    params: dict[str, str] = {}
    data: dict[str, Any]
    numbers: list[list[str]]

    def flatten(self) -> dict[str, Any]:
        """Return everything as one flat object, for the page."""
        return {
            "kind": self.kind,
            "title": self.title,
            "params": self.params,
            "numbers": self.numbers,
        } | self.data


def mean_interval(
    name: str, contributions: Sequence[Share], resampling: Resampling | None
) -> tuple[float, float | None, float | None]:
    """Return a mean with the bounds that scoring would give it, or None for each bound.

    Args:
        name: Seeds the draws: the same name and units give the same bounds.
        contributions: Each question's contribution; at least one.
        resampling: The run's resampling; None for no interval.
    """
    unit_ids, (numerators, denominators) = sum_by_unit(
        [contribution.unit for contribution in contributions],
        [contribution.value * contribution.parts for contribution in contributions],
        [contribution.parts for contribution in contributions],
    )
    n_judged = len(contributions)
    pool = Pool(
        metric=name,
        unit_ids=unit_ids,
        numerators=numerators,
        denominators=denominators,
        n_questions=n_judged,
        n_scored=n_judged,
        n_answered=n_judged,
    )
    mean = math.fsum(numerators) / math.fsum(denominators)
    if resampling is None:
        return mean, None, None
    bounds = interval(pool, resampling)
    return mean, bounds.low, bounds.high


def percent(value: float | None) -> str:
    """Return a fraction as percent with one decimal; empty for None."""
    return "" if value is None else f"{value * 100:.1f}"
