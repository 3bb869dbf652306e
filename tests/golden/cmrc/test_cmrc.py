"""CMRC 2018's scorer equals the official program: segments, questions, whole files."""

import json

import pytest

from closeread.metrics import cmrc
from closeread.metrics.matching.segmentation import Segmenter, make_segmenter
from closeread.types import Answer, Prediction, Question, Submission

pytestmark = pytest.mark.usefixtures("punkt")


@pytest.fixture(scope="module")
def data(corpus):
    """Question id to (paragraph, references) of the development set."""
    text = (corpus / "data/cmrc2018/cmrc2018_dev.json").read_text("utf-8")
    return {
        qa["id"]: (paragraph["context"], [answer["text"] for answer in qa["answers"]])
        for article in json.loads(text)["data"]
        for paragraph in article["paragraphs"]
        for qa in paragraph["qas"]
    }


@pytest.fixture(scope="module")
def predicted(corpus):
    return json.loads((corpus / "data/cmrc2018/predictions.json").read_text("utf-8"))


def _score(metric, key, prediction, references):
    question = Question(
        question_id=key,
        passage_id="",
        text="",
        kind="span",
        answers=tuple(Answer(kind="span", texts=(text,)) for text in references),
    )
    answer = Answer(kind="span", texts=(prediction,))
    score = metric.score(question, Prediction(question_id=key, answer=answer))
    return score.values["em"], score.values["f1"]


def test_every_row_has_the_official_scores_and_segments(golden):
    metric = cmrc.metric()
    assert metric.signature().endswith("|nltk:3.9.1|punkt:english|v:1")
    for row in golden("cmrc/questions.jsonl"):
        assert make_segmenter().cmrc(row["prediction"]) == row["segments"], row
        found = _score(metric, row["id"], row["prediction"], row["answers"])
        assert found == (row["em"], row["f1"]), row


def test_without_punkt_as_many_rows_differ_as_the_notes_on_the_outputs_say(golden):
    metric = cmrc.Cmrc(segmenter=Segmenter(punkt=False))
    rows = golden("cmrc/questions.jsonl")
    scores = [_score(metric, row["id"], row["prediction"], row["answers"]) for row in rows]
    moved = [
        row["id"]
        for row, found in zip(rows, scores, strict=True)
        if found != (row["em"], row["f1"])
        or metric.segmenter.cmrc(row["prediction"]) != row["segments"]
    ]
    assert len(moved) == 2


def test_every_question_of_the_development_set_has_the_official_scores(golden, data, predicted):
    rows = golden("cmrc/all_scores.json")
    metric = cmrc.metric()
    for key, expected in rows.items():
        assert list(_score(metric, key, predicted[key], data[key][1])) == expected, key


def test_every_prediction_file_prints_the_official_output(golden, data, predicted):
    golds = {key: references for key, (_, references) in data.items()}
    gone = set(list(golds)[::10])
    files = {
        "predictions": predicted,
        "every_10th_missing": {key: text for key, text in predicted.items() if key not in gone},
        "empty_strings": dict.fromkeys(golds, ""),
        "first_reference": {key: references[0] for key, references in golds.items()},
        # The official output is that of the first 300 characters, though it says "the paragraph".
        "whole_context": {key: context[:300] for key, (context, _) in data.items()},
        "none": {},
        "null": dict.fromkeys(golds),
    }
    for row in golden("cmrc/results.json"):
        file = row["output"]["FILE"]
        printed = cmrc.official(golds.items(), files[row["name"]], file=file)
        assert printed == row["output"], row["name"]


def test_pools_hold_the_official_sums(golden, data, predicted):
    gone = set(list(data)[::10])
    expected = {row["name"]: row["output"] for row in golden("cmrc/results.json")}
    for name, missing in (("predictions", set()), ("every_10th_missing", gone)):
        handed_in = {
            key: Prediction(question_id=key, answer=Answer(kind="span", texts=(text,)))
            for key, text in predicted.items()
            if key not in missing
        }
        metric = cmrc.metric()
        scores = [
            metric.score(
                Question(
                    question_id=key,
                    passage_id="",
                    text="",
                    kind="span",
                    answers=tuple(Answer(kind="span", texts=(text,)) for text in references),
                ),
                handed_in.get(key),
            )
            for key, (_, references) in data.items()
        ]
        for pool in metric.pool(scores, Submission(predictions=handed_in)):
            key = {"em": "EM", "f1": "F1", "average": "AVERAGE"}[pool.metric.removeprefix("cmrc.")]
            value = 100.0 * sum(pool.numerators) / sum(pool.denominators)
            assert f"{value:.3f}" == expected[name][key], (name, key)
            assert pool.n_questions == pool.n_scored == 3219
            assert pool.n_answered == 3219 - expected[name]["SKIP"]
