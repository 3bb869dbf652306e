"""Which language a text is in, by its letters."""

import pytest

from closeread.text.language import code, detect


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("", "en"),
        ("A ferry.", "en"),
        ("Café", "en"),
        ("１，２。", "en"),  # no letter at all
        ("abcd盐", "zh"),  # one of five
        ("abcde盐", "en"),
        ("盐____12345678", "zh"),  # only one letter
        ("㐀䶿鿿豈", "zh"),
        ("㐁", "zh"),
        ("\uf901", "zh"),
        ("ひらがな", "ja"),
        ("é" * 1600 + "盐" * 400 + "é" * 9000, "zh"),  # the first 2,000 characters count
        ("é" * 1601 + "盐" * 9000, "en"),
    ],
)
def test_a_fifth_of_the_first_letters_makes_a_text_chinese(text: str, language: str):
    assert detect(text) == language


@pytest.mark.parametrize(
    ("tag", "language"),
    [("zh", "zh"), ("zh-Hant-TW", "zh"), ("pt_BR", "pt"), (" EN-us ", "en"), ("", "")],
)
def test_a_tag_begins_with_the_language(tag: str, language: str):
    assert code(tag) == language
