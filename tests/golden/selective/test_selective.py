"""Risk and coverage against the published numbers of SQuAD to HotpotQA, equal to the last bit."""

import json

import pytest

from closeread.metrics.intervals import Resampling, interval, value
from closeread.metrics.selective import aurc, coverage_at, curve, metric, official
from closeread.types import Score, Submission


@pytest.fixture(scope="module")
def golden(corpus):
    return json.loads((corpus / "golden" / "selective" / "hotpotqa.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def data(corpus):
    """(confidences, correct) of the 4,000 source questions, then the 4,000 target ones."""
    confidences, correct = [], []
    for part in ("source", "target"):
        stem = corpus / "data" / "selectiveqa" / f"squad1.1_maxprob_hotpotqa_{part}"
        probabilities = json.loads(stem.with_name(f"{stem.name}_probs.json").read_text("utf-8"))
        right = json.loads(stem.with_name(f"{stem.name}_em.json").read_text("utf-8"))
        confidences += probabilities.values()
        correct += [float(right[name]) for name in probabilities]
    assert len(confidences) == 8000
    return confidences, correct


def test_the_stored_numbers(corpus, golden, data):
    stored = corpus / "data" / "selectiveqa" / "squad1.1_maxprob_hotpotqa_auc_cov.json"
    found = official(*data)
    assert found == golden["official_functions"] == golden["stored"]
    assert found == json.loads(stored.read_text("utf-8"))
    print("3 numbers over 8000 questions compared")


@pytest.mark.parametrize(
    ("many", "auc", "at_80", "at_90"),
    [(401, 21.94, 142 / 400, 47 / 400), (7999, 22.43, 3076 / 7998, 792 / 7998)],
)
def test_of_an_odd_number_the_last_answer_is_left_out(data, many, auc, at_80, at_90):
    """What the program's functions gave of the questions in the middle of both parts."""
    start = 4000 - many // 2
    found = official(*(column[start : start + many] for column in data))
    assert found == {"auc": auc, "cov_at_acc_80": at_80 * 100, "cov_at_acc_90": at_90 * 100}


def test_the_area_before_rounding(golden, data):
    coverages, risks = curve(*data)
    assert 100 * aurc(coverages, risks) == golden["auc_trapezoid_unrounded"]
    assert risks[-1] == golden["overall_risk"]


def test_every_point_of_the_stored_curve(golden, data):
    coverages, risks = curve(*data)
    compared = 0
    for point in golden["curve"]:
        if point["risk"] is None:
            continue
        assert risks[point["answered"] - 1] == point["risk"]
        assert coverages[point["answered"] - 1] == point["answered"] / 8000
        compared += 1
    print(f"{compared} points compared; the one at coverage 0 has no risk")
    assert compared == len(golden["curve"]) - 1 == 100


def test_the_area_of_each_part(golden, data):
    confidences, correct = data
    for part, where in (("source", slice(0, 4000)), ("target", slice(4000, 8000))):
        found = aurc(*curve(confidences[where], correct[where]))
        assert 100 * found == golden["own_computation_per_part"][part]["auc"]


def test_pools_give_the_same_numbers_as_fractions_with_intervals(golden, data):
    scores = [
        Score(question_id=str(place), values={"correct": right, "confidence": sure})
        for place, (sure, right) in enumerate(zip(*data, strict=True))
    ]
    pools = metric().pool(scores, Submission(predictions={}))
    coverages, risks = curve(*data)
    assert [value(pool) for pool in pools] == [
        aurc(coverages, risks),
        coverage_at(0.8, coverages, risks),
        coverage_at(0.9, coverages, risks),
    ]
    assert value(pools[1]) * 100 == golden["stored"]["cov_at_acc_80"]
    for pool in pools:
        found = interval(pool, Resampling(resamples=300))
        assert found.low < value(pool) < found.high
