"""What a claim's terms weigh and which sentences are taken for them, worked out by hand."""

from math import log

import pytest

from closeread.evidence.claims.terms import units
from closeread.evidence.claims.weighing import Claim, IndexedPassage, weigh_terms
from closeread.evidence.cover import cover
from closeread.types import Option, Passage, Question, Span

FERRY = "The ferry sank. A ferry left."
OF_TWO = IndexedPassage(FERRY, [Span(0, 15), Span(16, 29)])
NOWHERE, IN_BOTH = log(3 / 0.5) / log(3 / 1.5), log(3 / 2.5) / log(3 / 1.5)  # in one of two: 1


def test_a_term_in_fewer_sentences_weighs_more():
    """The unit is a term that one sentence alone holds, however many there are."""
    assert OF_TWO.rarity == pytest.approx([NOWHERE, 1, IN_BOTH])
    assert IndexedPassage("", []).rarity == pytest.approx([log(2) / log(4 / 3)])
    assert IndexedPassage("A", [Span(0, 1)]).rarity == pytest.approx([log(4) / log(4 / 3), 1])
    held_by, counts = OF_TWO.sentences_with(["ferri", "whale", "a ferri", "sank"])
    assert (held_by.tolist(), counts.tolist()) == ([0, 1, 1, 0], [2, 0, 1, 1])
    assert [one.tolist() for one in IndexedPassage("", []).sentences_with(["ferri"])] == [[], [0]]


def test_a_line_break_between_sentences_ends_a_paragraph():
    """Not where one breaks inside; anywhere between them will do."""
    text = "One\ntwo. Three.\u2028 Four. \nFive 5.\rSix."
    spans = [Span(0, 8), Span(9, 15), Span(17, 22), Span(24, 31), Span(32, 36)]
    assert [span.of(text)[-2:] for span in spans] == ["o.", "e.", "r.", "5.", "x."]
    indexed = IndexedPassage(text, spans)
    assert indexed.paragraphs == [0, 0, 1, 2, 3]
    assert indexed.sentences_with(["\n"])[0].tolist() == [3]  # the one with a digit


def test_terms_of_a_claim_are_weighed_once_by_kind_and_rarity():
    """A word 2.5, a pair 1, of function words 0.3 of that; of the stem 0.7 of that."""
    claim = Claim(OF_TWO, "The ferry sank, in the end left", "Who left the ship?", 0.7)
    assert dict(zip(claim.terms, claim.weights, strict=True)) == pytest.approx(
        {
            "the": 0.75,
            "the ferri": 1,
            "ferri": 2.5 * IN_BOTH,
            "ferri sank": 1,
            "sank": 2.5,
            "sank in": NOWHERE,
            "in": 0.75 * NOWHERE,
            "in the": 0.3 * NOWHERE,
            "the end": NOWHERE,
            "end": 2.5 * NOWHERE,
            "end left": NOWHERE,
            "left": 2.5,
            "who": 0.7 * 0.75 * NOWHERE,
            "who left": 0.7 * NOWHERE,
            "left the": 0.7 * NOWHERE,
            "the ship": 0.7 * NOWHERE,
            "ship": 0.7 * 2.5 * NOWHERE,
        }
    )
    assert claim.clauses == [0] * 5 + [1] * 7 + [-1] * 5
    first, second = 5.25 + 2.5 * IN_BOTH, 6.55 * NOWHERE + 2.5
    assert claim.clause_totals == pytest.approx([first, second])
    assert claim.total == pytest.approx(first + second)


def test_a_question_for_a_number_has_a_number_term():
    claim = Claim(OF_TWO, "left", wants_number=True)
    assert (claim.terms, claim.weights, claim.clauses) == (["left", "\n"], [2.5, 2.0], [0, -1])
    assert claim.total == 2.5
    assert Claim(OF_TWO, "").clause_totals == []


def test_marks_between_units_start_a_clause_and_blanks_do_not():
    text = "盐 海，水——冰 (雪"
    found = [(term, clause) for term, _, clause in weigh_terms(units(text), text)]
    assert found == [
        ("盐", 0), ("盐 海", 0), ("海", 0), ("海 水", 1), ("水", 1), ("水 冰", 2), ("冰", 2),
        ("冰 雪", 3), ("雪", 3),
    ]  # fmt: skip
    assert {clause for _, _, clause in weigh_terms(units(text))} == {0}


def taken(text, claim, stem="", *, kind="verification", most=100, **rule):
    """Which sentences are taken; what is not given of the rule counts nothing."""
    rule = {"enough": 0.0, "clause": 0.0, "near": 0.0, "stem": 0.7} | rule
    passage = Passage(passage_id="p", text=text, language="zh")
    question = Question(question_id="q", passage_id="p", text=stem, kind=kind)
    option = Option(label="A", text=claim)
    evidence = cover(most=most, **rule).retrieve(question, passage, option)
    return [span.of(text) for span in evidence.spans], evidence.score


def test_a_further_sentence_is_taken_if_its_gain_is_enough():
    """The second brings two characters and their pair, which it alone holds: 3."""
    first, second = text = ["春夏秋。", "冬雨。"]
    assert taken("".join(text), "春夏秋冬雨", enough=3)[0] == [first, second]
    assert taken("".join(text), "春夏秋冬雨", enough=3.01)[0] == [first]


def test_the_earlier_of_equal_sentences_is_taken():
    text = ["春夏秋。", "冬雨。", "风雪。"]
    assert taken("".join(text), "春夏秋冬雨风雪", most=2)[0] == text[:2]
    assert taken("".join(text), "春夏秋冬雨风雪", most=2, enough=3)[0] == text[:2]


def test_covered_terms_bring_no_second_gain():
    """冰 stands in all three: once it is covered each of the others brings 3, and none less."""
    text = ["春夏秋冰。", "冬雨冰。", "风雪冰。"]
    assert taken("".join(text), "春夏秋冰，冬雨，风雪", enough=3)[0] == text


def test_nearness_is_one_over_the_distance_within_a_paragraph():
    """Two sentences on half of it counts, behind a line break nothing."""
    text = ["春夏秋。", "无。", "冬雨。"]
    assert taken("".join(text), "春夏秋冬雨", near=2, enough=4)[0] == [text[0], text[2]]
    assert taken("".join(text), "春夏秋冬雨", near=2, enough=4.01)[0] == [text[0]]
    assert taken("春夏秋。\n冬雨。", "春夏秋冬雨", near=10, enough=3.01)[0] == [text[0]]


def test_a_neighbour_without_gain_is_never_taken():
    assert taken("春夏秋。无。", "春夏秋", near=10, clause=10)[0] == ["春夏秋。"]


def test_clause_shares_count_newly_covered_terms():
    """That is 丁, 丁戊 and 戊 of the second; 丙丁 is in no sentence, 甲 and 乙 are covered."""
    share = 3 / (3 + NOWHERE)
    for text in (["甲乙丙。", "丁戊。"], ["甲乙丙。", "乙甲丁戊。"]):
        rule = {"clause": 10, "enough": 3 + 10 * share - 0.01}
        assert taken("".join(text), "甲乙丙，丁戊", **rule)[0] == text
        assert taken("".join(text), "甲乙丙，丁戊", clause=10, enough=rule["enough"] + 0.02)[0] == [
            text[0]
        ]


def test_words_of_the_stem_belong_to_no_clause():
    """They bring 0.7 of 3 and nothing beside it, and are not in the score."""
    rule = {"kind": "choice", "clause": 10}
    assert taken("甲乙。丁戊。", "甲乙", "丁戊", enough=2.1, **rule) == (["甲乙。", "丁戊。"], 1.0)
    assert taken("甲乙。丁戊。", "甲乙", "丁戊", enough=2.2, **rule) == (["甲乙。"], 1.0)


def test_the_score_is_the_covered_share_with_six_digits():
    """Of the claim's terms 丙丁 is in no sentence."""
    assert taken("甲乙丙。丁戊。", "甲乙丙丁戊")[1] == round(8 / (8 + NOWHERE), 6)
