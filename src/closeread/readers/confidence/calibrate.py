"""Calibrators: the learned probability that a prediction is right, and how it is applied.

A calibrator is a JSON file of numbers, so that applying it does not need the library that fitted
it. ``closeread calibrate`` fits (closeread.training.confidence.learn) and applies calibrators.
"""

import math
import struct
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from closeread.errors import InputError
from closeread.formats.files.atomic_write import save_json
from closeread.formats.files.learned_files import read_learned
from closeread.readers.confidence.features import FEATURE_NAMES, Scale, confidence_features
from closeread.readers.confidence.provenance import AnsweredBy
from closeread.types import Passage, Prediction, Question, Record

_COMMAND = "closeread calibrate RUN --out FILE"
_DIGITS = 6
_MAX_SINGLE = 3e38  # a number of single precision cannot be much larger


class Threshold(Record, frozen=True, kw_only=True):
    """The confidence from which on the risk of answers is bounded.

    Attributes:
        value: Minimum confidence of an answer; above 1 if no threshold keeps the bound.
        risk: Allowed share of wrong answers.
        delta: Maximum probability that the bound does not hold.
        n_answered: Questions at or above the threshold when it was chosen, of ``n_questions``.
        n_questions: Questions that the threshold was chosen on.
        bound: The upper bound of the risk at the threshold.
    """

    value: float
    risk: float
    delta: float
    n_answered: int
    n_questions: int
    bound: float


class Linear(Record, frozen=True, kw_only=True, tag="linear"):
    """A logistic regression over standardised features; one weight, mean and spread each."""

    intercept: float
    weights: tuple[float, ...]
    means: tuple[float, ...]
    spreads: tuple[float, ...]

    def probability(self, values: Sequence[float]) -> float:
        """Return the probability that an answer with these feature values is right."""
        columns = zip(values, self.weights, self.means, self.spreads, strict=True)
        terms = [weight * (value - mean) / spread for value, weight, mean, spread in columns]
        return logistic(self.intercept + math.fsum(terms))


class Steps(Record, frozen=True, kw_only=True, tag="isotonic"):
    """A rising curve over one feature, straight between its points and level outside them."""

    places: tuple[float, ...]
    heights: tuple[float, ...]

    def probability(self, values: Sequence[float]) -> float:
        """Return the curve's height at the one feature's value: the probability of being right."""
        (value,) = values
        right = bisect_right(self.places, value)
        if right == 0 or right == len(self.places):
            return self.heights[max(0, right - 1)]
        low, high = self.places[right - 1], self.places[right]
        fraction = (value - low) / (high - low)
        return self.heights[right - 1] + fraction * (self.heights[right] - self.heights[right - 1])


class Tree(Record, frozen=True, kw_only=True):
    """A decision tree, node by node; node 0 is its root.

    Attributes:
        features: Index of the feature that each node compares; -1 for a leaf.
        cuts: The left node follows if the feature's value is at most this.
        left: Index of the left node; 0 for a leaf.
        right: Index of the right node; 0 for a leaf.
        shares: Share of right answers among the training answers in each node.
    """

    features: tuple[int, ...]
    cuts: tuple[float, ...]
    left: tuple[int, ...]
    right: tuple[int, ...]
    shares: tuple[float, ...]

    def share(self, values: Sequence[float]) -> float:
        """Return the share of right answers in the leaf for these feature values."""
        node = 0
        while (feature := self.features[node]) >= 0:
            below = values[feature] <= self.cuts[node]
            node = self.left[node] if below else self.right[node]
        return self.shares[node]


class Forest(Record, frozen=True, kw_only=True, tag="forest"):
    """The mean of many trees' shares."""

    trees: tuple[Tree, ...]

    def probability(self, values: Sequence[float]) -> float:
        """Return the trees' mean share, on values in single precision as in scikit-learn."""
        single = [_to_single_precision(value) for value in values]
        return math.fsum(tree.share(single) for tree in self.trees) / len(self.trees)


Model = Linear | Steps | Forest


class Calibrator(Record, frozen=True, kw_only=True):
    """A model of the probability of being right, fitted on a scored run.

    Attributes:
        method: ``platt``, ``isotonic``, ``logistic`` or ``forest``.
        features: Names of the model's inputs, in order (of ``features.FEATURE_NAMES``).
        scale: The scale of the scores in the run's n-best lists.
        model: The fitted model.
        threshold: The confidence below which answers are withheld, if one was fitted.
        datasets: Name -> sha256 of the data sets that it was fitted on.
        readers: The readers whose answers it was fitted on.
        predictions: The sha256 of the predictions that it was fitted on.
        settings: Settings of the fit: metric, folds, seed, numbers of questions and passages.
    """

    method: str
    features: tuple[str, ...]
    scale: Scale
    model: Model
    threshold: Threshold | None = None
    datasets: dict[str, str] = msgspec.field(default_factory=dict)
    readers: tuple[AnsweredBy, ...] = ()
    predictions: tuple[str, ...] = ()
    settings: dict[str, Any] = msgspec.field(default_factory=dict)

    def confidence(self, passage: Passage, question: Question, prediction: Prediction) -> float:
        """Return the probability that the prediction is right, to six digits."""
        return self.confidence_from_features(
            confidence_features(passage, question, prediction, self.scale)
        )

    def confidence_from_features(self, features: Mapping[str, float]) -> float:
        """Return the probability from named features (``confidence_features``), to six digits."""
        values = [features[name] for name in self.features]
        return round(self.model.probability(values), _DIGITS)


@dataclass(frozen=True)
class CalibratorUse:
    """Replaces the confidence of predictions by that of a calibrator, one by one.

    Attributes:
        calibrator: The calibrator.
        least: Answers of lower confidence are withheld; None withholds none.
    """

    calibrator: Calibrator
    least: float | None = None

    def __call__(self, passage: Passage, question: Question, prediction: Prediction) -> Prediction:
        """Return the prediction with its calibrated confidence; one with an error is unchanged."""
        if prediction.error:
            return prediction
        return with_confidence(
            prediction, self.calibrator.confidence(passage, question, prediction), self.least
        )


def with_confidence(
    prediction: Prediction, confidence: float, threshold: float | None
) -> Prediction:
    """Return a prediction with a new confidence; below the threshold, without its answer.

    A withheld prediction keeps its candidates but not its option scores: without an answer,
    metrics would take the best option.

    Args:
        prediction: The prediction to change.
        confidence: Its new confidence.
        threshold: The lowest confidence of an answer; None withholds none.
    """
    if threshold is None or confidence >= threshold:
        return msgspec.structs.replace(prediction, confidence=confidence)
    reason = (
        f"confidence below {threshold:g}"
        if threshold <= 1
        else "no threshold keeps the promised risk"
    )
    note = "; ".join(filter(None, (prediction.note, f"withheld: {reason}")))
    return msgspec.structs.replace(
        prediction,
        confidence=confidence,
        answer=None,
        option_scores=(),
        scores_rank=False,
        note=note,
    )


def load_calibrator(path: Path) -> Calibrator:
    """Return the calibrator in a file.

    Raises:
        InputError: The file cannot be read, or is not a valid calibrator.
    """
    calibrator = read_learned(path, Calibrator, called="a calibrator", command=_COMMAND)
    problem = _find_problem(calibrator)
    if problem:
        raise InputError(
            f"the calibrator cannot be applied: {problem}",
            where=str(path),
            cure=f"fit it again with this version: `{_COMMAND}`",
        )
    return calibrator


def save_calibrator(path: Path, calibrator: Calibrator) -> None:
    """Write a calibrator atomically.

    Raises:
        StorageError: The file cannot be written.
    """
    save_json(path, calibrator, by_name=True)


def logistic(value: float) -> float:
    """Return 1 / (1 + exp(-value)) without overflow."""
    if value >= 0:
        return 1 / (1 + math.exp(-value))
    power = math.exp(value)
    return power / (1 + power)


def _find_problem(calibrator: Calibrator) -> str:
    """Return why a calibrator cannot be applied; empty if it can."""
    unknown = [name for name in calibrator.features if name not in FEATURE_NAMES]
    if unknown:
        return f"unknown feature {unknown[0]!r}"
    n_features, model = len(calibrator.features), calibrator.model
    if isinstance(model, Linear):
        sizes = {len(model.weights), len(model.means), len(model.spreads)}
        return "" if sizes == {n_features} and all(model.spreads) else "weights and features differ"
    if isinstance(model, Steps):
        is_increasing = all(a < b for a, b in zip(model.places, model.places[1:], strict=False))
        same_length = len(model.places) == len(model.heights) > 0
        return (
            ""
            if is_increasing and same_length and n_features == 1
            else "its curve is not one of increasing points"
        )
    valid = model.trees and all(_is_tree(tree, n_features) for tree in model.trees)
    return "" if valid else "its trees are malformed"


def _is_tree(tree: Tree, n_features: int) -> bool:
    """Return whether children come after their parents, so that every walk ends in a leaf."""
    size = len(tree.features)
    if not size or {len(tree.cuts), len(tree.left), len(tree.right), len(tree.shares)} != {size}:
        return False
    return all(
        feature < 0 or (feature < n_features and node < left < size and node < right < size)
        for node, (feature, left, right) in enumerate(
            zip(tree.features, tree.left, tree.right, strict=True)
        )
    )


def _to_single_precision(value: float) -> float:
    bounded = max(-_MAX_SINGLE, min(_MAX_SINGLE, value))
    return float(struct.unpack("f", struct.pack("f", bounded))[0])
