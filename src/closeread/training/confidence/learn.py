"""Fits a calibrator of confidences on answers that are known to be right or wrong.

All reported results are cross-validated: passages are split into folds, and the confidences of each
fold come from a calibrator that was fitted on the others.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from msgspec.structs import replace

from closeread.errors import InputError, UsageError
from closeread.metrics.intervals import Resampling
from closeread.protocols import Advance, uncounted
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

_MIN_OUTCOMES = 5  # of right and of wrong answers


class ConfidenceSettings(Record, frozen=True, kw_only=True):
    """How to fit a calibrator.

    Attributes:
        method: ``logistic``, ``forest``, ``platt`` or ``isotonic``.
        folds: The number of folds of passages for cross-validation.
        risk: The share of wrong answers allowed above the threshold; 0 chooses no threshold.
        delta: The maximum probability that the share is higher.
        kept_back: The share of the passages that is kept back to choose the threshold, if ``risk``
            is set; the calibrator is not fitted on them.
        resamples: Bootstrap resamples for the intervals, at least 100; 0 for no intervals.
        level: The confidence level of the intervals, between 0 and 1.
        seed: The seed of folds, forest and resamples.
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
    """An answer that is known to be right or wrong.

    Attributes:
        passage_key: Identifies the passage, which is never split over folds.
        unit: Identifies the question within the passage; the same for all its variants.
        features: The features of the answer.
        confidence: The reader's own confidence; None if it gives none.
        correct: Whether the answer is right.
    """

    passage_key: str
    unit: str
    features: Features
    confidence: float | None
    correct: bool


def make_example(
    passage: Passage,
    question: Question,
    prediction: Prediction,
    scale: Scale,
    *,
    passage_key: str,
    unit: str,
    correct: bool,
) -> Example:
    """Return an answer with its features, to fit a calibrator on."""
    return Example(
        passage_key=passage_key,
        unit=unit,
        features=confidence_features(passage, question, prediction, scale),
        confidence=reader_confidence(question, prediction, scale),
        correct=correct,
    )


@dataclass(frozen=True, kw_only=True)
class CalibrationResult:
    """A fitted calibrator with its cross-validated results.

    Attributes:
        calibrator: Fitted on all passages that were not kept back.
        confidences: For each example, from a calibrator that was not fitted on its passage.
        changes: The measures of the confidences before and after calibration, by name.
        n_passages: The number of passages.
        n_kept_back: The number of questions in passages kept back for the threshold.
    """

    calibrator: Calibrator
    confidences: tuple[float, ...]
    changes: dict[str, Change]
    n_passages: int
    n_kept_back: int


def learn(
    examples: Sequence[Example],
    scale: Scale,
    settings: ConfidenceSettings,
    advance: Advance = uncounted,
) -> CalibrationResult:
    """Fit a calibrator, choose its threshold if ``risk`` is set, and cross-validate it.

    Args:
        examples: Answers of one or more readers, without failed ones.
        scale: The scale of the scores in their n-best lists.
        settings: How to fit.
        advance: Called with the number of resamples measured since the last call.

    Raises:
        InputError: There are too few passages, or too few right or wrong answers.
        UsageError: A setting is out of range, or the method needs the reader's confidence and
            there is none.
        MissingExtraError: scikit-learn is not installed.
    """
    _check(settings, examples)
    passages = sorted({example.passage_key for example in examples})
    kept_back, fold_of = _split_passages(passages, settings)
    names = feature_names(settings.method)
    values = np.array([[example.features[name] for name in names] for example in examples])
    correct = [example.correct for example in examples]
    folds = [
        -1 if example.passage_key in kept_back else fold_of[example.passage_key]
        for example in examples
    ]

    def fit_on(indices: Sequence[int]) -> Model:
        right = [correct[index] for index in indices]
        _check_both_outcomes(right)
        return fit(settings.method, values[list(indices)], right, settings.seed)

    fitted_on = [index for index, fold in enumerate(folds) if fold >= 0]
    calibrator = Calibrator(
        method=settings.method, features=names, scale=scale, model=fit_on(fitted_on)
    )
    models = {-1: calibrator.model}
    for fold in range(settings.folds):
        models[fold] = fit_on([index for index in fitted_on if folds[index] != fold])
    confidences = [
        round(models[fold].probability(row.tolist()), 6)
        for fold, row in zip(folds, values, strict=True)
    ]
    return CalibrationResult(
        calibrator=replace(
            calibrator, threshold=_choose_threshold(confidences, examples, folds, settings)
        ),
        confidences=tuple(confidences),
        changes=measure_changes(
            [example.passage_key for example in examples],
            [example.confidence for example in examples],
            confidences,
            correct,
            resamples=settings.resamples,
            level=settings.level,
            seed=settings.seed,
            advance=advance,
        ),
        n_passages=len(passages),
        n_kept_back=folds.count(-1),
    )


def _choose_threshold(
    confidences: Sequence[float],
    examples: Sequence[Example],
    folds: Sequence[int],
    settings: ConfidenceSettings,
) -> Threshold | None:
    """Choose a threshold on the held-out passages, from candidates that the others determine."""
    if not settings.risk:
        return None
    cross_validated = [
        confidence for confidence, fold in zip(confidences, folds, strict=True) if fold >= 0
    ]
    kept_back = [index for index, fold in enumerate(folds) if fold < 0]
    units = [(examples[index].passage_key, examples[index].unit) for index in kept_back]
    tested = [confidences[index] for index in kept_back]
    grid = threshold.threshold_sequence(
        cross_validated, settings.risk, settings.delta, len(set(units))
    )
    return threshold.choose_fixed_sequence(
        tested,
        [examples[index].correct for index in kept_back],
        settings.risk,
        settings.delta,
        threshold.drop_unreached(grid, cross_validated, tested),
        units=units,
    )


def _split_passages(
    passages: list[str], settings: ConfidenceSettings
) -> tuple[set[str], dict[str, int]]:
    """Return the held-out passages, and the fold of each other passage."""
    shuffled = list(passages)
    random.Random(settings.seed).shuffle(shuffled)
    n_kept_back = round(settings.kept_back * len(shuffled)) if settings.risk else 0
    fitted_on = shuffled[n_kept_back:]
    if len(fitted_on) < settings.folds or (settings.risk and not n_kept_back):
        raise InputError(
            f"only {count_of(len(passages), 'passage')} to fit on",
            expected=f"one for each of {settings.folds} folds"
            + (" and some held back for the threshold" if settings.risk else ""),
            cure="give more runs, or lower --folds",
        )
    return set(shuffled[:n_kept_back]), {
        passage: number % settings.folds for number, passage in enumerate(fitted_on)
    }


def _check_both_outcomes(right: Sequence[bool]) -> None:
    rarer = min(sum(right), len(right) - sum(right))
    if rarer < _MIN_OUTCOMES:
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
    n_without = sum(example.confidence is None for example in examples)
    if settings.method in ("platt", "isotonic") and n_without == len(examples):
        raise UsageError(
            f"{settings.method} rescales the reader's own confidence, and this reader gives none",
            expected="logistic or forest, which use features of the answers",
        )
    if (
        settings.method == "platt" and n_without
    ):  # their log-odds feature is 0, that of an even chance
        raise UsageError(
            f"platt rescales the reader's own confidence, but {n_without:,} of {len(examples):,} "
            "answers have none",
            expected="isotonic (which ranks these lowest), logistic or forest",
        )
