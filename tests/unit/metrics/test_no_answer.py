"""Null odds of SQuAD 2.0: thresholds, curves, and what a resample of them gives."""

import random
from dataclasses import replace

import numpy as np
import pytest

from closeread.errors import InputError
from closeread.metrics import squad2
from closeread.metrics.intervals import Resampling, interval, resample_together, value
from closeread.metrics.no_answer import CurveStatistic, Ranking
from closeread.types import Answer, Prediction, Question, Submission


def _file(n, seed):
    chance = random.Random(seed)
    golds, predictions, odds = {}, {}, {}
    for place in range(n):
        golds[f"q{place}"] = ["red cat", "cat"] if chance.random() < 0.6 else []
        predictions[f"q{place}"] = chance.choice(["", "cat", "red dog", "dog", "red"])
        odds[f"q{place}"] = round(chance.random(), 1)
    return golds, predictions, odds


def _answers(texts):
    return tuple(Answer(kind="span", texts=(text,)) for text in texts) or (Answer(kind="none"),)


def _pools(golds, predictions, odds, **options):
    metric = squad2.metric(**options)
    said = {
        name: Prediction(question_id=name, answer=_answers([text] if text else [])[0])
        for name, text in predictions.items()
    }
    scores = [
        metric.score(
            Question(
                question_id=name, passage_id="", text="", kind="span", answers=_answers(texts)
            ),
            said[name],
        )
        for name, texts in golds.items()
    ]
    submission = Submission(predictions=said, extras={"null_odds": odds})
    return {pool.metric: pool for pool in metric.pool(scores, submission)}


def test_null_odds_for_some_questions_only_are_an_error():
    golds, predictions, odds = _file(5, 1)
    del odds["q3"]
    with pytest.raises(InputError, match="q3"):
        _pools(golds, predictions, odds)


def test_null_odds_of_unknown_ids_change_nothing():
    golds, predictions, odds = _file(20, 5)
    more = odds | {"of another file": 0.3}
    found, same = (_pools(golds, predictions, one) for one in (odds, more))
    assert [value(pool) for pool in found.values()] == [value(pool) for pool in same.values()]
    found, same = (squad2.official(golds.items(), predictions, null_odds=o) for o in (odds, more))
    assert found == same


def _asked(name, *texts):
    return Question(
        question_id=name, passage_id="", text="", kind="span", answers=_answers(list(texts))
    )


def _given(scores, predictions, odds):
    submission = Submission(predictions=predictions, extras={"null_odds": odds})
    return {pool.metric: pool for pool in squad2.metric().pool(iter(scores), submission)}


def test_missing_predictions_need_no_null_odds():
    """Of four, one is right, one the reader failed at, and two are missing: two are ranked."""
    metric = squad2.metric()
    said = {
        "a": Prediction(question_id="a", answer=Answer(kind="span", texts=("cat",))),
        "b": Prediction(question_id="b", error="timed out"),
    }
    scores = [metric.score(_asked(name, "cat"), said.get(name)) for name in "abcd"]
    pools = _given(scores, said, {"a": 0.1, "b": 0.2})
    assert pools["squad2.em"].note == "2 unanswered questions are left out"
    for name in ("squad2.best_em", "squad2.pr_exact_ap"):
        pool = pools[name]
        assert (pool.unit_ids, list(pool.numerators)) == (["a", "b"], [1.0, 0.0])
        assert list(pool.denominators) == [1, 1]
        assert (pool.n_questions, pool.n_scored, pool.n_answered, pool.n_failed) == (4, 2, 1, 1)
    assert pools["squad2.best_em"].note == "best threshold 0.1"
    assert pools["squad2.pr_exact_ap"].note == ""


def test_curves_need_answers_and_precision_needs_answerable_questions():
    metric, means = squad2.metric(), 6
    missing = [metric.score(_asked("a", "cat"), None), metric.score(_asked("b"), None)]
    assert len(_given(missing, {}, {})) == means
    said = {"b": Prediction(question_id="b", answer=Answer(kind="none"))}
    pools = _given([metric.score(_asked("b"), said["b"])], said, {"b": 0.5})
    assert list(pools)[means:] == ["squad2.best_em", "squad2.best_f1"]
    assert pools["squad2.em"].note == ""


def test_if_answering_never_helps_the_best_is_no_answer():
    """Wrong on two questions with an answer, and on the third that has none."""
    golds = {"a": ["cat"], "b": ["cat"], "c": []}
    pools = _pools(golds, dict.fromkeys(golds, "dog"), {"a": 0.1, "b": 0.2, "c": 0.3})
    best = pools["squad2.best_em"]
    assert value(best) == best.statistic([0, 1, 2]) == 1 / 3
    assert best.statistic([0, 0, 1]) == 0.0
    assert best.note == "best threshold 0"
    assert best.extremes(0.25) == pytest.approx((0.25, 0.5))
    del golds["c"]
    none = _pools(golds, dict.fromkeys(golds, "dog"), {"a": 0.1, "b": 0.2})["squad2.best_em"]
    assert (value(none), none.extremes(0.25)) == (0.0, (0.0, 0.25))


def test_null_odds_above_the_threshold_mean_no_answer():
    golds, predictions, odds = _file(40, 2)
    silent = _pools(golds, predictions, dict.fromkeys(odds, 0.7), na_threshold=0.5)
    assert sum(silent["squad2.hasans_em"].numerators) == 0
    assert set(silent["squad2.noans_em"].numerators) == {1.0}
    heard = _pools(golds, predictions, dict.fromkeys(odds, 0.5), na_threshold=0.5)
    assert sum(heard["squad2.hasans_em"].numerators) > 0


def test_the_default_threshold_is_the_official_one():
    """Above 1.0 alone, which no probability is: log-odds need a threshold of their own."""
    golds, predictions = {"a": ["cat"], "b": ["cat"]}, {"a": "cat", "b": "cat"}
    odds = {"a": 1.0, "b": 1.1}
    assert list(_pools(golds, predictions, odds)["squad2.em"].numerators) == [1.0, 0.0]
    assert squad2.official(golds.items(), predictions, null_odds=odds)["exact"] == 50.0
    assert "|na_threshold:1|" in squad2.metric().signature()
    assert squad2.Squad2() == squad2.metric()


def test_the_best_threshold_can_be_passed_back():
    """Rounded, it would turn the very question at the threshold into one without answer."""
    golds = {"a": ["cat"], "b": ["dog"], "c": []}
    predictions, odds = {"a": "cat", "b": "fish", "c": "hen"}, {"a": 0.123456789, "b": 0.5, "c": 1}
    note = _pools(golds, predictions, odds)["squad2.best_em"].note
    assert note == "best threshold 0.123456789"
    threshold = float(note.removeprefix("best threshold "))
    best = squad2.official(golds.items(), predictions, null_odds=odds, threshold=threshold)
    assert best["exact"] == best["best_exact"]
    assert squad2.metric(na_threshold=threshold).signature() != (
        squad2.metric(na_threshold=round(threshold, 6)).signature()
    )


def test_constant_best_scores_have_bounds_and_precisions_a_note():
    golds = {f"q{number}": ["cat"] for number in range(9)}
    pools = _pools(golds, dict.fromkeys(golds, "cat"), dict.fromkeys(golds, 0.5))
    best = interval(pools["squad2.best_em"], Resampling(resamples=100))
    assert (best.low, best.high) == pytest.approx((0.025 ** (1 / 9), 1.0))
    precision = interval(pools["squad2.pr_exact_ap"], Resampling(resamples=100))
    assert (precision.low, precision.method) == (None, "none")
    assert "no interval can be estimated" in precision.note


def test_without_null_odds_the_threshold_has_no_effect():
    """The official program takes the odds for 0 where there is no file of them."""
    golds, predictions, _ = _file(10, 4)
    scored = [
        squad2.official(golds.items(), predictions, threshold=number) for number in (0.0, 0.5, 1.0)
    ]
    assert scored[0] == scored[1] == scored[2]
    assert scored[0]["HasAns_exact"] > 0
    below = squad2.official(golds.items(), predictions, threshold=-0.5)
    assert (below["HasAns_exact"], below["NoAns_exact"]) == (0.0, 100.0)


@pytest.mark.parametrize("seed", range(8))
def test_curves_of_a_resample_equal_those_of_the_repeated_questions(seed):
    golds, predictions, odds = _file(30, seed)
    drawn = random.Random(seed).choices(range(30), k=30)
    # In the file's order: where questions tie, the official search depends on it.
    again = {f"q{index}+{copy}": f"q{index}" for copy, index in enumerate(sorted(drawn))}
    repeated = (
        {new: golds[old] for new, old in again.items()},
        {new: predictions[old] for new, old in again.items()},
        {new: odds[old] for new, old in again.items()},
    )
    pools = _pools(golds, predictions, odds)
    expected = _pools(*repeated)
    for name in ("best_em", "best_f1", "pr_exact_ap", "pr_f1_ap", "pr_oracle_ap"):
        found = pools[f"squad2.{name}"].statistic(drawn)
        assert found == pytest.approx(expected[f"squad2.{name}"].statistic()), name


def test_a_resample_without_answers_has_no_average_precision():
    ranking = Ranking(names=["a", "b"], odds=[0, 1], has_answer=[True, False], points=[1, -1])
    precision = CurveStatistic(
        name="p", curve="average precision", ranking=ranking, names=["b", "a"], unit_ids=["b", "a"]
    )
    assert precision([0, 0]) is None
    assert precision([1, 1]) == precision() == 1.0


@pytest.mark.parametrize("n", [1, 2, 30])
def test_many_resamples_at_once_equal_single_ones(n):
    """Nothing is drawn or repeated question by question, and no bound moves by that."""
    golds, predictions, odds = _file(n, n)
    every = list(_pools(golds, predictions, odds).values())
    curves = [pool for pool in every if pool.statistic is not None]
    assert len(curves) == 5
    for pool in curves:
        by_itself = replace(pool, family=None)
        at_once, one_by_one = (
            resample_together([one], Resampling(resamples=100), "")[0] for one in (pool, by_itself)
        )
        assert pool.family.unit_ids == pool.unit_ids
        assert np.array_equal(at_once, one_by_one, equal_nan=True)


def test_the_interval_of_a_best_score_covers_the_true_best():
    """Of 60 sets of 100 questions; the percentiles of resamples hold it in hardly any.

    Null odds tell nothing here, one half of the questions has an answer, and that is found: every
    threshold is right on one half of such questions, and looks better on some sets than on others.
    """
    held = by_percentiles = 0
    for seed in range(60):
        chance = random.Random(seed)
        golds = {f"q{n}": ["cat"] if chance.random() < 0.5 else [] for n in range(100)}
        said = dict.fromkeys(golds, "cat")
        odds = {name: chance.random() for name in golds}
        best = _pools(golds, said, odds)["squad2.best_em"]
        resampling = Resampling(resamples=100, seed=seed)
        found, plain = (interval(pool, resampling) for pool in (best, replace(best, best=False)))
        assert found.low <= plain.low <= plain.high <= found.high
        assert found.low <= value(best) <= found.high
        held += found.low <= 0.5 <= found.high
        by_percentiles += plain.low <= 0.5 <= plain.high
    assert (found.method, plain.method) == ("farther", "percentile")
    assert held >= 42
    assert by_percentiles <= 6
