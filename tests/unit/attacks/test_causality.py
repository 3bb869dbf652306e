import pytest

from closeread.attacks.chinese.causality import propose_edits_zh
from statement_edits import edited_statements, statement


@pytest.mark.parametrize(
    ("text", "other"),
    [
        (
            "因为水库干涸了，所以渔民搬到山里。",
            "之所以渔民搬到山里，是因为水库干涸了。",
        ),
        ("由于水库的干涸，渔民搬到山里。", "之所以渔民搬到山里，是由于水库的干涸。"),
        ("渔民之所以搬到山里，是因为水库干涸了。", "因为水库干涸了，所以渔民搬到山里。"),
        ("水库已经干涸了，因此渔民搬到山里。", "因为水库已经干涸了，所以渔民搬到山里。"),
    ],
)
def test_cause_and_effect_are_reordered(text: str, other: str) -> None:
    for holds in (True, False, None):
        got = edited_statements(propose_edits_zh, statement(text, holds=holds), "same")
        assert got[other] == "told-backwards"


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("水库干涸，因此渔民搬走。", "水库干涸，所以渔民搬走。"),
        ("水库干涸，使渔民搬到了山里。", "水库干涸，使得渔民搬到了山里。"),
        ("传说源于古代的洪水。", "传说源自古代的洪水。"),
        ("洪水引起恐慌。", "洪水引发恐慌。"),
    ],
)
def test_the_causal_word_is_replaced(text: str, other: str) -> None:
    assert edited_statements(propose_edits_zh, statement(text), "same")[other] == "reworded"


@pytest.mark.parametrize(
    "text", ["大使馆在山上。", "即使下雨也去。", "他假使来了。", "这使之成为可能。"]
)
def test_apparent_causes_are_not_edited(text: str) -> None:
    assert edited_statements(propose_edits_zh, statement(text), "same") == {}


def test_clauses_that_refer_back_are_not_moved() -> None:
    text = "因为水库干涸了，所以它们的渔民搬到山里。"
    assert (
        "told-backwards"
        not in edited_statements(propose_edits_zh, statement(text), "same").values()
    )


@pytest.mark.parametrize(
    ("text", "rule", "turned"),
    [
        ("渔民搬走，是因为水库干涸。", "cause-denied", "渔民搬走，并不是因为水库干涸。"),
        ("水库干涸了，使渔民搬到山里。", "cause-denied", "水库干涸了，并未使渔民搬到山里。"),
        ("故事起源于古代的洪水。", "denied", "故事并非起源于古代的洪水。"),
        ("水库的干涸使渔民搬到山里。", "denied", "水库的干涸并未使渔民搬到山里。"),
        ("鱼的种类与水温密切相关。", "denied", "鱼的种类与水温毫不相关。"),
        ("鱼的种类与水温有关。", "denied", "鱼的种类与水温无关。"),
        ("渔村深受洪水的影响。", "denied", "渔村并未受到洪水的影响。"),
        ("水库促进了渔业的繁荣。", "denied", "水库并未促进渔业的繁荣。"),
        ("干旱会导致鱼群减少。", "denied", "干旱不会导致鱼群减少。"),
        (
            "渔业的繁荣推动了集镇的兴起。",
            "exchanged",
            "集镇的兴起推动了渔业的繁荣。",
        ),
        (
            "水库干涸了，因此渔民搬到山里。",
            "exchanged",
            "渔民搬到山里，因此水库干涸了。",
        ),
    ],
)
def test_a_true_statement_loses_its_cause(text: str, rule: str, turned: str) -> None:
    assert edited_statements(propose_edits_zh, statement(text), "opposite").get(turned) == rule
    assert edited_statements(propose_edits_zh, statement(text, holds=None), "opposite") == {}


@pytest.mark.parametrize(
    "text",
    [
        "干旱可能会导致鱼群减少。",  # it may, and it may not
        "渔村不仅受到洪水的影响，也受到战争的影响。",
        "传说有力地推动了渔业的繁荣。",
        "渔村会受到洪水的影响。",
        "渔民要修水库，使鱼群回来。",
        "社会影响是难以估量的。",
        "一是因为水库干涸，二是因为战争。",
    ],
)
def test_a_cause_that_no_word_can_deny_is_not_edited(text: str) -> None:
    assert edited_statements(propose_edits_zh, statement(text), "opposite") == {}


def test_facts_without_a_causal_link_in_the_evidence_are_separated() -> None:
    evidence = "渔村的水库在春天干涸。渔民的船队在夏天远航。"
    wrong = statement("渔村的水库在春天干涸，因此渔民的船队在夏天远航。", evidence, holds=False)
    parted = {"渔村的水库在春天干涸，渔民的船队在夏天远航。": "restored-unlinked"}
    assert edited_statements(propose_edits_zh, wrong, "opposite") == parted
    linked = wrong._replace(evidence=evidence.replace("渔民的", "因此渔民的"))
    assert edited_statements(propose_edits_zh, linked, "opposite") == {}


@pytest.mark.parametrize(
    "text",
    [
        "渔民搬走，是因为水库干涸，而且鱼价下跌。",
        "水库的干涸使渔民搬到山里，再加上鱼价下跌，渔村衰落。",
        "渔业离不开水源。",
        "故事源于洪水，后来传到山里。",
        "鉴于水库干涸，使渔民搬到山里。",
        "水库干涸了。由此可知，渔民搬走与水库有关。",
        "新堤坝有利于农业，促进了渔业的发展。",
        "老渔民擅长使木船逆流而上。",
        "渔村强调通过看护水库，促进渔业的发展。",
        "渔民要努力使渔船逆流而上。",
        "水库仍影响着渔业的发展。",
        "水库和堤坝分别影响了渔业与农业。",
    ],
)
def test_a_cause_with_dependent_clauses_is_not_denied(text: str) -> None:
    assert edited_statements(propose_edits_zh, statement(text), "opposite") == {}


def test_an_effect_that_must_follow_its_cause_is_not_moved() -> None:
    """水库就…, 就 needs what it follows from."""
    text = "水库的水源丰富，所以水库就具有了灌溉的作用。"
    assert (
        "exchanged" not in edited_statements(propose_edits_zh, statement(text), "opposite").values()
    )
    text = "因为水库的水源丰富，所以水库就具有了灌溉的作用。"
    assert (
        "told-backwards"
        not in edited_statements(propose_edits_zh, statement(text), "same").values()
    )


def test_a_past_cause_is_denied_in_the_past() -> None:
    got = edited_statements(propose_edits_zh, statement("水库的干涸影响了渔村的生计。"), "opposite")
    assert "水库的干涸并未影响渔村的生计。" in got
    got = edited_statements(propose_edits_zh, statement("水库的干涸影响着渔村的生计。"), "opposite")
    assert "水库的干涸并不影响渔村的生计。" in got


def test_a_cause_missing_from_the_evidence_is_not_denied() -> None:
    text = "水库的干涸使渔民搬到山里。"
    assert (
        edited_statements(
            propose_edits_zh, statement(text, "山下有一座水库。渔民很穷。"), "opposite"
        )
        == {}
    )


@pytest.mark.parametrize(
    ("text", "word"),
    [("堤坝的漏水致使线索的中断。", "使得"), ("由于水浅，因此渔民搬走了。", "因为")],
)
def test_a_causal_rewording_fits_the_following_words(text: str, word: str) -> None:
    assert not any(
        word in new for new in edited_statements(propose_edits_zh, statement(text), "same")
    )
