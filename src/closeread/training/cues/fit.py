"""Fits the weights of the reader ``cues`` by pairwise ranking with a scaled L2 penalty."""

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
    """Return the weight of every feature in ``before``, or that ``least`` options have.

    Args:
        examples: The training examples; iterated once.
        l2: The strength of the L2 penalty.
        loss: The loss of the score difference between a true and a false option.
        least: How many options must have a feature.
        before: Weights that the penalty pulls towards, instead of 0.
        trusting: Penalise informative features less (``trust_scales``), instead of all alike.
        where: The data sets of the examples, for messages.

    Raises:
        InputError: No feature is frequent enough, or no question has a true and a false option.
    """
    all_names, rows, truth = _feature_matrix(examples)
    pairs = np.array(ranking.pairs(truth), dtype=int)
    if not len(pairs):
        raise InputError(
            "no question has a true and a false option to learn from",
            where=where,
            expected="questions that have both, also without any fold",
            cure="add questions with options and gold answers, or use fewer folds",
        )
    names, matrix = _frequent_features(all_names, rows, least, where)
    scales = trust_scales(names, matrix, pairs) if trusting else np.ones(len(names))
    differences = (matrix[pairs[:, 0]] - matrix[pairs[:, 1]]) @ diags_array(scales)
    start = np.array([(before or {}).get(name, 0.0) for name in names]) / scales
    weights = scales * ranking.fit(differences.tocsr(), l2, loss, start)
    return {**(before or {}), **dict(zip(names, map(float, weights), strict=True))}


def cues_alone(examples: Iterable[Example]) -> Iterator[Example]:
    """Yield each example with its cues only: its words, and those dropped, swapped or added."""
    for example in examples:
        yield dataclasses.replace(
            example,
            features=tuple(
                {name: value for name, value in of_option.items() if _group(name) in _CUES}
                for of_option in example.features
            ),
        )


def trust_scales(names: Sequence[str], matrix: csr_array, pairs: "NDArray[Any]") -> "NDArray[Any]":
    """Return the scale of each feature, shape (features,): the L2 penalty divides its weight by it.

    Most of the thousands of cues are uninformative. So half of a cue's scale is its log-count ratio
    between true and false options (Wang and Manning 2012), relative to the mean of all cues; the
    mean scale is 1. Cues that also occur in the evidence, and features that are not cues, get half
    of their scale. These choices were made on held-out passages (docs/cues-research.md).
    """
    present = matrix.copy()
    present.data = (present.data != 0).astype(float)
    right, wrong = (1.0 + present[pairs[:, side]].sum(axis=0) for side in (0, 1))
    ratio = np.abs(np.log(right / wrong))
    groups = [_group(name) for name in names]
    is_cue = np.array([group in _CUES for group in groups])
    mean = float(ratio[is_cue].mean()) if is_cue.any() else 0.0
    informative = np.where(is_cue, (ratio / mean + 1) / 2 if mean else 1.0, 1.0)
    not_kept = np.array([group != _KEPT for group in groups])
    return informative * np.where(is_cue & not_kept, 1.0, _HALF)


def _group(name: str) -> str:
    """Return the group of a feature: the first part of its name, such as ``kept``."""
    return name.removeprefix(ANSWER).partition(":")[0].partition("-")[0]


def score_options(weights: Mapping[str, float], example: Example) -> list[float]:
    """Return the score of each option; the highest is the best answer to the stem."""
    return [
        example.sign
        * math.fsum(value * weights.get(name, 0.0) for name, value in of_option.items())
        for of_option in example.features
    ]


def _feature_matrix(
    examples: Iterable[Example],
) -> "tuple[list[str], csr_array, list[tuple[bool | None, ...]]]":
    """Return the names of all features, their matrix, and the truths of each question's options.

    The matrix has shape (options, features). A value takes 16 bytes in it and ten times that in the
    dictionary of an option; consuming the examples one by one keeps few dictionaries alive.
    """
    column_of: dict[str, int] = {}
    values, columns, ends = array("d"), array("q"), array("q", [0])
    truth = []
    for example in examples:
        truth.append(example.truth)
        for of_option in example.features:
            for name, value in of_option.items():
                if value:
                    columns.append(column_of.setdefault(name, len(column_of)))
                    values.append(value)
            ends.append(len(values))
    shape = (len(ends) - 1, len(column_of))
    rows = csr_array((np.array(values), np.array(columns), np.array(ends)), shape=shape)
    return list(column_of), rows, truth


def _frequent_features(
    names: Sequence[str], rows: csr_array, least: int, where: str
) -> "tuple[list[str], csr_array]":
    """Return the names of the features that ``least`` options have, sorted, and their columns."""
    counts = np.bincount(rows.indices, minlength=len(names))
    frequent = sorted(np.flatnonzero(counts >= least).tolist(), key=names.__getitem__)
    if not frequent:
        raise InputError(
            f"no feature occurs in {count_of(least, 'option')}",
            where=where,
            expected=f"a feature that does, among {count_of(rows.shape[0], 'option')}",
            cure="lower `least`, or add questions",
        )
    matrix = rows[:, frequent]
    matrix.sort_indices()
    return [names[index] for index in frequent], matrix
