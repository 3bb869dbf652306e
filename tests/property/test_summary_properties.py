"""What every summary promises, whatever was handed in."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from closeread.metrics import choice, drop, evidence, gcrc, option
from closeread.metrics.intervals import Resampling
from closeread.metrics.summary import summarize
from closeread.types import Answer, Evidence, Option, Prediction, Question, Span, Submission

LABELS = "ABCD"
ROLES = ("original", "positive", "negative")
FEW = Resampling(resamples=100)


@st.composite
def exams(draw):
    """Triples with gold, and what a reader said about some of their questions."""
    questions, predictions = [], {}
    for number in range(draw(st.integers(1, 5))):
        for role in ROLES:
            name = f"t{number}#{role}"
            questions.append(_question(name, role, draw))
            if draw(st.booleans()):
                predictions[name] = _prediction(name, draw)
    return questions, predictions


def _question(name, role, draw):
    label = draw(st.sampled_from(LABELS))
    return Question(
        question_id=name,
        passage_id=name[:2],
        text="?",
        kind="verification",
        asks_for=draw(st.sampled_from(["supported", "contradicted"])),
        options=tuple(Option(label=each, text=f"{each} text") for each in LABELS),
        option_truth=tuple(draw(st.sampled_from([True, False, None])) for _ in LABELS),
        answers=(Answer(kind="choice", label=label, texts=(f"{label} text",)),),
        gold_evidence=(Evidence(option_label="A", spans=(_span(draw), _span(draw))),),
        group_id=name.partition("#")[0],
        role=role,
    )


def _prediction(name, draw):
    scores = draw(st.lists(st.floats(0, 1), min_size=4, max_size=4) | st.just([]))
    label = draw(st.sampled_from(["", *LABELS]))
    return Prediction(
        question_id=name,
        answer=Answer(kind="choice", label=label, texts=(f"{label} text",)) if label else None,
        option_scores=tuple(scores),
        evidence=(Evidence(option_label="A", spans=(_span(draw),)),),
    )


def _span(draw):
    start = draw(st.integers(0, 9))
    return Span(10 * start, 10 * start + 10)


def _summaries(made, questions, predictions):
    scores = [made.score(each, predictions.get(each.question_id)) for each in questions]
    return summarize(made, scores, Submission(predictions=predictions), FEW)


FACTORIES = (choice.metric, option.metric, evidence.metric, drop.metric, gcrc.metric, gcrc.strict)


@given(exams(), st.sampled_from(FACTORIES), st.integers(0, 5))
@settings(max_examples=150, deadline=None)
def test_the_order_of_the_questions_moves_nothing(exam, factory, seed):
    questions, predictions = exam
    turned = list(questions)
    random.Random(seed).shuffle(turned)
    straight = _summaries(factory(), questions, predictions)
    assert _summaries(factory(), turned, predictions) == straight


@given(exams(), st.sampled_from((choice.metric, option.metric, evidence.metric, gcrc.strict)))
@settings(max_examples=150, deadline=None)
def test_a_missing_prediction_never_raises_a_summary(exam, factory):
    questions, predictions = exam
    full = _summaries(factory(), questions, predictions)
    for name in predictions:
        fewer = {other: found for other, found in predictions.items() if other != name}
        for less, more in zip(_summaries(factory(), questions, fewer), full, strict=True):
            assert less.value is None or less.value <= more.value


@given(exams(), st.sampled_from(FACTORIES))
@settings(max_examples=150, deadline=None)
def test_a_value_lies_in_its_interval_and_between_zero_and_one(exam, factory):
    for found in _summaries(factory(), *exam):
        if found.value is not None:
            assert 0 <= found.value <= 1 + 1e-12
        if found.low is not None:
            assert -1e-12 <= found.low <= found.high <= 1 + 1e-12
            assert found.low - 1e-12 <= found.value <= found.high + 1e-12
        assert found.n_scored <= found.n_questions
        assert found.signature.split("|")[0] == found.metric
