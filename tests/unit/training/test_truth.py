"""Which options hold: as the data set says, or as the answer implies."""

import pytest

from closeread.training.truth import option_truths
from closeread.types import Answer, Option, Question

OPTIONS = tuple(Option(label=label, text=label) for label in "ABC")


def make_question(**given):
    return Question(
        question_id="q", passage_id="p", text="?", kind="verification", options=OPTIONS, **given
    )


def test_given_truth_values_are_kept():
    told = (True, None, False)
    assert (
        option_truths(make_question(option_truth=told, answers=(Answer(kind="choice", label="C"),)))
        == told
    )


@pytest.mark.parametrize(
    ("asks_for", "expected"),
    [
        ("supported", (False, True, False)),
        (None, (False, True, False)),
        ("contradicted", (True, False, True)),
    ],
)
def test_the_answer_implies_the_truth_of_all_options(asks_for, expected):
    assert (
        option_truths(make_question(asks_for=asks_for, answers=(Answer(kind="choice", label="B"),)))
        == expected
    )


def test_every_accepted_answer_has_the_truth_of_the_stem():
    """Each alone is enough, so none of them is learned as wrong."""
    both = tuple(Answer(kind="choice", label=label) for label in "ZAC")
    assert option_truths(make_question(answers=both)) == (True, False, True)
    assert option_truths(make_question(asks_for="contradicted", answers=both)) == (
        False,
        True,
        False,
    )


def test_without_gold_truth_is_unknown():
    assert option_truths(make_question()) == ()
    assert option_truths(make_question(answers=(Answer(kind="choice", label="Z"),))) == ()
