"""Right or wrong answer by right or wrong evidence."""

import pytest

from closeread.errors import UsageError
from closeread.metrics.joined import joined
from closeread.types import Answer, Evidence, Option, Prediction, Question, Span, Submission

ONE, TWO = Span(0, 10), Span(10, 20)


def verification(name):
    """A is right; its evidence is the first sentence, B's the second."""
    return Question(
        question_id=name, passage_id="p", text="?", kind="verification",
        options=(Option(label="A", text="a"), Option(label="B", text="b")),
        answers=(Answer(kind="choice", label="A", texts=("a",)),),
        gold_evidence=(
            Evidence(option_label="A", spans=(ONE,)),
            Evidence(option_label="B", spans=(TWO,)),
        ),
    )  # fmt: skip


def picked(name, label, span):
    return Prediction(
        question_id=name, answer=Answer(kind="choice", label=label),
        evidence=(Evidence(option_label=label, spans=(span,)),),
    )  # fmt: skip


def values(questions, predictions, **options):
    submission = Submission(predictions={one.question_id: one for one in predictions})
    found = joined(questions, submission, None, **options)
    return {name.partition(".")[2]: one.value for name, one in found.summaries.items()}


def test_each_question_is_in_one_cell():
    questions = [verification(name) for name in "1234"]
    predictions = [
        picked("1", "A", ONE), picked("2", "A", TWO), picked("3", "B", TWO), picked("4", "B", ONE)
    ]  # fmt: skip
    assert values(questions, predictions) == {
        "both": 0.25, "answer_only": 0.25, "evidence_only": 0.25, "neither": 0.25,
        "overall_f1": 0.25,
    }  # fmt: skip


def test_a_missing_prediction_is_in_neither():
    found = values([verification("1")], [])
    assert found["neither"] == 1.0
    assert found["overall_f1"] == 0.0


def test_only_the_picked_options_evidence_counts():
    prediction = Prediction(
        question_id="1", answer=Answer(kind="choice", label="A"),
        evidence=(
            Evidence(option_label="A", spans=(TWO,)),
            Evidence(option_label="B", spans=(TWO,)),
        ),
    )  # fmt: skip
    assert values([verification("1")], [prediction])["answer_only"] == 1.0


def test_text_evidence_is_judged_as_expmrc_does():
    question = Question(
        question_id="1", passage_id="p", text="?", kind="span",
        answers=(Answer(kind="span", texts=("two sheep",)),),
        gold_evidence=(Evidence(texts=("two sheep graze here",)),),
    )  # fmt: skip
    prediction = Prediction(
        question_id="1", answer=Answer(kind="span", texts=("sheep",)),
        evidence=(Evidence(texts=("two sheep graze here",)),),
    )  # fmt: skip
    found = values([question], [prediction])
    assert found["both"] == 1.0
    assert found["overall_f1"] == pytest.approx(2 / 3)
    assert values([question], [prediction], enough=0.7)["evidence_only"] == 1.0


def test_half_right_is_right_enough():
    question = Question(
        question_id="1", passage_id="p", text="?", kind="span",
        answers=(Answer(kind="span", texts=("two sheep",)),),
        gold_evidence=(Evidence(texts=("two sheep",)),),
    )  # fmt: skip
    prediction = Prediction(
        question_id="1", answer=Answer(kind="span", texts=("two goats",)),
        evidence=(Evidence(texts=("ten sheep",)),),
    )  # fmt: skip
    found = values([question], [prediction])
    assert (found["both"], found["overall_f1"]) == (1.0, 0.25)


def test_questions_without_gold_evidence_are_in_no_cell():
    plain = Question(question_id="9", passage_id="p", text="?", kind="choice")
    submission = Submission(predictions={"1": picked("1", "A", ONE)})
    found = joined([verification("1"), plain], submission, None)
    assert found.cells == {"1": "both"}
    assert found.summaries["joined.both"].value == 1.0
    assert found.summaries["joined.both"].n_scored == 1
    assert found.summaries["joined.both"].n_questions == 2


@pytest.mark.parametrize("enough", [0.0, 1.5, -1.0])
def test_the_bound_is_a_share(enough):
    with pytest.raises(UsageError, match="above 0, at most 1"):
        values([], [], enough=enough)
