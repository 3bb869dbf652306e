"""Chinese spans with the mended segments, where there may be no answer."""

import pytest

from closeread.errors import CloseReadError
from closeread.metrics import cmrc_mixed
from closeread.types import Answer, Prediction, Question

NONE = Answer(kind="none")


def score(golds, said):
    question = Question(question_id="q", passage_id="p", text="？", kind="span", answers=golds)
    prediction = said and Prediction(question_id="q", answer=said)
    values = cmrc_mixed.metric().score(question, prediction).values
    assert values["average"] == (values["em"] + values["f1"]) / 2
    return values["em"], values["f1"]


def span(text):
    return Answer(kind="span", texts=(text,))


def test_only_an_empty_answer_is_right_for_unanswerable_questions():
    """So it is in SQuAD 2.0; a mark says nothing, and who handed in nothing is wrong."""
    for said in (NONE, span(""), span("。")):
        assert score((NONE,), said) == (1, 1)
    assert score((NONE,), span("渡船")) == (0, 0)
    assert score((NONE,), None) == (0, 0)


def test_an_empty_answer_is_wrong_for_answerable_questions():
    """Also where somebody else found none: an answer that is there counts."""
    assert score((span("渡船"),), NONE) == (0, 0)
    assert score((NONE, span("渡船")), NONE) == (0, 0)
    assert score((NONE, span("渡船")), span("渡船。")) == (1, 1)
    assert score((span("旧渡船"),), span("渡船")) == (0, pytest.approx(0.8))


def test_a_question_without_gold_is_rejected():
    with pytest.raises(CloseReadError, match="no gold answer"):
        score((), NONE)


def test_every_han_character_is_a_segment():
    """Those too that stand outside the blocks of ideographs: a year has as many as characters."""
    for text in ("二〇〇八年", "佐々々木", "〆切", "〨〩", "ㇰㇱ"):
        assert cmrc_mixed.segments(text) == tuple(text)
    assert score((span("二〇〇八年"),), span("二〇〇三年")) == (0, pytest.approx(0.6))


def test_punctuation_in_the_kana_blocks_is_punctuation():
    """A name is the same name whichever of the middle dots stands in it, at half width too."""
    for mark in "·・･゠":
        assert cmrc_mixed.segments(f"约翰{mark}史密斯") == tuple("约翰史密斯")
    assert cmrc_mixed.segments("コーヒー") == tuple("コーヒー")
