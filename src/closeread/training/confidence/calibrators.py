"""Four ways to learn a probability from features, fitted by scikit-learn and kept as numbers.

``platt`` and ``isotonic`` bend the reader's own confidence and leave the order of the answers as
it is; ``logistic`` and ``forest`` weigh all features and may put them into a better one.
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
_LEAF_SHARE = 0.01  # of the answers, at least, in a leaf
_MIN_LEAF = 5


def feature_names(method: Method) -> tuple[str, ...]:
    """Return the names of the features that a method takes."""
    if method == "platt":
        return ("confidence:log-odds",)
    return ("confidence",) if method == "isotonic" else FEATURE_NAMES


def fit(method: Method, values: Numbers, correct: Sequence[bool], seed: int) -> Model:
    """Return a model that gives the chance of being right.

    Args:
        method: How.
        values: The features that ``feature_names`` names, shape (answers, features).
        correct: Whether each answer is right; both must occur.
        seed: Of the forest's draws.

    Raises:
        MissingExtraError: scikit-learn is not installed.
    """
    try:
        import sklearn  # noqa: F401
    except ModuleNotFoundError as error:
        raise missing_extra("fitting a calibrator", "scikit-learn", "calibrate") from error
    right = np.asarray(correct, dtype=int)
    if method == "isotonic":
        return _steps(values[:, 0], right)
    if method == "forest":
        return _forest(values, right, seed)
    return _linear(values, right, ridge=1.0 if method == "logistic" else 1e-6)


def _linear(values: Numbers, right: NDArray[Any], ridge: float) -> Linear:
    from sklearn.linear_model import LogisticRegression

    means = values.mean(axis=0)
    spreads = values.std(axis=0)
    spreads[spreads < 1e-9] = 1.0
    fitted = LogisticRegression(C=1 / ridge, max_iter=5000, tol=1e-6)
    fitted.fit((values - means) / spreads, right)
    return Linear(
        intercept=_rounded(fitted.intercept_[0]),
        weights=_all_rounded(fitted.coef_[0]),
        means=_all_rounded(means),
        spreads=_all_rounded(spreads),
    )


def _steps(values: Numbers, right: NDArray[Any]) -> Steps:
    from sklearn.isotonic import IsotonicRegression

    fitted = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(values, right)
    return Steps(
        places=tuple(map(float, fitted.X_thresholds_)),
        heights=_all_rounded(fitted.y_thresholds_),
    )


def _forest(values: Numbers, right: NDArray[Any], seed: int) -> Forest:
    from sklearn.ensemble import RandomForestClassifier

    fitted = RandomForestClassifier(
        n_estimators=_TREES,
        min_samples_leaf=max(_MIN_LEAF, int(_LEAF_SHARE * len(right))),
        random_state=seed,
        n_jobs=1,
    )
    fitted.fit(values, right)
    return Forest(trees=tuple(_tree(one.tree_) for one in fitted.estimators_))


def _tree(fitted: Any) -> Tree:
    leaf = fitted.children_left < 0
    shares = fitted.value[:, 0, 1] / fitted.value[:, 0, :].sum(axis=1)
    return Tree(
        features=tuple(int(one) for one in np.where(leaf, -1, fitted.feature)),
        cuts=tuple(float(one) for one in np.where(leaf, 0.0, fitted.threshold)),
        left=tuple(int(one) for one in np.where(leaf, 0, fitted.children_left)),
        right=tuple(int(one) for one in np.where(leaf, 0, fitted.children_right)),
        shares=_all_rounded(shares),
    )


def _all_rounded(values: NDArray[Any]) -> tuple[float, ...]:
    return tuple(_rounded(one) for one in values)


def _rounded(value: Any) -> float:
    """Return a number to nine significant digits: six are told of a confidence."""
    return float(f"{float(value):.{_DIGITS}g}")
