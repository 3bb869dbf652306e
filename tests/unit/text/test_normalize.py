"""Normalisers of SQuAD, MRQA, CMRC 2018 and ExpMRC: order of steps, and marks that stay."""

import pytest

from closeread.text import normalize


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("The  Cat,\tan owl\nand A. ", "cat owl and"),
        ("the-end", "theend"),  # marks go before articles
        ("the_end a_b", "theend ab"),
        ("a b. c", "b c"),
        ("theatre ana", "theatre ana"),
        ("the’s", "’s"),  # marks outside ASCII stay, and border words
        ("the\x00cat", "\x00cat"),  # and so do characters that are not printed
        ("cat\x00an", "cat\x00"),
        ("A\x1fcat", "cat"),  # this one is white space
        ("İ", "i\u0307"),
        ("... the", ""),
    ],
)
def test_squad_applies_its_steps_in_order(raw, text):
    """Lower case, ASCII marks out, articles to blanks, white space to single blanks."""
    assert normalize.squad(raw) == normalize.mrqa(raw) == text
    assert normalize.squad_words(raw) == tuple(text.split())


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (" 猫 \n", "猫"),
        ("- 猫 -", " 猫 "),  # the ends are cut before the marks
        ("《Dark  Souls》：第X章。", "dark  souls第x章"),
        ("12.5% (约)", "12.5% (约)"),
        ("a-b_c*d", "abcd"),
    ],
)
def test_cmrc_applies_its_steps_in_order(raw, text):
    assert normalize.cmrc(raw) == text


def test_expmrc_drops_lower_case_articles_and_single_marks():
    segments = ["The", "the", "a", "An", "Cat", ".", "..", "…", "……", "。", "the", "猫"]
    assert normalize.expmrc(segments) == ["the", "an", "cat", "..", "……", "猫"]
