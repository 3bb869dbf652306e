"""The cue reader's numbers, group by group, worked out by hand."""

import math

import pytest

from closeread.evidence.claims.explanation import Explanation, Match, explain_claim
from closeread.evidence.claims.unit_index import UnitIndex
from closeread.readers.cues.features import (
    coverage_features,
    cue_features,
    piece_order_features,
    sibling_features,
    stem_features,
    style_features,
)
from closeread.readers.cues.passage import PassageIndex
from closeread.types import Evidence, Option, Passage, Question, Span

TOWER = Passage(passage_id="p", text="灯塔建于1850年。海雾很大。", language="zh")


def explain_over(option, passage, *spans):
    """The option over sentences of one's own choice."""
    evidence = Evidence(option_label="A", spans=tuple(Span(*span) for span in spans))
    return explain_claim(option, UnitIndex(passage.text), evidence)


def test_features_of_wording_by_hand():
    """23 characters in clauses of 4, 7, 7 and 1; the pause inside the second ends none."""
    assert style_features(" 因为雾大，渔船、帆船停港；1850年建塔：高。") == pytest.approx(
        {
            "style:length": 23 / 50,
            "style:clauses": 4 / 3,
            "style:clauses=4": 1,
            "style:pauses": 1 / 3,
            "style:semicolon": 1,
            "style:colon": 1,
            "style:quoted": 0,
            "style:titled": 0,
            "style:bracket": 0,
            "style:number": 1,
            "style:dash": 0,
            "style:open-end": 0,
            "style:first-clause": 4 / 20,
            "style:last-clause": 1 / 20,
            "style:mean-clause": 23 / 4 / 20,
        }
    )
    marked = style_features("《塔》（“旧”—新），高")
    names = ("quoted", "titled", "bracket", "dash", "open-end")
    assert [marked[f"style:{name}"] for name in names] == [1] * 5
    assert [marked[f"style:{name}"] for name in ("semicolon", "colon", "number")] == [0] * 3
    for mark, name in (("；", "semicolon"), (";", "semicolon"), ("：", "colon"), (":", "colon")):
        assert style_features(f"甲{mark}乙")[f"style:{name}"] == 1
    assert style_features("一，二，三，四，五，六，七")["style:clauses=6"] == 1


def test_features_of_evidence_by_hand():
    """Nine of 15 characters are copied; 鲸鱼很大 is laid over nothing, though 很大 is said."""
    option = "灯塔建于1850年，鲸鱼很大。"
    tower = PassageIndex(TOWER)
    found = coverage_features(option, explain_over(option, TOWER, (0, 10)), tower)
    assert found == pytest.approx(
        {
            "cover:share": 9 / 15,
            "cover:uncovered": 4 / 15,
            "cover:gaps": 1 / 4,
            "cover:longest-gap": 4 / 10,
            "cover:pieces": 10 / 15,
            "cover:new-units": 2 / 10,
            "cover:new-pairs": 3 / 9,  # 年鲸, 鲸鱼, 鱼很
            "cover:units": 6 / 10,
            "number:any": 1,
            "number:not-in-evidence": 0,
            "number:not-in-passage": 0,
            "evidence:length": 10 / 100,
            "evidence:ratio": 15 / 20,
            "evidence:sentences=1": 1,
            "cover:run>=4": 9 / 15,
            "cover:run>=6": 9 / 15,
            "cover:run>=8": 9 / 15,
            "cover:run>=12": 0,
            "cover:run>=16": 0,
            "clause:first": 1,
            "clause:last": 0,
            "clause:least": 0,
            "clause:most": 1,
            "clause:range": 1,
            "clause:last-uncovered": 1,
            "clause:most-uncovered": 1,
            "clause:last-beside-rest": -1,
            "clause:copied": 1 / 2,
            "clause:bare": 1 / 2,
        }
    )
    elsewhere = coverage_features(option, explain_over(option, TOWER, (10, 15)), tower)
    assert (elsewhere["number:not-in-evidence"], elsewhere["number:not-in-passage"]) == (1, 0)
    nowhere = coverage_features("灯塔建于1990年。", explain_over(option, TOWER, (0, 10)), tower)
    assert (nowhere["number:not-in-evidence"], nowhere["number:not-in-passage"]) == (1, 1)


def test_clauses_nearly_copied_and_nearly_bare_by_hand():
    """Of three clauses of ten characters nine, two and one lie under a piece."""
    option = "一二三四五六七八九十，甲乙丙丁戊己庚辛壬癸，子丑寅卯辰巳午未申酉"
    pieces = tuple(
        Match(option_span=Span(*span), passage_span=Span(*span), sentence_index=0)
        for span in ((0, 9), (11, 13), (22, 23))
    )
    held = Evidence(spans=(Span(0, 10),))
    bare = (Span(9, 10), Span(13, 21), Span(23, 27))
    laid_out = Explanation(evidence=held, covered=pieces, uncovered=bare)
    found = coverage_features(option, laid_out, PassageIndex(TOWER))
    assert found["clause:copied"] == 0
    assert found["clause:bare"] == pytest.approx(1 / 3)
    assert (found["clause:first"], found["clause:most"]) == (0.9, 0.9)
    assert (found["clause:last"], found["clause:least"]) == (0.1, 0.1)
    assert found["clause:range"] == pytest.approx(0.8)
    assert found["clause:last-beside-rest"] == pytest.approx(0.1 - 1.1 / 2)
    assert (found["clause:last-uncovered"], found["clause:most-uncovered"]) == (0.4, 0.8)
    assert found["cover:longest-gap"] == 8 / 10
    assert found["cover:gaps"] == 3 / 4
    assert found["cover:pieces"] == 30 / 32
    assert found["cover:share"] == 12 / 32


def test_features_of_evidence_grow_with_its_size():
    """Five sentences are told as four; below 20 characters the ratio stops rising."""
    passage = Passage(passage_id="p", text="苔藓生长。" * 5, language="zh")
    option = "苔藓生长。"
    whole = explain_over(option, passage, *((at, at + 5) for at in range(0, 25, 5)))
    found = coverage_features(option, whole, PassageIndex(passage))
    assert found["evidence:sentences=4"] == 1
    assert found["evidence:length"] == 25 / 100
    assert found["evidence:ratio"] == 5 / 25
    assert found["cover:run>=4"] == 4 / 5
    assert found["cover:run>=6"] == 0


def test_features_of_piece_positions_by_hand():
    """Three pieces: the first from far behind, the third near the second, of the same sentence."""
    passage = Passage(passage_id="p", text="字" * 100, language="zh")

    def piece(option, place, sentence):
        return Match(option_span=Span(*option), passage_span=Span(*place), sentence_index=sentence)

    pieces = (piece((0, 6), (40, 46), 1), piece((6, 9), (10, 13), 0), piece((9, 13), (18, 22), 0))
    assert piece_order_features(
        Explanation(evidence=Evidence(), covered=pieces), passage
    ) == pytest.approx(
        {
            "order:inverted": 1 / 2,
            "order:inversions": 1 / 3,
            "order:long-pieces-inverted": 1,  # of the two with four characters or more
            "order:sentence-changes": 1 / 3,
            "order:gap": 5 / 20,
            "place:spread": 30 / 100,
            "place:middle": 68 / 3 / 100,
            "place:early": 0,
            "place:late": 0,
        }
    )
    far = (piece((0, 4), (5, 9), 0), piece((4, 7), (81, 84), 0), piece((7, 9), (60, 62), 0))
    found = piece_order_features(Explanation(evidence=Evidence(), covered=far), passage)
    assert found["order:long-pieces-inverted"] == 0  # the pieces that are turned round are short
    assert found["order:gap"] == (30 + 24) / 2 / 20  # 72 characters count as 30
    for place, early, late in ((19, 1, 0), (20, 0, 0), (80, 0, 0), (81, 0, 1)):
        one_piece = (piece((0, 4), (place, place + 4), 0),)
        found = piece_order_features(Explanation(evidence=Evidence(), covered=one_piece), passage)
        assert (found["place:early"], found["place:late"]) == (early, late)
        assert found["order:gap"] == found["place:spread"] == 0
    assert piece_order_features(Explanation(evidence=Evidence()), passage) == {}


def test_features_of_stem_and_option_by_hand():
    """桥 stands 40 characters before the piece and counts as near, 红 stands 40 behind it: not."""
    text = f"桥{'一' * 39}安娜{'一' * 40}红。安娜。"
    passage = Passage(passage_id="p", text=text, language="zh")
    question = Question(
        question_id="q",
        passage_id="p",
        text="红桥的人？",
        kind="choice",
        options=(
            Option(label="A", text="安娜。"),
            Option(label="B", text="鲸鱼"),
            Option(label="C", text="骆驼"),
        ),
    )
    held = Evidence(option_label="A", spans=(Span(0, 84),), score=0.75)
    piece = Match(option_span=Span(0, 2), passage_span=Span(40, 42), sentence_index=0)
    first, second, third = stem_features(
        question,
        PassageIndex(passage),
        [
            Explanation(evidence=held, covered=(piece,)),
            Explanation(evidence=Evidence(option_label="B", score=0.25)),
            Explanation(evidence=Evidence(option_label="C")),
        ],
    )
    assert first == pytest.approx(
        {
            "stem:support": 0.75,
            "stem:ahead": 0.5,
            "stem:covered": 2 / 3,  # 红 and 桥 of 红, 桥, 人
            "stem:near": 1 / 3,
            "stem:times": math.log(3),
            "stem:verbatim": 1,
        }
    )
    assert second == {
        "stem:support": 0.25,
        "stem:ahead": -0.5,
        "stem:covered": 0,
        "stem:near": 0,
        "stem:times": 0,
        "stem:verbatim": 0,
    }
    assert (third["stem:support"], third["stem:ahead"]) == (0, -0.75)


def test_features_of_siblings_by_hand():
    """Of lengths 1, 2, 2 one is least and none is most; two options share one pair of three."""
    question = Question(
        question_id="q",
        passage_id="p",
        text="?",
        kind="choice",
        asks_for="contradicted",
        options=tuple(
            Option(label=label, text=text)
            for label, text in zip("ABC", ("甲乙丙", "甲乙丁", "戊"), strict=True)
        ),
    )
    lengths = [{"style:length": 1.0}, {"style:length": 2.0}, {"style:length": 2.0}]
    first, second, third = sibling_features(question, lengths)
    ranks = [one["rank:style:length"] for one in (first, second, third)]
    assert ranks == [-1, 1 / 2, 1 / 2]
    assert (first["least:style:length"], first["asked-least:style:length"]) == (1, -1)
    assert second["most:style:length"] == first["most:style:length"] == 0
    assert first["alike:mean"] == pytest.approx(10 * (1 / 3 + 0) / 2)
    assert first["alike:most"] == pytest.approx(5 / 3)
    assert first["asked-alike:mean"] == pytest.approx(-10 / 6)
    assert first["asked-alike:most"] == pytest.approx(-5 / 3)
    assert third["alike:mean"] == third["alike:most"] == 0


def test_words_beside_a_cue_count_less():
    """Two cues that the evidence lacks, side by side."""
    option = "灯塔都已停用"
    found = cue_features(option, explain_over(option, TOWER, (0, 10)), PassageIndex(TOWER))
    unit = found["cue:都"]
    assert {name: value / unit for name, value in found.items()} == pytest.approx(
        {
            "cue:都": 1,
            "added:都": 1,
            "category:all": 1,
            "category-added:all": 1,
            "before:塔|都": 0.5,
            "after:都|已": 0.5,
            "before:灯塔|都": 0.35,
            "after:都|已停": 0.35,
            "cue:已": 1,
            "added:已": 1,
            "category:done": 1,
            "category-added:done": 1,
            "before:都|已": 0.5,
            "after:已|停": 0.5,
            "before:塔都|已": 0.35,
            "after:已|停用": 0.35,
            "then:都|已": 0.7,
            "then-category:all|done": 0.5,
        }
    )
