"""Pairwise ranking learns what it is shown, and is convex."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from closeread.training.cues.ranking import MARGIN, _hinge, _logistic, fit, pairs


def toy(seed=0, questions=400, options=4, features=12):
    """Questions whose right option has the highest true score; each has its own offset."""
    draw = np.random.default_rng(seed)
    truth = draw.normal(size=features)
    rows = draw.normal(size=(questions, options, features))
    rows += draw.normal(scale=3, size=(questions, 1, features))
    best = (rows @ truth).argmax(axis=1)
    truths = [tuple(bool(place == at) for place in range(options)) for at in best]
    return rows, truths, best


@pytest.mark.parametrize("loss", ["logistic", "hinge"])
def test_training_ranks_toy_questions(loss):
    """Over 95% of held-out questions, though no threshold over single options would do."""
    rows, truths, best = toy()
    matrix = csr_array(rows[:300].reshape(-1, rows.shape[-1]))
    found = np.array(pairs(truths[:300]))
    weights = fit(matrix[found[:, 0]] - matrix[found[:, 1]], 0.01, loss)
    chosen = (rows[300:] @ weights).argmax(axis=1)
    assert (chosen == best[300:]).mean() > 0.95


def test_pairs_of_both_polarities():
    """One right of three gives two pairs, one wrong of three gives two; unknown truth none."""
    assert pairs([(False, True, False), (True, False, True), (None, True, None)]) == [
        (1, 0),
        (1, 2),
        (3, 4),
        (5, 4),
    ]


def test_training_is_reproducible():
    """Nothing is drawn."""
    rows, truths, _ = toy()
    matrix = csr_array(rows.reshape(-1, rows.shape[-1]))
    found = np.array(pairs(truths))
    differences = matrix[found[:, 0]] - matrix[found[:, 1]]
    first, second = (fit(differences, 1.0) for _ in range(2))
    assert (first == second).all()


def test_logistic_agrees_with_scikit_learn():
    """The same minimum as LogisticRegression without intercept on mirrored pairs."""
    linear = pytest.importorskip("sklearn.linear_model")
    rows, truths, _ = toy()
    matrix = csr_array(rows.reshape(-1, rows.shape[-1]))
    found = np.array(pairs(truths))
    differences = matrix[found[:, 0]] - matrix[found[:, 1]]
    ours = fit(differences, 2.0)
    dense = differences.toarray()
    both = np.vstack([dense, -dense])
    labels = np.repeat([1, 0], len(dense))
    theirs = linear.LogisticRegression(C=1.0, fit_intercept=False, tol=1e-8, max_iter=2000)
    theirs.fit(both, labels, sample_weight=np.full(len(both), 0.25))
    assert ours == pytest.approx(theirs.coef_[0], abs=1e-3)


def test_the_hinge_stops_at_its_margin():
    """A pair that is apart by more than the margin no longer pulls."""
    one = csr_array(np.array([[1.0]]))
    weight = fit(one, 1e-4, "hinge")[0]
    assert MARGIN - 0.1 < weight < MARGIN + 1e-3


def test_fitting_is_regularised_towards_previous_weights():
    """A ridge without end gives that; without data to speak of, so does any."""
    rows, truths, _ = toy(questions=20)
    matrix = csr_array(rows.reshape(-1, rows.shape[-1]))
    found = np.array(pairs(truths))
    differences = matrix[found[:, 0]] - matrix[found[:, 1]]
    before = np.arange(rows.shape[-1], dtype=float)
    near = fit(differences, 1e6, drawn_to=before)
    assert near == pytest.approx(before, abs=1e-2)
    assert fit(differences, 1e6) == pytest.approx(np.zeros(len(before)), abs=1e-2)
    free = fit(differences, 1e-6, drawn_to=before)
    assert np.abs(free - before).max() > 0.1


def test_one_pair_by_hand():
    """Where the slope of the loss and the ridge's are equal; drawn to 1, it is so less far off."""
    one = csr_array(np.array([[1.0]]))
    weight = fit(one, 0.5)[0]
    assert 1 / (1 + np.exp(weight)) == pytest.approx(0.5 * weight, abs=1e-4)
    weight = fit(one, 0.5, drawn_to=np.array([1.0]))[0]
    assert 1 / (1 + np.exp(weight)) == pytest.approx(0.5 * (weight - 1), abs=1e-4)
    weight = fit(one, 4.0, "hinge")[0]  # on the straight part, where the slope is 1
    assert weight == pytest.approx(1 / 4, abs=1e-4)


def test_the_losses_by_hand():
    """The hinge is rounded over a tenth below its margin: half of it squared, then a line."""
    distances = np.array([0.6, 0.5, 0.45, 0.4, 0.0, -1.0])
    values, slopes = _hinge(distances)
    assert values == pytest.approx([0, 0, 0.0125, 0.05, 0.45, 1.45])
    assert slopes == pytest.approx([0, 0, -0.5, -1, -1, -1])
    values, slopes = _logistic(np.array([0.0, np.log(3)]))
    assert values == pytest.approx([np.log(2), np.log(4 / 3)])
    assert slopes == pytest.approx([-1 / 2, -1 / 4])
