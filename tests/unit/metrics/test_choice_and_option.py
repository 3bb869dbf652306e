"""Picking an option: by label, by text, by scores and polarity; and judging each option."""

import msgspec
import numpy as np
import pytest

from closeread.errors import InputError
from closeread.metrics import choice, option
from closeread.metrics.intervals import value
from closeread.protocols import Metric
from closeread.types import Answer, Option, Prediction, Question, Submission


def question(asks_for="supported", truth=(True, False, False), gold="A"):
    return Question(
        question_id="q",
        passage_id="p",
        text="?",
        kind="verification",
        asks_for=asks_for,
        options=tuple(Option(label=label, text=f"text {label}") for label in "ABC"),
        option_truth=truth,
        answers=(Answer(kind="choice", label=gold, texts=(f"text {gold}",)),) if gold else (),
    )


def make_prediction(label="", texts=(), scores=()):
    answer = Answer(kind="choice", label=label, texts=texts) if label or texts else None
    return Prediction(question_id="q", answer=answer, option_scores=scores)


@pytest.mark.parametrize(
    ("prediction", "asks_for", "label"),
    [
        (make_prediction("B"), "supported", "B"),
        (make_prediction(texts=("text C ",)), "supported", "C"),
        (make_prediction(texts=("C",)), "supported", "C"),
        (make_prediction(texts=("something else",)), "supported", None),
        (make_prediction("B", scores=(0.9, 0.1, 0.2)), "supported", "B"),
        (make_prediction(scores=(0.1, 0.9, 0.2)), "supported", "B"),
        (make_prediction(scores=(0.1, 0.9, 0.2)), "contradicted", "A"),
        (make_prediction(scores=(0.1, 0.9, 0.2)), None, "B"),
        (make_prediction(scores=(0.5, 0.9, 0.9)), "supported", "B"),
        (make_prediction(scores=(0.5, 0.2, 0.2)), "contradicted", "B"),
        (make_prediction(), "supported", None),
        (None, "supported", None),
    ],
)
def test_the_picked_label_of_a_prediction(prediction, asks_for, label):
    assert choice.picked_label(question(asks_for), prediction) == label


def test_the_number_of_scores_must_equal_that_of_options():
    with pytest.raises(InputError, match="2 scores for 3 options") as caught:
        choice.metric().score(question(), make_prediction(scores=(0.1, 0.2)))
    assert "question q" in str(caught.value)


def test_missing_and_failed_predictions_are_wrong_and_unknown_gold_counts_in_nothing():
    made = choice.metric()
    assert isinstance(made, Metric)
    failed = Prediction(question_id="q", error="timed out")
    spoken = Answer(kind="span", texts=("an option in words",))  # no letter to compare with
    scores = [
        made.score(question(), None),
        made.score(question(), failed),
        made.score(question(), make_prediction("A")),
        made.score(question(gold=None), make_prediction("A")),
        made.score(msgspec.structs.replace(question(), answers=(spoken,)), make_prediction("A")),
    ]
    assert [score.values["accuracy"] for score in scores] == [0.0, 0.0, 1.0, None, None]
    assert [score.note for score in scores] == ["", "", "picked A", "picked A", "picked A"]
    (pool,) = made.pool(scores, Submission(predictions={"q": failed}))
    assert (pool.n_questions, pool.n_scored, pool.metric) == (5, 3, "choice.accuracy")


@pytest.mark.parametrize(
    ("prediction", "asks_for", "judged"),
    [
        (make_prediction(scores=(0.9, 0.5, 0.1)), "supported", (True, None, False)),
        (make_prediction(scores=(0.51, 0.49, 0.5)), "contradicted", (True, False, None)),
        (make_prediction("A"), "supported", (True, False, False)),
        (make_prediction("A"), "contradicted", (False, True, True)),
        (make_prediction("A"), None, (None, None, None)),
        (None, "supported", (None, None, None)),
        (make_prediction("A", scores=(0.1, 0.2, 0.9)), "supported", (False, False, True)),
        # Log-odds, log-probabilities and sums rank options; nothing says where support begins.
        (make_prediction("A", scores=(-0.2, -1.5, -3.0)), "supported", (True, False, False)),
        (make_prediction("A", scores=(-0.2, -1.5, -3.0)), "contradicted", (False, True, True)),
        (make_prediction("C", scores=(7.1, 5.0, 0.4)), "contradicted", (True, True, False)),
        (make_prediction(scores=(7.1, 5.0, 0.4)), "contradicted", (True, True, False)),
        (make_prediction("A", scores=(7.1, 5.0, 0.4)), None, (None, None, None)),
    ],
)
def test_judgements_of_options_by_a_prediction(prediction, asks_for, judged):
    assert option.judge_options(question(asks_for), prediction) == judged


def test_ranking_scores_have_no_threshold():
    sums = msgspec.structs.replace(make_prediction("A", scores=(0.4, 0.3, 0.9)), scores_rank=True)
    assert option.judge_options(question(), sums) == (True, False, False)
    note = "option scores that only rank, judged by the option picked"
    assert option.metric().score(question(), sums).note == note
    (line,) = msgspec.json.decode(msgspec.json.encode([sums]), type=list[Prediction])
    assert line == sums


def test_numpy_scores_are_judged_like_python_s():
    scores = tuple(np.array([0.9, 0.1, 0.2], dtype=np.float32))
    assert option.metric().score(question(), make_prediction(scores=scores)).values["right"] == 3.0


def test_options_are_pooled_over_questions_and_unknown_truth_is_left_out():
    made = option.metric()
    assert isinstance(made, Metric)
    some = question(truth=(True, None, False))
    none = question(truth=())
    scores = [
        made.score(some, make_prediction("A")),
        made.score(question(), make_prediction("B")),
        made.score(question(), None),
        made.score(none, make_prediction("A")),
    ]
    assert [score.values["right"] for score in scores] == [2.0, 1.0, 0.0, None]
    (pool,) = made.pool(scores, Submission(predictions={}))
    assert value(pool) == 3 / 8
    assert (pool.n_questions, pool.n_scored) == (4, 3)


def test_the_note_distinguishes_missing_and_ranking_scores():
    made = option.metric()
    of = {
        "sums": (9.0, 4.0, 2.0),
        "log-odds": (-2.0, 0.5, 0.1),
        "none": (),
        "chances": (0.9, 0.4, 0.2),
    }
    scores = [made.score(question(), make_prediction("A", scores=found)) for found in of.values()]
    scores.append(made.score(question(), None))
    (pool,) = made.pool(scores, Submission(predictions={}))
    assert value(pool) == 4 / 5
    assert pool.note == (
        "1 question without option scores, judged by the option picked; "
        "2 questions with option scores that only rank, judged by the option picked"
    )
    (pool,) = made.pool(scores[3:], Submission(predictions={}))
    assert pool.note == ""
