"""Evidence is explained: which part of a claim stands where, and which part stands nowhere."""

import pytest

from closeread.evidence.claims.explanation import explain_claim
from closeread.evidence.claims.unit_index import UnitIndex
from closeread.evidence.cover import explain
from closeread.types import Evidence, Option, Passage, Question, Span

TEXT = "蒸发使盐度升高。降水是影响盐度的一个因素。渔港冬天结冰。"


def explained_parts(claim, text, evidence):
    found = explain_claim(claim, UnitIndex(text), evidence)
    covered = [
        (match.option_span.of(claim), match.passage_span.of(text), match.sentence_index)
        for match in found.covered
    ]
    return covered, [span.of(claim) for span in found.uncovered]


def test_uncovered_parts_are_found():
    """An overclaim stands in no sentence: that is what an examiner looks at first."""
    claim = "降水是影响盐度的唯一的因素，蒸发使盐度升高"
    covered, uncovered = explained_parts(claim, TEXT, Evidence(spans=(Span(0, 8), Span(8, 21))))
    assert covered == [
        ("降水是影响盐度的", "降水是影响盐度的", 1),
        ("因素", "因素", 1),
        ("蒸发使盐度升高", "蒸发使盐度升高", 0),
    ]
    assert uncovered == ["唯一的"]


def test_words_match_in_other_forms_and_orders():
    """English words match in any form, one by one; function words alone are neither."""
    text = "The founders disagreed about the routes."
    claim = "A founder quickly changed the route"
    covered, uncovered = explained_parts(claim, text, Evidence(spans=(Span(0, len(text)),)))
    assert covered == [("founder", "founders", 0), ("the route", "the routes", 0)]
    assert uncovered == ["quickly changed"]


def test_a_single_character_is_neither_a_match_nor_a_gap():
    """One Chinese character that the evidence holds somewhere proves nothing either way."""
    text = "海风吹来。船没有开动。"
    covered, uncovered = explained_parts("海上有船", text, Evidence(spans=(Span(0, 11),)))
    assert covered == []
    assert uncovered == ["海上有船"]
    covered, uncovered = explained_parts("船没有开", text, Evidence(spans=(Span(0, 11),)))
    assert (covered, uncovered) == ([("船没有开", "船没有开", 0)], [])
    covered, uncovered = explained_parts("没有开动船", text, Evidence(spans=(Span(0, 11),)))
    assert (covered, uncovered) == ([("没有开动", "没有开动", 0)], [])


def test_longer_tiles_are_placed_before_shorter_ones():
    """Of equal ones the earlier; what sticks out of a longer one is a part if it says something."""
    both = Evidence(spans=(Span(0, 4), Span(4, 9)))
    covered, uncovered = explained_parts("春夏秋冬雨雪", "春夏秋。秋冬雨风霜", both)
    assert covered == [("春夏秋", "春夏秋", 0), ("冬雨", "冬雨", 1)]
    assert uncovered == ["雪"]
    covered, uncovered = explained_parts("春夏秋冬", "春夏雪。夏秋冬", both)
    assert (covered, uncovered) == ([("夏秋冬", "夏秋冬", 1)], [])


@pytest.mark.parametrize("claim", ["of the", "the", "的了", "的"])
def test_function_words_alone_are_neither_a_match_nor_a_gap(claim):
    text = "Top of the hill; 他的了。"
    assert explained_parts(claim, text, Evidence(spans=(Span(0, len(text)),))) == ([], [])
    assert explained_parts(claim, text, Evidence()) == ([], [])


def test_width_and_punctuation_do_not_split_a_match():
    """Marks and width differ; the spans are those of the texts as they stand."""
    covered, uncovered = explained_parts("“ＤＮＡ”结构", "DNA 结构", Evidence(spans=(Span(0, 6),)))
    assert covered == [("ＤＮＡ”结构", "DNA 结构", 0)]
    assert uncovered == []


@pytest.mark.parametrize("claim", ["", "，。", "😀"])
def test_an_empty_claim_has_no_parts(claim):
    """A claim without anything that counts has neither part."""
    assert explained_parts(claim, TEXT, Evidence(spans=(Span(0, 8),))) == ([], [])


def test_without_evidence_everything_is_uncovered():
    """No sentence: the whole claim, without the marks around it."""
    assert explained_parts("“盐度升高”。", TEXT, Evidence()) == ([], ["盐度升高"])


def test_explain_extracts_evidence_if_none_is_given():
    """The default retriever's evidence is explained; another's where it is handed in."""
    passage = Passage(passage_id="p", text=TEXT, language="zh")
    question = Question(question_id="q", passage_id="p", text="渔港冬天", kind="verification")
    own = explain(question, passage, Option(label="B", text="蒸发使盐度升高"))
    assert own.evidence.spans == (Span(0, 8),)
    assert own.evidence.option_label == "B"
    assert not own.uncovered
    other = explain(question, passage, None, Evidence(spans=(Span(21, 28),)))
    assert [match.option_span for match in other.covered] == [Span(0, 4)]


def test_many_repeats_are_matched_quickly():
    """A sentence that repeats a claim's words thousands of times is explained all the same."""
    sentences = UnitIndex("甲乙丙丁" * 20000)
    found = explain_claim("甲乙丙丁" * 500, sentences, Evidence(spans=(Span(0, 80000),)))
    assert [match.option_span for match in found.covered] == [Span(0, 2000)]
    assert found.covered[0].passage_span.of("甲乙丙丁" * 20000) == "甲乙丙丁" * 500
