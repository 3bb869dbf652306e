"""Trains the reader ``cues``: pairwise ranking over named features, in seconds."""

import math
import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from closeread.errors import InputError, UsageError
from closeread.making import make
from closeread.metrics.calibration import calibration_error
from closeread.protocols import Retriever
from closeread.readers.cues import CueWeights
from closeread.readers.lineage import Maker
from closeread.training import calibration, threshold
from closeread.training.cue_examples import Example, Found, examples, questions, statements
from closeread.training.cue_fit import Weights, fit, scored
from closeread.training.overlap import Overlap, clusters
from closeread.training.ranking import Loss
from closeread.training.request import OpenDataset, Say
from closeread.types import Record

_LEAST = 1e-4  # weights below it move nothing and are not kept


class StageSettings(Record, frozen=True, kw_only=True):
    """``[before.train]`` for the reader ``cues``: a training that comes first.

    Every option is read as a statement that the passage supports or does not, whatever it answers;
    a premise's hypotheses (NLI) are ranked beside one another. What will be read, or is learned
    from by the last training, is left out.

    Attributes:
        datasets: What is learned from.
        loss: As below.
        l2: The ridge, which trusts all features alike.
        least: How many options must have a feature.
    """

    datasets: tuple[str, ...]
    loss: Loss = "logistic"
    l2: float = 80.0
    least: int = 3


class CueSettings(Record, frozen=True, kw_only=True):
    """``[train]`` for the reader ``cues``.

    Attributes:
        datasets: What is learned from; questions without options or gold are passed over.
        by_stem: More, which call every question a choice: those whose stem asks what the passage
            supports or contradicts are learned from as verification, the others passed over.
        exclude: Sets to be read later: questions that overlap them are not learned from.
        loss: ``logistic``, or ``hinge`` with the margin 0.5 of the VGaokao paper.
        l2: The ridge.
        prior: What share of the weights learned before is where the ridge draws to.
        least: How many options must have a feature.
        folds: Parts of the passages for the answers that confidence is learned from.
        risk: The share of wrong answers allowed where the reader may stay silent; 0 seeks none.
        delta: The chance at most that it is higher.
        made_by: Who wrote what is learned from, as you declare it: a data set as named
            above or in a stage, to ``people`` or to the model that wrote it.
    """

    datasets: tuple[str, ...]
    by_stem: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    loss: Loss = "logistic"
    l2: float = 10.0
    prior: float = 0.8
    least: int = 3
    folds: int = 5
    seed: int = 0
    risk: float = 0.0
    delta: float = 0.1
    made_by: dict[str, str | Maker] = msgspec.field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Learned:
    """What training gave.

    Attributes:
        accuracy: Over questions of passages that were held out, fold by fold.
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


def train(
    settings: CueSettings,
    options: dict[str, Any],
    open_dataset: OpenDataset,
    stages: Sequence[StageSettings] = (),
    say: Say = lambda line: None,
) -> Learned:
    """Learn weights and confidence.

    Args:
        settings: What the recipe says under ``[train]``.
        options: The reader's options: ``retriever``.
        open_dataset: Opens a data set by name.
        stages: What it says under ``[before.train]``, in order.
        say: Told lines on the way.

    Raises:
        UsageError: A setting is out of its range, there is no such retriever, or there are other
            options.
        InputError: There are too few passages, or nothing in them that could be weighed.
    """
    _check(settings, options, stages)
    name = str(options.get("retriever", "cover"))
    retriever, _ = make("retriever", name)
    excluded = Overlap(held for of in settings.exclude for held in open_dataset(of))
    items, n_excluded = questions(settings.datasets, settings.by_stem, open_dataset, excluded)
    parted = clusters([(one.passage, one.question) for one in items])
    folds = _folds(parted, settings)
    own = Overlap((one.passage, (one.question,)) for one in items) if stages else Overlap(())
    stated = []
    for number, stage in enumerate(stages, 1):
        found, n_overlapping = _stated(number, stage, open_dataset, excluded, own)
        say(f"stage {number}: {len(found):,} questions and premises, {n_overlapping:,} left out")
        stated.append(found)
        n_excluded += n_overlapping
    before: Weights = {}
    for number, (stage, found) in enumerate(zip(stages, stated, strict=True), 1):
        before = _stage(number, stage, found, retriever, before)
    before = {feature: settings.prior * weight for feature, weight in before.items()}
    learned = list(examples(items, retriever))
    sources = [one for found in (items, *stated) for one in found]
    learned_from = Counter(one.dataset for one in sources)
    for of in dict.fromkeys((*_names(settings), *(of for one in stages for of in one.datasets))):
        if of not in learned_from:
            say(f"{of}: nothing in it can be learned from")
    scores = _held_out(learned, folds, settings, before)
    correct = [_best(found) in one.gold for found, one in zip(scores, learned, strict=True)]
    confidences = _held_out_confidences(scores, correct, folds)
    chosen = None
    if settings.risk:
        chosen = threshold.shared(confidences, correct, settings.risk, settings.delta)
    weights = CueWeights(
        weights={
            feature: round(weight, 5)
            for feature, weight in _fit(learned, settings, before).items()
            if abs(weight) >= _LEAST
        },
        languages=tuple(sorted({one.passage.language for one in sources})),
        calibrator=calibration.fit_curve(scores, correct),
        threshold=chosen,
        learned_from=dict(learned_from),
        settings=msgspec.to_builtins(settings)
        | {"retriever": name, "before": msgspec.to_builtins(tuple(stages))},
    )
    return Learned(
        weights=weights,
        accuracy=sum(correct) / len(correct),
        calibration_error=calibration_error(confidences, correct),
        n_questions=len(learned),
        n_excluded=n_excluded,
    )


def _stated(
    number: int, stage: StageSettings, open_dataset: OpenDataset, *held: Overlap
) -> tuple[list[Found], int]:
    """Return what a training that comes first learns from, and how many were left out.

    Raises:
        InputError: Nothing is there.
    """
    found, n_left_out = statements(stage.datasets, open_dataset, *held)
    if not found:
        raise InputError(
            "nothing to learn from"
            + (f", {n_left_out:,} left out for overlap" if n_left_out else ""),
            where=_place(number, stage),
            expected="questions with options and gold, or premises of several hypotheses, which"
            " neither train.exclude nor the last training holds",
            cure="name others, or leave this [[before]] out",
        )
    return found, n_left_out


def _stage(
    number: int, stage: StageSettings, found: Iterable[Found], retriever: Retriever, before: Weights
) -> Weights:
    """Return the weights of a training that comes first."""
    return fit(
        examples(found, retriever),
        stage.l2, stage.loss, stage.least,
        before=before, trusting=False, where=_place(number, stage),
    )  # fmt: skip


def _names(settings: CueSettings) -> tuple[str, ...]:
    return (*settings.datasets, *settings.by_stem)


def _place(number: int, stage: StageSettings) -> str:
    return f"before.{number}.train: {', '.join(stage.datasets)}"


def _fit(learned: Sequence[Example], settings: CueSettings, before: Mapping[str, float]) -> Weights:
    return fit(
        learned, settings.l2, settings.loss, settings.least,
        before=before, where=", ".join(_names(settings)),
    )  # fmt: skip


def _folds(parted: Sequence[int], settings: CueSettings) -> list[int]:
    """Return the fold of every question, dealt by seed; ``parted`` numbers what none divides.

    Raises:
        InputError: There are fewer parts than folds.
    """
    parts = sorted(set(parted))
    if len(parts) < settings.folds:
        raise InputError(
            f"only {len(parts)} passages with questions to learn from, of those that overlap one",
            where=", ".join(_names(settings)),
            expected=f"at least {settings.folds}, one for each fold",
            cure="name sets of questions with options and gold; premises come under [[before]]",
        )
    random.Random(settings.seed).shuffle(parts)
    fold_of = {part: place % settings.folds for place, part in enumerate(parts)}
    return [fold_of[part] for part in parted]


def _held_out(
    learned: Sequence[Example],
    folds: Sequence[int],
    settings: CueSettings,
    before: Mapping[str, float],
) -> list[list[float]]:
    """Return the scores of every question by weights that were learned without its fold."""
    found: list[list[float]] = [[]] * len(learned)
    for fold in range(settings.folds):
        others = [one for one, of in zip(learned, folds, strict=True) if of != fold]
        weights = _fit(others, settings, before)
        for place, (one, of) in enumerate(zip(learned, folds, strict=True)):
            if of == fold:
                found[place] = scored(weights, one)
    return found


def _held_out_confidences(
    scores: Sequence[Sequence[float]], correct: Sequence[bool], folds: Sequence[int]
) -> list[float]:
    """Return the confidence of every question by a calibrator that was fitted without its fold."""
    calibrators = {
        fold: calibration.fit_curve(
            [found for found, of in zip(scores, folds, strict=True) if of != fold],
            [right for right, of in zip(correct, folds, strict=True) if of != fold],
        )
        for fold in set(folds)
    }
    return [calibrators[of].confidence(found) for found, of in zip(scores, folds, strict=True)]


def _best(scores: Sequence[float]) -> int:
    return max(range(len(scores)), key=lambda place: (scores[place], -place))


def _check(
    settings: CueSettings, options: Mapping[str, Any], stages: Sequence[StageSettings]
) -> None:
    other = sorted(set(options) - {"retriever"})
    if other:
        raise UsageError(
            f"the option {other[0]}",
            where="reader.options",
            expected="retriever: nothing else of the reader has a part in its training",
        )
    if not (
        settings.folds >= 2
        and 0 <= settings.risk < 1
        and 0 < settings.delta < 1
        and 0 <= settings.prior < math.inf
    ):
        raise UsageError(
            f"folds={settings.folds}, risk={settings.risk:g}, delta={settings.delta:g}, "
            f"prior={settings.prior:g}",
            where="train",
            expected="folds 2 or more, risk in [0, 1), delta in (0, 1), prior 0 or more",
        )
    every: dict[str, CueSettings | StageSettings] = {"train": settings}
    every |= {f"before.{number}.train": stage for number, stage in enumerate(stages, 1)}
    for place, one in every.items():
        if not (0 < one.l2 < math.inf and one.least >= 1 and one.datasets):
            raise UsageError(
                f"l2={one.l2:g}, least={one.least}, {len(one.datasets)} data sets",
                where=place,
                expected="l2 above 0, least 1 or more, one data set or more",
            )
