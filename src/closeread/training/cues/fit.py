"""Fits the weights of the reader ``cues``: pairwise ranking with a ridge that trusts what tells."""

import dataclasses
import math
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array

from closeread.errors import InputError
from closeread.readers.cues.features import ANSWER
from closeread.training.cues import ranking
from closeread.training.cues.examples import Example
from closeread.training.cues.settings import Loss
from closeread.wording import count_of

Weights = dict[str, float]
_CUES = ("cue", "kept", "added", "category", "before", "after", "then", "dropped", "swap", "new")
_KEPT = "kept"
_HALF = 0.5


def fit(
    examples: Iterable[Example],
    l2: float,
    loss: Loss = "logistic",
    least: int = 3,
    *,
    before: Mapping[str, float] | None = None,
    trusting: bool = True,
    where: str = "",
) -> Weights:
    """Return the weight of every feature that enough options have, or that had one before.

    Args:
        examples: What is learned from, gone through once.
        l2: The ridge.
        loss: Of the difference between the scores of a true and of a false option.
        least: How many options must have a feature.
        before: Weights that the ridge draws to, instead of to 0.
        trusting: Let the ridge trust features by what they tell (``trust_scales``), not all alike.
        where: Whence the examples come, for messages.

    Raises:
        InputError: No feature is had by so many, or no question has a true and a false option.
    """
    every, rows, truth = _feature_matrix(examples)
    right_wrong = np.array(ranking.pairs(truth), dtype=int)
    if not len(right_wrong):
        raise InputError(
            "no question has a true and a false option to learn from",
            where=where,
            expected="questions that have both, also without any fold",
            cure="add questions with options and gold answers, or use fewer folds",
        )
    names, matrix = _frequent_features(every, rows, least, where)
    scales = trust_scales(names, matrix, right_wrong) if trusting else np.ones(len(names))
    differences = (matrix[right_wrong[:, 0]] - matrix[right_wrong[:, 1]]) @ diags_array(scales)
    start = np.array([(before or {}).get(name, 0.0) for name in names]) / scales
    found = scales * ranking.fit(differences.tocsr(), l2, loss, start)
    return {**(before or {}), **dict(zip(names, map(float, found), strict=True))}


def cues_alone(found: Iterable[Example]) -> Iterator[Example]:
    """Yield each with its cues alone: words, what is dropped, exchanged and new."""
    for one in found:
        yield dataclasses.replace(
            one,
            features=tuple(
                {name: value for name, value in of.items() if _group(name) in _CUES}
                for of in one.features
            ),
        )


def trust_scales(names: Sequence[str], matrix: csr_array, pairs: "NDArray[Any]") -> "NDArray[Any]":
    """Return how freely each feature may be weighed: the ridge counts its weight over this.

    A cue counts half by what the pairs alone say of it, the log-count ratio of true options over
    false ones (Wang and Manning 2012), since most of thousands of cues say nothing; on the average
    1. Half of that has a cue that the evidence holds, too, and half has what is no cue. All were
    chosen by held-out passages (docs/cues-research.md).
    """
    present = matrix.copy()
    present.data = (present.data != 0).astype(float)
    right, wrong = (1.0 + present[pairs[:, side]].sum(axis=0) for side in (0, 1))
    ratio = np.abs(np.log(right / wrong))
    groups = [_group(name) for name in names]
    cue = np.array([group in _CUES for group in groups])
    mean = float(ratio[cue].mean()) if cue.any() else 0.0
    telling = np.where(cue, (ratio / mean + 1) / 2 if mean else 1.0, 1.0)
    return telling * np.where(cue & np.array([group != _KEPT for group in groups]), 1.0, _HALF)


def _group(name: str) -> str:
    return name.removeprefix(ANSWER).partition(":")[0].partition("-")[0]


def score_options(weights: Mapping[str, float], one: Example) -> list[float]:
    """Return a score an option; the highest is what the stem asks for."""
    return [
        one.sign * math.fsum(value * weights.get(name, 0.0) for name, value in found.items())
        for found in one.features
    ]


def _feature_matrix(
    examples: Iterable[Example],
) -> "tuple[list[str], csr_array, list[tuple[bool | None, ...]]]":
    """Return all features, their values in each option, and the options' truths.

    A value takes 16 bytes here and ten times that in its option's dictionary, so that no more of
    those need be there at a time than one question's.
    """
    column: dict[str, int] = {}
    values, columns, ends = array("d"), array("q"), array("q", [0])
    truth = []
    for one in examples:
        truth.append(one.truth)
        for found in one.features:
            for name, value in found.items():
                if value:
                    columns.append(column.setdefault(name, len(column)))
                    values.append(value)
            ends.append(len(values))
    shape = (len(ends) - 1, len(column))
    rows = csr_array((np.array(values), np.array(columns), np.array(ends)), shape=shape)
    return list(column), rows, truth


def _frequent_features(
    every: Sequence[str], rows: csr_array, least: int, where: str
) -> "tuple[list[str], csr_array]":
    """Return the features that enough options have, by name, and their columns."""
    counts = np.bincount(rows.indices, minlength=len(every))
    often = sorted(np.flatnonzero(counts >= least).tolist(), key=every.__getitem__)
    if not often:
        raise InputError(
            f"no feature occurs in {count_of(least, 'option')}",
            where=where,
            expected=f"a feature that does, among {count_of(rows.shape[0], 'option')}",
            cure="lower `least`, or add questions",
        )
    matrix = rows[:, often]
    matrix.sort_indices()
    return [every[place] for place in often], matrix
