"""Conclusions among what a text says of other options: each line is how models answer."""

import pytest

from closeread.readers.generative.letters import pick_labels
from closeread.types import Option

OPTIONS = tuple(
    Option(label=label, text=text)
    for label, text in zip(
        "ABCD",
        ("a fire in the mill", "A new tunnel was dug", "the old ferry", "the council"),
        strict=True,
    )
)


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("答案选A，B项错误，C项错误。", "A"),
        ("故选A，B项与原文不符", "A"),
        ("故选C，A、B、D均错误", "C"),
        ("答案：C，B说的是另一件事", "C"),
        ("The answer is C, B and D are wrong.", "C"),
        ("The answer is C and B is wrong", "C"),
        ("The answer is C, D", "CD"),
        ("故选C，D", "CD"),
        ("选A还是C？", "AC"),
        ("C, not B", "C"),
        ("C，因为A和B都错误。", "C"),
        ("D——A、B、C原文都有", "D"),
    ],
)
def test_a_clause_about_other_options_is_not_a_conclusion(text, labels):
    assert "".join(pick_labels(text, OPTIONS).labels) == labels


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("应选B，不能选A。", "B"),
        ("选B，不要选A", "B"),
        ("答案是B，不应该选A", "B"),
        ("我没有选A，选了B", "B"),
        ("不得不选A", "A"),
        ("不该选D", ""),
        ("The answer is B. I did not choose A because it is wrong.", "B"),
        ("I'd pick B; don't pick A.", "B"),
        ("The correct answer is B. The incorrect answer is C.", "B"),
        ("The right answer is B. The wrong choice is A.", "B"),
        ("It is C and not B.", "C"),
        ("Never choose A.", ""),
    ],
)
def test_a_rejected_option_is_not_a_conclusion(text, labels):
    assert "".join(pick_labels(text, OPTIONS, "supported").labels) == labels


@pytest.mark.parametrize(
    ("text", "asks_for", "labels"),
    [
        ("正确的是B，不正确的是D", "supported", "B"),
        ("正确的是B，不正确的是D", None, "B"),
        ("正确的是B，不正确的是D", "contradicted", "D"),
        ("说法正确的是A、B、C，说法错误的是D", "contradicted", "D"),
        ("不正确的一项是D", None, "D"),
        ("没有错误的一项是D", "supported", "D"),
        ("The correct answer is D.", "contradicted", "D"),
        ("The wrong answer is D.", "contradicted", "D"),
    ],
)
def test_the_wrong_option_is_the_conclusion_of_a_negative_stem(text, asks_for, labels):
    assert "".join(pick_labels(text, OPTIONS, asks_for).labels) == labels


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("A和C都正确", "AC"),
        ("A、C正确", "AC"),
        ("Both A and C are correct", "AC"),
        ("A is correct and C is correct.", "AC"),
        ("Either A or B", "AB"),
        ("A or B", "AB"),
        ("A C", "AC"),
        ("A\nB\nC\nD", "ABCD"),
        ("A、B都不对，C对", "C"),
    ],
)
def test_several_conclusions_are_recognised(text, labels):
    assert "".join(pick_labels(text, OPTIONS).labels) == labels


@pytest.mark.parametrize(
    "text",
    [
        "{label} is supported by the passage.",
        "Only {label} matches.",
        "It must be {label} because the passage says so",
        "I would say {label} since it stands there",
        "{label}\n\nExplanation:\nB. Not there\nC. Not mentioned\nD. Wrong year",
        "'{label}'",
        "选‘{label}’",
        "Option ({small})",
        "option {small}",
        "option {small} is correct",
        "The passage supports ({small}).",
        '{{"reason": "B is vague while C is unsupported", "answer": "{label}"}}',
        "{{'reason': 'B is vague while C is unsupported', 'answer': '{label}'}}",
        '{{"解释": "原文说的是B，不是C", "答案": "{label}"}}',
        "B does not say so, C neither.\n<answer>{label}</answer>",
        "\\boxed{{\\mathbf{{{label}}}}}",
    ],
)
@pytest.mark.parametrize("label", ["A", "D"])
def test_every_letter_is_found_although_a_is_an_article(text, label):
    said = text.format(label=label, small=label.lower())
    assert pick_labels(said, OPTIONS).labels == (label,)


def test_an_article_after_a_conclusion_is_not_a_letter():
    assert pick_labels("Answer: A new tunnel was dug.", OPTIONS).labels == ("B",)
    assert pick_labels("Answer: A because of the fire", OPTIONS).labels == ("A",)


@pytest.mark.parametrize("text", ["answer" + "*" * 20_000, "A," * 50_000, "A和" * 50_000])
def test_a_text_of_repeated_marks_is_read_quickly(text):
    assert len(pick_labels(text, OPTIONS).labels) < 2


def test_the_ninth_letter_is_a_pronoun_before_a_verb():
    ten = tuple(Option(label=label, text=f"reason {label}") for label in "ABCDEFGHIJ")
    assert pick_labels("Answer: I think it is (B).", ten).labels == ("B",)
    assert pick_labels("Answer: I don't know", ten).rule == "refusal"
    assert pick_labels("Answer: I", ten).labels == ("I",)
    assert pick_labels("故选J", ten).labels == ("J",)


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("那么，A\n不对，应该是B", "B"),
        ("A\n不对，应该是B", "B"),
        ("我认为A。不对，应为B。", "B"),
        ("答案是A，不对，是B", "B"),
        ("选A。等等，是D。", "D"),
        ("答案是B。更正：C", "C"),
        ("A不对，B不对，C对，D不对", "C"),
        ("A项不对，应该是B时期的事，C项正确", "C"),
        ("A项不对，应该是C说的那样，所以选B", "B"),
        ("C项不对，应是D项的内容。故选C。", "C"),
        ("答案：A，不是B", "A"),
    ],
)
def test_the_last_conclusion_counts(text, labels):
    """What an option should have said is no correction of the answer."""
    assert "".join(pick_labels(text, OPTIONS).labels) == labels
