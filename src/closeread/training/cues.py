"""Trains the reader ``cues``: pairwise ranking over named features, in seconds."""

import math
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array

from closeread.errors import InputError, UsageError
from closeread.making import make
from closeread.metrics.calibration import calibration_error
from closeread.protocols import Retriever
from closeread.readers.cue_features import ANSWER, Features, features
from closeread.readers.cues import CueWeights, explained
from closeread.readers.lineage import Maker
from closeread.training import calibration, ranking, threshold
from closeread.training.overlap import Overlap, clusters
from closeread.training.truth import truths
from closeread.types import Dataset, Passage, Question, Record

OpenDataset = Callable[[str], Dataset]
_LEAST = 1e-4  # weights below it move nothing and are not kept
_CUES = ("cue", "kept", "added", "category", "before", "after", "then")
_NO_CUE = 0.5


class CueSettings(Record, frozen=True, kw_only=True):
    """``[train]`` for the reader ``cues``.

    Attributes:
        datasets: What is learned from; questions without options or gold are passed over.
        exclude: Sets to be read later: questions that overlap them are not learned from.
        loss: ``logistic``, or ``hinge`` with the margin 0.5 of the VGaokao paper.
        l2: The ridge.
        least: How many options must have a feature.
        folds: Parts of the passages for the answers that confidence is learned from.
        risk: The share of wrong answers allowed where the reader may stay silent; 0 seeks none.
        delta: The chance at most that it is higher.
        made_by: Who wrote what is learned from, as you declare it: a data set as named in
            ``datasets``, to ``people`` or to the model that wrote it.
    """

    datasets: tuple[str, ...]
    exclude: tuple[str, ...] = ()
    loss: Literal["logistic", "hinge"] = "logistic"
    l2: float = 10.0
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
        n_excluded: Questions left out because they overlap an excluded set.
    """

    weights: CueWeights
    accuracy: float
    calibration_error: float
    n_questions: int
    n_excluded: int


@dataclass(frozen=True, kw_only=True)
class Example:
    """A question that can be learned from; no fold divides a ``part``."""

    truth: tuple[bool | None, ...]
    gold: int
    sign: float
    part: int
    features: tuple[Features, ...]


def train(settings: CueSettings, options: dict[str, Any], open_dataset: OpenDataset) -> Learned:
    """Learn weights and confidence.

    Args:
        settings: What the recipe says under ``[train]``.
        options: The reader's options; only ``retriever`` matters here.
        open_dataset: Opens a data set by name.

    Raises:
        UsageError: A setting is out of its range, or there is no such retriever.
        InputError: There are too few passages, or nothing in them that could be weighed.
    """
    _check(settings)
    name = str(options.get("retriever", "cover"))
    retriever, _ = make("retriever", name)
    items, n_excluded = _items(settings, open_dataset)
    parted = clusters([(passage, question) for passage, question, _ in items])
    examples = [
        example(passage, question, retriever, part)
        for (passage, question, _), part in zip(items, parted, strict=True)
    ]
    parts = sorted({one.part for one in examples})
    if len(parts) < settings.folds:
        raise InputError(
            f"only {len(parts)} passages with questions to learn from",
            where=", ".join(settings.datasets),
            expected=f"at least {settings.folds}, one for each fold",
            cure="name sets of questions with options and gold",
        )
    random.Random(settings.seed).shuffle(parts)
    fold_of = {part: place % settings.folds for place, part in enumerate(parts)}
    folds = [fold_of[one.part] for one in examples]
    scores = _held_out(examples, folds, settings)
    correct = [_best(found) == one.gold for found, one in zip(scores, examples, strict=True)]
    confidences = _held_out_confidences(scores, correct, folds)
    chosen = None
    if settings.risk:
        chosen = threshold.shared(confidences, correct, settings.risk, settings.delta)
    weights = CueWeights(
        weights={
            feature: round(weight, 5)
            for feature, weight in fit(examples, settings).items()
            if abs(weight) >= _LEAST
        },
        languages=tuple(sorted({passage.language for passage, _, _ in items})),
        calibrator=calibration.fit_curve(scores, correct),
        threshold=chosen,
        learned_from=dict(Counter(dataset for _, _, dataset in items)),
        settings=msgspec.to_builtins(settings) | {"retriever": name},
    )
    return Learned(
        weights=weights,
        accuracy=sum(correct) / len(correct),
        calibration_error=calibration_error(confidences, correct),
        n_questions=len(examples),
        n_excluded=n_excluded,
    )


def example(passage: Passage, question: Question, retriever: Retriever, part: int = 0) -> Example:
    """Return a question with the features of its options."""
    explanations = explained(question, passage, retriever)
    truth, gold = _truth_and_gold(question)
    return Example(
        truth=truth,
        gold=gold,
        sign=_sign(question),
        part=part,
        features=features(question, passage, explanations),
    )


def fit(examples: Sequence[Example], settings: CueSettings) -> dict[str, float]:
    """Return the weight of every feature that enough options have.

    Raises:
        InputError: No feature is had by so many, or no question has a true and a false option.
    """
    right_wrong = np.array(ranking.pairs([one.truth for one in examples]), dtype=int)
    if not len(right_wrong):
        raise InputError(
            "no question has a true and a false option to learn from",
            where=", ".join(settings.datasets),
            expected="in every part of the data",
            cure="name more questions with options and gold, or fewer train.folds",
        )
    names, matrix = _matrix(examples, settings.least)
    scales = diags_array(trust(names, matrix, right_wrong))
    differences = (matrix[right_wrong[:, 0]] - matrix[right_wrong[:, 1]]) @ scales
    even = np.ones(len(right_wrong))
    found = scales @ ranking.fit(differences.tocsr(), even, settings.l2, settings.loss)
    return dict(zip(names, map(float, found), strict=True))


def trust(names: Sequence[str], matrix: csr_array, pairs: "NDArray[Any]") -> "NDArray[Any]":
    """Return how freely each feature may be weighed: the ridge counts its weight over this.

    A cue counts half by what the pairs alone say of it, the log-count ratio of true options over
    false ones (Wang and Manning 2012), since most of thousands of cues say nothing; on the average
    1. What is no cue counts half. Both were chosen by held-out passages (docs/cues.md).
    """
    present = matrix.copy()
    present.data = (present.data != 0).astype(float)
    right, wrong = (1.0 + present[pairs[:, side]].sum(axis=0) for side in (0, 1))
    ratio = np.abs(np.log(right / wrong))
    cue = np.array([_is_cue(name) for name in names])
    mean = float(ratio[cue].mean()) if cue.any() else 0.0
    return np.where(cue, (ratio / mean + 1) / 2 if mean else 1.0, _NO_CUE)


def _is_cue(name: str) -> bool:
    return name.removeprefix(ANSWER).partition(":")[0].partition("-")[0] in _CUES


def scored(weights: dict[str, float], one: Example) -> list[float]:
    """Return a score an option; the highest is what the stem asks for."""
    return [
        one.sign * math.fsum(value * weights.get(name, 0.0) for name, value in found.items())
        for found in one.features
    ]


def _items(
    settings: CueSettings, open_dataset: OpenDataset
) -> tuple[list[tuple[Passage, Question, str]], int]:
    """Return what can be learned from with its data set's name, and how many overlapped."""
    overlap = Overlap(held for name in settings.exclude for held in open_dataset(name))
    found = [
        (passage, question, name)
        for name in settings.datasets
        for passage, questions in open_dataset(name)
        for question in questions
        if question.kind != "entailment" and _has_answer(question)
    ]
    kept = [item for item in found if not overlap.holds(item[0], item[1])]
    return kept, len(found) - len(kept)


def _has_answer(question: Question) -> bool:
    """Whether the answer is one of several options; a defect in the data may name another."""
    labels = [option.label for option in question.options]
    return len(labels) > 1 and bool(question.answers) and question.answers[0].label in labels


def _truth_and_gold(question: Question) -> tuple[tuple[bool | None, ...], int]:
    """Return the options' truth and the place of the answer."""
    labels = [option.label for option in question.options]
    return truths(question), labels.index(question.answers[0].label)


def _sign(question: Question) -> float:
    return -1.0 if question.asks_for == "contradicted" else 1.0


def _matrix(examples: Sequence[Example], least: int) -> "tuple[list[str], csr_array]":
    rows = [found for one in examples for found in one.features]
    counts = Counter(name for row in rows for name, value in row.items() if value)
    names = sorted(name for name, count in counts.items() if count >= least)
    if not names:
        raise InputError(
            f"no feature is had by {least:,} options",
            expected=f"some that are, among {len(rows):,} options",
            cure="a lower train.least, or more questions",
        )
    column = {name: place for place, name in enumerate(names)}
    cells = [
        (value, row, column[name])
        for row, found in enumerate(rows)
        for name, value in found.items()
        if value and name in column
    ]
    values, at_rows, at_columns = zip(*cells, strict=True)
    return names, csr_array((values, (at_rows, at_columns)), shape=(len(rows), len(names)))


def _held_out(
    examples: Sequence[Example], folds: Sequence[int], settings: CueSettings
) -> list[list[float]]:
    """Return the scores of every question by weights that were learned without its fold."""
    found: list[list[float]] = [[]] * len(examples)
    for fold in range(settings.folds):
        weights = fit(
            [one for one, of in zip(examples, folds, strict=True) if of != fold], settings
        )
        for place, (one, of) in enumerate(zip(examples, folds, strict=True)):
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


def _check(settings: CueSettings) -> None:
    if (
        settings.l2 <= 0
        or settings.least < 1
        or settings.folds < 2
        or not 0 <= settings.risk < 1
        or not 0 < settings.delta < 1
        or not settings.datasets
    ):
        raise UsageError(
            f"l2={settings.l2:g}, least={settings.least}, folds={settings.folds}, "
            f"risk={settings.risk:g}, delta={settings.delta:g}, "
            f"{len(settings.datasets)} data sets",
            expected="l2 above 0, least 1 or more, folds 2 or more, risk in [0, 1), "
            "delta in (0, 1), one data set or more",
        )
