"""Features of a prediction: finite, in order, blind to gold, and what they say they are."""

import math

import msgspec
import pytest

from closeread.exam import locate
from closeread.formats import load
from closeread.readers import make
from closeread.readers.certainty import NAMES, log_odds, scale_of, signs, told_confidence
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

TEXT = "The mill stood in Harrow. Anna built the red bridge in 1873. It burned down later."
PASSAGE = Passage(passage_id="p", text=TEXT)
QUESTION = Question(
    question_id="q", passage_id="p", text="When was the bridge built by Anna?", kind="span"
)


def span(text, score=0.0):
    start = TEXT.find(text)
    spans = (Span(start, start + len(text)),) if start >= 0 else ()
    return Candidate(answer=Answer(kind="span", texts=(text,), spans=spans), score=score)


def predicted(*candidates, **more):
    return Prediction(question_id="q", answer=candidates[0].answer, candidates=candidates, **more)


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("reader", ["lexical", "longest-option", "evidence", "cues"])
def test_every_reader_gives_finite_features(reader, language):
    """Of the shipped exam, by readers with and without confidence; gold moves nothing."""
    made, _ = make(reader, {})
    for passage, questions in load(str(locate(f"exam/{language}"))):
        for question in questions[:2]:
            (prediction,) = made.read([(passage, question)])
            found = signs(passage, question, prediction, "logits")
            assert tuple(found) == NAMES
            assert all(math.isfinite(one) for one in found.values())
            blind = msgspec.structs.replace(
                question, answers=(), option_truth=(), gold_evidence=(), group_id="", role=None
            )
            assert signs(passage, blind, prediction, "logits") == found


def test_margin_ratio_and_entropy_of_probabilities():
    """Shares are taken as they are, and what they leave to 1 is told."""
    found = signs(
        PASSAGE, QUESTION, predicted(span("1873", 0.6), span("Harrow", 0.2)), "probabilities"
    )
    assert found["nbest:top"] == 0.6
    assert found["nbest:margin"] == pytest.approx(0.4)
    assert found["nbest:log-ratio"] == pytest.approx(math.log(3))
    assert found["nbest:rest"] == pytest.approx(0.2)
    assert found["nbest:entropy"] == pytest.approx(-0.75 * math.log(0.75) - 0.25 * math.log(0.25))
    assert found["nbest:count"] == pytest.approx(math.log(3))
    assert found["confidence"] == 0.6  # of the best, where the reader tells none


def test_logits_become_shares_by_a_softmax():
    """Adding a constant to all scores changes nothing."""
    near = signs(PASSAGE, QUESTION, predicted(span("1873", 5), span("Harrow", 3)), "logits")
    far = signs(PASSAGE, QUESTION, predicted(span("1873", 905), span("Harrow", 903)), "logits")
    assert near == far
    assert near["nbest:top"] == pytest.approx(1 / (1 + math.exp(-2)))
    assert near["nbest:rest"] == pytest.approx(0, abs=1e-9)


def test_the_scale_is_told_from_a_whole_run():
    """One list that is no distribution makes all of them logits."""
    shares = predicted(span("1873", 0.6), span("Harrow", 0.2))
    assert scale_of([shares, Prediction(question_id="q")]) == "probabilities"
    assert scale_of([shares, predicted(span("1873", 0.9), span("Harrow", 0.8))]) == "logits"
    assert scale_of([shares, predicted(span("1873", -0.1))]) == "logits"


def test_options_that_are_all_supported_do_not_make_logits_of_lists():
    """A run may hold questions with options beside questions with lists."""
    shares = predicted(span("1873", 0.6), span("Harrow", 0.2))
    options = Prediction(question_id="o", option_scores=(0.9, 0.8, 0.7))
    assert scale_of([shares, options]) == "probabilities"


def test_the_sentence_of_the_answer_stands_in_for_evidence():
    """An answer beside the question's words is covered better than one elsewhere."""
    good = signs(PASSAGE, QUESTION, predicted(span("1873")), "logits")
    bad = signs(PASSAGE, QUESTION, predicted(span("Harrow")), "logits")
    assert good["evidence:covers"] == 1.0  # bridge, built, Anna
    assert bad["evidence:covers"] == 0.0
    assert good["answer:place"] > bad["answer:place"]
    lost = signs(PASSAGE, QUESTION, predicted(span("1999")), "logits")
    assert lost["answer:not-in-passage"] == lost["evidence:none"] == 1.0
    assert (
        signs(PASSAGE, QUESTION, predicted(span("Anna")), "logits")["answer:repeats-question"] == 1
    )


def test_an_option_is_held_against_its_own_evidence():
    """By label or by place; what it is ahead of the others counts."""
    options = (Option(label="A", text="red bridge"), Option(label="B", text="green tower"))
    question = msgspec.structs.replace(QUESTION, kind="choice", options=options)
    whole = Span(26, 60)
    for evidence in (
        (Evidence(spans=(whole,)), Evidence(spans=(whole,))),
        (Evidence(option_label="B", spans=(whole,)), Evidence(option_label="A", spans=(whole,))),
    ):
        prediction = Prediction(
            question_id="q", answer=Answer(kind="choice", label="A"), evidence=evidence
        )
        found = signs(PASSAGE, question, prediction, "logits")
        assert found["evidence:covers"] == found["evidence:ahead"] == 1.0
        assert found["evidence:sentences"] == 1.0


def test_no_answer_samples_and_silence():
    """What is not there is said to be not there."""
    silent = signs(
        PASSAGE, QUESTION, Prediction(question_id="q", answer=Answer(kind="none")), "logits"
    )
    assert silent["answer:empty"] == silent["confidence:none"] == silent["nbest:none"] == 1.0
    assert silent["evidence:none"] == silent["samples:none"] == 1.0
    one, two = Generation(text="A  b"), Generation(text="c")
    sampled = predicted(span("1873"), generation=Generation(text="A b"), others=(one, two))
    assert signs(PASSAGE, QUESTION, sampled, "logits")["samples:agreement"] == 0.5


def test_option_scores_turn_with_the_stem():
    """Where only options are scored, the best one's share is the confidence; or the worst one's."""
    options = (Option(label="A", text="a"), Option(label="B", text="b"))
    question = msgspec.structs.replace(QUESTION, kind="verification", options=options)
    prediction = Prediction(question_id="q", option_scores=(0.9, 0.1))
    assert told_confidence(question, prediction, "probabilities") == pytest.approx(
        1 / (1 + math.exp(-0.8))
    )
    turned = msgspec.structs.replace(question, asks_for="contradicted", options=options)
    skewed = Prediction(question_id="q", option_scores=(0.9, 0.8))
    assert told_confidence(turned, skewed, "probabilities") == pytest.approx(
        1 / (1 + math.exp(-0.1))
    )


def test_log_odds_are_cut():
    """Outside of [0, 1] nothing is surer than sure."""
    assert log_odds(0.5) == 0
    assert log_odds(-3) == log_odds(0) == -12
    assert log_odds(1) == log_odds(7) == 12
