"""Learns how sure a reader may be from answers that are known to be right or wrong.

Everything that is told of the result is told of answers that the calibrator was not fitted on:
passages are dealt into folds, and each fold is judged by a calibrator of the others.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from msgspec.structs import replace

from closeread.errors import InputError, UsageError
from closeread.metrics.intervals import Resampling
from closeread.readers.confidence.calibrate import Calibrator, Model, Threshold
from closeread.readers.confidence.features import (
    Features,
    Scale,
    confidence_features,
    reader_confidence,
)
from closeread.training.confidence import threshold
from closeread.training.confidence.before_after import Change, measure_changes
from closeread.training.confidence.calibrators import Method, feature_names, fit
from closeread.training.ranges import check_ranges
from closeread.types import Passage, Prediction, Question, Record
from closeread.wording import count_of

_MIN_OUTCOMES = 5  # right and wrong answers each


class ConfidenceSettings(Record, frozen=True, kw_only=True):
    """How a calibrator is learned.

    Attributes:
        method: ``logistic``, ``forest``, ``platt`` or ``isotonic``.
        folds: Parts of the passages, each judged by a calibrator of the others.
        risk: The share of wrong answers allowed above a threshold; 0 seeks no threshold.
        delta: The chance at most that it is higher.
        kept_back: The share of the passages that is kept back for choosing the threshold, where
            one is sought; the calibrator never sees them.
        resamples: Of the passages, for intervals, 100 at least; 0 makes none.
        level: Of the intervals.
        seed: Of folds, forest and resamples.
    """

    method: Method = "logistic"
    folds: int = 5
    risk: float = 0.0
    delta: float = 0.05
    kept_back: float = 0.4
    resamples: int = 1000
    level: float = 0.95
    seed: int = 0


@dataclass(frozen=True, kw_only=True)
class Example:
    """An answer whose worth is known.

    Attributes:
        part: What is never torn apart: the passage.
        unit: What counts as one question in it: a question with its variants.
        signs: Its features.
        told: The reader's own confidence, None where it has none.
        correct: Whether it is right.
    """

    part: str
    unit: str
    signs: Features
    told: float | None
    correct: bool


def make_example(
    passage: Passage,
    question: Question,
    prediction: Prediction,
    scale: Scale,
    *,
    part: str,
    unit: str,
    correct: bool,
) -> Example:
    """Return what can be learned from an answer."""
    return Example(
        part=part,
        unit=unit,
        signs=confidence_features(passage, question, prediction, scale),
        told=reader_confidence(question, prediction, scale),
        correct=correct,
    )


@dataclass(frozen=True, kw_only=True)
class Learned:
    """What came of it.

    Attributes:
        calibrator: To be applied; of all passages but those kept back.
        confidences: For each example, from a calibrator that did not see its passage.
        changes: What confidences were worth before and after, by name.
        n_parts: Passages.
        n_kept_back: Questions of passages that were kept back for the threshold.
    """

    calibrator: Calibrator
    confidences: tuple[float, ...]
    changes: dict[str, Change]
    n_parts: int
    n_kept_back: int


def learn(examples: Sequence[Example], scale: Scale, settings: ConfidenceSettings) -> Learned:
    """Fit a calibrator, choose its threshold if one is asked for, and measure what it gives.

    Args:
        examples: Answers of one reader or several; failed ones are left out.
        scale: What the scores of their n-best lists are.
        settings: How.

    Raises:
        InputError: There are too few passages, or hardly any right or wrong answers.
        UsageError: A setting makes no sense, or the method needs a confidence and there is none.
        MissingExtraError: scikit-learn is not installed.
    """
    _check(settings, examples)
    parts = sorted({one.part for one in examples})
    kept_back, fold_of = _split_passages(parts, settings)
    names = feature_names(settings.method)
    values = np.array([[one.signs[name] for name in names] for one in examples])
    correct = [one.correct for one in examples]
    folds = [-1 if one.part in kept_back else fold_of[one.part] for one in examples]

    def fitted(places: Sequence[int]) -> Model:
        right = [correct[place] for place in places]
        _check_both_outcomes(right)
        return fit(settings.method, values[list(places)], right, settings.seed)

    known = [place for place, fold in enumerate(folds) if fold >= 0]
    calibrator = Calibrator(
        method=settings.method, features=names, scale=scale, model=fitted(known)
    )
    models = {-1: calibrator.model}
    for fold in range(settings.folds):
        models[fold] = fitted([place for place in known if folds[place] != fold])
    found = [
        round(models[fold].probability(row.tolist()), 6)
        for fold, row in zip(folds, values, strict=True)
    ]
    return Learned(
        calibrator=replace(calibrator, threshold=_threshold(found, examples, folds, settings)),
        confidences=tuple(found),
        changes=measure_changes(
            [one.part for one in examples],
            [one.told for one in examples],
            found,
            correct,
            resamples=settings.resamples,
            level=settings.level,
            seed=settings.seed,
        ),
        n_parts=len(parts),
        n_kept_back=folds.count(-1),
    )


def _threshold(
    found: Sequence[float],
    examples: Sequence[Example],
    folds: Sequence[int],
    settings: ConfidenceSettings,
) -> Threshold | None:
    """Choose on the passages kept back; what is tested there is fixed by the others."""
    if not settings.risk:
        return None
    seen = [sure for sure, fold in zip(found, folds, strict=True) if fold >= 0]
    back = [place for place, fold in enumerate(folds) if fold < 0]
    units = [(examples[place].part, examples[place].unit) for place in back]
    tried = [found[place] for place in back]
    grid = threshold.threshold_sequence(seen, settings.risk, settings.delta, len(set(units)))
    return threshold.choose_fixed_sequence(
        tried,
        [examples[place].correct for place in back],
        settings.risk,
        settings.delta,
        threshold.drop_unreached(grid, seen, tried),
        units=units,
    )


def _split_passages(
    parts: list[str], settings: ConfidenceSettings
) -> tuple[set[str], dict[str, int]]:
    """Return the passages kept back, and the fold of every other."""
    shuffled = list(parts)
    random.Random(settings.seed).shuffle(shuffled)
    many = round(settings.kept_back * len(shuffled)) if settings.risk else 0
    rest = shuffled[many:]
    if len(rest) < settings.folds or (settings.risk and not many):
        raise InputError(
            f"only {count_of(len(parts), 'passage')} to fit on",
            expected=f"one for each of {settings.folds} folds"
            + (" and some held back for the threshold" if settings.risk else ""),
            cure="give more runs, or lower --folds",
        )
    return set(shuffled[:many]), {part: at % settings.folds for at, part in enumerate(rest)}


def _check_both_outcomes(right: Sequence[bool]) -> None:
    least = min(sum(right), len(right) - sum(right))
    if least < _MIN_OUTCOMES:
        raise InputError(
            f"{sum(right)} of {count_of(len(right), 'answer')} right",
            expected=f"at least {_MIN_OUTCOMES} right and {_MIN_OUTCOMES} wrong answers outside "
            "every fold",
            cure="use a run on more questions",
        )


def _check(settings: ConfidenceSettings, examples: Sequence[Example]) -> None:
    if settings.resamples:
        Resampling(resamples=settings.resamples, level=settings.level, seed=settings.seed)
    ranges = {
        "folds": (settings.folds >= 2, "2 or more"),
        "risk": (0 <= settings.risk < 1, "from 0 to below 1, such as 0.1 for 10 %"),
        "delta": (0 < settings.delta < 1, "above 0, below 1"),
        "kept_back": (0 < settings.kept_back < 1, "above 0, below 1"),
    }
    check_ranges(settings, ranges)
    silent = sum(one.told is None for one in examples)
    if settings.method in ("platt", "isotonic") and silent == len(examples):
        raise UsageError(
            f"{settings.method} rescales the reader's own confidence, and this reader gives none",
            expected="logistic or forest, which use features of the answers",
        )
    if settings.method == "platt" and silent:  # to a curve of log odds they would seem even
        raise UsageError(
            f"platt rescales the reader's own confidence, but {silent:,} of {len(examples):,} "
            "answers have none",
            expected="isotonic (which ranks these lowest), logistic or forest",
        )
