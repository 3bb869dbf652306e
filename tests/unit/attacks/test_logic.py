import pytest

from closeread.attacks.logic import turns_zh
from turns_zh import made, statement


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
def test_a_statement_is_put_otherwise(text: str, other: str, rule: str) -> None:
    for holds in (True, False, None):
        assert made(turns_zh, statement(text, holds=holds), "same").get(other) == rule


@pytest.mark.parametrize(
    "text",
    [
        "水库里先后有鲤鱼、草鱼、鲫鱼等。",  # the order says something
        "水库里有鲤鱼、草鱼、鲫鱼等，前者最多。",
        "这是不是湖？",
    ],
)
def test_what_an_order_or_a_longer_word_says_is_kept(text: str) -> None:
    assert made(turns_zh, statement(text), "same") == {}


@pytest.mark.parametrize(
    ("text", "turned", "rule"),
    [
        ("水库是人工的湖。", "水库并不是人工的湖。", "negated"),
        ("鲤鱼和草鱼都是淡水鱼。", "鲤鱼和草鱼都不是淡水鱼。", "negated"),
        ("水库能够发电。", "水库不能够发电。", "negated"),
        ("水库可以用来发电。", "水库不能用来发电。", "negated"),
        ("鱼群会在春天回来。", "鱼群不会在春天回来。", "negated"),
        ("水库具有防洪功能。", "水库不具有防洪功能。", "negated"),
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
def test_a_true_statement_is_denied_or_affirmed(text: str, turned: str, rule: str) -> None:
    assert made(turns_zh, statement(text), "opposite").get(turned) == rule
    for holds in (False, None):
        assert made(turns_zh, statement(text, holds=holds), "opposite") == {}


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
    ],
)
def test_what_a_denial_would_not_make_false_is_left_alone(text: str) -> None:
    assert made(turns_zh, statement(text), "opposite") == {}
