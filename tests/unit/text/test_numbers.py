"""Where numbers stand in running text, and what number words come to."""

import pytest

from closeread.text.numbers import parse_number_words, split_numbers


@pytest.mark.parametrize(
    ("text", "found"),
    [
        # Thousands are groups of three behind at most three digits.
        ("1,234", [1234.0]),
        ("1_234", [1234.0]),
        ("1'234", [1234.0]),
        ("1\u202f234", [1234.0]),
        ("1\u2009234", [1234.0]),
        ("1\u00a0234", [1234.0]),
        ("123,456,789.5", [123456789.5]),
        ("1 234", [1.0, " ", 234.0]),
        ("12,34", [12.0, ",", 34.0]),
        ("1,2345", [1.0, ",", 2345.0]),
        ("1234,567", [1234.0, ",", 567.0]),
        (",234", [",", 234.0]),
        # One point, with digits behind it.
        ("12.", [12.0, "."]),
        (".5", [0.5]),
        ("x.5", ["x.5"]),
        ("3.14.15", ["3.14.15"]),
        ("1,234.5.6", ["1,234.5.6"]),
        ("3..5", [3.0, "..5"]),
        # A sign that no word, number, bracket or percent touches.
        ("-5", [-5.0]),
        ("+5", [5.0]),
        ("-.5", [-0.5]),
        ("(-5)", ["(", -5.0, ")"]),
        ("--5", ["-", -5.0]),
        ("x-5", ["x-", 5.0]),
        ("(x)-5", ["(x)-", 5.0]),
        ("5%-7%", [5.0, "-", 7.0]),
        (".-5", [".-", 5.0]),
        # Currency before it, and a sign on either side of that.
        ("$5", [5.0]),
        ("£5", [5.0]),
        ("€5", [5.0]),
        ("5€", [5.0]),
        ("12.25 €", [12.25]),
        ("5 $", [5.0]),
        ("5 $10", [5.0, " ", 10.0]),
        ("5€-7€", [5.0, "-", 7.0]),
        ("5 $-7", [5.0, -7.0]),
        ("5€s", [5.0, "€s"]),
        ("¥5", [5.0]),
        ("₩5", [5.0]),
        ("₹5", [5.0]),
        ("\uffe55", [5.0]),
        ("\uffe15", [5.0]),
        ("\uffe65", [5.0]),
        ("-$5", [-5.0]),
        ("+$5", [5.0]),
        ("$-5", [-5.0]),
        ("-$-5", [5.0]),
        ("$+5", ["$", 5.0]),
        ("US$5", ["US$", 5.0]),
        ("$.50", [0.5]),
        # An exponent, which ends the number.
        ("1e3", [1000.0]),
        ("1E3", [1000.0]),
        ("2.5e+02", [250.0]),
        ("25e-1", [2.5]),
        ("1e3x", ["1e3x"]),
        ("1e", ["1e"]),
        ("1e3.5", ["1e3.5"]),
        # Percent behind it, with one blank at most.
        ("5%", [5.0]),
        ("5 %", [5.0]),
        ("5\u00a0%", [5.0]),
        ("5 percent", [5.0]),
        ("5percent", [5.0]),
        ("5  %", [5.0, "  %"]),
        ("5 percentage", [5.0, " percentage"]),
        ("5%x", [5.0, "%x"]),
        # Digits that touch letters are no number.
        ("5th", ["5th"]),
        ("x5", ["x5"]),
        ("5_x", ["5_x"]),
        ("五5", ["五5"]),
        ("12٣", [123.0]),
        ("no number", ["no number"]),
    ],
)
def test_numbers_are_found_with_signs_and_units(text, found):
    assert [piece for piece in split_numbers(text) if piece != ""] == found


def test_text_between_numbers_is_returned():
    assert list(split_numbers("5 and 7")) == ["", 5.0, " and ", 7.0, ""]
    assert list(split_numbers("")) == [""]


@pytest.mark.parametrize(
    ("words", "numbers"),
    [
        ("twenty one", [21]),
        ("twenty twenty", [20, 20]),
        ("twenty nineteen", [20, 19]),
        ("nineteen one", [19, 1]),
        ("hundred five", [105]),
        ("two hundred twenty one", [221]),
        ("two hundred hundred", [200, 100]),
        ("ninety nine hundred", [9900]),
        ("thousand five hundred", [1500]),
        ("thousand thousand", [1000, 1000]),
        ("two thousand nine hundred ninety nine", [2999]),
        ("seven hundred thousand five", [700_005]),
        ("one hundred thousand million", [100_000, 1_000_000]),
        ("trillion one", [1_000_000_000_001]),
        ("five hundred and two thousand and one", [502_001]),
        ("two hundred and three hundred", [200, "and", 300]),
        ("million and", [1_000_000, "and"]),
        ("thousand and and five", [1000, "and", "and", 5]),
        ("two and five", [2, "and", 5]),
        ("and five", ["and", 5]),
        ("1.5 hundred", [150]),
        ("0.5 million", [500_000]),
        ("-2 million", [-2_000_000]),
        ("5 thousand 200", [5000, 200]),
        ("5 zero", [5, 0]),
        ("three score", [3, "score"]),
        ("score", ["score"]),
        ("", []),
    ],
)
def test_number_words_are_composed(words, numbers):
    tokens = [float(word) if word[-1].isdigit() else word for word in words.split()]
    assert parse_number_words(tokens) == numbers
