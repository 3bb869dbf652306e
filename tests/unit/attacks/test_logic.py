import pytest

from closeread.attacks.chinese.logic import propose_edits_zh
from statement_edits import edited_statements, statement


@pytest.mark.parametrize(
    ("text", "other", "rule"),
    [
        ("如果水位下降，渔民会搬走。", "倘若水位下降，渔民会搬走。", "reworded"),
        ("虽然水浅，但渔民不走。", "尽管水浅，但渔民不走。", "reworded"),
        ("水库不是湖。", "水库并非湖。", "reworded"),
        (
            "水库不是天然的湖，而是人工的塘。",
            "水库是人工的塘，而不是天然的湖。",
            "reordered",
        ),
        ("水库既能养鱼，又能发电。", "水库既能发电，又能养鱼。", "reordered"),
        ("水库不仅能养鱼，而且能发电。", "水库既能养鱼，也能发电。", "reworded"),
        ("水库里有鲤鱼、草鱼、鲫鱼等。", "水库里有鲤鱼、鲫鱼、草鱼等。", "list-order"),
    ],
)
def test_statements_are_reworded(text: str, other: str, rule: str) -> None:
    for holds in (True, False, None):
        assert (
            edited_statements(propose_edits_zh, statement(text, holds=holds), "same").get(other)
            == rule
        )


@pytest.mark.parametrize(
    "text",
    [
        "水库里先后有鲤鱼、草鱼、鲫鱼等。",  # the order says something
        "水库里有鲤鱼、草鱼、鲫鱼等，前者最多。",
        "这是不是湖？",
    ],
)
def test_ordered_lists_and_longer_words_are_not_edited(text: str) -> None:
    assert edited_statements(propose_edits_zh, statement(text), "same") == {}


@pytest.mark.parametrize(
    ("text", "turned", "rule"),
    [
        ("水库是人工的湖。", "水库并不是人工的湖。", "negated"),
        ("鲤鱼和草鱼都是淡水鱼。", "鲤鱼和草鱼都不是淡水鱼。", "negated"),
        ("水库能够发电。", "水库不能发电。", "negated"),
        ("水库可以用来发电。", "水库不能用来发电。", "negated"),
        ("鱼群会在春天回来。", "鱼群不会在春天回来。", "negated"),
        ("水库具有防洪功能。", "水库并不具有防洪功能。", "negated"),
        ("水库对渔业有重要影响。", "水库对渔业没有影响。", "negated"),
        ("水库改变了河道。", "水库没有改变河道。", "negated"),
        ("渔民必须休渔三个月。", "渔民不必休渔三个月。", "negated"),
        ("水库有利于农业。", "水库不利于农业。", "negated"),
        ("水库就是人工的湖。", "水库并不是人工的湖。", "negated"),
        ("水库反映出水利的水平。", "水库并未反映出水利的水平。", "negated"),
        ("山里的农田缺乏水源。", "山里的农田并不缺乏水源。", "negated"),
        ("水库不是湖。", "水库是湖。", "affirmed"),
        ("鱼群不会在冬天回来。", "鱼群会在冬天回来。", "affirmed"),
        ("鱼群无法越过大坝。", "鱼群能够越过大坝。", "affirmed"),
        (
            "水库不是天然的湖，而是人工的塘。",
            "水库不是人工的塘，而是天然的湖。",
            "exchanged",
        ),
        (
            "水库不仅是湖泊，也是电站。",
            "水库不是湖泊，而是电站。",
            "not-only>not",
        ),
    ],
)
def test_a_true_statement_is_negated_or_affirmed(text: str, turned: str, rule: str) -> None:
    assert edited_statements(propose_edits_zh, statement(text), "opposite").get(turned) == rule
    for holds in (False, None):
        assert edited_statements(propose_edits_zh, statement(text, holds=holds), "opposite") == {}


@pytest.mark.parametrize(
    "text",
    [
        "有些水库是人工的湖。",  # and some are not
        "水库可能是人工的湖。",
        "如果水库是湖，就有鱼。",
        "能够发电的水库很多。",  # a relative clause
        "作为防洪工程的水库很多。",
        "水库是不是湖？",
        "具体现象很多。",
        "社会的发展很快。",
        "讨论会在水库边举行。",
        "渔民不得不搬走。",
        "水库既不能养鱼，也不能发电。",
        "这样做绝不是为了钱。",
        "渔民不能不走。",
        "水库正在修复，期待能重现旧貌。",
    ],
)
def test_statements_that_a_negation_leaves_true_are_not_negated(text: str) -> None:
    assert propose_opposites(text) == {}


@pytest.mark.parametrize(
    ("text", "turned"),
    [
        (
            "水库建成已久，它的水质改善了很多，这是渔民的功劳。",
            "水库建成已久，它的水质改善了很多，但这并不是渔民的功劳。",
        ),
        ("渔民修了水库，水库改变了河道。", "渔民修了水库，但水库没有改变河道。"),
        ("水库是人工的湖，它面积很大。", "水库并不是人工的湖，它面积很大。"),
        ("在今天，新的社会力量，改变了村庄。", "在今天，新的社会力量，没有改变村庄。"),
        ("春天时，鱼群会游回河口。", "春天时，鱼群不会游回河口。"),
        ("水库很深，这说明山谷很陡。", "水库很深，这并不说明山谷很陡。"),
        ("渔村的房屋由石块组成。", "渔村的房屋并非由石块组成。"),
        ("水库为农田提供了水源。", "水库并没有为农田提供水源。"),
    ],
)
def test_the_last_clause_is_negated_with_a_contrast(text: str, turned: str) -> None:
    assert propose_opposites(text) == {turned: "negated"}


@pytest.mark.parametrize(
    "text",
    [
        "水库可以蓄水，但里面没有鱼。",  # nothing is left to be set against
        "鱼群减少了，因此渔民应该休渔。",
        "渔村靠水库养活，水库反过来也能得到照料。",
        "水库是湖，也是电站。",
        "水库是湖，或者说是水塘。",
        "鉴于水位下降造成了损失，渔民搬走。",
        "水库能发电，使渔村亮起来。",
        "水库是防洪的关键。因此，渔民要看护它。",
        "渔民要修好堤坝，重视水质。",  # what is wanted goes on
        "热能在水里散失。",
        "地热能也在水里散失。",
        "水库更具有观赏价值。",
        "渔村逐渐形成了市集。",
        "王家的渔船比较适合远航。",
        "有渔民认为水库是湖。",
        "水库是水鸟的天堂，水鸟在天堂里过冬。",  # said again
        "渔民应该就是村里的长者。",
        "水库的作用之一，是调节水量。",
        "调节水量是水库的作用之一。它的作用之一是发电。",
        "水库虽然不大，却并不影响发电。",
        "很早的时候，为了增加收成，渔民改变了河道。",
        "渔民在上游修建了一座新的水库，有利于渔业。",
        "这座水库是渔村的粮仓，将养活渔民。",  # as if the denial had not been said
        "这座水库是渔村的粮仓，彰显着渔民的智慧。",
        "渔民掌握了水情，就可以出海。",  # what follows needs what was denied
        "渔民具有耐心，才有可能捕到大鱼。",
        "水库产生了一批渔民，他们的渔船很大。",
        "水库是渔村形成的原因，在渔民看来，此原因很重要。",
        "水库会继续蓄水，水位不会下降。",  # denied twice, each time of something else
        "速度就是力量，速度越快，渔船越稳。",
        "创作渔歌的书会先生很多。",
        "水库是渔村的屏障，很有用处。",
        "渔民多半是老人。",
        "渔村强调安全的渔民要休息。",
    ],
)
def test_a_dependent_clause_is_not_negated(text: str) -> None:
    assert propose_opposites(text) == {}


def test_a_negation_after_a_setting_has_no_contrast() -> None:
    got = propose_opposites("水库修建了多年，从远处上看，它是一片宽阔的湖。")
    assert set(got) == {"水库修建了多年，从远处上看，它并不是一片宽阔的湖。"}


def test_only_clauses_affirmed_in_the_evidence_are_negated() -> None:
    text = "水库可以灌溉农田。"
    assert propose_opposites(text, "水库可以灌溉山下的农田。") != {}
    assert propose_opposites(text, "水库里有鱼，山下有人家。") == {}
    assert propose_opposites(text, "水库灌溉农田。") == {}  # nobody says that it can
    assert propose_opposites(text, "水库可以灌溉农田，是行不通的。渔民无法灌溉农田。") == {}


def propose_opposites(text: str, evidence: str = "") -> dict[str, str]:
    """Return what comes of a statement by words that deny or affirm, and the rule of each."""
    return edited_statements(propose_edits_zh, statement(text, evidence), "opposite")
