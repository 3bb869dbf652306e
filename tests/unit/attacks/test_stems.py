import pytest

from closeread.attacks.stems import invert_stem
from closeread.text.polarity import polarity
from closeread.text.quotations import is_quoted

PAIRS = [
    ("下列说法正确的一项是", "下列说法不正确的一项是"),
    ("下列对原文的理解，不符合原文意思的一项是", "下列对原文的理解，符合原文意思的一项是"),
    ("下列表述与原文相符的一项是", "下列表述与原文不相符的一项是"),
    ("下列推断不合理的一项是", "下列推断合理的一项是"),
    ("下列分析和概括，最恰当的一项是", "下列分析和概括，最不恰当的一项是"),
    (
        "Which of the following statements is NOT true?",
        "Which of the following statements is true?",
    ),
    ("Which statement is supported by the text?", "Which statement is NOT supported by the text?"),
    (
        "Which of the following is TRUE about the dog?",
        "Which of the following is NOT TRUE about the dog?",
    ),
]


@pytest.mark.parametrize(("stem", "other"), PAIRS)
def test_a_stem_is_inverted_at_its_judging_word(stem: str, other: str) -> None:
    assert invert_stem(stem) == other
    assert polarity(stem) != polarity(other)


@pytest.mark.parametrize(("stem", "other"), PAIRS)
def test_inverting_twice_restores_the_stem(stem: str, other: str) -> None:
    assert invert_stem(invert_stem(stem) or "") == stem


@pytest.mark.parametrize(
    ("stem", "other"),
    [
        ("下列叙述有误的一项是", "下列叙述正确的一项是"),
        ("根据原文内容，下列推断错误的一项是", "根据原文内容，下列推断正确的一项是"),
        ("Which of the statements is false?", "Which of the statements is true?"),
        ("Choose the incorrect statement.", "Choose the true statement."),
        ("Choose the correct statement.", "Choose the wrong statement."),
        ("Which of the following is WRONG?", "Which of the following is TRUE?"),
        ("Which of the following isn't true?", "Which of the following is true?"),
    ],
)
def test_wrong_becomes_right(stem: str, other: str) -> None:
    assert invert_stem(stem) == other


@pytest.mark.parametrize(
    "stem",
    [
        "下列加点词语的读音正确的一项是",  # no statements are judged
        "下列说法正确且表述准确的一项是",  # two places, and no telling which
        "文中的“它”指的是什么？",
        "She first saw that something was wrong with him when ____.",
        "Which of these people is the writer's true friend?",
        "When you do something wrong, ____.",
        "",
    ],
)
def test_an_ambiguous_stem_is_not_inverted(stem: str) -> None:
    assert invert_stem(stem) is None


def test_quoted_words_are_not_inverted() -> None:
    stem = "对“正确的废话”的理解，不符合文意的一项是"
    assert invert_stem(stem) == "对“正确的废话”的理解，符合文意的一项是"


@pytest.mark.parametrize(
    ("text", "place", "inside"),
    [("说“甲”了", 2, True), ("说“甲”了", 4, False), ('a "b" c', 3, True), ('a "b" c', 6, False),
     ("“甲", 1, False), ("《甲》", 1, True)],
)  # fmt: skip
def test_only_closed_quotations_count(text: str, place: int, inside: bool) -> None:
    assert is_quoted(text, place) is inside
