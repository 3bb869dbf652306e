"""Calibrators on the published confidences of SQuAD and HotpotQA: at home and away from it."""

import json

import numpy as np
import pytest

pytest.importorskip("sklearn")

from closeread.metrics.confidence.calibration import auroc, calibration_error
from closeread.metrics.selective import aurc, curve
from closeread.readers.confidence.features import log_odds
from closeread.training.confidence.calibrators import fit
from closeread.training.confidence.threshold import choose_fixed_sequence, threshold_sequence


@pytest.fixture(scope="module")
def parts(corpus):
    """Even and odd questions of the source (SQuAD), all of the target (HotpotQA)."""
    found = {}
    for part in ("source", "target"):
        stem = corpus / "data" / "selectiveqa" / f"squad1.1_maxprob_hotpotqa_{part}"
        told = json.loads(stem.with_name(f"{stem.name}_probs.json").read_text("utf-8"))
        right = json.loads(stem.with_name(f"{stem.name}_em.json").read_text("utf-8"))
        found[part] = np.array([(told[name], float(right[name])) for name in told])
    return {
        "learned from": found["source"][0::2],
        "at home": found["source"][1::2],
        "away": found["target"],
    }


@pytest.mark.parametrize("method", ["platt", "isotonic"])
def test_bending_the_largest_probability(parts, method):
    """The order stays. At home the error falls; away from home it grows, as the page warns."""

    def model_input(values):
        return [[log_odds(one)] if method == "platt" else [one] for one in values]

    seen = parts["learned from"]
    model = fit(method, np.array(model_input(seen[:, 0])), (seen[:, 1] == 1).tolist(), seed=0)
    for where in ("at home", "away"):
        told, right = parts[where].T
        found = [model.probability(row) for row in model_input(told)]
        before, after = calibration_error(told, right), calibration_error(found, right)
        areas = [aurc(*curve(one, right)) for one in (told.tolist(), found)]
        print(
            f"{where}, {method}, {len(told):,}: ECE {before:.3f} -> {after:.3f}, "
            f"AUROC {auroc(told, right):.3f} -> {auroc(found, right):.3f}, "
            f"AURC {areas[0]:.3f} -> {areas[1]:.3f}"
        )
        assert after < 0.04 < before if where == "at home" else after > before
        assert areas[1] == pytest.approx(areas[0], abs=0.01)


def test_a_threshold_is_kept_at_home_and_lost_away(parts):
    """At most 10% wrong, promised on SQuAD: kept on SQuAD's other half, broken on HotpotQA."""
    told, right = parts["learned from"].T
    grid = threshold_sequence(told[0::2].tolist(), 0.1, 0.05, len(told[1::2]))
    chosen = choose_fixed_sequence(
        told[1::2].tolist(), (right[1::2] == 1).tolist(), 0.1, 0.05, grid
    )
    assert chosen.n_answered
    risks = {}
    for where in ("at home", "away"):
        sure, correct = parts[where].T
        above = correct[sure >= chosen.value]
        risks[where] = 1 - above.mean()
        print(f"{where}: {len(above):,} of {len(sure):,} answered, {risks[where]:.1%} wrong")
    assert risks["at home"] <= 0.1 < risks["away"]
