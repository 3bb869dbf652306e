"""Selective answering over any other metric, with and without confidences."""

import math
import unicodedata
from dataclasses import replace
from functools import partial

import msgspec
import numpy as np
import pytest

from closeread.errors import InputError, UnknownNameError, UsageError
from closeread.metrics import selective
from closeread.metrics.comparison.paired import System, pair_with_first
from closeread.metrics.comparison.significance import compare
from closeread.metrics.intervals import (
    Resampling,
    interval,
    resample_together,
    resample_values,
    value,
)
from closeread.metrics.matching.segmentation import make_segmenter
from closeread.metrics.selective import aurc, coverage_at, curve, extremes, metric, official
from closeread.metrics.summary import summarize
from closeread.protocols import Metric
from closeread.types import Answer, Option, Prediction, Question, Score, Submission


def question(name, kind="choice"):
    return Question(
        question_id=name,
        passage_id="p",
        text="?",
        kind=kind,
        options=(Option(label="A", text="x"), Option(label="B", text="y")),
        answers=(Answer(kind="choice", label="A", texts=("the red car",)),),
    )


def make_prediction(name, label, confidence, texts=()):
    answer = Answer(kind="choice", label=label, texts=texts)
    return Prediction(question_id=name, answer=answer, confidence=confidence)


def scores_of(correct, confidences):
    return [
        Score(question_id=str(place), values={"correct": right, "confidence": sure})
        for place, (right, sure) in enumerate(zip(correct, confidences, strict=True))
    ]


def test_the_curve_starts_with_the_surest_and_ties_keep_their_order():
    coverages, risks = curve([0.5, 0.9, 0.5, None], [0.0, 1.0, 1.0, 0.0])
    assert coverages.tolist() == [0.25, 0.5, 0.75, 1.0]
    assert risks.tolist() == [0.0, 0.5, 1 - 2 / 3, 0.5]
    assert aurc(coverages, risks) == pytest.approx((0.25 + 5 / 12 + 5 / 12) / 4)


def test_coverage_uses_the_last_crossing_or_zero():
    coverages, risks = curve([9, 8, 7, 6, 5], [0.0, 1.0, 1.0, 1.0, 1.0])
    assert coverage_at(0.7, coverages, risks) == 1.0
    assert coverage_at(0.8, coverages, risks) == 0.0
    assert official([1, 2], [0.0, 0.0])["cov_at_acc_80"] == 0.0


@pytest.mark.parametrize("correct", [[], [1.0]])
def test_fewer_than_two_answers_have_no_official_value(correct):
    with pytest.raises(InputError, match="no area"):
        official([0.5] * len(correct), correct)


@pytest.mark.parametrize("many", [1, 3, 10, 1_000, 60_000])
@pytest.mark.parametrize(
    ("shares", "above"), [([0.8], 0), ([2 / 3, 2 / 3, 2 / 3, 1.0, 1.0], 0), ([0.9, 0.7], 1)]
)
def test_an_average_equal_to_the_accuracy_is_not_below_by_rounding(many, shares, above):
    """Three times 0.8, by a running sum, are a little more than 2.4."""
    right = shares * many
    pool = metric().pool(scores_of(right, [1.0] * len(right)), Submission(predictions={}))[1]
    assert value(pool) == (len(right) - above) / len(right) * (above > 0)
    (drawn,) = pool.family.read(np.ones((1, len(right)), dtype=int))[pool.metric]
    assert drawn == value(pool)


@pytest.mark.parametrize("n", [5, 10, 200_000, 2_000_000])
def test_one_answer_moves_the_risk_below_the_bound(n):
    right = [1.0] * (n * 4 // 5) + [0.0] * (n // 5)
    coverages, risks = curve([1.0] * n, right)
    assert coverage_at(0.8, coverages, risks) == (n - 1) / n


def test_the_kind_of_question_chooses_the_base():
    made = metric()
    assert isinstance(made, Metric)
    assert made.score(question("q"), make_prediction("q", "A", 0.7)).values == {
        "correct": 1.0,
        "confidence": 0.7,
    }
    span = made.score(question("q", "span"), make_prediction("q", "", 0.2, ("a red car",)))
    assert span.values["correct"] == 1.0


@pytest.mark.parametrize(("asks_for", "expected"), [("supported", 0.75), ("contradicted", 0.5)])
def test_option_scores_replace_a_missing_confidence(asks_for, expected):
    asked = msgspec.structs.replace(question("q"), asks_for=asks_for)
    given = Prediction(question_id="q", option_scores=(0.75, 0.5))
    assert metric().score(asked, given).values["confidence"] == expected


def test_a_base_value_can_be_used_with_or_without_a_threshold():
    asked, given = question("q", "span"), make_prediction("q", "", 0.2, ("red",))
    assert metric("mrqa.f1").score(asked, given).values["correct"] == 2 / 3
    assert metric("mrqa.f1", 0.5).score(asked, given).values["correct"] == 1.0
    assert metric("mrqa.f1", 0.8).score(asked, given).values["correct"] == 0.0
    assert metric("mrqa.f1", 0.8).signature() == (
        "selective|base:mrqa.f1|threshold:0.8|ties:file-order|missing:last|v:1"
    )


def test_a_variant_s_value_can_be_the_base():
    asked, given = question("q", "span"), make_prediction("q", "", 0.2, ("red\n",))
    made = metric("drop.em~number")
    assert made.score(asked, given).values["correct"] == 0.0
    assert made.signature().startswith("selective|base:drop.em~number|base-v:4|threshold:none|")
    with pytest.raises(UsageError, match=r"expected: cmrc\.em~mixed or cmrc\.f1~mixed"):
        metric("cmrc.accuracy~mixed").score(asked, given)


def test_settings_of_the_base_are_in_the_signature():
    """NLTK's data move CMRC's F1, and so whatever is counted from it."""
    own = make_segmenter().signature()
    assert f"|base:cmrc.f1|{own}|threshold:none|" in metric("cmrc.f1").signature()
    assert f"|unicode:{unicodedata.unidata_version}|" in metric("cmrc.em~mixed").signature()


def test_an_unknown_base_is_rejected():
    assert metric("mrqa.f1", 0.1234567).signature() != metric("mrqa.f1", 0.1234568).signature()
    with pytest.raises(UsageError, match=r"expected: mrqa\.em or mrqa\.f1"):
        metric("mrqa.accuracy").score(question("q", "span"), None)
    with pytest.raises(UnknownNameError):
        metric("mrqaa.em").score(question("q"), None)


def test_a_missing_prediction_is_wrong_and_ranks_last():
    unseen, seen = question("a", "span"), question("b")  # squad2 itself would leave `a` out
    scores = [metric().score(unseen, None), metric().score(seen, make_prediction("b", "A", 0))]
    pools = metric().pool(scores, Submission(predictions={"b": make_prediction("b", "A", 0)}))
    assert value(pools[1]) == 0.5
    assert pools[0].note == (
        "1 answer without a confidence; 1 of 2 questions unanswered: counted as wrong, and in "
        "coverage"
    )


def test_questions_without_gold_are_not_in_the_curve():
    blind = msgspec.structs.replace(question("a"), answers=())
    scores = [
        metric().score(blind, make_prediction("a", "A", 0.9)),
        metric().score(question("b"), None),
    ]
    scores += [metric().score(question("c"), make_prediction("c", "A", 0.8))]
    assert [score.values["correct"] for score in scores] == [None, 0.0, 1.0]
    for pool in metric().pool(scores, Submission(predictions={})):
        assert (pool.n_questions, pool.n_scored, list(pool.unit_ids)) == (3, 2, ["b", "c"])
        assert value(pool) == {"selective.aurc": 1 / 8}.get(pool.metric, 1 / 2)


def test_without_confidences_there_is_a_note_and_no_value():
    scores = scores_of([1.0, 0.0], [None, None])
    for summary in summarize(metric(), scores, Submission(predictions={}), Resampling()):
        assert (summary.value, summary.n_scored, summary.n_questions) == (None, 0, 2)
        assert summary.note.startswith("no prediction has a confidence")


@pytest.mark.parametrize(
    ("confidences", "note"),
    [
        (
            [0.5, 0.5, 0.5, 0.9],
            "3 of 4 answers have the same confidence: file order breaks the tie",
        ),
        ([0.5, 0.5, 0.4, 0.9], ""),
        (
            [None, None, None, 0.9],
            "3 answers without a confidence; 3 of 4 answers have the same confidence",
        ),
        ([0.5], ""),
    ],
)
def test_mostly_tied_confidences_are_noted(confidences, note):
    scores = scores_of([1.0] * len(confidences), confidences)
    handed_in = {one.question_id: make_prediction(one.question_id, "A", None) for one in scores}
    found = metric().pool(scores, Submission(predictions=handed_in))[0].note
    assert found.startswith(note)
    assert bool(found) == bool(note)


def test_a_resample_is_the_curve_of_the_questions_drawn():
    correct = [1.0, 0.0, 1.0, 1.0, 0.0]
    sure = [0.9, 0.8, 0.7, 0.6, 0.5]
    pool = metric().pool(scores_of(correct, sure), Submission(predictions={}))[0]
    indices = [4, 0, 1, 1, 3]
    drawn = aurc(*curve([sure[i] for i in indices], [correct[i] for i in indices]))
    assert pool.statistic(indices) == drawn


@pytest.mark.parametrize("kind", ["right or wrong", "shares", "all right", "all wrong"])
@pytest.mark.parametrize("variants", [1, 2])
def test_many_resamples_at_once_equal_single_ones(kind, variants):
    """Also where equal shares of different answers stand together, and where units are unlike."""
    rng = np.random.default_rng(variants)
    for n in (1, 2, 3, 17, 90):
        sure = rng.random(n).round(1)
        right = (rng.random(n) < 0.5 + 0.5 * sure).astype(float)
        if kind == "shares":
            right = np.where(rng.random(n) < 0.5, rng.choice([0.25, 0.75, 0.875], size=n), right)
        elif kind != "right or wrong":
            right[:] = kind == "all right"
        scores = [
            msgspec.structs.replace(score, unit_id=str(place // variants))
            for place, score in enumerate(scores_of(right.tolist(), sure.tolist()))
        ]
        for pool in metric().pool(scores, Submission(predictions={})):
            (fast,) = resample_together([pool], Resampling(resamples=100), "")
            one_by_one = replace(pool, family=None)
            slow = resample_values(one_by_one, 100, Resampling().generator("selective.aurc"))
            assert fast == pytest.approx(slow, abs=1e-13)
            if pool.metric != "selective.aurc":
                assert fast.tolist() == slow.tolist()


@pytest.mark.parametrize("threshold", [0, -1, 1.01, 50, math.nan])
def test_a_trivial_threshold_is_rejected(threshold):
    """Such as one in percent: every answer would be wrong."""
    with pytest.raises(UsageError, match="every answer counts as"):
        metric("mrqa.f1", threshold)


def test_values_of_one_curve_share_resamples(monkeypatch):
    """Drawn once for all of them, and once where systems are compared, of several runs each."""
    rng = np.random.default_rng(6)
    read, drawn = selective._CurveFamily.read, []
    counted = lambda self, times: drawn.append(len(times)) or read(self, times)  # noqa: E731
    monkeypatch.setattr(selective._CurveFamily, "read", counted)

    def pools():
        right, sure = (rng.random(60) < 0.7).astype(float).tolist(), rng.random(60).tolist()
        return metric().pool(scores_of(right, sure), Submission(predictions={}))

    runs = [pools() for _ in range(4)]
    for pool in runs[0]:
        interval(pool, Resampling(resamples=200))
    assert sum(drawn) == 200
    few = Resampling(resamples=200)
    for a, b, c, d in zip(*runs, strict=True):
        (found,) = compare(pair_with_first([System("one", [a, b]), System("other", [c, d])], few))
        assert found.test == "bootstrap"
        assert found.low <= found.difference <= found.high
    assert sum(drawn) == 200 + 4 * 200
    for a, b, c, _ in zip(*runs, strict=True):
        compare(pair_with_first([System("a", [a]), System("b", [b]), System("c", [c])], few))
    assert sum(drawn) == 200 + 4 * 200 + 2 * 2 * 200


def test_intervals_come_from_resampled_curves():
    rng = np.random.default_rng(0)
    sure = rng.random(300)
    right = (rng.random(300) < sure).astype(float)
    pools = metric().pool(scores_of(right.tolist(), sure.tolist()), Submission(predictions={}))
    drawn = resample_values(pools[0], 200, np.random.default_rng(1))
    assert abs(drawn.mean() - value(pools[0])) < 3 * drawn.std()
    assert 0.005 < drawn.std() < 0.05


@pytest.mark.parametrize(
    ("right", "name", "expected"),
    [
        ([1.0] * 16, "coverage@80", (0.0, 1.0)),  # (4/5)**16 > 0.025: a fifth may be wrong
        ([1.0] * 17, "coverage@80", (1.0, 1.0)),  # (4/5)**17 < 0.025: surely less than a fifth
        ([1.0] * 35, "coverage@90", (0.0, 1.0)),
        ([1.0] * 36, "coverage@90", (1.0, 1.0)),
        ([0.0] * 30, "coverage@80", (0.0, (1 - 0.025 ** (1 / 30)) / 0.8)),
        ([1.0] * 95 + [0.0] * 5, "coverage@80", (1.0, 1.0)),
    ],
)
def test_constant_coverage_has_the_bounds_of_unseen_questions(right, name, expected):
    sure = [1 - place / 200 for place in range(len(right))]
    summaries = summarize(
        metric(), scores_of(right, sure), Submission(predictions={}), Resampling(resamples=500)
    )
    found = next(one for one in summaries if one.metric == f"selective.{name}")
    assert (found.low, found.high) == pytest.approx(expected, abs=1e-3)
    assert found.signature.endswith("|ci:exact,0.95")
    assert "give the same value" in found.note


def test_bounds_of_an_area_come_from_extreme_unseen_questions():
    """All right: a share p may be wrong and the surest, which gives p + p ln(1/p)."""
    rest = 1 - 0.025 ** (1 / 40)
    sure = [1 - place / 200 for place in range(40)]
    for right, expected in (
        ([1.0] * 40, (0, rest - rest * math.log(rest))),
        ([0.0] * 40, (1 - rest + rest * math.log(rest), 1)),
    ):
        scores = scores_of(right, sure)
        found = summarize(metric(), scores, Submission(predictions={}), Resampling())[0]
        assert (found.low, found.high) == pytest.approx(expected, abs=1e-3)
        assert found.low <= found.value <= found.high


def test_extremes_bound_curves_with_any_other_questions():
    """Wrong or right ones, put in at any one place, stay between."""
    rng = np.random.default_rng(4)
    for _ in range(20):
        right = (rng.random(90) < rng.random()).astype(float)
        whole = curve(-np.arange(90), right)
        for read in (aurc, partial(coverage_at, 0.8)):
            low, high = extremes(read, *whole, 0.1)
            for at in range(0, 91, 15):
                for kind in (0.0, 1.0):
                    more = np.insert(right, at, [kind] * 10)  # a tenth of a hundred
                    found = read(*curve(-np.arange(100), more))
                    assert low - 0.02 <= found <= high + 0.02
