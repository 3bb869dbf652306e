"""Sentences and words as offsets, on texts written for it."""

import pytest

from closeread.text.segment import sentences, tokens, vgaokao, words
from closeread.types import Span


def _split(text: str, language: str) -> list[str]:
    return [span.of(text) for span in sentences(text, language)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("他来了。她走了。", ["他来了。", "她走了。"]),
        ("他问：“来吗？”她点头。", ["他问：“来吗？”", "她点头。"]),
        ("“来吗？”的意思很清楚。完了。", ["“来吗？”的意思很清楚。", "完了。"]),
        ("真的吗？！是的。", ["真的吗？！", "是的。"]),
        ("他想……算了。", ["他想……", "算了。"]),
        ("他想……，还是算了。", ["他想……，还是算了。"]),
        ("比例是3.14。共10.5万人！好", ["比例是3.14。", "共10.5万人！", "好"]),
        ("“一句。两句。”后来呢？", ["“一句。", "两句。”", "后来呢？"]),
        ("他（笑了。）又走了。再见。", ["他（笑了。）又走了。", "再见。"]),
        ("第一段\n　　第二段。\n\n第三段", ["第一段", "第二段。", "第三段"]),
        ("真好!他说?是", ["真好!", "他说?", "是"]),
        ("半句；另半句，未完", ["半句；另半句，未完"]),
        ("", []),
        (" \n\u3000 ", []),
        ("。。。", ["。。。"]),
    ],
)
def test_chinese_sentences(text: str, expected: list[str]):
    """Full-width enders, quotes behind them, ellipses and line breaks end a sentence."""
    assert _split(text, "zh") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It rained. We left.", ["It rained.", "We left."]),
        ("Dr. Ng met J. R. Hale. They spoke.", ["Dr. Ng met J. R. Hale.", "They spoke."]),
        ("The U.S. Army came. It won.", ["The U.S. Army came.", "It won."]),
        ("He left the U.S. The war went on.", ["He left the U.S.", "The war went on."]),
        ("It cost $3.5 million. Wow!", ["It cost $3.5 million.", "Wow!"]),
        ('"Go!" he said. "Now."', ['"Go!" he said.', '"Now."']),
        ("He wrote (in 1990.) Then he left.", ["He wrote (in 1990.)", "Then he left."]),
        ("See No. 5 for more. No. Not that.", ["See No. 5 for more.", "No.", "Not that."]),
        ("It works, e.g. in Paris. Good.", ["It works, e.g. in Paris.", "Good."]),
        ("Wait... what? Yes.", ["Wait... what?", "Yes."]),
        ("One line\nAnother line. And more", ["One line", "Another line.", "And more"]),
        ("Born in St. Louis, Inc. and all. End.", ["Born in St. Louis, Inc. and all.", "End."]),
        ("At 5 p.m. The door opened.", ["At 5 p.m.", "The door opened."]),
        ("It ended.Then it began.A man came.", ["It ended.", "Then it began.", "A man came."]),
        (
            "See www.Example.Com or J.Smith by Mr.Hale.",
            ["See www.Example.Com or J.Smith by Mr.Hale."],
        ),
        ("They sat. Bob left on Sat. 4 May.", ["They sat.", "Bob left on Sat. 4 May."]),
        ("no end", ["no end"]),
    ],
)
def test_english_sentences(text: str, expected: list[str]):
    """Abbreviations, initials, decimals and ordinals do not end a sentence."""
    assert _split(text, "en") == expected


def test_the_authors_rule_keeps_its_oddities():
    """Of two enders only the first counts, and leading space stays in the sentence."""
    text = "一……。二！？三。  四\n\n五"
    assert [span.of(text) for span in vgaokao(text)] == [
        "一……",
        "。",
        "二！",
        "？三。",
        "  四",
        "五",
    ]
    assert vgaokao("") == ()
    assert vgaokao("\n \n") == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("“好......”走了。完", ["“好......”走了。", "完"]),
        ("‘好......’走了", ["‘好......’走了"]),
        ("好......走了", ["好......", "走了"]),
        ("“好。”走了", ["“好。”", "走了"]),
        ("“好。”，走了", ["“好。”，走了"]),
        ("“好。”！走了", ["“好。”！", "走了"]),
        ("‘好？’？走了", ["‘好？’？", "走了"]),
        ("“好！”?走了", ["“好！”?", "走了"]),
        ("“好?”。走了", ["“好?”。", "走了"]),
    ],
)
def test_the_authors_rule_waits_for_what_closes_behind_an_ender(text: str, expected: list[str]):
    """A quote that closes stays, and so does the mark behind it, which then ends the sentence."""
    assert [span.of(text) for span in vgaokao(text)] == expected


def test_tokens_are_words_numbers_and_characters():
    """English words and numbers are whole, Chinese characters single, punctuation is left out."""
    text = "Don't pay $1,250.5 in the U.S. for 北京’s 3 well-known 书。"
    assert [span.of(text) for span in tokens(text)] == [
        *("Don't", "pay", "1,250.5", "in", "the", "U.S", "for", "北", "京", "s", "3"),
        *("well-known", "书"),
    ]
    assert tokens("，。 …") == ()
    assert tokens("a b") == (Span(0, 1), Span(2, 3))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("In 1872, 12.5.3 of 1,000", ["In", "1872", "12.5.3", "of", "1,000"]),
        ("AT&T’s don’t rock'n'roll", ["AT&T’s", "don’t", "rock'n'roll"]),
        ("R2D2 a_b x-1 b-c_d", ["R", "2", "D", "2", "a", "b", "x", "1", "b-c", "d"]),
        ("b-c3 Café-Öl", ["b-c", "3", "Café-Öl"]),
        ("㐀䶿一鿿豈龎", ["㐀", "䶿", "一", "鿿", "豈", "龎"]),
        ("\ufaff\U00020000\U0003ffff", ["\ufaff", "\U00020000", "\U0003ffff"]),
        ("Ab㐀 Ab鿿 Ab豈 Ab\U00020000", ["Ab", "㐀", "Ab", "鿿", "Ab", "豈", "Ab", "\U00020000"]),
        ("A-㐀b A-鿿b A-豈b", ["A", "㐀", "b", "A", "鿿", "b", "A", "豈", "b"]),
        ("A-\U00020000b A-b\U00020000", ["A", "\U00020000", "b", "A-b", "\U00020000"]),
        ("A-bひらがな", ["A-bひらがな"]),
    ],
)
def test_every_chinese_character_is_a_token_beside_whatever_it_stands(text: str, expected):
    """The rare ones beyond the basic plane, too; other scripts stay whole."""
    assert [span.of(text) for span in tokens(text)] == words(text) == expected
