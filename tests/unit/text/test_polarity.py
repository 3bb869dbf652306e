"""What stems ask for, in both languages."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from closeread.text.polarity import (
    asks_for,
    is_verification,
    polarity,
    rules,
    vgaokao_polarity,
)


@pytest.mark.parametrize(
    ("stem", "expected"),
    [
        ("下列说法符合原文意思的一项是", "supported"),
        ("下列说法不符合原文意思的一项是", "contradicted"),
        ("根据原文内容，下列推断有误的一项是", "contradicted"),
        ("下列表述无误的一项是", "supported"),
        ("下列对“多不一定好”的理解，正确的一项是", "supported"),
        ("下列关于不同时期的说法，正确的一项是", "supported"),
        ("下列没有体现作者观点的一项说法是", None),
        ("下列理解与文意无关的一项是", "contradicted"),
        ("沈从文没拿教材，是因为他觉得", None),
        ("文章的标题最恰当的一项是", None),
        ("Which of the following is TRUE according to the passage?", "supported"),
        ("Which of the following is NOT true according to the text?", "contradicted"),
        ("Which of the following cannot be inferred from the passage?", "contradicted"),
        ("All of the following statements are correct EXCEPT", "contradicted"),
        ("Which statement does the passage contradict?", "contradicted"),
        ("Which of the following can be inferred from the passage?", "supported"),
        ("Why didn't Tom go to school?", None),
        ("What is the best title?", None),
    ],
)
def test_stems(stem: str, expected: str | None):
    """A verification stem has a polarity; another kind of stem has none."""
    assert asks_for(stem) == expected
    assert is_verification(stem) == (expected is not None)


def test_the_official_rule_is_literal():
    """It looks for 不, 错误 and 有误 anywhere, in quotes too, and knows no other way to say no."""
    assert vgaokao_polarity("对“多不一定好”理解正确的一项是") == "contradicted"
    assert vgaokao_polarity("与此无关的一项是") == "supported"
    assert polarity("对“多不一定好”理解正确的一项是") == "supported"
    assert polarity("与此无关的一项是") == "contradicted"


@given(st.text('“”‘’「」《》（）()"不a'))
def test_what_is_put_aside_is_what_the_published_rule_puts_aside(stem: str):
    """A page applies the same rule as a pattern."""
    bare = re.sub(rules()["aside"], "", stem)
    assert polarity(f"正确的是{stem}") == ("contradicted" if "不" in bare else "supported")


_PIECES = [
    *("标题", "题目", "说法", "正确", "的", "\n", "\r", " ", "x", "which one", "Which sentence"),
    *("we can know", "known", "know", "that", "according to", "true"),
]


@given(st.lists(st.sampled_from(_PIECES), max_size=12).map("".join))
def test_what_is_verified_is_what_the_published_rules_find(stem: str):
    """In time that does not grow with the square, as the pattern's does."""
    language, ignore = ("zh", 0) if re.search(rules()["han"], stem) else ("en", re.IGNORECASE)
    found = re.search(rules()[f"{language}_verification"], stem, ignore)
    assert is_verification(stem) == bool(found)


@pytest.mark.parametrize("stem", ["的", "下列说法", "标题说法", "which one ", "we can know "])
def test_stems_that_ask_for_nothing(stem: str):
    """The patterns themselves would take hours for these."""
    assert not is_verification(stem * 300_000)


def test_marks_that_nothing_closes():
    """The pattern itself would take minutes for these."""
    assert polarity("“" * 1_000_000 + "不正确的") == "contradicted"
    assert polarity("(“" * 500_000 + ")“" * 100_000 + "正确的") == "supported"
