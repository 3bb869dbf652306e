"""Option letters read from free text: each line is a way in which models really answer."""

import pytest

from closeread.readers.generative.letters import pick_labels
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
def test_the_letter_that_a_text_picks(text, labels):
    assert "".join(pick_labels(text, OPTIONS).labels) == labels


def test_the_polarity_of_the_stem_inverts_verdicts():
    text = "A项正确，B项错误，C项正确，D项正确"
    assert pick_labels(text, OPTIONS, "contradicted").labels == ("B",)
    assert pick_labels("A项错误。", OPTIONS, "supported").labels == ()
    assert pick_labels("A项错误。", OPTIONS, "contradicted").labels == ("A",)


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("【答案】：C\n【分析】A、B、D三项与原文一致。", "contradicted"),
        ("〖答案〗C〖解析〗A、B正确。", "contradicted"),
        ("A√ B√ C× D√", "contradicted"),
        ("A：✓\nB：✓\nC：✗\nD：✓", "contradicted"),
        ("A❌B❌C✅D❌", "supported"),
        ("A对 B对 C错 D对", "contradicted"),
        ("A项“只”过于绝对，错误；C项正确；D项面对现实，不对。", "supported"),
        ("A、B、D没有问题，C有问题。", "contradicted"),
        ("除C项外，其余各项均正确。", "contradicted"),
        ("除了选项C以外，其他三项都不符合原文", "supported"),
        ("除C外都对", "contradicted"),
        ("A项不符合题意；B项不合题意；C项符合题意。", "contradicted"),
        ("A正确，不符合题意；C错误，当选", "contradicted"),
        ("C项合题意", "supported"),
        ("符合题意的是C。", "contradicted"),
        ("C当选", "contradicted"),
        ("A.错误，没有提及。B.错误。C.正确。D.错误。", "supported"),
        ("A. Wrong. B. Wrong. C. Right.", "supported"),
        ("我觉得是第三个选项。", "contradicted"),
        ("第3项不对。", "contradicted"),
        ("选项三", "supported"),
        ("选第三个吧", "supported"),
        ("本题选C。考生容易误选A。", "supported"),
        ("C。不少人错选B。", "contradicted"),
        ("真正有问题的是C，A其实对。", "contradicted"),
        ("不太恰当的一项是C", "contradicted"),
        ("A对，B对，D对，那就是C了。", "contradicted"),
        ("A. 错误。B. 错误。所以C", "supported"),
        ("A、B、D有据可依，只剩下C", "contradicted"),
    ],
)
def test_chinese_replies_to_a_known_stem_are_read(text, asked):
    assert pick_labels(text, OPTIONS, asked).labels == ("C",)


@pytest.mark.parametrize(
    "text", ["A项和C项都正确，B项、D项错误。", "选项A和选项C正确", "答案：A项、C项。", "选A、C两项"]
)
def test_several_letters_with_the_word_for_an_option_between(text):
    assert pick_labels(text, OPTIONS, "supported").labels == ("A", "C")


@pytest.mark.parametrize(
    "text", ["文章第二个论点讲科技，第三项内容讲教育。", "选项九", "只有第八个", "没问题"]
)
def test_a_number_that_is_not_an_option_is_ignored(text):
    assert pick_labels(text, OPTIONS, "supported").labels == ()


def test_a_verdict_inside_another_word_is_ignored():
    """绝对, 面对, 相对: and 过于绝对 says nothing of which it is."""
    found = pick_labels("A项过于绝对，B项针对性强，C项符合原文，D项相对，", OPTIONS, "supported")
    assert found.labels == ("C",)


def test_a_refusal_is_distinguished_from_an_empty_reply():
    assert pick_labels("我无法判断。", OPTIONS).rule == "refusal"
    assert pick_labels("嗯。", OPTIONS).rule == ""


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
        "所以{}B",
        "除{}C外，其余正确",
        "A项{}和选项B",
    ],
)
@pytest.mark.parametrize("filling", [" ", "*", "\n", " *", ")"])
def test_a_long_text_is_read_in_linear_time(text, filling):
    """Models that repeat themselves without end write such; hours went by with some of them."""
    found = pick_labels(text.format(filling * 200_000), OPTIONS)
    assert found == pick_labels(text.format(filling * 3), OPTIONS)
