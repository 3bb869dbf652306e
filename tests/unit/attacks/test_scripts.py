"""Statements in traditional characters: turned as in simplified ones, and spelled as they are."""

import pytest

from closeread.attacks.attack import Attack, AttackSummary
from closeread.attacks.chinese.causality import propose_edits_zh as causality
from closeread.attacks.chinese.keyword import propose_edits_zh as keywords
from closeread.attacks.chinese.logic import propose_edits_zh as logic
from closeread.attacks.chinese.scripts import in_both_scripts, is_traditional
from closeread.attacks.chinese.spacetime import propose_edits_zh as spacetime
from closeread.attacks.context import Surroundings
from closeread.attacks.keyword import keyword
from closeread.attacks.stems import invert_stem
from closeread.evidence.cover import cover
from closeread.text.polarity import polarity
from closeread.text.traditional import to_simplified
from closeread.types import Answer, Option, Passage, Question
from statement_edits import Propose, edited_statements, statement


@pytest.mark.parametrize(
    ("turns", "text", "truth", "turned_into"),
    [
        (keywords, "許多漁民用竹筏。", "same", "很多漁民用竹筏。"),
        (keywords, "許多漁民用竹筏。", "opposite", "所有漁民用竹筏。"),
        (keywords, "水庫增加了魚的種類。", "opposite", "水庫減少了魚的種類。"),
        (keywords, "收入與捕魚有關。", "same", "收入同捕魚有關係。"),
        (keywords, "漁民將竹筏視為寶物。", "same", "漁民將竹筏看作寶物。"),
        (keywords, "漁民將竹筏看作寶物。", "same", "漁民將竹筏視為寶物。"),
        (spacetime, "這座橋建於1978年。", "same", "這座橋建於一九七八年。"),
        (logic, "這座橋是石頭建成的。", "opposite", "這座橋並不是石頭建成的。"),
        (causality, "由於河水上漲，所以漁民都搬走了。", "same",
         "因為河水上漲，所以漁民都搬走了。"),
    ],
)  # fmt: skip
def test_replacements_have_the_script_of_the_statement(
    turns: Propose, text: str, truth: str, turned_into: str
) -> None:
    got = edited_statements(in_both_scripts(turns), statement(text), truth)
    plain = edited_statements(turns, statement(to_simplified(text)), truth)
    assert {to_simplified(one): rule for one, rule in got.items()} == plain
    assert turned_into in got


def test_variant_characters_of_the_text_are_kept() -> None:
    said = statement("漁民將竹筏看作寶物。", "漁民將竹筏看作寶物，因爲竹筏難做。")
    assert "漁民將竹筏視爲寶物。" in edited_statements(in_both_scripts(keywords), said, "same")


@pytest.mark.parametrize(
    ("text", "is_so"),
    [
        ("許多漁民用竹筏", True),
        ("许多渔民用竹筏", False),
        ("乾隆年间的渔民用竹筏", False),
        ("", False),
    ],
)
def test_the_script_of_a_text_is_detected(text: str, is_so: bool) -> None:
    assert is_traditional(text) is is_so


@pytest.mark.parametrize(
    ("stem", "other"),
    [
        ("下列說法正確的一項是", "下列說法不正確的一項是"),
        ("下列敘述有誤的一項是", "下列敘述正確的一項是"),
        ("下列表述與原文不相符的一項是", "下列表述與原文相符的一項是"),
    ],
)
def test_a_traditional_stem_is_inverted(stem: str, other: str) -> None:
    assert invert_stem(stem) == other
    assert polarity(stem) != polarity(other)


def test_a_question_gets_both_variants() -> None:
    text = "許多漁民用竹筏打魚。水庫增加了魚的種類。收入主要來自捕魚。這座橋建於1978年。"
    options = ("許多漁民用竹筏打魚。", "水庫增加了魚的種類。", "收入主要來自捕魚。", "橋是鐵做的。")
    question = Question(
        question_id="q", passage_id="p", text="下列說法不正確的一項是", kind="choice",
        options=tuple(
            Option(label=label, text=text) for label, text in zip("ABCD", options, strict=True)
        ),
        answers=(Answer(kind="choice", label="D", texts=options[3:]),),
    )  # fmt: skip
    passage = Passage(passage_id="p", text=text, language="zh")
    strategy = keyword(Surroundings(retriever=cover()))
    (group,) = Attack(strategies=[strategy]).groups([(passage, (question,))], AttackSummary())
    (_, positive), (_, negative) = group.variants
    assert negative.text == "下列說法正確的一項是"
    assert all(
        one.text == to_simplified(one.text) or is_traditional(one.text) for one in negative.options
    )
    assert {one.tags["truth"] for one in negative.options} == {"same", "opposite"}
    assert {one.tags["truth"] for one in positive.options} == {"same"}
