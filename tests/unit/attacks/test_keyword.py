import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from closeread.attacks.chinese.causality import propose_edits_zh as causality
from closeread.attacks.chinese.keyword import propose_edits_zh
from closeread.attacks.chinese.logic import propose_edits_zh as logic
from closeread.attacks.chinese.spacetime import propose_edits_zh as spacetime
from closeread.attacks.context import Surroundings
from closeread.attacks.keyword import keyword
from closeread.attacks.statements import HIDDEN
from closeread.types import Evidence, Option, Passage, Question, Span
from statement_edits import edited_statements, statement


def test_words_are_reworded_regardless_of_truth() -> None:
    for holds in (True, False, None):
        got = edited_statements(
            propose_edits_zh, statement("许多村庄必须把旧井填平。", holds=holds), "same"
        )
        assert got == {
            "很多村庄必须把旧井填平。": "reworded",
            "许多村庄一定要把旧井填平。": "reworded",
            "许多村庄必须将旧井填平。": "reworded",
        }


@pytest.mark.parametrize(
    "text",
    [
        "他把握住了机会。",
        "这片林子归村里所有。",
        "这就是一切。",
        "非常时期的办法。",
        "书名是《许多年》。",
        "他说“必须走”。",
        "元大都的城墙。",
        "价格的十分之一。",
    ],
)
def test_parts_of_words_and_quotations_are_not_edited(text: str) -> None:
    assert edited_statements(propose_edits_zh, statement(text), "same") == {}


def test_a_word_in_the_statement_is_not_inserted_again() -> None:
    assert edited_statements(propose_edits_zh, statement("应该早起，也应当早睡。"), "same") == {}


@pytest.mark.parametrize(
    ("text", "evidence", "rule", "turned"),
    [
        ("许多渔民用竹筏。", "河边的许多渔民用竹筏打鱼。", "part>all", "所有渔民用竹筏。"),
        ("渔民往往在清晨出船。", "渔民往往清晨出船。", "often>always", "渔民总是在清晨出船。"),
        ("鱼群可能会提前到来。", "鱼群可能提前来。", "may>must", "鱼群必然会提前到来。"),
        ("渔船大多由松木制成。", "渔船大多是松木的。", "mostly>all", "渔船全都由松木制成。"),
        ("收入主要来自捕鱼。", "收入主要来自捕鱼。", "mainly>wholly", "收入完全来自捕鱼。"),
        (
            "干旱是歉收的原因之一。",
            "干旱是歉收的原因之一。",
            "one>only",
            "干旱是歉收的唯一原因。",
        ),
        ("水库增加了鱼的种类。", "水库增加了鱼的种类。", "contrary", "水库减少了鱼的种类。"),
    ],
)
def test_a_true_statement_is_falsified_if_the_evidence_allows(
    text: str, evidence: str, rule: str, turned: str
) -> None:
    assert edited_statements(propose_edits_zh, statement(text, evidence), "opposite") == {
        turned: rule
    }
    assert (
        edited_statements(propose_edits_zh, statement(text, evidence, holds=None), "opposite") == {}
    )


def test_nothing_is_falsified_without_evidence() -> None:
    # the evidence has no such word; it has the contrary, too
    assert (
        edited_statements(
            propose_edits_zh, statement("许多渔民用竹筏。", "渔民用竹筏。"), "opposite"
        )
        == {}
    )
    both = "有的水库增加了鱼的种类，有的减少了。"
    assert (
        edited_statements(propose_edits_zh, statement("水库增加了鱼的种类。", both), "opposite")
        == {}
    )


@pytest.mark.parametrize(
    "text",
    [
        "水库没有增加鱼的种类。",
        "如果水库增加鱼的种类，渔民就会高兴。",
        "在水库增加鱼的种类之后，渔民高兴。",
        "水库增加了鲤鱼，减少了鲫鱼。",
    ],
)
def test_negated_conditional_and_contrasted_words_are_not_falsified(text: str) -> None:
    assert edited_statements(propose_edits_zh, statement(text), "opposite") == {}


def test_a_false_statement_is_corrected_from_the_evidence() -> None:
    evidence = "山里的茶农大都在谷雨之前采茶。"
    wrong = statement("山里的茶农都在谷雨之前采茶。", evidence, holds=False)
    restored = {"山里的茶农大都在谷雨之前采茶。": "restored-often>always"}
    assert edited_statements(propose_edits_zh, wrong, "opposite") == restored
    hedged = "山里的茶农几乎没有采过秋茶。"
    bare = statement("山里的茶农没有采过秋茶。", hedged, holds=False)
    assert edited_statements(propose_edits_zh, bare, "opposite") == {hedged: "restored-hedge"}


def test_a_statement_with_other_errors_is_not_corrected() -> None:
    evidence = "山里的茶农大都在谷雨之前采茶。"
    further = statement("海边的盐工都在谷雨之前晒盐，并且都卖给官府。", evidence, holds=False)
    assert edited_statements(propose_edits_zh, further, "opposite") == {}


def test_the_strategy_ignores_other_questions_and_languages() -> None:
    class All:
        def retrieve(self, question, passage, option, k=None):
            return Evidence(spans=(Span(0, len(passage.text)),))

    strategy = keyword(Surroundings(retriever=All()))
    passage = Passage(passage_id="p", text="许多渔民用竹筏。", language="zh")
    asked = Question(
        question_id="q", passage_id="p", text="正确的一项是", kind="verification",
        asks_for="supported",
        options=(Option(label="A", text="许多渔民用竹筏。"),), option_truth=(True,),
    )  # fmt: skip
    edits = list(strategy.propose(passage, asked))
    assert [(one.rule, one.words, one.truth) for one in edits] == [
        ("part>all", "所有", "opposite"), ("reworded", "很多", "same"),
    ]  # fmt: skip
    assert list(strategy.propose(Passage(passage_id="p", text="Fish."), asked)) == []


WORDS = "许多人因此认为，这是由于19世纪唐代的河水不能增加。所以既是山又是湖“说”而非没有会使得可能、"


@given(st.text(st.sampled_from(WORDS), max_size=60), st.sampled_from([True, False, None]))
def test_edits_of_any_statement_are_valid_and_repeatable(text: str, holds: bool | None) -> None:
    said = statement(text, "许多人不能增加河水，因此没有湖。", holds=holds)
    for turns in (propose_edits_zh, spacetime, causality, logic):
        got = list(turns(said, random.Random(1)))
        assert got == list(turns(said, random.Random(1)))
        for turn in got:
            assert 0 <= turn.span.start <= turn.span.end <= len(text)
            assert turn.span.of(text) != turn.words
            assert turn.rule
            assert HIDDEN not in turn.words
            assert turn.truth == "same" or holds is not None
            assert turn.truth == "same" or turn.rule.startswith("restored-") is (holds is False)


def test_overlong_statements_are_not_edited() -> None:
    text = "许多渔民用竹筏，" * 200
    for turns in (propose_edits_zh, spacetime, causality, logic):
        assert list(turns(statement(text), random.Random(0))) == []


@pytest.mark.parametrize(
    ("text", "others"),
    [
        ("村里有三座桥。", {"村里有两座桥。", "村里有四座桥。", "村里有五座桥。"}),
        ("船上有12名渔民。", {"船上有22名渔民。", "船上有32名渔民。"}),
        (
            "鱼的产量提高了40%。",
            {"鱼的产量提高了50%。", "鱼的产量提高了30%。", "鱼的产量提高了60%。"},
        ),
    ],
)
def test_a_number_in_the_evidence_is_changed(text: str, others: set[str]) -> None:
    got = {
        new
        for new, rule in edited_statements(propose_edits_zh, statement(text), "opposite").items()
        if rule == "number"
    }
    assert len(got) == 1
    assert got <= others


@pytest.mark.parametrize(
    "text",
    [
        "渔民造的四种船称为“四宝”。",  # the title tells how many
        "三座桥分别是石桥、木桥、铁桥。",
        "渔船比木筏更结实和直接。",
    ],
)
def test_words_with_a_counterpart_in_the_statement_are_not_changed(text: str) -> None:
    assert edited_statements(propose_edits_zh, statement(text), "opposite") == {}


@pytest.mark.parametrize(
    "text",
    ["第三座桥。", "唐宋八大家。", "三座或四座桥。", "十三座桥。", "近12名渔民。", "1998年的桥。"],
)
def test_ordinals_and_approximate_numbers_are_not_changed(text: str) -> None:
    assert edited_statements(propose_edits_zh, statement(text), "opposite") == {}


@pytest.mark.parametrize(
    "text",
    [
        "村里有鱼塘和果园两种产业。",  # the things are named
        "村里有三种产业：捕鱼、种茶、烧窑。",
        "渔民着力增强堤坝。",
        "渔民可以增加鱼的种类。",
        "水库是促进渔业发展的工程。",
        "水库有利于农业，受到村民的热爱。",
        "水库有利于农业，带来了重要的好处。",
        "渔民要保护鱼苗。",
        "渔船胜过木筏。",
        "这是渔民最大的贡献。",
        "冰川的加速融化引人注意。",
        "堤坝有时可能会漏水。",
        "渔民更经常地出海。",
        "渔民积极响应。",
        "渔船是某些人在河边造的。",
    ],
)
def test_an_antonym_that_makes_no_sense_is_not_used(text: str) -> None:
    assert edited_statements(propose_edits_zh, statement(text), "opposite") == {}


def test_a_hedge_is_taken_from_the_matching_clause_of_the_evidence() -> None:
    text = "渔民往往清晨出海。"
    assert edited_statements(
        propose_edits_zh, statement(text, "渔民往往清晨出海，傍晚归来。"), "opposite"
    )
    for evidence in ("渔民清晨出海，孩子们往往在岸上玩耍。", "渔民往往清晨才出海。"):
        assert edited_statements(propose_edits_zh, statement(text, evidence), "opposite") == {}


@pytest.mark.parametrize(
    "text", ["鱼身上具有的花纹。", "渔村更具有活力。", "这看作是丰收。", "这视为是丰收。"]
)
def test_a_rewording_fits_the_following_words(text: str) -> None:
    assert edited_statements(propose_edits_zh, statement(text), "same") == {}
