"""What scikit-learn fitted and what is kept as numbers give the same probabilities."""

import numpy as np
import pytest

pytest.importorskip("sklearn")

from closeread.readers.confidence.calibrate import Calibrator, load_calibrator, save_calibrator
from closeread.readers.confidence.features import FEATURE_NAMES
from closeread.training.confidence.calibrators import METHODS, feature_names, fit


def draw_examples(method, seed=0, many=600):
    draw = np.random.default_rng(seed)
    values = draw.normal(size=(many, len(feature_names(method))))
    values[:, 0] = draw.random(many)
    chance = 1 / (1 + np.exp(2 - 4 * values[:, 0] - values[:, -1] * (values.shape[1] > 1)))
    return values, (draw.random(many) < chance).tolist()


def theirs(method, values, correct, seed):
    """The same settings, in scikit-learn's own objects."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.isotonic import IsotonicRegression
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    right = np.array(correct, dtype=int)
    if method == "isotonic":
        made = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip")
        made.fit(values[:, 0], right)
        return lambda new: made.predict(new[:, 0])
    if method == "forest":
        made = RandomForestClassifier(
            n_estimators=100, min_samples_leaf=6, random_state=seed, n_jobs=1
        )
    else:
        strength = 1.0 if method == "logistic" else 1e6
        regression = LogisticRegression(C=strength, max_iter=5000, tol=1e-6)
        made = make_pipeline(StandardScaler(), regression)
    made.fit(values, right)
    return lambda new: made.predict_proba(new)[:, 1]


@pytest.mark.parametrize("method", METHODS)
def test_saved_calibrators_equal_scikit_learn(method, tmp_path):
    """To a millionth, on 400 new answers, after a journey through the file."""
    values, correct = draw_examples(method)
    model = fit(method, values, correct, seed=5)
    path = tmp_path / "c.json"
    names = feature_names(method)
    save_calibrator(path, Calibrator(method=method, features=names, scale="logits", model=model))
    kept = load_calibrator(path)
    assert kept.features == names
    new = np.vstack([draw_examples(method, seed=1, many=398)[0], values[:1] + 9, values[:1] - 9])
    expected = theirs(method, values, correct, seed=5)(new)
    found = [kept.model.probability(row.tolist()) for row in new]
    assert np.abs(np.array(found) - expected).max() < 1e-6
    assert b"sklearn" not in path.read_bytes()


def test_monotonic_methods_keep_the_order():
    """Platt and isotonic take one feature and are monotone; the others take them all."""
    assert feature_names("logistic") == feature_names("forest") == FEATURE_NAMES
    for method in ("platt", "isotonic"):
        values, correct = draw_examples(method)
        model = fit(method, values, correct, seed=0)
        found = [model.probability([one]) for one in np.linspace(-0.5, 1.5, 50)]
        assert found == sorted(found)
        assert found[-1] > found[0] + 0.3
