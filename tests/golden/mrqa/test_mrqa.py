"""MRQA's scorer equals the official program, row by row and over whole files."""

import json

import pytest

from closeread.errors import CloseReadError
from closeread.metrics import mrqa, squad
from closeread.metrics.macro import macro_average
from closeread.summation import sum_in_order
from closeread.text import normalize
from closeread.types import Answer, Prediction, Question, Submission


def test_every_row_has_the_official_exact_match_and_f1(golden):
    rows = golden("mrqa/cases.jsonl")
    metric = mrqa.metric()
    for row in rows:
        question = Question(
            question_id=row["id"],
            passage_id="",
            text="",
            kind="span",
            answers=tuple(Answer(kind="span", texts=(text,)) for text in row["answers"]),
        )
        answer = Answer(kind="span", texts=(row["prediction"],))
        score = metric.score(question, Prediction(question_id=row["id"], answer=answer))
        assert score.values == {"em": row["exact_match"], "f1": row["f1"]}, row


def test_every_string_normalises_as_in_the_official_program(golden):
    for row in golden("mrqa/normalise.jsonl"):
        assert normalize.mrqa(row["raw"]) == row["normalised"], row
        assert normalize.squad(row["raw"]) == row["normalised"], row


@pytest.fixture(scope="module")
def inputs(golden, corpus):
    """The golds and predictions behind a row of ``aggregate.json``, from its description."""
    gold = golden("mrqa/gold_v11.json")
    systems = {
        name: json.loads((corpus / f"data/squad_preds/{name}.v1.1.json").read_text("utf-8"))
        for name in ("bert_ensemble", "logistic_regression")
    }

    def build(name):
        golds = {key: row["answers"] for key, row in gold.items()}
        if name == "none":
            return golds, {}
        if name == "empty_strings":
            return golds, dict.fromkeys(golds, "")
        if name == "no_references":
            return {"q1": []}, {"q1": "x"}
        if name == "null_prediction":
            return {"q1": ["x"]}, {"q1": None}
        if name == "gold_empty":
            return {}, {}
        if name == "file/bert_ensemble":
            return golds, systems["bert_ensemble"]
        system, _, part = name.partition("/")
        predictions = systems[system]
        ids = list(golds)
        if part == "every_7th_missing":
            gone = set(ids[::7])
            predictions = {key: text for key, text in predictions.items() if key not in gone}
        elif part == "one_only":
            predictions = {ids[5]: predictions[ids[5]]}
        elif part in {"addsent", "expmrc", "xquad"}:
            golds = {key: row["answers"] for key, row in gold.items() if row["source"] == part}
        else:
            assert part == "all"
        return golds, predictions

    return build


def test_every_whole_file_result_is_the_official_one(golden, inputs):
    rows = golden("mrqa/aggregate.json")
    for row in rows:
        golds, predictions = inputs(row["name"])
        skip = row["skip_no_answer"]
        if "error" in row:
            with pytest.raises(CloseReadError):
                mrqa.official(golds, predictions, skip_no_answer=skip)
            if not skip:
                with pytest.raises(CloseReadError):
                    squad.official(golds.items(), predictions)
            continue
        expected = {key: row[key] for key in ("exact_match", "f1")}
        assert mrqa.official(golds, predictions, skip_no_answer=skip) == expected, row
        if not skip:
            assert squad.official(golds.items(), predictions) == expected, row


def _scored(golds, predictions, **options):
    metric = mrqa.metric(**options)
    questions = [
        Question(
            question_id=key,
            passage_id="",
            text="",
            kind="span",
            answers=tuple(Answer(kind="span", texts=(text,)) for text in texts),
        )
        for key, texts in golds.items()
    ]
    handed_in = {
        key: Prediction(question_id=key, answer=Answer(kind="span", texts=(text,)))
        for key, text in predictions.items()
    }
    scores = [metric.score(one, handed_in.get(one.question_id)) for one in questions]
    return metric.pool(scores, Submission(predictions=handed_in))


def test_pools_hold_the_official_sums_and_denominators(golden, inputs):
    compared = 0
    for row in golden("mrqa/aggregate.json"):
        if "error" in row:
            continue
        golds, predictions = inputs(row["name"])
        pools = _scored(golds, predictions, skip_no_answer=row["skip_no_answer"])
        for pool, key in zip(pools, ("exact_match", "f1"), strict=True):
            unanswered = 0 if row["skip_no_answer"] else pool.n_questions - pool.n_answered
            assert unanswered == row["unanswered_messages"], row
            total = sum(pool.denominators)
            assert 100.0 * sum_in_order(pool.numerators) / total == row[key], row
            compared += 1
    assert compared == 38


def test_the_macro_average_weighs_every_data_set_the_same(golden, inputs):
    rows = {row["name"]: row for row in golden("mrqa/aggregate.json")}
    names = ["bert_ensemble/addsent", "bert_ensemble/expmrc", "bert_ensemble/xquad"]
    for place, key in enumerate(("exact_match", "f1")):
        pools = [_scored(*inputs(name))[place] for name in names]
        summary = macro_average(pools[0].metric, pools, mrqa.metric().signature(), "question", None)
        expected = sum(rows[name][key] for name in names) / len(names)
        assert summary.value == pytest.approx(expected / 100, abs=1e-12)
