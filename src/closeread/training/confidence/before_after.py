"""What confidences are worth before and after calibration, with paired intervals by passage."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from closeread.metrics.confidence.calibration import (
    auroc,
    brier,
    calibrated_correctness,
    calibration_error,
)
from closeread.metrics.intervals import farther_bounds, unseen_share
from closeread.metrics.selective import aurc, coverage_at, curve, extremes
from closeread.summation import ROUNDING

Numbers = NDArray[np.float64]
Interval = tuple[float, float]
Measures = dict[str, float | None]
_CHANCE_ECE = "ece by chance"


@dataclass(frozen=True, kw_only=True)
class Change:
    """One number before and after; None where it cannot be told.

    Attributes:
        before: Of the reader's own confidences.
        after: Of the calibrator's.
        before_interval: Percentile bootstrap over passages, as the two below; of an ECE what
            ``_ece_interval`` and ``_ece_difference`` make of it.
        difference: After minus before, on the same resamples, and as much farther as the one side
            may lie whose own resamples all agree; None where no difference differs.
    """

    before: float | None
    after: float | None
    before_interval: Interval | None = None
    after_interval: Interval | None = None
    difference: Interval | None = None


def measure_changes(
    parts: Sequence[str],
    told: Sequence[float | None],
    found: Sequence[float],
    correct: Sequence[bool],
    *,
    resamples: int,
    level: float,
    seed: int,
) -> dict[str, Change]:
    """Return ECE, Brier, AUROC, AURC and coverage at 80 and 90 percent accuracy.

    ECE and Brier of confidences that are no probabilities, and all numbers before where the reader
    tells no confidence, are None. A single answer without one is the least sure.

    Args:
        parts: The passage of each answer: what is resampled.
        told: The reader's confidence.
        found: The calibrator's.
        correct: Whether it is right.
        resamples: How many; 0 for no intervals.
        level: Of the intervals.
        seed: Of the resamples.
    """
    right = np.array(correct, dtype=float)
    own = np.array([np.nan if one is None else one for one in told], dtype=float)
    many = len(set(parts))
    before = _Confidences(own, right, many, level)
    after = _Confidences(np.array(found, dtype=float), right, many, level)
    drawn = np.empty((2, len(_COLUMNS), resamples))
    for number, places in enumerate(_iter_resamples(parts, resamples, seed)):
        drawn[0, :, number], drawn[1, :, number] = (
            before.measure_resample(places),
            after.measure_resample(places),
        )
    return {name: _change(name, before, after, drawn) for name in MEASURES}


class _Confidences:
    """Confidences with what they are worth, over all answers and over resamples of them."""

    def __init__(self, sure: Numbers, right: Numbers, parts: int, level: float) -> None:
        self._sure, self._right, self._parts, self.level = sure, right, parts, level
        self.whole = _measure(sure, right)
        self._honest = None if self.whole["ece"] is None else calibrated_correctness(sure, right)  # type: ignore[arg-type]

    def measure_resample(self, places: "NDArray[np.intp]") -> list[float]:
        """Return every measure of a resample, and what chance alone makes of its ECE."""
        sure = self._sure[places]
        chance = None
        if self._honest is not None:
            chance = calibration_error(sure, self._honest[places])  # type: ignore[arg-type]
        found = _measure(sure, self._right[places]) | {_CHANCE_ECE: chance}
        return [np.nan if (one := found[name]) is None else one for name in _COLUMNS]

    def interval(self, name: str, drawn: Numbers) -> Interval | None:
        """Return the interval of a measure; None without resamples, or without spread in them.

        Args:
            name: Of the measure.
            drawn: What resamples give, shape (columns, resamples).
        """
        value, found = self.whole[name], _finite(drawn[_COLUMNS.index(name)])
        if value is None or not len(found):
            return None
        tail = (1 - self.level) / 2
        if name == "ece":
            return _ece_interval(value, found, drawn[_COLUMNS.index(_CHANCE_ECE)], tail)
        return _percentile_interval(found, tail) or self._unseen_interval(name)

    def unseen_margins(self, name: str, drawn: Numbers) -> Interval | None:
        """Return how far below and above a measure may lie that its resamples do not show.

        Nothing where they differ; None where they agree and nobody can tell.
        """
        if _percentile_interval(_finite(drawn[_COLUMNS.index(name)]), (1 - self.level) / 2):
            return 0.0, 0.0
        value, bound = self.whole[name], self._unseen_interval(name)
        return None if value is None or bound is None else (value - bound[0], bound[1] - value)

    def _unseen_interval(self, name: str) -> Interval | None:
        if name not in _CURVE_MEASURES:
            return None
        points = curve(_rankable(self._sure).tolist(), self._right.tolist())
        return extremes(_CURVE_MEASURES[name], *points, unseen_share(self._parts, self.level))


def _change(name: str, before: _Confidences, after: _Confidences, drawn: Numbers) -> Change:
    one, two = before.whole[name], after.whole[name]
    column, tail = _COLUMNS.index(name), (1 - after.level) / 2
    apart = _finite(drawn[1, column] - drawn[0, column])
    difference = None
    if one is not None and two is not None and len(apart):
        if name == "ece":
            difference = _ece_difference((one, two), drawn, tail)
        elif np.ptp(apart) > ROUNDING:
            sides = before.unseen_margins(name, drawn[0]), after.unseen_margins(name, drawn[1])
            difference = _widened(_quantiles(apart, tail), *sides)
    return Change(
        before=one,
        after=two,
        before_interval=before.interval(name, drawn[0]),
        after_interval=after.interval(name, drawn[1]),
        difference=difference,
    )


def _widened(apart: Interval, first: Interval | None, second: Interval | None) -> Interval | None:
    """Return an interval of second less first, moved by what either may lie below and above."""
    if first is None or second is None:
        return None
    return apart[0] - first[1] - second[0], apart[1] + first[0] + second[1]


def _finite(drawn: Numbers) -> Numbers:
    """Return the values that there are: of right answers alone there is no AUROC."""
    return drawn[np.isfinite(drawn)]


def _quantiles(drawn: Numbers, tail: float) -> Interval:
    low, high = np.quantile(drawn, [tail, 1 - tail])
    return float(low), float(high)


def _percentile_interval(drawn: Numbers, tail: float) -> Interval | None:
    """Return the percentiles; None where they do not differ."""
    low, high = _quantiles(drawn, tail)
    return (low, high) if high - low > ROUNDING else None


def _ece_interval(value: float, drawn: Numbers, chance: Numbers, tail: float) -> Interval:
    """Return the interval of an ECE, which always holds the value itself.

    Chance moves each bin one way or the other and the ECE up both times, so that the percentiles of
    resamples lie above the value and far above the truth. Downwards it is therefore off by what
    chance can move the bins by all together (nothing is left where honest confidences could show
    as much), upwards by the basic bootstrap (Davison and Hinkley 1997, section 5.2).
    """
    low = value - float(np.quantile(chance, 1 - tail))
    high = 2 * value - float(np.quantile(drawn, tail))
    return max(0.0, low), min(1.0, max(value, high))


def _ece_difference(values: Interval, drawn: Numbers, tail: float) -> Interval:
    """Return the interval of the second ECE less the first, which always holds the difference.

    Chance adds to an ECE the more, the smaller the true one is, and so draws every difference
    towards none. What is left without it is nearly free of that; of its percentile and its basic
    bootstrap the farther bounds, as far as two ECEs can be apart.

    Args:
        values: Both ECEs.
        drawn: What resamples give, shape (2, columns, resamples).
        tail: What is cut off at either end.
    """
    column, chance = _COLUMNS.index("ece"), _COLUMNS.index(_CHANCE_ECE)
    (one, ones), (two, twos) = (
        _without_chance(value, side[column], side[chance])
        for value, side in zip(values, drawn, strict=True)
    )
    low, high = farther_bounds(two - one, _quantiles(_finite(twos - ones), tail))
    moved = values[1] - values[0]
    return max(-1.0, min(low, moved)), min(1.0, max(high, moved))


def _without_chance(value: float, drawn: Numbers, chance: Numbers) -> tuple[float, Numbers]:
    """Return an ECE and its resamples less what chance adds: in squares, to a resample twice."""
    added = float(np.mean(_finite(chance) ** 2))
    without: Numbers = np.sqrt(np.maximum(0.0, drawn**2 - 2 * added))
    return max(0.0, value**2 - added) ** 0.5, without


def _iter_resamples(parts: Sequence[str], resamples: int, seed: int) -> Iterator[NDArray[np.intp]]:
    of: dict[str, list[int]] = {}
    for place, part in enumerate(parts):
        of.setdefault(part, []).append(place)
    groups = [np.array(places) for places in of.values()]
    draw = np.random.default_rng(seed)
    for _ in range(resamples):
        drawn = [groups[at] for at in draw.integers(len(groups), size=len(groups))]
        yield np.sort(np.concatenate(drawn))  # the file's order ranks equally sure answers


def _rankable(sure: Numbers) -> Numbers:
    """Return confidences that can be ranked: one that is missing is less than any."""
    return np.where(np.isnan(sure), -np.inf, sure)


def _measure(sure: Numbers, right: Numbers) -> Measures:
    missing = np.isnan(sure)
    if missing.all():
        return dict.fromkeys(MEASURES)
    probable = not missing.any() and sure.min() >= 0 and sure.max() <= 1
    ranked = _rankable(sure)
    points = curve(ranked.tolist(), right.tolist())
    found: dict[str, Callable[[], float | None]] = {
        "ece": lambda: calibration_error(sure, right) if probable else None,  # type: ignore[arg-type]
        "brier": lambda: brier(sure, right) if probable else None,  # type: ignore[arg-type]
        "auroc": lambda: auroc(ranked, right),  # type: ignore[arg-type]
    } | {name: partial(read, *points) for name, read in _CURVE_MEASURES.items()}
    return {name: found[name]() for name in MEASURES}


_CURVE_MEASURES: dict[str, Callable[[NDArray[Any], NDArray[Any]], float]] = {
    "aurc": aurc,
    "coverage@80": partial(coverage_at, 0.80),
    "coverage@90": partial(coverage_at, 0.90),
}
MEASURES = ("ece", "brier", "auroc", "aurc", "coverage@80", "coverage@90")
_COLUMNS = (*MEASURES, _CHANCE_ECE)  # of every resample
