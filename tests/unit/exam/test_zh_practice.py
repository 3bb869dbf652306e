"""The practice questions keep their promises."""

import re
from collections import Counter
from statistics import mean

import pytest

import closeread
from closeread.exam import locate
from closeread.text.polarity import is_verification, polarity
from closeread.training.overlap import Overlap, clusters

TURNS = {
    "扩大范围",
    "绝对化",
    "或然变必然",
    "未然变已然",
    "强加因果",
    "因果倒置",
    "偷换概念",
    "张冠李戴",
    "条件不当",
    "无中生有",
    "肯否颠倒",
    "时序错位",
    "程度不当",
    "主次不分",
    "逻辑不当",
    "以偏概全",
    "评价不当",
}
SENTENCE = re.compile(r"[^。！？\n]+[。！？…]*[”’』」）]*")


@pytest.fixture(scope="module")
def items():
    return list(closeread.load(locate("exam/zh-practice")))


@pytest.fixture(scope="module")
def questions(items):
    return [question for _, asked in items for question in asked]


def test_the_file_is_plain_utf8_without_defects():
    raw = locate("exam/zh-practice").read_text("utf-8")
    assert "\\u" not in raw
    assert not closeread.load(locate("exam/zh-practice")).check().counts


def test_passages_are_written_as_chinese_is(items):
    """500 to 1,200 characters in paragraphs, without Latin commas between Chinese characters."""
    for number, (passage, asked) in enumerate(items, 1):
        assert passage.passage_id == f"practice-{number:03d}"
        assert passage.language == "zh"
        assert 500 <= len(passage.text) <= 1200, passage.passage_id
        assert passage.text.count("\n") >= 2, passage.passage_id
        said = [passage.text, *(option.text for one in asked for option in one.options)]
        assert not any(re.search(r"[\u4e00-\u9fff][,:;?!]", text) for text in said)


def test_each_passage_has_one_question_of_each_polarity(items):
    """One true statement among three false ones, then the other way round; none asked twice."""
    for _, (true, false) in items:
        assert (true.asks_for, false.asks_for) == ("supported", "contradicted")
        assert (true.option_truth.count(True), false.option_truth.count(False)) == (1, 1)
        assert len({option.text for one in (true, false) for option in one.options}) == 8
        for question in (true, false):
            assert is_verification(question.text)
            assert polarity(question.text) == question.asks_for
            wanted = question.option_truth.index(question.asks_for == "supported")
            (answer,) = question.answers
            assert (answer.kind, answer.label) == ("choice", "ABCD"[wanted])
            assert answer.texts == (question.options[wanted].text,)


def test_false_statements_say_how_they_are_false(questions):
    """And a question that asks for the one false statement has its turn for breakdowns."""
    told = Counter()
    for question in questions:
        turns = [option.tags.get("turn") for option in question.options]
        for turn, true in zip(turns, question.option_truth, strict=True):
            assert (turn is None) if true else turn in TURNS
        told.update(turn for turn in turns if turn)
        if question.asks_for == "contradicted":
            assert question.tags["turn"] == turns[question.option_truth.index(False)]
    assert len(told) >= 15


def test_evidence_is_sentences_of_the_passage(items):
    """Every statement has its sentences, each once and in order."""
    for passage, asked in items:
        for question in asked:
            assert [one.option_label for one in question.gold_evidence] == list("ABCD")
            for evidence in question.gold_evidence:
                assert evidence.spans
                assert list(evidence.spans) == sorted(set(evidence.spans))
                for span in evidence.spans:
                    assert SENTENCE.search(span.of(passage.text)), span


def test_letters_are_balanced(questions):
    letters = Counter(question.answers[0].label for question in questions)
    assert max(letters.values()) - min(letters.values()) <= 4


def test_length_does_not_tell_the_answer(questions):
    """True statements are as long as false ones, but for a character on the average."""
    by_truth = {
        truth: [
            len(option.text)
            for one in questions
            for option, true in zip(one.options, one.option_truth, strict=True)
            if true is truth
        ]
        for truth in (True, False)
    }
    assert abs(mean(by_truth[True]) - mean(by_truth[False])) < 1.5


def test_no_passage_says_what_another_says(items, questions):
    """By the measure that keeps questions of one text out of two folds; the exam's included."""
    asked = [(passage, one) for passage, found in items for one in found]
    assert len(set(clusters(asked))) == len(items)
    exam = Overlap(closeread.load(locate("exam/zh")))
    assert not any(exam.overlaps(passage, one) for passage, one in asked)


@pytest.mark.parametrize(
    "name",
    [
        "vgaokao/test.json",
        "gcrc_2020/dev.json",
        "gcrc_2020/test.json",
        "gcrc_advrobust/dev_GCRCadvrobust.json",
        "agieval/gaokao-chinese.jsonl",
        "gaokao_bench/2010-2022_Chinese_Modern_Lit.json",
        "c3/c3-m-dev.json",
    ],
)
def test_nothing_stands_in_a_published_set(items, corpus, name):
    held = Overlap(closeread.load(corpus / "data" / name))
    assert not any(held.overlaps(passage, one) for passage, asked in items for one in asked)
