import pytest

from closeread.attacks.chinese.numerals import find_times, format_number, parse_number
from closeread.attacks.chinese.spacetime import propose_edits_zh
from statement_edits import edited_statements, statement


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("19世纪的渔村。", "十九世纪的渔村。"),
        ("二十世纪的渔村。", "20世纪的渔村。"),
        ("1978年的渔村。", "一九七八年的渔村。"),
        ("上世纪六十年代的渔村。", "上世纪60年代的渔村。"),
    ],
)
def test_a_time_is_rewritten_in_other_numerals(text: str, other: str) -> None:
    assert edited_statements(propose_edits_zh, statement(text), "same") == {other: "numerals"}


@pytest.mark.parametrize(
    "text",
    ["修了近1500年。", "1000年前的渔村。", "19公斤的鱼。", "1500年的历史。", "存在1300年的渔村。"],
)
def test_durations_are_not_times(text: str) -> None:
    assert list(find_times(text)) == []


@pytest.mark.parametrize("number", [1, 9, 10, 11, 19, 20, 21])
def test_numerals_are_parsed_and_formatted(number: int) -> None:
    assert parse_number(format_number(number, "century", arabic=False)) == number
    assert parse_number(format_number(1900 + number, "year", arabic=False)) == 1900 + number


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("我国的湖泊。", "中国的湖泊。"),
        ("渔村在战争以后衰落。", "渔村在战争之后衰落。"),
        ("唐代的渔村。", "唐朝的渔村。"),
        ("目前，渔村人口不多。", "现在，渔村人口不多。"),
        ("渔村已经衰落。", "渔村已衰落。"),
        ("在建造码头时，渔民搬走了。", "在建造码头的时候，渔民搬走了。"),
    ],
)
def test_a_time_or_place_is_reworded(text: str, other: str) -> None:
    assert other in edited_statements(propose_edits_zh, statement(text, holds=False), "same")


@pytest.mark.parametrize(
    "text", ["这体现在渔村里。", "与此同时，渔民搬走了。", "从此以后，渔村衰落。"]
)
def test_words_inside_others_are_not_edited(text: str) -> None:
    assert (
        "reworded" not in edited_statements(propose_edits_zh, statement(text), "same")
        or "同时" in text
    )


@pytest.mark.parametrize(
    "text", ["长期以来，渔村兴盛。", "很长时间以来，渔村兴盛。", "很早以前就有渔村。"]
)
def test_relative_and_vague_times_are_not_changed(text: str) -> None:
    assert edited_statements(propose_edits_zh, statement(text), "opposite") == {}


@pytest.mark.parametrize(
    ("text", "rule", "turned"),
    [
        ("19世纪，渔村兴起。", "century", {"18世纪，渔村兴起。", "20世纪，渔村兴起。"}),
        ("渔村建于1937年。", "year", {"渔村建于1927年。", "渔村建于1947年。", "渔村建于1934年。"}),
        ("宋代已有渔村。", "dynasty", {f"{one}代已有渔村。" for one in "汉唐元明清"}),
        ("渔村的鱼卖到日本。", "elsewhere", None),
        ("北宋的渔村靠海为生。", "contrary", {"南宋的渔村靠海为生。"}),
        ("渔村已成为集镇。", "done>yet", {"渔村尚未成为集镇。"}),
        ("渔村尚未通车。", "yet>done", {"渔村已经通车。"}),
        ("宋代以来，渔村兴盛。", "since>until", {"宋代以前，渔村兴盛。"}),
    ],
)
def test_the_time_or_place_of_a_true_statement_is_changed(
    text: str, rule: str, turned: set[str] | None
) -> None:
    got = [
        new
        for new, by in edited_statements(propose_edits_zh, statement(text), "opposite").items()
        if by == rule
    ]
    assert len(got) == 1
    assert turned is None or got[0] in turned


def test_a_new_time_is_not_in_the_passage() -> None:
    text = "19世纪，渔村兴起。"
    for seed in range(9):
        said = statement(text, "18世纪以前没有渔村，19世纪渔村才兴起。")
        assert edited_statements(propose_edits_zh, said, "opposite", seed) == {
            "20世纪，渔村兴起。": "century"
        }
    all_three = statement(text, "18、19世纪渔村兴起，18世纪有三座，20世纪衰落。")
    assert edited_statements(propose_edits_zh, all_three, "opposite") == {}


@pytest.mark.parametrize(
    "text", ["宋代以后，渔村兴盛。", "直到19世纪，渔村都很兴盛。", "19世纪前没有渔村。"]
)
def test_boundaries_of_periods_are_not_changed(text: str) -> None:
    assert edited_statements(propose_edits_zh, statement(text), "opposite") == {}


def test_a_time_or_place_missing_from_the_evidence_is_not_changed() -> None:
    assert (
        edited_statements(
            propose_edits_zh, statement("19世纪，渔村兴起。", "渔村兴起。"), "opposite"
        )
        == {}
    )
    assert (
        edited_statements(
            propose_edits_zh, statement("印度洋的鱼。", "印度洋的鱼很多。"), "opposite"
        )
        != {}
    )
    assert all(
        "俄罗斯洋" not in new
        for new in edited_statements(propose_edits_zh, statement("印度洋的鱼。"), "opposite")
    )


@pytest.mark.parametrize(
    ("text", "evidence", "rule", "restored"),
    [
        (
            "渔村在20世纪初衰落。",
            "渔村在19世纪初衰落。",
            "restored-century",
            "渔村在19世纪初衰落。",
        ),
        (
            "渔村在2031年建成港口。",
            "渔村在2013年建成港口。",
            "restored-year",
            "渔村在2013年建成港口。",
        ),
        ("渔村已成为大集镇。", "渔村正在成为大集镇。", "restored-yet>done", "渔村正在成为大集镇。"),
        (
            "渔船卖到英国的港口。",
            "渔船卖到法国的港口。",
            "restored-elsewhere",
            "渔船卖到法国的港口。",
        ),
    ],
)
def test_a_false_statement_is_corrected(text: str, evidence: str, rule: str, restored: str) -> None:
    said = statement(text, evidence, holds=False)
    assert edited_statements(propose_edits_zh, said, "opposite") == {restored: rule}


def propose_opposites(text: str, passage: str, evidence: str = "") -> dict[str, str]:
    said = statement(text, evidence)._replace(passage=passage)
    return edited_statements(propose_edits_zh, said, "opposite")


def test_words_that_the_passage_contrasts_are_replaced() -> None:
    text, both = "民间渔歌很简短。", "民间渔歌很简短。官方的乐曲很长。"
    assert propose_opposites(text, both) == {"官方渔歌很简短。": "contrary"}
    assert propose_opposites(text, text) == {}
    # a term of the passage, one of a list, another time in the same statement
    assert propose_opposites(text, both + "民间渔歌流行已久。") == {}
    assert propose_opposites("渔歌、民间小调很简短。", both, both + "渔歌、民间小调很简短。") == {}
    later = "现代渔船比以往更快。"
    assert propose_opposites(later, later + "古代的船很慢。") == {}


def test_words_joined_with_their_antonym_are_not_changed() -> None:
    """东西方 is no 西方."""
    both = "西方的渔歌很简短。东方的渔歌很长。"
    assert propose_opposites("西方的渔歌很简短。", both) == {"东方的渔歌很简短。": "contrary"}
    assert propose_opposites("东西方的渔歌很简短。", both) == {}


@pytest.mark.parametrize(
    "text",
    [
        "渔村可能建于1937年。",
        "1937年的渔村并非港口。",  # nor was it in another year
        "渔民或许去了四川。",
        "宋代的技艺影响了渔村。",
        "渔民把鱼卖到英国、挪威。",
        "从西周开始，渔村兴盛。",
        "四川泡菜由渔民带来。",
        "水渠很旧，渔村也早于县城。",
        "它是至今发现的最早的渔歌。",  # of what is known, nothing need be the last
        "渔村继承了秦汉以及先秦的做法。",
    ],
)
def test_times_and_places_that_may_not_be_exclusive_are_not_changed(text: str) -> None:
    assert edited_statements(propose_edits_zh, statement(text), "opposite") == {}


def test_a_time_is_not_reworded_before_a_repetition() -> None:
    for text in ("渔村目前在海边。", "清朝时期的渔村。", "清代时期的渔村。"):
        assert edited_statements(propose_edits_zh, statement(text), "same") == {}
