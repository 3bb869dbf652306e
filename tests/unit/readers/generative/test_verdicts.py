"""Verdicts on one statement in the words of models: true, not supported, 错误, 原文不支持."""

import pytest

from closeread.readers.generative.extraction import Extraction
from closeread.readers.generative.verdicts import find_verdict
from closeread.types import Generation, Option, Question

YES = [
    "True", "**True**", "Yes.", "Yes, the passage supports it.", "Correct", "\\boxed{True}",
    "Entailment", "The statement is true.", "The passage supports this statement.",
    "The hypothesis is entailed by the premise", "This is correct because it left at six.",
    "At first it seems wrong. But the passage says six. So the statement is true.",
    "对", "对的，原文如此。", "是的，原文支持。", "正确", "√", "没错", "无误", "属实",
    "该说法正确。", "这一说法符合原文", "该说法与原文相符，没有错误。", "原文支持这一说法",
    "The statement says that it left at six, which is correct.", "正确，但要注意时间。",
    "The number of cows looks wrong, but the claim is true.",
    "說法正確", "该选项正确。", "与原文一致。", "因此，原文支持它。", "这种说法是对的",
]  # fmt: skip
NO = [
    "False.", "No", "No, it does not.", "Not supported", "Unsupported", "Incorrect", "Wrong",
    "Contradiction", "Neutral", "Not mentioned.", "The statement is not true.", "It isn’t true.",
    "The claim cannot be supported", "The statement does not appear to be supported.",
    "The passage does not directly support the claim.",
    "The passage contradicts the second half.", "The passage contradicts this statement.",
    "the hypothesis is not entailed",
    "The statement that it left at nine is contradicted by the passage.",
    "Correct: it left at six.\nWrong: it carried cows.\nSo the claim is false.",
    "Yes. It left at six.\nHowever, the statement is not supported.",
    "错", "错，原文说的是九点。", "错误", "不正确", "不对。", "否", "不，原文并不支持。", "有误",
    "×", "该说法是不正确的", "该说法不完全正确", "该说法并不准确。", "该说法与原文矛盾。",
    "该说法与原文不符。", "原文说九点，不是六点，所以错误。", "原文并不支持这一说法", "原文未提及",
    "判断：错误", "說法錯誤", "并非正确", "结论：不支持", "该选项有误", "与原文不符。",
    "这与原文并不一致。", "该说法失真。", "原文不支持它。", "张冠李戴，错误。",
    "过于绝对，不正确。", "该说法基本正确，但时间有误。", "大体正确，不过人物与原文不符。",
    "前半句正确，但后半句不准确。", "False. The passage says six, which is correct.",
    "Mostly correct, but the year is wrong.", "True of cows, but the second half is not supported.",
]  # fmt: skip
NEITHER = [
    "", "true or false", "We must decide whether the statement is true.", "Partially true",
    "It is true that it left at six, but it carried sheep.", "The author was right on time.",
    "I don't think the statement is true.", "No wait, let me see.", "That is not false.",
    "There is nothing in the passage that supports the claim.",
    "The claim is not contradicted by the text.", "The passage confirms that it left at six.",
    "The passage supports the first half.",
    "无法判断该说法是否正确。", "请判断下列说法是否正确", "部分正确", "不能说该说法错误",
    "他的做法是正确的，但原文说他没有去。", "原文中没有任何内容支持这一说法", "这与原文并不矛盾。",
    "说法过于绝对，不能选。", "表述太绝对了。", "该说法部分正确。", "该说法前半句正确",
]  # fmt: skip


@pytest.mark.parametrize("text", YES)
def test_verdicts_of_support_are_read(text):
    assert find_verdict(text) is True


@pytest.mark.parametrize("text", NO)
def test_verdicts_without_support_are_read(text):
    assert find_verdict(text) is False


@pytest.mark.parametrize("text", NEITHER)
def test_open_or_unclear_verdicts_are_none(text):
    assert find_verdict(text) is None


def picked_labels(first, second, rule="auto", asks_for="supported"):
    """What is read where these texts were written about two options."""
    options = (Option(label="A", text="It left at six"), Option(label="B", text="它运牛"))
    question = Question(
        question_id="q", passage_id="p", text="?", kind="verification", options=options,
        asks_for=asks_for,
    )  # fmt: skip
    written = [
        Generation(text=text, option_order=(label,))
        for text, label in ((first, "A"), (second, "B"))
    ]
    found, _ = Extraction(rule=rule).vote(written, question)
    return found and found.label


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Answer: True", "答案：错误"),
        (
            "It is wrong? No: it says six.\nAnswer: supported",
            "文章说运羊，说法错误。答案：不正确。",
        ),
        ("The answer is yes.", "<think>对，不对</think>不对"),
        ("I see that the passage supports it.", "我认为原文不支持这一说法"),
        ("The statement is false, is it not?\nAnswer: A", "该说法正确。\n答案：B"),
    ],
)
def test_verdicts_are_read_after_the_answer_mark(first, second):
    assert picked_labels(first, second) == "A"
    assert picked_labels(first, second, asks_for="contradicted") == "B"


def test_rules_without_options_read_no_verdict():
    assert picked_labels("True", "错误", rule="first-line") is None


def test_a_long_text_is_read_in_linear_time():
    """No pattern looks back from every blank line, or on from every subject."""
    for piece in ("\n", "the statement that ", "原文说", "- - -\n", "passage not "):
        assert find_verdict("a" + piece * 20_000 + "b") is None
