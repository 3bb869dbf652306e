"""Each question counts by its worst variant; by itself where there is none."""

import pytest

from closeread.errors import CloseReadError
from closeread.metrics import addsent
from closeread.metrics.intervals import value
from closeread.types import Answer, Prediction, Question, Submission


def make_question(name, role=None, group=""):
    gold = Answer(kind="span", texts=("red brick",))
    return Question(
        question_id=name, passage_id="p", text="?", kind="span", answers=(gold,),
        role=role, group_id=group,
    )  # fmt: skip


def numbers(rows, **of):
    """Return the four values of questions, each with what was said; None is not handed in."""
    metric = addsent.metric()
    said = {
        name: Prediction(question_id=name, answer=Answer(kind="span", texts=(text,)))
        for name, text in rows.items()
        if text is not None
    }
    scores = [metric.score(make_question(name, *of.get(name, ())), said.get(name)) for name in rows]
    return [value(one) for one in metric.pool(scores, Submission(predictions=said))]


def test_exact_match_is_that_of_the_variant_with_the_lowest_f1():
    turks = {"q-high-conf-turk0": "red", "q-high-conf-turk1": "", "q-high-conf-turk2": "red brick"}
    assert numbers({"q": "red brick", **turks}) == [0.0, 0.0, 1.0, 1.0]
    assert numbers({**turks, "q": "red brick"}) == [0.0, 0.0, 1.0, 1.0]  # in any order


def test_an_original_counts_if_no_variant_was_answered():
    assert numbers({"q": "red"}) == [0.0, pytest.approx(2 / 3), 0.0, pytest.approx(2 / 3)]
    assert numbers({"q": "red brick", "q-high-conf-turk0": None}) == [1.0, 1.0, 1.0, 1.0]
    assert numbers({"q": None, "q-high-conf-turk0": "red brick"}) == [1.0, 1.0, 0.0, 0.0]
    assert numbers({"q": None, "r": "red brick"}) == [0.5, 0.5, 0.5, 0.5]


def test_variants_of_an_attack_are_known_by_role_and_group():
    of = {"a": ("original", "g"), "b": ("negative", "g")}
    assert numbers({"a": "red brick", "b": "blue"}, **of) == [0.0, 0.0, 1.0, 1.0]
    assert numbers({"q#original": "blue", "q#positive": "red brick"}) == [1.0, 1.0, 0.0, 0.0]


def test_failures_score_zero_and_an_empty_set_has_no_mean():
    failed = Prediction(question_id="q", error="timed out")
    assert addsent.metric().score(make_question("q"), failed).values == {
        "original_em": 0.0, "original_f1": 0.0,
    }  # fmt: skip
    with pytest.raises(CloseReadError, match="no question"):
        addsent.official([], {})
