"""Lines for a terminal: harmless, aligned, broken where they may be."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from closeread.cli.terminal.typeset import Mark, render_glyphs, to_glyphs, wrap_glyphs
from closeread.types import Span
from closeread.wording import visible_sign


def lines(text: str, width: int, *marks: Mark) -> list[str]:
    return [
        render_glyphs(line, colour=False) for line in wrap_glyphs(to_glyphs(text, marks), width)
    ]


def test_words_stay_whole():
    """English breaks at blanks."""
    assert lines("one two three four", 9) == ["one two", "three", "four"]


def test_a_long_word_is_cut():
    """10,000 characters without a blank still fit."""
    made = lines("x" * 10_000, 40)
    assert {len(line) for line in made} == {40}


def test_chinese_breaks_between_characters_two_cells_each():
    """Ten cells hold five characters."""
    assert lines("海绵城市让雨水留下来", 10) == ["海绵城市让", "雨水留下来"]


def test_closing_punctuation_does_not_begin_a_line():
    """A full stop takes its character with it."""
    assert lines("海绵城市让，雨水", 10) == ["海绵城市", "让，雨水"]
    assert lines("城市像“海绵”一样", 7) == ["城市像", "“海绵”", "一样"]
    assert lines("海绵城市注］雨水", 10) == ["海绵城市", "注］雨水"]
    assert lines("海绵城市［注雨水", 10) == ["海绵城市", "［注雨水"]


def test_overlapping_marks_may_cross():
    """Signs stand where the marks begin and end, whatever lies between."""
    marks = (
        Mark(Span(0, 5), "evidence", "<", ">"),
        Mark(Span(2, 7), "answer", "[", "]"),
    )
    assert lines("abcdefgh", 40, *marks) == ["<ab[cde>fg]h"]


def test_styles_are_closed():
    """Every styled line ends in a reset, so that a pager may cut anywhere."""
    line = to_glyphs("a gold b", (Mark(Span(2, 6), "answer"),))
    assert render_glyphs(line, colour=True) == "a \x1b[0;1;7mgold\x1b[0m b"
    assert render_glyphs(to_glyphs("x", styles=["soft"]), colour=True) == "\x1b[0;2mx\x1b[0m"


@pytest.mark.parametrize(
    ("character", "shown"),
    [
        ("\x1b", "\u241b"),
        ("\x07", "\u2407"),
        ("\r", "\u240d"),
        ("\x00", "\u2400"),
        ("\x7f", "\u2421"),
        ("\x9b", "<U+009B>"),
        ("\u202e", "<U+202E>"),
        ("\u2067", "<U+2067>"),
        ("\u2028", "<U+2028>"),
        ("\ud800", "<U+D800>"),
        ("\t", "    "),
        ("a", "a"),
        ("猫", "猫"),
    ],
)
def test_control_characters_are_shown_as_symbols(character, shown):
    """Control characters, direction marks and lone surrogates become visible."""
    assert visible_sign(character) == shown


@given(st.text(max_size=200), st.integers(2, 60))
def test_wrapping_keeps_all_text_within_the_width(text, width):
    """Lines joined are the text (but for blanks at breaks), and each keeps within the width."""
    made = lines(text, width)
    wanted = "".join(visible_sign(character) for character in text)
    assert "".join("".join(made).split()) == "".join(wanted.split())
    assert all(cell_len(line) <= width for line in made)


@given(st.text(alphabet=st.characters(codec=None), max_size=100))
def test_no_control_character_survives(text):
    """Whatever goes in, what comes out has no control, surrogate or direction character."""
    shown = render_glyphs(to_glyphs(text), colour=False)
    for character in shown:
        assert unicodedata.category(character) not in {"Cc", "Cs", "Zl", "Zp"}
        assert character not in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
