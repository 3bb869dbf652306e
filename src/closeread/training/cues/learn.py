"""Trains the reader ``cues``: pairwise ranking over named features, in seconds."""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from closeread.errors import InputError
from closeread.metrics.confidence.calibration import calibration_error
from closeread.metrics.units import question_unit
from closeread.readers.cues.reader import CueWeights
from closeread.registry.factory import make
from closeread.training.confidence import threshold
from closeread.training.cues.curve import fit_curve
from closeread.training.cues.examples import (
    Example,
    SourceQuestion,
    make_examples,
    rankable_questions,
)
from closeread.training.cues.fit import Weights, cues_alone, fit, score_options
from closeread.training.cues.settings import CueSettings, StageSettings
from closeread.training.cues.stages import fit_stages, read_stages
from closeread.training.overlap import Overlap, clusters
from closeread.training.request import OpenDataset, Say
from closeread.wording import count_of

_MIN_WEIGHT = 1e-4  # weights below it move nothing and are not kept


@dataclass(frozen=True, kw_only=True)
class Learned:
    """What training gave.

    Attributes:
        accuracy: Over questions of passages that were held out, fold by fold; over those of
            ``calibrate`` where it names sets.
        calibration_error: Of the confidences over the same questions, each by a calibrator that
            was fitted without its fold.
        n_excluded: Questions left out because they overlap an excluded set; of trainings that
            come first, or what the last learns from.
    """

    weights: CueWeights
    accuracy: float
    calibration_error: float
    n_questions: int
    n_excluded: int


def learn(
    settings: CueSettings,
    options: dict[str, Any],
    open_dataset: OpenDataset,
    before: Sequence[StageSettings] = (),
    say: Say = lambda line: None,
) -> Learned:
    """Learn weights and confidence.

    Args:
        settings: What the recipe says under ``[train]``, checked, as are the others.
        options: The reader's options: ``retriever``.
        open_dataset: Opens a data set by name.
        before: What it says under ``[before.train]``, in order.
        say: Told lines on the way.

    Raises:
        UsageError: There is no such retriever.
        InputError: There are too few passages, or nothing in them that could be weighed.
    """
    name = str(options.get("retriever", "cover"))
    retriever, _ = make("retriever", name)
    excluded = Overlap(held for of in settings.exclude for held in open_dataset(of))
    items, n_excluded = rankable_questions(
        settings.datasets, settings.by_stem, open_dataset, excluded
    )
    own = Overlap((one.passage, (one.question,)) for one in items if before)
    first = list(read_stages(before, open_dataset, (excluded, own), say))
    sources = [*items, *(one for stage in first for one in stage.questions)]
    every = Overlap((one.passage, (one.question,)) for one in sources if settings.calibrate)
    apart, n_apart = rankable_questions(settings.calibrate, (), open_dataset, excluded, every)
    asked, n_out = (apart, n_apart) if settings.calibrate else (items, n_excluded)
    folds = _assign_folds(asked, settings, n_out)
    learned_from = Counter(one.dataset for one in [*sources, *apart])
    named = (*settings.sources, *settings.calibrate, *(of for one in before for of in one.datasets))
    for of in dict.fromkeys(named):
        if of not in learned_from:
            say(f"{of}: no question to learn from")
    found_before = fit_stages(first, retriever)
    drawn_to = {feature: settings.prior * weight for feature, weight in found_before.items()}
    described = list(make_examples(items, retriever))
    _report_absent(settings.given, described, say)
    learned = list(cues_alone(described)) if settings.cues_alone else described
    fitted = _fit_weights(learned, settings, drawn_to)
    if settings.calibrate:
        answered = list(make_examples(apart, retriever))
        scores = [score_options(fitted, one) for one in answered]
    else:
        answered = described
        scores = _held_out_scores(learned, described, folds, settings, drawn_to)
    correct = [_best(found) in one.gold for found, one in zip(scores, answered, strict=True)]
    confidences = _held_out_confidences(scores, correct, folds)
    chosen = None
    if settings.risk:
        units = [(one.dataset, question_unit(one.question)) for one in asked]
        chosen = threshold.choose_bonferroni(
            confidences, correct, settings.risk, settings.delta, units=units
        )
    weights = CueWeights(
        weights={
            feature: round(weight, 5)
            for feature, weight in fitted.items()
            if abs(weight) >= _MIN_WEIGHT
        },
        languages=tuple(sorted({one.passage.language for one in sources})),
        calibrator=fit_curve(scores, correct),
        threshold=chosen,
        learned_from=dict(learned_from),
        settings=msgspec.to_builtins(settings)
        | {"retriever": name, "before": msgspec.to_builtins(tuple(before))},
    )
    return Learned(
        weights=weights,
        accuracy=sum(correct) / len(correct),
        calibration_error=calibration_error(confidences, correct),
        n_questions=len(learned),
        n_excluded=n_excluded + sum(stage.n_excluded for stage in first),
    )


def _report_absent(given: Mapping[str, float], learned: Sequence[Example], say: Say) -> None:
    """Say which given weights are of no feature that there is: a slip of the pen does nothing."""
    there = {name for one in learned for features in one.features for name in features}
    for name in sorted(set(given) - there):
        say(f"train.given: no option has the feature {name}")


def _fit_weights(
    learned: Sequence[Example], settings: CueSettings, drawn_to: Mapping[str, float]
) -> Weights:
    """Return what is learned, and beside it what is given."""
    found = fit(
        learned, settings.l2, settings.loss, settings.least,
        before=drawn_to, where=", ".join(settings.sources),
    )  # fmt: skip
    return found | {name: found.get(name, 0.0) + more for name, more in settings.given.items()}


def _assign_folds(
    found: Sequence[SourceQuestion], settings: CueSettings, n_left_out: int
) -> list[int]:
    """Return the fold of every question, dealt by seed; those that overlap share one.

    Args:
        found: Questions of the sets that confidence is learned from.
        settings: Of the training.
        n_left_out: Questions of these sets that are not among them because they overlap others.

    Raises:
        InputError: There are fewer parts than folds.
    """
    parted = clusters([(one.passage, one.question) for one in found])
    parts = sorted(set(parted))
    if len(parts) < settings.folds:
        left_out = (
            f"; {count_of(n_left_out, 'question')} left out for overlap" if n_left_out else ""
        )
        others = "exclude or the training sets" if settings.calibrate else "exclude"
        raise InputError(
            f"only {count_of(len(parts), 'passage')} with questions to learn from, where passages "
            f"that overlap count as one{left_out}",
            where=", ".join(settings.calibrate or settings.sources),
            expected=f"at least {settings.folds}, one for each fold",
            cure=f"name sets that do not overlap {others} (docs/training.md defines overlap)"
            if n_left_out
            else "name sets of questions with options and gold answers, and premises under "
            "[[before]]",
        )
    random.Random(settings.seed).shuffle(parts)
    fold_of = {part: place % settings.folds for place, part in enumerate(parts)}
    return [fold_of[part] for part in parted]


def _held_out_scores(
    learned: Sequence[Example],
    described: Sequence[Example],
    folds: Sequence[int],
    settings: CueSettings,
    drawn_to: Mapping[str, float],
) -> list[list[float]]:
    """Return the scores of every question by weights that were learned without its fold.

    Args:
        learned: What is learned from, with the features that are learned.
        described: The same with all features, as the reader sees them.
        folds: Of every question.
        settings: Of the fit.
        drawn_to: Weights that the ridge draws to.
    """
    found: list[list[float]] = [[]] * len(learned)
    for fold in range(settings.folds):
        others = [one for one, of in zip(learned, folds, strict=True) if of != fold]
        weights = _fit_weights(others, settings, drawn_to)
        for place, (one, of) in enumerate(zip(described, folds, strict=True)):
            if of == fold:
                found[place] = score_options(weights, one)
    return found


def _held_out_confidences(
    scores: Sequence[Sequence[float]], correct: Sequence[bool], folds: Sequence[int]
) -> list[float]:
    """Return the confidence of every question by a calibrator that was fitted without its fold."""
    calibrators = {
        fold: fit_curve(
            [found for found, of in zip(scores, folds, strict=True) if of != fold],
            [right for right, of in zip(correct, folds, strict=True) if of != fold],
        )
        for fold in set(folds)
    }
    return [calibrators[of].confidence(found) for found, of in zip(scores, folds, strict=True)]


def _best(scores: Sequence[float]) -> int:
    return max(range(len(scores)), key=lambda place: (scores[place], -place))
