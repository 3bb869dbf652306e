"""Named rules from generations to answers, cuts, votes."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from closeread.errors import UnknownNameError
from closeread.readers.generative.extraction import Extraction, check_rule, parse_stops
from closeread.readers.generative.rules import RULES, without_reasoning
from closeread.types import Generation, Option, Question

CHOICE = Question(
    question_id="q",
    passage_id="p",
    text="Which?",
    kind="choice",
    options=tuple(
        Option(label=label, text=text)
        for label, text in zip("ABC", ("red", "green", "blue"), strict=True)
    ),
)
DISCRETE = Question(question_id="q", passage_id="p", text="How many?", kind="discrete")
FREE = Question(question_id="q", passage_id="p", text="Who?", kind="span")


@pytest.mark.parametrize(
    ("rule", "text", "kind", "texts"),
    [
        ("none", " 10.\nPassage: next", "span", (" 10.\nPassage: next",)),
        ("first-line", "\n 10.5 \nPassage", "span", ("10.5",)),
        ("last-line", "so\nit is 7\n\n", "span", ("it is 7",)),
        ("answer-prefix", "5 + 5 = 10\nAnswer: 10\nmore", "span", ("10",)),
        ("answer-prefix", "答案：海水", "span", ("海水",)),
        ("drop", "We add.\n**Answer:** 1,024.5", "number", ("1,024.5",)),
        ("drop", "Answer: Fennel Lane; the Infirmary", "spans", ("Fennel Lane", "the Infirmary")),
        ("drop", "4 May 1898\n\nPassage:", "date", ("4 May 1898",)),
        ("drop", "答案：甲；乙", "spans", ("甲", "乙")),
        ("drop", "<think>Answer: 3</think>Answer: 4", "number", ("4",)),
        ("span", "Answer: “Gallow Hill”", "span", ("Gallow Hill",)),
        ("span", "Answer: unanswerable", "none", ()),
        ("span", "答案：无法回答", "none", ()),
        ("auto", "Answer: 12", "number", ("12",)),
    ],
)
def test_extraction_rules(rule, text, kind, texts):
    found = Extraction(rule=rule).answer(text, DISCRETE)
    assert (found.kind, found.texts) == (kind, texts)


@pytest.mark.parametrize("rule", ["none", "first-line", "answer-prefix", "drop", "span"])
@pytest.mark.parametrize("text", ["", " \n"])
def test_an_empty_text_has_no_answer(rule, text):
    assert Extraction(rule=rule).answer(text, FREE) is None


def test_the_earliest_stop_cuts_in_any_order():
    extraction = Extraction(stops=(".", "\n"), rule="none")
    assert extraction.cut("12\n3.5") == "12"
    assert extraction.cut("3.5\n") == "3"
    assert extraction.cut("12") == "12"


def test_a_stop_at_the_beginning_leaves_nothing():
    assert Extraction(stops=("\n",)).answer("\n\n12", DISCRETE) is None


def test_stops_are_written_with_escapes():
    assert parse_stops("\\n||Question:||.") == ("\n", "Question:", ".")
    assert parse_stops("") == ()


def test_unfinished_reasoning_has_no_answer():
    assert without_reasoning("<think>it is B") == ""
    assert Extraction().answer("<think>the answer is B", CHOICE) is None


def test_the_signature_has_escaped_stops_and_rule():
    assert Extraction(stops=("\n", "|"), rule="drop").signature() == (
        'stop:["\\n", "\\u007c"]|extract:drop'
    )


def test_an_unknown_rule_lists_the_known_ones():
    with pytest.raises(UnknownNameError, match="first-line"):
        check_rule("fist-line")


def test_votes_map_letters_back_to_the_original_options():
    """Three orders; twice "green" is meant under another letter, once "red"."""
    written = [
        Generation(text="Answer: A", option_order=("A", "B", "C")),
        Generation(text="Answer: A", option_order=("B", "C", "A")),
        Generation(text="Answer: C", option_order=("C", "A", "B")),
    ]
    answer, share = Extraction().vote(written, CHOICE)
    assert (answer.label, answer.texts, share) == ("B", ("green",), 2 / 3)


def test_the_first_of_equal_votes_counts():
    written = [
        Generation(text="C", option_order=("A", "B", "C")),
        Generation(text="A", option_order=("A", "C", "B")),
        Generation(text="我不知道", option_order=("B", "C", "A")),
    ]
    answer, share = Extraction().vote(written, CHOICE)
    assert (answer.label, share) == ("C", 1 / 3)


@pytest.mark.parametrize(
    ("said", "bare"),
    [
        ('"the red ferry"', "the red ferry"), ("“红色渡船”", "红色渡船"), ("**`14`**", "14"),
        ('a kind of "sheep ferry"', 'a kind of "sheep ferry"'),
        ('"slow" boats', '"slow" boats'), ("开往「灯岛」", "开往「灯岛」"),
        ("“红船”和“白船”", "“红船”和“白船”"), ("“「灯岛」”", "灯岛"),
        ("the sheep's", "the sheep's"),
        ('"Marl', "Marl"), ("Marl”", "Marl"), ("'The Ferry'", "The Ferry"),
        ('"', ""), ('""', ""), ("**", ""),
    ],
)  # fmt: skip
def test_only_quotes_around_the_whole_answer_are_removed(said, bare):
    found = Extraction().answer(f"Answer: {said}", FREE)
    assert (found.texts[0] if found is not None else "") == bare


@given(st.text("ab;； \t\u3000\x1f*'“”"))
def test_spans_are_separated_by_semicolons(text):
    """As one pattern parts them, whose time grows with the square."""
    drop = RULES["drop"]
    parted = re.split(r"\s*[;；]\s*", text.strip())
    found = drop(text, DISCRETE)
    read = [drop(piece, DISCRETE) for piece in parted if piece]
    assert (found.texts if found else ()) == tuple(one.texts[0] for one in read if one)


def test_space_that_no_semicolon_follows():
    """The pattern would take minutes for this."""
    found = RULES["drop"]("a" + " " * 1_000_000 + "b", DISCRETE)
    assert found is not None
    assert len(found.texts) == 1


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("The answer is 12.25.", "12.25"),
        ("Answer: 1,000.", "1,000"),
        ("答案是5。", "5"),
        ("答案为：5", "5"),
        ("So it is:\n### Answer\n5", "5"),
        ("## Final answer\n\n**5**", "5"),
        ("Answer: \\boxed{5}", "5"),
        ("Answer: $\\boxed{\\text{5}}$.", "5"),
        ("```\n5\n```", "5"),
    ],
)
def test_a_number_is_extracted_from_a_sentence_or_a_box(text, answer):
    """The official evaluator makes 1225 of "12.25." and a word of a box."""
    found = Extraction(rule="drop").answer(text, None)
    assert (found.kind, found.texts) == ("number", (answer,))


def test_apparent_numbers_are_not_changed():
    found = Extraction(rule="drop").answer("Answer: St. Brendan.", None)
    assert (found.kind, found.texts) == ("span", ("St. Brendan.",))
    assert Extraction(rule="span").answer("Answer: \\boxed{the ferry}", None).texts == (
        "the ferry",
    )
