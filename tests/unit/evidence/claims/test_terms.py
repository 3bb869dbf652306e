"""Terms are what two texts share: characters, words in any form, and pairs of neighbours."""

import pytest

from closeread.evidence.claims.terms import fold, stem, terms, units
from closeread.text.traditional import SIMPLIFIED


@pytest.mark.parametrize(
    "forms",
    [
        ("carry", "carries", "carried", "carrying"),
        ("stop", "stops", "stopped", "stopping"),
        ("make", "makes", "making"),
        ("close", "closed", "closely", "closing"),
        ("box", "boxes"),
        ("class", "classes"),
        ("city", "cities"),
        ("bed", "beds", "bedding"),
        ("shop", "shops", "shopped", "shopping"),
        ("meet", "meets", "meeting", "meetings"),
        ("repeat", "repeated", "repeatedly"),
        ("increase", "increasing", "increasingly"),
    ],
)
def test_forms_of_a_word_have_one_stem(forms):
    """The commonest endings do not matter."""
    assert len({stem(word) for word in forms}) == 1


def test_stems_of_known_words():
    """A double letter where an ending left one; y as in its other forms, from four letters on."""
    words = "called stopped added tries days dries makes"
    assert [stem(word) for word in words.split()] == [
        *("call", "stop", "add", "tri", "day", "dri", "mak")
    ]


@pytest.mark.parametrize("word", ["is", "the", "gas", "dna", "egg", "sky", "1872", "3.5", ""])
def test_short_words_and_numbers_are_not_stemmed(word):
    """What is too short to have an ending keeps all of it."""
    assert stem(word) == word


def test_folding_keeps_offsets():
    """Full-width is half-width, capitals are small, and every character keeps its place."""
    text = "ＤＮＡ，２０２４年　İ㎏ﬁ①A"
    assert fold(text) == "dna,2024年 İ㎏ﬁ1a"
    assert len(fold(text)) == len(text)


def test_traditional_characters_equal_simplified_ones():
    """One for one, so that every place stays; what is simplified already stays what it is."""
    assert fold("臺灣學者發現頭髮乾了後面") == "台湾学者发现头发干了后面"
    assert fold("台湾学者发现头发干了后面") == "台湾学者发现头发干了后面"
    assert all(len(one) == 1 and one not in SIMPLIFIED for one in SIMPLIFIED.values())


def test_units_keep_their_offsets():
    """A unit's span is that of the text as it stands."""
    text = "在２０２４年，Carried to 上海。"
    assert [(unit.form, text[unit.start : unit.end]) for unit in units(text)] == [
        ("在", "在"),
        ("2024", "２０２４"),
        ("年", "年"),
        ("carri", "Carried"),
        ("to", "to"),
        ("上", "上"),
        ("海", "海"),
    ]
    assert [unit.form for unit in units(text) if unit.is_function] == ["在", "to"]


def test_characters_are_not_words_and_function_words_are_marked():
    """From the first rare one to the last; in English all that only holds a sentence together."""
    assert [unit.is_word for unit in units("㐀一\U0003ffff Ab 12")] == [False] * 3 + [True] * 2
    words = (
        "According to this passage, which of those following statements is true? A man can do what "
        "an ox did not, and more; so have we, but then who has been under us, or over them? That "
        "may be his; these might be its own, her own, my own, your own and our own. If I am here, "
        "nor there, he was, she were and it does, as any must, when by being there I could, would, "
        "should, shall or will. Why, how, where and whom? They had about some at most, than the "
        "other, from all into much, on many, between, before, after, for you, him and me. False, "
        "with whose, in are."
    )
    others = ["man", "ox", "not", *["own"] * 5, "statements"]
    content = [unit.form for unit in units(words) if not unit.is_function]
    assert sorted(content) == sorted(map(stem, others))
    chinese = "的了是在和与也都就而及着或之其这那为以于对有把被从到个们地得"
    chinese += "将并但等所还又很更最此吗呢什么哪"
    assert all(unit.is_function for unit in units(chinese))


def test_a_korean_word_is_a_word():
    (word, other) = units("기차는 간다")
    assert (word.form, word.is_word, other.is_word) == ("기차는", True, True)


@pytest.mark.parametrize(
    ("one", "other"),
    [("René", "Rene\u0301"), ("first", "ﬁrst"), ("각각", "\u1100\u1161\u11a8" * 2)],
)
def test_composed_and_decomposed_words_are_equal(one, other):
    assert one != other
    (here,), (there,) = units(one), units(f" {other}")
    assert here.form == there.form
    assert (there.start, there.end) == (1, 1 + len(other))


def test_terms_are_units_and_pairs():
    """Function words count in pairs only."""
    assert terms("The red ferry") == ["the red", "red", "red ferri", "ferri"]
    assert terms("盐的盐") == ["盐", "盐 的", "的 盐"]
