"""VGaokao's question and option accuracy against the authors' program and stored predictions."""

import json

import pytest

from closeread import load
from closeread.formats.submissions import load_submission
from closeread.metrics import choice, option
from closeread.metrics.intervals import value


@pytest.fixture(scope="module")
def dataset(corpus):
    return load(corpus / "data" / "vgaokao" / "test.json")


@pytest.fixture(scope="module")
def golden(corpus):
    return json.loads((corpus / "golden" / "vgaokao" / "qa.json").read_text("utf-8"))


@pytest.mark.parametrize("name", ["official_logits.txt", "official_predictions.json"])
def test_every_question_and_option(corpus, dataset, golden, name):
    submission = load_submission(corpus / "data" / "vgaokao" / name, dataset)
    questions = list(dataset.questions())
    by_id = {row["qid"]: row for row in golden["rows"]}
    compared = 0
    choices, options = [], []
    for question in questions:
        row = by_id[question.question_id]
        prediction = submission.predictions[question.question_id]
        assert (question.asks_for == "contradicted") == row["negative"]
        assert list(prediction.option_scores) == row["prob"]
        label = choice.picked_label(question, prediction)
        assert label == "ABCD"[row["prediction"]]
        assert question.answers[0].label == "ABCD"[row["answer"]]
        choices.append(choice.metric().score(question, prediction))
        assert choices[-1].values["accuracy"] == float(row["prediction"] == row["answer"])
        options.append(option.metric().score(question, prediction))
        compared += 1
    print(f"{compared} questions compared")
    assert compared == golden["questions"] == len(by_id) == 700
    (accuracy,) = choice.metric().pool(choices, submission)
    assert value(accuracy) == golden["question_accuracy"]
    assert sum(accuracy.numerators) == golden["correct_questions"]
    (of_options,) = option.metric().pool(options, submission)
    assert value(of_options) == golden["option_accuracy"]
    assert sum(of_options.numerators) == golden["correct_options"]


def test_the_polarity_rule_picks_what_was_stored_from_the_scores_alone(corpus, dataset, golden):
    import msgspec

    submission = load_submission(corpus / "data" / "vgaokao" / "official_logits.txt", dataset)
    compared = 0
    for question, row in zip(dataset.questions(), golden["rows"], strict=True):
        given = submission.predictions[question.question_id]
        bare = msgspec.structs.replace(given, answer=None)
        assert choice.picked_label(question, bare) == "ABCD"[row["prediction"]]
        compared += 1
    print(f"{compared} questions compared")
    assert compared == 700


def test_accuracy_by_polarity(corpus, dataset, golden):
    submission = load_submission(corpus / "data" / "vgaokao" / "official_logits.txt", dataset)
    right = {"contradicted": [], "supported": []}
    for question in dataset.questions():
        score = choice.metric().score(question, submission.predictions[question.question_id])
        right[question.asks_for].append(score.values["accuracy"])
    for polarity, key in (("contradicted", "negative"), ("supported", "positive")):
        assert len(right[polarity]) == golden[f"{key}_questions"]
        assert sum(right[polarity]) / len(right[polarity]) == golden[f"accuracy_{key}"]
