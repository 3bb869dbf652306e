"""Right or wrong answer by right or wrong evidence."""

import pytest
from msgspec.structs import replace

from closeread.metrics.joined import score_jointly
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


def make_prediction(name, label, span):
    return Prediction(
        question_id=name, answer=Answer(kind="choice", label=label),
        evidence=(Evidence(option_label=label, spans=(span,)),),
    )  # fmt: skip


def compute_values(questions, predictions):
    submission = Submission(predictions={one.question_id: one for one in predictions})
    found = score_jointly(questions, submission, None)
    return {name.partition(".")[2]: one.value for name, one in found.summaries.items()}


def test_each_question_is_in_one_cell():
    questions = [verification(name) for name in "1234"]
    predictions = [
        make_prediction("1", "A", ONE), make_prediction("2", "A", TWO),
        make_prediction("3", "B", TWO), make_prediction("4", "B", ONE),
    ]  # fmt: skip
    assert compute_values(questions, predictions) == {
        "both": 0.25, "answer_only": 0.25, "evidence_only": 0.25, "neither": 0.25,
        "overall_f1": 0.25,
    }  # fmt: skip


def test_a_missing_prediction_is_in_neither():
    found = compute_values([verification("1")], [])
    assert found["neither"] == 1.0
    assert found["overall_f1"] == 0.0


def test_options_are_picked_by_texts_and_scores():
    """As for ``choice.accuracy``: an answer without a label was in ``neither`` whatever it said."""
    evidence = (Evidence(option_label="A", spans=(ONE,)),)
    said = (
        Prediction(question_id="1", evidence=evidence, answer=Answer(kind="span", texts=("a",))),
        Prediction(question_id="1", evidence=evidence, option_scores=(0.9, 0.1)),
    )
    for prediction in said:
        assert compute_values([verification("1")], [prediction])["both"] == 1.0
    as_text = replace(verification("1"), gold_evidence=(Evidence(texts=("one",)),))
    for prediction in said:
        told = replace(prediction, evidence=(Evidence(texts=("one",)),))
        assert compute_values([as_text], [told])["both"] == 1.0
    other = replace(said[1], option_scores=(0.1, 0.9))
    assert compute_values([verification("1")], [other])["neither"] == 1.0


def test_only_evidence_of_the_picked_option_counts():
    prediction = Prediction(
        question_id="1", answer=Answer(kind="choice", label="A"),
        evidence=(
            Evidence(option_label="A", spans=(TWO,)),
            Evidence(option_label="B", spans=(TWO,)),
        ),
    )  # fmt: skip
    assert compute_values([verification("1")], [prediction])["answer_only"] == 1.0


def test_a_failure_is_in_neither():
    """Its answer is none, and the evidence that it left explains nothing."""
    failed = Prediction(
        question_id="1", error="timed out", evidence=(Evidence(option_label="A", spans=(ONE,)),)
    )
    found = compute_values([verification("1")], [failed])
    assert (found["neither"], found["overall_f1"]) == (1.0, 0.0)


def test_evidence_of_an_option_without_gold_evidence_is_wrong():
    """Gold knows A's sentence alone: B was picked, and whatever explains it is wrong."""
    question = verification("1")
    question = replace(question, gold_evidence=question.gold_evidence[:1])
    found = compute_values([question], [make_prediction("1", "B", ONE)])
    assert (found["neither"], found["overall_f1"]) == (1.0, 0.0)


def test_any_of_several_right_options_is_right():
    """B is as right as A, with a sentence of its own."""
    question = verification("1")
    question = replace(question, answers=(*question.answers, Answer(kind="choice", label="B")))
    assert compute_values([question], [make_prediction("1", "B", TWO)])["both"] == 1.0
    assert compute_values([question], [make_prediction("1", "A", ONE)])["both"] == 1.0


def test_one_label_makes_gold_evidence_that_of_options():
    """A piece without a label beside it belongs to no option, and is not asked for."""
    question = verification("1")
    question = replace(question, gold_evidence=(*question.gold_evidence, Evidence(spans=(TWO,))))
    assert compute_values([question], [make_prediction("1", "A", ONE)])["both"] == 1.0


def test_signature_and_missing_evidence_are_reported():
    """Of five, 1 shows evidence, 2 shows none, 3 failed, 4 is missing, and 5 has no gold."""
    plain = Question(question_id="5", passage_id="p", text="?", kind="choice")
    questions = [*map(verification, "1234"), plain]
    bare = Answer(kind="choice", label="A")
    predictions = {
        "1": make_prediction("1", "A", ONE),
        "2": Prediction(question_id="2", answer=bare),
        "3": Prediction(question_id="3", error="timed out"),
        "5": Prediction(question_id="5", answer=bare),
    }
    found = score_jointly(questions, Submission(predictions=predictions), None).summaries[
        "joined.both"
    ]
    assert found.note == "1 prediction has no evidence: counted as wrong evidence"
    assert found.signature == "joined.both|enough:0.5|pick:label-else-scores|missing:zero|v:2|n:5"
    assert found.unit == "question"
    shown = Submission(predictions={"1": predictions["1"]})
    assert score_jointly(questions, shown, None).summaries["joined.both"].note == ""


def test_text_evidence_is_scored_as_in_expmrc():
    question = Question(
        question_id="1", passage_id="p", text="?", kind="span",
        answers=(Answer(kind="span", texts=("two sheep",)),),
        gold_evidence=(Evidence(texts=("two sheep graze here",)),),
    )  # fmt: skip
    prediction = Prediction(
        question_id="1", answer=Answer(kind="span", texts=("sheep",)),
        evidence=(Evidence(texts=("two sheep graze here",)),),
    )  # fmt: skip
    found = compute_values([question], [prediction])
    assert found["both"] == 1.0
    assert found["overall_f1"] == pytest.approx(2 / 3)


def test_the_segmenter_is_in_the_signature():
    """NLTK's Punkt data move these values as they move ExpMRC's own."""
    question = Question(
        question_id="q", passage_id="p", text="?", kind="span",
        answers=(Answer(kind="span", texts=("five",)),),
        gold_evidence=(Evidence(texts=("They sold five boats.",)),),
    )  # fmt: skip
    found = score_jointly([question], Submission(predictions={}), None).summaries["joined.both"]
    assert found.signature.startswith(
        "joined.both|enough:0.5|pick:label-else-scores|norm:expmrc|missing:zero|nltk:3.9.1|"
    )


def test_an_f1_of_one_half_is_right():
    question = Question(
        question_id="1", passage_id="p", text="?", kind="span",
        answers=(Answer(kind="span", texts=("two sheep",)),),
        gold_evidence=(Evidence(texts=("two sheep",)),),
    )  # fmt: skip
    prediction = Prediction(
        question_id="1", answer=Answer(kind="span", texts=("two goats",)),
        evidence=(Evidence(texts=("ten sheep",)),),
    )  # fmt: skip
    found = compute_values([question], [prediction])
    assert (found["both"], found["overall_f1"]) == (1.0, 0.25)


def test_questions_without_gold_evidence_are_in_no_cell():
    plain = Question(question_id="9", passage_id="p", text="?", kind="choice")
    submission = Submission(predictions={"1": make_prediction("1", "A", ONE)})
    found = score_jointly([verification("1"), plain], submission, None)
    assert found.cells == {"1": "both"}
    assert found.summaries["joined.both"].value == 1.0
    assert found.summaries["joined.both"].n_scored == 1
    assert found.summaries["joined.both"].n_questions == 2


def test_questions_without_gold_answer_are_in_no_cell():
    """Whether the answer is right, nobody knows: it is not counted as wrong."""
    questions = [verification("one"), replace(verification("two"), answers=())]
    predictions = [make_prediction("one", "A", Span(0, 4)), make_prediction("two", "A", Span(0, 4))]
    submission = Submission(predictions={one.question_id: one for one in predictions})
    found = score_jointly(questions, submission, None)
    assert set(found.cells) == {"one"}
    assert {one.n_scored for one in found.summaries.values()} == {1}


def test_unanswerable_questions_are_in_no_cell():
    """QASPER's and MuSiQue's: a whole report ended at the first of them."""
    plain = Question(question_id="1", passage_id="p", text="?", kind="span")
    none, found = Answer(kind="none"), Answer(kind="span", texts=("a",))
    told = Evidence(spans=(ONE,), texts=("one",))
    questions = [
        replace(plain, answers=(none,), gold_evidence=(Evidence(),)),
        replace(plain, question_id="2", answers=(none,), gold_evidence=(told,)),
        replace(plain, question_id="3", answers=(found,), gold_evidence=(Evidence(),)),
        replace(plain, question_id="4", answers=(found, none), gold_evidence=(told, Evidence())),
    ]
    answers = [
        Prediction(question_id=name, answer=found, evidence=(told,))
        for name in ("1", "2", "3", "4")
    ]
    assert compute_values(questions, answers)["both"] == 1.0
    submission = Submission(predictions={one.question_id: one for one in answers})
    assert score_jointly(questions, submission, None).cells == {"4": "both"}
