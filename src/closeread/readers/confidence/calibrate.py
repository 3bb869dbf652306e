"""Calibrators: the learned probability that a prediction is right, and how it is applied.

A calibrator is numbers in a JSON file: what it was fitted with is not needed to apply it.
``closeread calibrate`` fits (closeread.training.confidence.learn) and applies them.
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
_LARGEST = 3e38  # that a number of single precision can hold


class Threshold(Record, frozen=True, kw_only=True):
    """From which confidence on answers keep a promise.

    Attributes:
        value: The least confidence; above 1 where no threshold keeps the promise.
        risk: The share of wrong answers that is allowed.
        delta: The chance at most that the promise fails.
        n_answered: Questions above it when it was chosen, of ``n_questions``.
        bound: The upper bound of the risk there.
    """

    value: float
    risk: float
    delta: float
    n_answered: int
    n_questions: int
    bound: float


class Linear(Record, frozen=True, kw_only=True, tag="linear"):
    """A logistic regression over features of mean 0 and spread 1; one weight a feature."""

    intercept: float
    weights: tuple[float, ...]
    means: tuple[float, ...]
    spreads: tuple[float, ...]

    def probability(self, values: Sequence[float]) -> float:
        """Return the logistic of the weighted sum."""
        columns = zip(values, self.weights, self.means, self.spreads, strict=True)
        terms = [weight * (value - mean) / spread for value, weight, mean, spread in columns]
        return logistic(self.intercept + math.fsum(terms))


class Steps(Record, frozen=True, kw_only=True, tag="isotonic"):
    """A rising curve over one feature, straight between its points and level outside them."""

    places: tuple[float, ...]
    heights: tuple[float, ...]

    def probability(self, values: Sequence[float]) -> float:
        """Return the height of the curve at the feature's value."""
        (value,) = values
        right = bisect_right(self.places, value)
        if right == 0 or right == len(self.places):
            return self.heights[max(0, right - 1)]
        low, high = self.places[right - 1], self.places[right]
        part = (value - low) / (high - low)
        return self.heights[right - 1] + part * (self.heights[right] - self.heights[right - 1])


class Tree(Record, frozen=True, kw_only=True):
    """A decision tree, node by node; node 0 is its root.

    Attributes:
        features: Which feature a node looks at; -1 for a leaf.
        cuts: It goes left where the feature's value is at most this.
        left: The node to the left; 0 for a leaf.
        right: The node to the right; 0 for a leaf.
        shares: Of the training answers in the node, the share that was right.
    """

    features: tuple[int, ...]
    cuts: tuple[float, ...]
    left: tuple[int, ...]
    right: tuple[int, ...]
    shares: tuple[float, ...]

    def share(self, values: Sequence[float]) -> float:
        """Return the share of the leaf that the values lead to."""
        node = 0
        while (feature := self.features[node]) >= 0:
            below = values[feature] <= self.cuts[node]
            node = self.left[node] if below else self.right[node]
        return self.shares[node]


class Forest(Record, frozen=True, kw_only=True, tag="forest"):
    """The mean of many trees' shares."""

    trees: tuple[Tree, ...]

    def probability(self, values: Sequence[float]) -> float:
        """Return the mean share; values count in single precision, as in scikit-learn's trees."""
        single = [_to_single_precision(value) for value in values]
        return math.fsum(tree.share(single) for tree in self.trees) / len(self.trees)


Model = Linear | Steps | Forest


class Calibrator(Record, frozen=True, kw_only=True):
    """What was learned from a scored run.

    Attributes:
        method: ``platt``, ``isotonic``, ``logistic`` or ``forest``.
        features: What the model takes, in order (``features.FEATURE_NAMES``).
        scale: What the scores of the run's n-best lists are.
        model: The numbers.
        threshold: Where a reader may stop answering, if one was sought.
        datasets: Name -> sha256 of what it was learned from.
        readers: Who gave the answers.
        predictions: The sha256 of the predictions that it was learned from.
        settings: What it was learned with: metric, folds, seed, numbers of questions and passages.
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
        """Return the chance that the prediction is right."""
        return self.of_signs(confidence_features(passage, question, prediction, self.scale))

    def of_signs(self, found: Mapping[str, float]) -> float:
        """Return the same from the features, to six digits."""
        values = [found[name] for name in self.features]
        return round(self.model.probability(values), _DIGITS)


@dataclass(frozen=True)
class CalibratorUse:
    """A calibrator that is applied to answers one by one.

    Attributes:
        calibrator: What says how sure they are.
        least: Answers less sure than this are withheld; None withholds none.
    """

    calibrator: Calibrator
    least: float | None = None

    def __call__(self, passage: Passage, question: Question, prediction: Prediction) -> Prediction:
        """Return the prediction so; one that failed stays as it is."""
        if prediction.error:
            return prediction
        return with_confidence(
            prediction, self.calibrator.confidence(passage, question, prediction), self.least
        )


def with_confidence(prediction: Prediction, sure: float, least: float | None) -> Prediction:
    """Return a prediction with another confidence, and without its answer where that is too low.

    Its candidates stay; its option scores do not, for metrics take the best option where there is
    no answer.
    """
    if least is None or sure >= least:
        return msgspec.structs.replace(prediction, confidence=sure)
    why = f"confidence below {least:g}" if least <= 1 else "no threshold keeps the promised risk"
    note = "; ".join(filter(None, (prediction.note, f"withheld: {why}")))
    return msgspec.structs.replace(
        prediction, confidence=sure, answer=None, option_scores=(), scores_rank=False, note=note
    )


def load_calibrator(path: Path) -> Calibrator:
    """Read a calibrator.

    Raises:
        InputError: The file cannot be read, or is none.
    """
    found = read_learned(path, Calibrator, called="a calibrator", command=_COMMAND)
    problem = _find_problem(found)
    if problem:
        raise InputError(
            f"the calibrator cannot be applied: {problem}",
            where=str(path),
            cure=f"fit it again with this version: `{_COMMAND}`",
        )
    return found


def save_calibrator(path: Path, calibrator: Calibrator) -> None:
    """Write a calibrator, whole or not at all.

    Raises:
        StorageError: It cannot be written.
    """
    save_json(path, calibrator, by_name=True)


def logistic(value: float) -> float:
    """Return 1 / (1 + exp(-value)), whatever the size of the value."""
    if value >= 0:
        return 1 / (1 + math.exp(-value))
    power = math.exp(value)
    return power / (1 + power)


def _find_problem(found: Calibrator) -> str:
    """Say what in a file would break its use; a tree must lead down from node to node."""
    unknown = [name for name in found.features if name not in FEATURE_NAMES]
    if unknown:
        return f"unknown feature {unknown[0]!r}"
    many, model = len(found.features), found.model
    if isinstance(model, Linear):
        sizes = {len(model.weights), len(model.means), len(model.spreads)}
        return "" if sizes == {many} and all(model.spreads) else "weights and features differ"
    if isinstance(model, Steps):
        rising = all(a < b for a, b in zip(model.places, model.places[1:], strict=False))
        same = len(model.places) == len(model.heights) > 0
        return "" if rising and same and many == 1 else "its curve is not one of increasing points"
    whole = model.trees and all(_is_tree(tree, many) for tree in model.trees)
    return "" if whole else "its trees are malformed"


def _is_tree(tree: Tree, many: int) -> bool:
    size = len(tree.features)
    if not size or {len(tree.cuts), len(tree.left), len(tree.right), len(tree.shares)} != {size}:
        return False
    return all(
        feature < 0 or (feature < many and node < left < size and node < right < size)
        for node, (feature, left, right) in enumerate(
            zip(tree.features, tree.left, tree.right, strict=True)
        )
    )


def _to_single_precision(value: float) -> float:
    inside = max(-_LARGEST, min(_LARGEST, value))
    return float(struct.unpack("f", struct.pack("f", inside))[0])
