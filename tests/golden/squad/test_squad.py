"""SQuAD's scorers equal the official programs, with and without no-answer probabilities."""

import json
import re

import pytest

from closeread.errors import CloseReadError
from closeread.metrics import squad, squad2
from closeread.summation import sum_in_order
from closeread.types import Answer, Prediction, Question, Submission


@pytest.fixture(scope="module")
def golds(corpus):
    file = corpus / "data/squad2_subset/appcoreopc_dev-v2.0.json"
    data = json.loads(file.read_text("utf-8"))["data"]
    return {
        qa["id"]: [answer["text"] for answer in qa["answers"]]
        for article in data
        for paragraph in article["paragraphs"]
        for qa in paragraph["qas"]
    }


@pytest.fixture(scope="module")
def everything(corpus):
    """The 11,873 predictions of the BERT single model."""
    return json.loads((corpus / "data/squad_preds/bert_single.v2.0.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def inputs(golden, golds, everything):
    """Predictions, no-answer probabilities and threshold behind a row of ``results.json``."""

    def build(name):
        own = {key: everything[key] for key in golds}
        first = next(iter(golds))
        found = re.fullmatch(r"(na_(?:informative|random|binary))(?:@(.+))?", name)
        if found:
            return own, golden(f"squad/{found[1]}.json"), float(found[2] or 1.0)
        if name == "na_missing_id":
            odds = golden("squad/na_random.json")
            return own, {key: value for key, value in odds.items() if key != first}, 1.0
        if name == "whole_preds_with_na":
            return everything, golden("squad/na_random.json"), 1.0
        predictions = {
            "plain": everything,
            "all_empty": dict.fromkeys(golds, ""),
            "first_reference": {key: (texts or [""])[0] for key, texts in golds.items()},
            "article_prediction": dict.fromkeys(golds, "the"),
            "missing_one": {key: text for key, text in own.items() if key != first},
            "no_predictions": {},
            "null_prediction": own | {first: None},
        }[name]
        return predictions, None, 1.0

    return build


def test_every_run_prints_the_official_output(golden, golds, inputs):
    for row in golden("squad/results.json"):
        predictions, odds, threshold = inputs(row["name"])
        if row["output"] is None:
            with pytest.raises(CloseReadError) as raised:
                squad2.official(golds.items(), predictions, null_odds=odds, threshold=threshold)
            missing = re.match(r"KeyError: '(.*)'", row["error"])
            assert missing is None or missing[1] in str(raised.value)
            continue
        printed = squad2.official(golds.items(), predictions, null_odds=odds, threshold=threshold)
        assert printed == row["output"], row["name"]
        assert list(printed) == list(row["output"])


def _questions(golds):
    for key, texts in golds.items():
        answers = tuple(Answer(kind="span", texts=(text,)) for text in texts)
        answers = answers or (Answer(kind="none"),)
        yield Question(question_id=key, passage_id="", text="", kind="span", answers=answers)


def _prediction(key, text):
    answer = Answer(kind="span", texts=(text,)) if text else Answer(kind="none")
    return Prediction(question_id=key, answer=answer)


def test_every_question_has_the_official_scores(golden, golds):
    rows = {row["id"]: row for row in golden("squad/questions.jsonl")}
    metric = squad2.metric()
    for question in _questions(golds):
        row = rows.pop(question.question_id)
        assert row["has_answer"] == (question.answers[0].kind != "none")
        score = metric.score(question, _prediction(row["id"], row["prediction"]))
        assert (score.values["em"], score.values["f1"]) == (row["exact"], row["f1"]), row
    assert not rows


POOL_OF = {
    "exact": "squad2.em",
    "f1": "squad2.f1",
    "HasAns_exact": "squad2.hasans_em",
    "HasAns_f1": "squad2.hasans_f1",
    "NoAns_exact": "squad2.noans_em",
    "NoAns_f1": "squad2.noans_f1",
}
STATISTIC_OF = {
    "best_exact": "squad2.best_em",
    "best_f1": "squad2.best_f1",
    "pr_exact_ap": "squad2.pr_exact_ap",
    "pr_f1_ap": "squad2.pr_f1_ap",
    "pr_oracle_ap": "squad2.pr_oracle_ap",
}


def test_pools_hold_the_official_sums(golden, golds, inputs):
    compared = 0
    for row in golden("squad/results.json"):
        if row["output"] is None:
            continue
        predictions, odds, threshold = inputs(row["name"])
        handed_in = {key: _prediction(key, text) for key, text in predictions.items()}
        metric = squad2.metric(na_threshold=threshold)
        scores = [metric.score(one, handed_in.get(one.question_id)) for one in _questions(golds)]
        extras = {} if odds is None else {"null_odds": odds}
        pools = {
            pool.metric: pool
            for pool in metric.pool(scores, Submission(predictions=handed_in, extras=extras))
        }
        expected = row["output"] | row.get("functions", {})
        for key, name in POOL_OF.items():
            pool = pools[name]
            value = 100.0 * sum_in_order(pool.numerators) / sum(pool.denominators)
            assert value == expected[key], (row["name"], key)
            compared += 1
        for key, name in STATISTIC_OF.items():
            if key in expected:
                assert pools[name].statistic() == pytest.approx(expected[key] / 100, abs=1e-15)
                every = range(len(pools[name].unit_ids))
                assert pools[name].statistic(every) == pytest.approx(expected[key] / 100)
                compared += 1
        for value, key in (("best_em", "best_exact_thresh"), ("best_f1", "best_f1_thresh")):
            if key in expected:
                assert float(pools[f"squad2.{value}"].note.split()[-1]) == expected[key]
    assert compared == 20 * 6 + 16 * 2 + 3 * 3


def test_the_same_functions_score_version_one_data(golden, corpus):
    gold = golden("mrqa/gold_v11.json")
    for row in golden("squad/v11_join.json"):
        file = corpus / f"data/squad_preds/{row['system']}.v1.1.json"
        predictions = json.loads(file.read_text("utf-8"))
        golds = {key: found["answers"] for key, found in gold.items()}
        several = {
            key: texts for key, texts in golds.items() if len(texts) > 1 and key in predictions
        }
        for part, expected in (
            ({key: golds[key] for key in golds if key in predictions}, row),
            (several, row["with_several_references"]),
        ):
            found = squad2.official(part.items(), predictions)
            assert {key: found[key] for key in ("exact", "f1", "total")} == {
                key: expected[key] for key in ("exact", "f1", "total")
            }
            assert found["HasAns_total"] == len(part)
            older = squad.official(part.items(), predictions)
            assert older == {"exact_match": expected["exact"], "f1": expected["f1"]}
