"""Terms are what two texts share: characters, words in any form, and pairs of neighbours."""

import pytest

from closeread.evidence.terms import fold, stem, terms, units
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
    ],
)
def test_forms_of_a_word_are_one(forms):
    """The commonest endings do not matter."""
    assert len({stem(word) for word in forms}) == 1


@pytest.mark.parametrize("word", ["is", "the", "gas", "dna", "1872", "3.5", ""])
def test_short_words_and_numbers_stay(word):
    """What is too short to have an ending keeps all of it."""
    assert stem(word) == word


def test_folding_moves_nothing():
    """Full-width is half-width, capitals are small, and every character keeps its place."""
    text = "ＤＮＡ，２０２４年　İ㎏ﬁ①A"
    assert fold(text) == "dna,2024年 İ㎏ﬁ1a"
    assert len(fold(text)) == len(text)


def test_traditional_characters_are_their_simplified_ones():
    """One for one, so that every place stays; what is simplified already stays what it is."""
    assert fold("臺灣學者發現頭髮乾了後面") == "台湾学者发现头发干了后面"
    assert fold("台湾学者发现头发干了后面") == "台湾学者发现头发干了后面"
    assert all(len(one) == 1 and one not in SIMPLIFIED for one in SIMPLIFIED.values())


def test_units_keep_their_places():
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


def test_terms_are_units_and_pairs():
    """Function words count in pairs only."""
    assert terms("The red ferry") == ["the red", "red", "red ferri", "ferri"]
    assert terms("盐的盐") == ["盐", "盐 的", "的 盐"]
