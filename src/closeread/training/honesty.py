"""What confidences are worth before and after calibration, with paired intervals by passage."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from closeread.metrics.calibration import auroc, brier, calibration_error
from closeread.metrics.selective import aurc, coverage_at, curve

Numbers = NDArray[np.float64]
Interval = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class Change:
    """One number before and after; None where it cannot be told.

    Attributes:
        before: Of the reader's own confidences.
        after: Of the calibrator's.
        before_interval: Percentile bootstrap over passages, as the two below.
        difference: After minus before, on the same resamples.
    """

    before: float | None
    after: float | None
    before_interval: Interval | None = None
    after_interval: Interval | None = None
    difference: Interval | None = None


def changes(
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
    after = np.array(found, dtype=float)
    before = np.array([np.nan if one is None else one for one in told], dtype=float)
    whole = _measured(before, right), _measured(after, right)
    drawn = [
        (_measured(before[places], right[places]), _measured(after[places], right[places]))
        for places in _resampled(parts, resamples, seed)
    ]
    tail = (1 - level) / 2

    def interval(values: list[float | None]) -> Interval | None:
        numbers = [one for one in values if one is not None]
        if len(numbers) < max(1, len(values)):
            return None
        low, high = np.quantile(numbers, [tail, 1 - tail])
        return float(low), float(high)

    return {
        name: Change(
            before=whole[0][name],
            after=whole[1][name],
            before_interval=interval([one[name] for one, _ in drawn]),
            after_interval=interval([two[name] for _, two in drawn]),
            difference=interval([_less(two[name], one[name]) for one, two in drawn]),
        )
        for name in MEASURES
    }


def _less(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one - other


def _resampled(parts: Sequence[str], resamples: int, seed: int) -> Iterator[NDArray[np.intp]]:
    of: dict[str, list[int]] = {}
    for place, part in enumerate(parts):
        of.setdefault(part, []).append(place)
    groups = [np.array(places) for places in of.values()]
    draw = np.random.default_rng(seed)
    for _ in range(resamples):
        yield np.concatenate([groups[at] for at in draw.integers(len(groups), size=len(groups))])


def _measured(sure: Numbers, right: Numbers) -> dict[str, float | None]:
    missing = np.isnan(sure)
    if missing.all():
        return dict.fromkeys(MEASURES)
    probable = not missing.any() and sure.min() >= 0 and sure.max() <= 1
    ranked = np.where(missing, -np.inf, sure)
    points = curve(ranked.tolist(), right.tolist())
    found: dict[str, Callable[[], float | None]] = {
        "ece": lambda: calibration_error(sure, right) if probable else None,  # type: ignore[arg-type]
        "brier": lambda: brier(sure, right) if probable else None,  # type: ignore[arg-type]
        "auroc": lambda: auroc(ranked, right),  # type: ignore[arg-type]
        "aurc": lambda: aurc(*points),
        "coverage@80": lambda: coverage_at(0.80, *points),
        "coverage@90": lambda: coverage_at(0.90, *points),
    }
    return {name: found[name]() for name in MEASURES}


MEASURES = ("ece", "brier", "auroc", "aurc", "coverage@80", "coverage@90")
