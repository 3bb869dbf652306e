"""Fits one of four calibrators with scikit-learn, and returns its parameters as plain numbers.

``platt`` and ``isotonic`` rescale the reader's own confidence and keep the order of the answers;
``logistic`` and ``forest`` use all features and can improve the order.
"""

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from closeread.readers.confidence.calibrate import Forest, Linear, Model, Steps, Tree
from closeread.readers.confidence.features import FEATURE_NAMES
from closeread.registry.extras import missing_extra

Numbers = NDArray[np.float64]
Method = Literal["logistic", "isotonic", "forest", "platt"]
METHODS: tuple[Method, ...] = get_args(Method)

_DIGITS = 9
_TREES = 100
_LEAF_SHARE = 0.01  # minimum share of the answers in a leaf
_MIN_LEAF = 5


def feature_names(method: Method) -> tuple[str, ...]:
    """Return the names of the features that a method uses."""
    if method == "platt":
        return ("confidence:log-odds",)
    return ("confidence",) if method == "isotonic" else FEATURE_NAMES


def fit(method: Method, values: Numbers, correct: Sequence[bool], seed: int) -> Model:
    """Return a model of the probability that an answer is right.

    Args:
        method: The kind of calibrator.
        values: The features in the order of ``feature_names``, shape (answers, features).
        correct: Whether each answer is right; both outcomes must occur.
        seed: The seed of the forest.

    Raises:
        MissingExtraError: scikit-learn is not installed.
    """
    try:
        import sklearn  # noqa: F401
    except ModuleNotFoundError as error:
        raise missing_extra("fitting a calibrator", "scikit-learn", "calibrate") from error
    right = np.asarray(correct, dtype=int)
    if method == "isotonic":
        return _fit_steps(values[:, 0], right)
    if method == "forest":
        return _fit_forest(values, right, seed)
    return _fit_linear(values, right, ridge=1.0 if method == "logistic" else 1e-6)


def _fit_linear(values: Numbers, right: NDArray[Any], ridge: float) -> Linear:
    from sklearn.linear_model import LogisticRegression

    means = values.mean(axis=0)
    spreads = values.std(axis=0)
    spreads[spreads < 1e-9] = 1.0
    fitted = LogisticRegression(C=1 / ridge, max_iter=5000, tol=1e-6)
    fitted.fit((values - means) / spreads, right)
    return Linear(
        intercept=_round(fitted.intercept_[0]),
        weights=_round_all(fitted.coef_[0]),
        means=_round_all(means),
        spreads=_round_all(spreads),
    )


def _fit_steps(values: Numbers, right: NDArray[Any]) -> Steps:
    from sklearn.isotonic import IsotonicRegression

    fitted = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(values, right)
    return Steps(
        places=tuple(map(float, fitted.X_thresholds_)),
        heights=_round_all(fitted.y_thresholds_),
    )


def _fit_forest(values: Numbers, right: NDArray[Any], seed: int) -> Forest:
    from sklearn.ensemble import RandomForestClassifier

    fitted = RandomForestClassifier(
        n_estimators=_TREES,
        min_samples_leaf=max(_MIN_LEAF, int(_LEAF_SHARE * len(right))),
        random_state=seed,
        n_jobs=1,
    )
    fitted.fit(values, right)
    return Forest(trees=tuple(_convert_tree(estimator.tree_) for estimator in fitted.estimators_))


def _convert_tree(fitted: Any) -> Tree:
    leaf = fitted.children_left < 0
    shares = fitted.value[:, 0, 1] / fitted.value[:, 0, :].sum(axis=1)
    return Tree(
        features=tuple(map(int, np.where(leaf, -1, fitted.feature))),
        cuts=tuple(map(float, np.where(leaf, 0.0, fitted.threshold))),
        left=tuple(map(int, np.where(leaf, 0, fitted.children_left))),
        right=tuple(map(int, np.where(leaf, 0, fitted.children_right))),
        shares=_round_all(shares),
    )


def _round_all(values: NDArray[Any]) -> tuple[float, ...]:
    return tuple(map(_round, values))


def _round(value: Any) -> float:
    """Round to nine significant digits, which is enough: confidences are reported to six."""
    return float(f"{float(value):.{_DIGITS}g}")
