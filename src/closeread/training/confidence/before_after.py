"""Compares confidences before and after calibration, with paired bootstrap intervals."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from closeread.metrics.confidence.calibration import (
    ConfidenceGroups,
    brier,
    calibrated_correctness,
)
from closeread.metrics.confidence.resampled_curve import RankedAnswers
from closeread.metrics.intervals import farther_bounds, unseen_share
from closeread.metrics.resamples import draw_counts
from closeread.metrics.selective import aurc, coverage_at, curve, extremes
from closeread.protocols import Advance, uncounted
from closeread.summation import ROUNDING

Numbers = NDArray[np.float64]
Interval = tuple[float, float]
Measures = dict[str, float | None]
_CHANCE_ECE = "ece by chance"


@dataclass(frozen=True, kw_only=True)
class Change:
    """A measure before and after calibration; None where it is undefined.

    Attributes:
        before: The value for the reader's own confidences.
        after: The value for the calibrated confidences.
        before_interval: Percentile bootstrap over passages; for the ECE as ``_ece_interval``.
        after_interval: The same for the calibrated confidences.
        difference: Interval of after minus before, on the same resamples; for the ECE as
            ``_ece_difference``. If the resamples of one side all agree, it is widened by that
            side's bounds for unseen passages. None if the difference is the same in all resamples.
    """

    before: float | None
    after: float | None
    before_interval: Interval | None = None
    after_interval: Interval | None = None
    difference: Interval | None = None


def measure_changes(
    passages: Sequence[str],
    own: Sequence[float | None],
    calibrated: Sequence[float],
    correct: Sequence[bool],
    *,
    resamples: int,
    level: float,
    seed: int,
    advance: Advance = uncounted,
) -> dict[str, Change]:
    """Return ECE, Brier, AUROC, AURC and coverage at 80 and 90 percent accuracy, by name.

    ECE and Brier are None for confidences that are not probabilities; every value before
    calibration is None if the reader gives no confidences. A single answer without one ranks last.

    Args:
        passages: The passage of each answer, as the unit of resampling.
        own: The reader's confidence in each answer.
        calibrated: The calibrator's.
        correct: Whether each answer is right.
        resamples: How many; 0 for no intervals.
        level: The confidence level of the intervals, between 0 and 1.
        seed: The seed of the resamples.
        advance: Called with the number of resamples measured since the last call.
    """
    right = np.array(correct, dtype=float)
    known = np.array([np.nan if value is None else value for value in own], dtype=float)
    n_passages = len(set(passages))
    before = _Confidences(known, right, n_passages, level)
    after = _Confidences(np.array(calibrated, dtype=float), right, n_passages, level)
    counts = draw_counts(passages, resamples, np.random.default_rng(seed)) if resamples else ()
    parts = [np.zeros((2, len(_COLUMNS), 0))]
    for times in counts:
        parts.append(np.stack([side.measure_resamples(times) for side in (before, after)]))
        advance(len(times))
    drawn = np.concatenate(parts, axis=2)
    return {name: _change(name, before, after, drawn) for name in MEASURES}


class _Confidences:
    """Measures of confidences, over all answers and over resamples of them."""

    def __init__(self, confidences: Numbers, right: Numbers, n_passages: int, level: float) -> None:
        self._confidences, self._right = confidences, right
        self._n_passages, self.level = n_passages, level
        self._known = ~np.isnan(confidences)
        self._squares = (confidences - right) ** 2
        ranked = _rankable(confidences)
        self._groups = ConfidenceGroups(ranked)
        order = np.argsort(-ranked, kind="stable")
        self._ranked = RankedAnswers(order, right[order])
        self.values = self._measure_all()
        self._as_if_calibrated = None
        if self.values["ece"] is not None:
            self._as_if_calibrated = calibrated_correctness(confidences, right)  # type: ignore[arg-type]

    def _measure_all(self) -> Measures:
        if not self._known.any():
            return dict.fromkeys(MEASURES)
        confidences, right = self._confidences, self._right
        are_probabilities = self._known.all() and confidences.min() >= 0 and confidences.max() <= 1
        points = curve(_rankable(confidences).tolist(), right.tolist())
        values: dict[str, float | None] = {
            "ece": self._groups.calibration_error(right) if are_probabilities else None,
            "brier": brier(confidences, right) if are_probabilities else None,  # type: ignore[arg-type]
            "auroc": self._groups.auroc(right),
        }
        return values | {name: measure(*points) for name, measure in _CURVE_MEASURES.items()}

    def measure_resamples(self, times: "NDArray[Any]") -> Numbers:
        """Return every measure of some resamples, and the ECE that each would have by chance alone.

        A measure that a resample does not have is NaN, as are all if it has no known confidence.

        Args:
            times: How often each answer is drawn, (resamples, answers).

        Returns:
            Shape (columns, resamples).
        """
        curves = self._ranked.resampled(times)
        columns = {
            "auroc": [self._groups.auroc(self._right, row) for row in times],
            "aurc": self._ranked.areas(curves),
            "coverage@80": self._ranked.coverages(0.80, curves),
            "coverage@90": self._ranked.coverages(0.90, curves),
        }
        if self._as_if_calibrated is not None:
            columns |= {
                "ece": [self._groups.calibration_error(self._right, row) for row in times],
                "brier": (times * self._squares).sum(axis=1) / times.sum(axis=1),
                _CHANCE_ECE: [
                    self._groups.calibration_error(self._as_if_calibrated, row) for row in times
                ],
            }
        missing = np.full(len(times), np.nan)
        measures = np.array([columns.get(name, missing) for name in _COLUMNS], dtype=float)
        measures[:, ~times[:, self._known].any(axis=1)] = np.nan
        return measures

    def interval(self, name: str, drawn: Numbers) -> Interval | None:
        """Return the interval of a measure; None without resamples, or without spread in them.

        Args:
            name: The measure.
            drawn: The measures of the resamples, shape (columns, resamples).
        """
        value, resampled = self.values[name], _finite(drawn[_COLUMNS.index(name)])
        if value is None or not len(resampled):
            return None
        tail = (1 - self.level) / 2
        if name == "ece":
            return _ece_interval(value, resampled, drawn[_COLUMNS.index(_CHANCE_ECE)], tail)
        return _percentile_interval(resampled, tail) or self._unseen_interval(name)

    def unseen_margins(self, name: str, drawn: Numbers) -> Interval | None:
        """Return how far below and above its value a measure may lie due to unseen passages.

        (0, 0) if the resamples differ, and so show the spread; None if they agree and no bound for
        unseen passages is known.
        """
        if _percentile_interval(_finite(drawn[_COLUMNS.index(name)]), (1 - self.level) / 2):
            return 0.0, 0.0
        value, bound = self.values[name], self._unseen_interval(name)
        return None if value is None or bound is None else (value - bound[0], bound[1] - value)

    def _unseen_interval(self, name: str) -> Interval | None:
        if name not in _CURVE_MEASURES:
            return None
        points = curve(_rankable(self._confidences).tolist(), self._right.tolist())
        return extremes(_CURVE_MEASURES[name], *points, unseen_share(self._n_passages, self.level))


def _change(name: str, before: _Confidences, after: _Confidences, drawn: Numbers) -> Change:
    value_before, value_after = before.values[name], after.values[name]
    column, tail = _COLUMNS.index(name), (1 - after.level) / 2
    differences = _finite(drawn[1, column] - drawn[0, column])
    difference = None
    if value_before is not None and value_after is not None and len(differences):
        if name == "ece":
            difference = _ece_difference((value_before, value_after), drawn, tail)
        elif np.ptp(differences) > ROUNDING:
            difference = _widen(
                _quantiles(differences, tail),
                before.unseen_margins(name, drawn[0]),
                after.unseen_margins(name, drawn[1]),
            )
    return Change(
        before=value_before,
        after=value_after,
        before_interval=before.interval(name, drawn[0]),
        after_interval=after.interval(name, drawn[1]),
        difference=difference,
    )


def _widen(
    difference: Interval, before: Interval | None, after: Interval | None
) -> Interval | None:
    """Widen an interval of after minus before by the margins below and above each of them."""
    if before is None or after is None:
        return None
    return difference[0] - before[1] - after[0], difference[1] + before[0] + after[1]


def _finite(drawn: Numbers) -> Numbers:
    """Return the finite values: a resample of right answers alone, for one, has no AUROC."""
    return drawn[np.isfinite(drawn)]


def _quantiles(drawn: Numbers, tail: float) -> Interval:
    low, high = np.quantile(drawn, [tail, 1 - tail])
    return float(low), float(high)


def _percentile_interval(drawn: Numbers, tail: float) -> Interval | None:
    """Return the percentiles at both tails; None if they are equal."""
    low, high = _quantiles(drawn, tail)
    return (low, high) if high - low > ROUNDING else None


def _ece_interval(value: float, drawn: Numbers, chance: Numbers, tail: float) -> Interval:
    """Return the interval of an ECE, which always contains the value itself.

    The ECE is biased upwards: chance moves each bin up or down, and both raise the ECE. So the
    percentiles of resamples lie above the value and far above the true ECE. The lower bound is
    therefore the value minus an upper quantile of the ECE by chance (0 if calibrated confidences
    could show as much), the upper bound the basic bootstrap's (Davison and Hinkley 1997, section
    5.2).
    """
    low = value - float(np.quantile(chance, 1 - tail))
    high = 2 * value - float(np.quantile(drawn, tail))
    return max(0.0, low), min(1.0, max(value, high))


def _ece_difference(values: Interval, drawn: Numbers, tail: float) -> Interval:
    """Return the interval of the second ECE minus the first, which always contains the difference.

    Chance adds more to an ECE the smaller the true one is, and so biases every difference towards
    0. The interval is that of the difference of the corrected ECEs, with the farther bounds of the
    percentile and the basic bootstrap, within -1 and 1.

    Args:
        values: Both ECEs.
        drawn: The measures of the resamples, shape (2, columns, resamples).
        tail: The share cut off at each end.
    """
    column, chance = _COLUMNS.index("ece"), _COLUMNS.index(_CHANCE_ECE)
    (first, first_resampled), (second, second_resampled) = (
        _subtract_chance(value, side[column], side[chance])
        for value, side in zip(values, drawn, strict=True)
    )
    differences = _finite(second_resampled - first_resampled)
    low, high = farther_bounds(second - first, _quantiles(differences, tail))
    observed = values[1] - values[0]
    return max(-1.0, min(low, observed)), min(1.0, max(high, observed))


def _subtract_chance(value: float, drawn: Numbers, chance: Numbers) -> tuple[float, Numbers]:
    """Return an ECE and its resamples without the part that chance adds.

    Squares are subtracted. A resample contains that part twice: from the sample, and its own.
    """
    added = float(np.mean(_finite(chance) ** 2))
    corrected: Numbers = np.sqrt(np.maximum(0.0, drawn**2 - 2 * added))
    return max(0.0, value**2 - added) ** 0.5, corrected


def _rankable(confidences: Numbers) -> Numbers:
    """Replace missing confidences by minus infinity, so that they rank last."""
    return np.where(np.isnan(confidences), -np.inf, confidences)


_CURVE_MEASURES: dict[str, Callable[[NDArray[Any], NDArray[Any]], float]] = {
    "aurc": aurc,
    "coverage@80": partial(coverage_at, 0.80),
    "coverage@90": partial(coverage_at, 0.90),
}
MEASURES = ("ece", "brier", "auroc", "aurc", "coverage@80", "coverage@90")
_COLUMNS = (*MEASURES, _CHANCE_ECE)  # values per resample
