"""The official DROP evaluator's normaliser, from its description: what it does with odd tokens."""

import pytest

from closeread.text.normalize_drop import drop, has_number


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        # What is a number as a whole, white space around it included, is printed as one.
        ("10\n", "10.0"),
        ("\t7\t", "7.0"),
        ("10\u00a0", "10.0"),
        ("12.", "12.0"),
        (".5", "0.5"),
        ("+5", "5.0"),
        ("03", "3.0"),
        ("1_000", "1000.0"),
        ("1e3", "1000.0"),
        ("٣", "3.0"),
        ("nan", "nan"),
        ("Infinity", "inf"),
        ("1e400", "inf"),
        ("1" + 17 * "0", "1e+17"),
        # A number with more behind it, and no blank between, stays as it is written.
        ("10\n\nPassage:", "10 passage"),
        ("10\tyards", "10 yards"),
        ("7\t8", "7 8"),
        ("10\u202f000", "10 000"),
        # What is none loses its punctuation, points too, and is tried again.
        ("12.25.", "1225.0"),
        ("12.25%", "1225.0"),
        ("$1.5", "15.0"),
        ("(3.14)", "314.0"),
        ("1/2", "12.0"),
        ("3:45", "345.0"),
        ("1,001,360", "1001360.0"),
        ("nan.", "nan"),
        # Hyphens and blanks cut, so that signs are lost and scores are two numbers.
        ("-5", "5.0"),
        ("--5", "5.0"),
        ("1-0", "1.0 0.0"),
        ("5e-3", "5e 3.0"),
        ("red  fox - brown", "red fox brown"),
        ("5th", "5th"),
        ("five", "five"),
        ("½", "½"),
        ("²", "²"),
        # Case goes, but not by folding; marks outside ASCII stay, and border articles.
        ("Straße", "straße"),
        ("U.S.", "us"),
        ("a/the", "athe"),
        ("the_end", "theend"),
        ("a.m.", "am"),
        ("a’s", "’s"),
        ("an’s", "’s"),
        ("the’s", "’s"),
        ("A fox, an owl and The end", "fox owl and end"),
        ("a. An, the!", ""),
        ("fox’the’fox", "fox’ ’fox"),
        ("the\u00a0end", "end"),
        ("-", ""),
        ("...", ""),
        ("", ""),
    ],
)
def test_tokens_are_normalised_as_by_the_official_evaluator(raw, text):
    """As a short string, and as one that is too long to be remembered among the short ones."""
    assert drop(raw).text == text
    assert drop(raw).bag == frozenset(text.split())
    long = drop(f"{raw} " * 40)
    assert long.text == " ".join([text] * 40).strip()
    assert long.bag == frozenset(text.split())


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("5", True), ("5.0", True), ("1e+17", True), ("٣", True), ("²", False), ("5th", False),
        ("nan", True), ("inf", True), ("infinity", True), ("NaN", True), ("five", False),
        ("", False),
    ],
)  # fmt: skip
def test_a_number_is_what_float_accepts(word, found):
    assert has_number(["red", word]) is found
