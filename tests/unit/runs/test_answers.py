"""What a reader of somebody else's says is taken where it holds, and else a failure told."""

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace

from closeread.runs.answers import predict_batch
from closeread.runs.plan import plan_batches
from closeread.types import (
    Answer,
    Candidate,
    Evidence,
    Generation,
    Option,
    Passage,
    Prediction,
    Question,
    Span,
)

PASSAGE = Passage(passage_id="p", text="Ann ran. Bob slept.")
OPTIONS = (Option(label="A", text="Ann ran"), Option(label="B", text="Bob ran"))
QUESTION = Question(question_id="q", passage_id="p", text="Who?", kind="choice", options=OPTIONS)
ANSWER = Answer(kind="choice", label="A", texts=("Ann ran",))


class Says:
    def __init__(self, **fields):
        self.fields = fields

    def read(self, items):
        for _, question in items:
            yield Prediction(question_id=question.question_id, **self.fields)


def predict_single(**fields):
    (batch,) = plan_batches([(PASSAGE, (QUESTION,))], 4)
    (found,) = predict_batch(Says(**fields), batch)
    return found


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"option_scores": (0.5,)}, "ValueError: 1 score for 2 options"),
        ({"option_scores": (0.5, float("nan"))}, "ValueError: the score of an option is nan"),
        ({"confidence": float("inf")}, "ValueError: the confidence is inf"),
        (
            {"candidates": (Candidate(answer=ANSWER, score=float("nan")),)},
            "ValueError: the score of a candidate is nan",
        ),
        (
            {"evidence": (Evidence(spans=(Span(0, 99),)),)},
            "ValueError: the span [0, 99) is outside the passage of 19 characters",
        ),
        (
            {"evidence": (Evidence(spans=(Span(-4, -1),)),)},
            "ValueError: the span [-4, -1) is outside the passage of 19 characters",
        ),
        (
            {"answer": replace(ANSWER, spans=(Span(7, 3),))},
            "ValueError: the span [7, 3) is outside the passage of 19 characters",
        ),
        (
            {"candidates": (Candidate(answer=replace(ANSWER, spans=(Span(0, 20),)), score=1),)},
            "ValueError: the span [0, 20) is outside the passage of 19 characters",
        ),
        ({"answer": replace(ANSWER, label="Z")}, "ValueError: 'Z' is not one of the options A, B"),
        (
            {"evidence": (Evidence(spans=(Span(0, 3),), option_label="C"),)},
            "ValueError: 'C' is not one of the options A, B",
        ),
        ({"confidence": "high"}, "Expected `float | null`, got `str` - at `$.confidence`"),
        ({"answer": "A"}, "Expected `object | null`, got `str` - at `$.answer`"),
        ({"evidence": (Evidence(spans=("x",)),)}, "got `str` - at `$.evidence[0].spans[0]`"),
        ({"confidence": np.ones(2)}, "an object of the type numpy.ndarray"),
    ],
)
def test_an_invalid_prediction_is_a_failure_under_the_real_id(fields, error):
    """No number that is none, no place that is not there, no score without its option."""
    found = predict_single(**{"answer": ANSWER, **fields})
    assert found.question_id == "q"
    assert error in found.error
    assert found.answer is None


def test_generated_text_of_an_invalid_answer_is_kept():
    """An answer can be read from it anew."""
    wrote = Generation(text="Z, I think", finish_reason="stop")
    found = predict_single(answer=replace(ANSWER, label="Z"), generation=wrote, seconds=1.5)
    assert (found.generation, found.seconds) == (wrote, 1.5)
    assert found.error


def test_numpy_numbers_are_accepted():
    """What numpy and torch compute is written, and compares, as Python's own."""
    scores = np.array([0.25, 0.75], np.float32)
    found = predict_single(answer=ANSWER, confidence=scores.max(), option_scores=tuple(scores))
    assert found == predict_single(answer=ANSWER, confidence=0.75, option_scores=(0.25, 0.75))
    assert msgspec.json.encode(found)


def test_spans_may_be_pairs():
    """A plain pair says as much as a span; the evidence is quoted by it."""
    found = predict_single(answer=ANSWER, evidence=[Evidence(spans=[(0, 8)])])
    assert found.evidence == (Evidence(spans=(Span(0, 8),), texts=("Ann ran.",)),)
