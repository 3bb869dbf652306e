"""Option letters read from free text: each line is a way in which models really answer."""

import pytest

from closeread.readers.generative.letters import picked
from closeread.types import Option

OPTIONS = tuple(
    Option(label=label, text=text)
    for label, text in zip(
        "ABCD", ("the mill owner", "the surveyor", "the old ferry", "the council"), strict=True
    )
)


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("故选D", "D"),
        ("故选：D。", "D"),
        ("所以，本题选择C项。", "C"),
        ("答案：B", "B"),
        ("答案:Ｂ", "B"),
        ("【答案】C", "C"),
        ("正确答案是（C）。", "C"),
        ("正确答案为 D", "D"),
        ("答案应为“A”", "A"),
        ("（Ｃ）", "C"),
        ("(C)", "C"),
        ("C", "C"),
        ("c", "C"),
        (" **B** ", "B"),
        ("B. the surveyor", "B"),
        ("B、因为文中说", "B"),
        ("Ｄ", "D"),
        ("A和C", "AC"),
        ("答案是A和C", "AC"),
        ("故选AC", "AC"),
        ("The answer is B or D.", "BD"),
        ("A项错误，B项正确，C项错误，D项错误。", "B"),
        ("A项不符合文意；B项符合；", "B"),
        ("A项不符合；B项符合文意；C项不正确", "B"),
        ("A项错误。\nB项错误。\n综上，选C。", "C"),
        ("A没有什么错误，B有误，C不对，D错误", "A"),
        ("A项错误。B没有不当之处。C、D错误。", "B"),
        ("A不正确，B无误。C错误，D与原文矛盾，错误", "B"),
        ("A錯誤，B錯誤，C正確，D錯誤", "C"),
        ("正確答案應該是（C）。", "C"),
        ("應選D，因為A不對", "D"),
        ("不选A，而是B", "B"),
        ("不可能是A，应该是B", "B"),
        ("It cannot be A, so it must be C", "C"),
        ("I don't think it is A. I think it is B.", "B"),
        ("A cannot be right; B fits", "B"),
        ("A can't be true, B can't be true", ""),
        ("答案不是A，而是C", "C"),
        ("排除A、B，剩下D", "D"),
        ("最可能的是B", "B"),
        ("选项A说得不对，答案选D", "D"),
        ("Let's think about it. The answer is C.", "C"),
        ("Let's see", ""),
        ("LLMs cannot tell; I would say (B)", "B"),
        ("The correct answer is: **A**", "A"),
        ("Answer: A", "A"),
        ("answer: d", "D"),
        ("Final Answer: (b)", "B"),
        ("The answer is option C because the ferry sank.", "C"),
        ("I choose B", "B"),
        ("Option D is correct.", "D"),
        ("The best option is A", "A"),
        ("$\\boxed{C}$", "C"),
        ("\\boxed{\\text{B}}", "B"),
        ("First I thought the answer is A. On reflection the answer is B.", "B"),
        ("A new tunnel was dug, so it must be D", "D"),
        ("A new tunnel was dug.", ""),
        ("The answer is a new tunnel", ""),
        ("It was the surveyor.", "B"),
        ("The old ferry", "C"),
        ("Option A is wrong, option B is wrong, so C", "C"),
        ("not A but C", "C"),
        ("无法确定", ""),
        ("抱歉，我无法回答这个问题。", ""),
        ("I cannot determine the answer from the passage.", ""),
        ("None of the above", ""),
        ("E", ""),
        ("答案：E", ""),
        ("", ""),
        ("DNA and CIA", ""),
        ("Vitamin C is discussed and so is plan B", "BC"),
        ("A. the mill owner\nB. the surveyor\nC. the old ferry\nD. the council\nAnswer: C", "C"),
    ],
)
def test_what_a_text_picks(text, labels):
    assert "".join(picked(text, OPTIONS).labels) == labels


def test_the_polarity_of_the_stem_turns_verdicts_round():
    text = "A项正确，B项错误，C项正确，D项正确"
    assert picked(text, OPTIONS, "contradicted").labels == ("B",)
    assert picked("A项错误。", OPTIONS, "supported").labels == ()
    assert picked("A项错误。", OPTIONS, "contradicted").labels == ("A",)


def test_a_refusal_is_told_from_silence():
    assert picked("我无法判断。", OPTIONS).rule == "refusal"
    assert picked("嗯。", OPTIONS).rule == ""


@pytest.mark.parametrize(
    "text",
    [
        "The answer is A{}b",
        "answer: **{}b",
        "choose{}b",
        "选{}b",
        "A{}b",
        "C{}and",
        "C{}",
        "误的是{}B",
        "A. x{}y",
    ],
)
@pytest.mark.parametrize("filling", [" ", "*", "\n", " *", ")"])
def test_a_long_text_is_read_in_time_that_grows_with_it(text, filling):
    """Models that repeat themselves without end write such; hours went by with some of them."""
    found = picked(text.format(filling * 200_000), OPTIONS)
    assert found == picked(text.format(filling * 3), OPTIONS)
