"""DROP on what nobody thought of: equal to the description of the official program, to the bit."""

import importlib.util
import sys

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from closeread.metrics.drop import metric, score_pair
from closeread.metrics.matching.assignment import rounded, rounded_mean
from closeread.text.normalize_drop import drop, has_number
from closeread.types import Answer, Prediction, Question
from project_paths import ROOT

WORDS = st.one_of(
    st.sampled_from(["a", "an", "the", "The", "red", "Red", "blue", "Straße", "half", "U.S."]),
    st.sampled_from(["3", "3.0", "03", "12.", "12.25%", "$1.5", "1,000", "1e3", "-5", "5th", "٣"]),
    st.sampled_from(["nan", "inf", "Infinity", "½", "²", "a.m.", "the_end", "the’s", "1_000"]),
    st.sampled_from(["don't", "—", "…", "'", "%", "."]),
)
SPAN = st.one_of(
    st.lists(WORDS, max_size=5).map(" ".join),
    st.lists(WORDS, max_size=3).map("-".join),
    st.lists(WORDS, max_size=3).map("\n".join),
    st.text(max_size=12),
)
ANSWER = st.one_of(SPAN, st.lists(SPAN, min_size=1, max_size=9))


def _peer():
    if "official_drop" not in sys.modules:
        path = ROOT / "benchmarks" / "peers" / "official_drop.py"
        spec = importlib.util.spec_from_file_location("official_drop", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        sys.modules["official_drop"] = module
    return sys.modules["official_drop"]


@given(ANSWER, ANSWER)
@settings(max_examples=1500, deadline=None)
@example(["x", "x", "y"], ["x", "y", "y"])
@example(["red", "red"], ["red", "red", "red"])
@example("10\n\nPassage: 3", "10")
def test_every_pair_equals_the_official_way(prediction, gold):
    assert score_pair(prediction, gold) == _peer().score_pair(prediction, gold)


@given(SPAN)
@settings(max_examples=1000, deadline=None)
def test_every_string_is_normalised_the_official_way(raw):
    found = drop(raw)
    assert found.text == _peer().normalize(raw)
    assert found.bag == set(found.text.split())


@given(st.one_of(WORDS, st.text(max_size=6)))
def test_a_number_is_what_float_takes(word):
    assert has_number([word]) == _peer().is_number(word)


@given(
    st.integers(2, 9).flatmap(
        lambda columns: st.lists(
            st.lists(
                st.sampled_from([0.0, 0.0, 0.0, 0.2, 0.25, 1 / 3, 0.4, 0.5, 2 / 3, 0.8, 1.0]),
                min_size=columns,
                max_size=columns,
            ),
            min_size=1,
            max_size=9,
        )
    )
)
@settings(max_examples=1500, deadline=None)
@example([[0.5, 0.5], [0.5, 0.5]])
@example([[0.2, 0.0], [0.0, 0.25]])
@example([[0.2, 0.25], [0.25, 0.2]])
@example([[0.25, 0.2, 0.0], [0.25, 0.2, 0.0]])
def test_the_best_assignment_s_mean_is_scipy_s_and_numpy_s_rounded(rows):
    from scipy.optimize import linear_sum_assignment

    length = max(len(rows), len(rows[0]))
    scores = np.array(rows)
    assigned = np.zeros(length)
    down, across = linear_sum_assignment(-scores)
    assigned[down] = scores[down, across]
    assert rounded_mean(rows, length) == round(np.mean(assigned), 2)


def test_rounding_is_numpy_s_on_every_ratio_of_bags_up_to_forty_words():
    compared = 0
    for predicted in range(1, 41):
        for gold in range(1, 41):
            for shared in range(1, min(predicted, gold) + 1):
                precision, recall = shared / predicted, shared / gold
                f1 = (2 * precision * recall) / (precision + recall)
                assert rounded(f1) == round(np.float64(f1), 2)
                compared += 1
    assert compared == 22140


@given(st.floats(0, 1))
def test_rounding_is_numpy_s_on_any_fraction(number):
    assert rounded(number) == round(np.float64(number), 2)


@given(st.lists(ANSWER, min_size=1, max_size=4), ANSWER, ANSWER)
def test_adding_a_gold_answer_never_lowers_a_score(golds, more, prediction):
    few = _values(golds, prediction)
    many = _values([*golds, more], prediction)
    assert many["em"] >= few["em"]
    assert many["f1"] >= few["f1"]


def _values(golds, prediction):
    texts = [(gold,) if isinstance(gold, str) else tuple(gold) for gold in golds]
    answers = tuple(Answer(kind="spans", texts=text) for text in texts)
    question = Question(question_id="q", passage_id="p", text="?", kind="discrete", answers=answers)
    said = (prediction,) if isinstance(prediction, str) else tuple(prediction)
    given_ = Prediction(question_id="q", answer=Answer(kind="spans", texts=said))
    return metric().score(question, given_).values


@pytest.mark.parametrize("gold", [["a b", "c"], ["c", "a b"]])
def test_the_order_of_spans_moves_nothing(gold):
    assert score_pair(["c", "a b"], gold) == (1.0, 1.0)
