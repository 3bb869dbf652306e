"""Features of a prediction: finite, in order, blind to gold, and what they say they are."""

import math

import msgspec
import pytest

from closeread.exam import locate
from closeread.formats import load
from closeread.readers import make
from closeread.readers.confidence.features import (
    FEATURE_NAMES,
    confidence_features,
    detect_scale,
    log_odds,
    reader_confidence,
)
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
            found = confidence_features(passage, question, prediction, "logits")
            assert tuple(found) == FEATURE_NAMES
            assert all(math.isfinite(one) for one in found.values())
            blind = msgspec.structs.replace(
                question, answers=(), option_truth=(), gold_evidence=(), group_id="", role=None
            )
            assert confidence_features(passage, blind, prediction, "logits") == found


def test_margin_ratio_and_entropy_of_probabilities():
    """Shares are taken as they are, and what they leave to 1 is told."""
    found = confidence_features(
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
    near = confidence_features(
        PASSAGE, QUESTION, predicted(span("1873", 5), span("Harrow", 3)), "logits"
    )
    far = confidence_features(
        PASSAGE, QUESTION, predicted(span("1873", 905), span("Harrow", 903)), "logits"
    )
    assert near == far
    assert near["nbest:top"] == pytest.approx(1 / (1 + math.exp(-2)))
    assert near["nbest:rest"] == pytest.approx(0, abs=1e-9)


def test_the_scale_is_inferred_from_a_whole_run():
    """One list that is no distribution makes all of them logits."""
    shares = predicted(span("1873", 0.6), span("Harrow", 0.2))
    assert detect_scale([shares, Prediction(question_id="q")]) == "probabilities"
    assert detect_scale([shares, predicted(span("1873", 0.9), span("Harrow", 0.8))]) == "logits"
    assert detect_scale([shares, predicted(span("1873", -0.1))]) == "logits"


def test_options_that_are_all_supported_are_not_logits():
    """A run may hold questions with options beside questions with lists."""
    shares = predicted(span("1873", 0.6), span("Harrow", 0.2))
    options = Prediction(question_id="o", option_scores=(0.9, 0.8, 0.7))
    assert detect_scale([shares, options]) == "probabilities"


def test_the_sentence_of_the_answer_replaces_missing_evidence():
    """An answer beside the question's words is covered better than one elsewhere."""
    good = confidence_features(PASSAGE, QUESTION, predicted(span("1873")), "logits")
    bad = confidence_features(PASSAGE, QUESTION, predicted(span("Harrow")), "logits")
    assert good["evidence:covers"] == 1.0  # bridge, built, Anna
    assert bad["evidence:covers"] == 0.0
    assert good["answer:place"] > bad["answer:place"]
    lost = confidence_features(PASSAGE, QUESTION, predicted(span("1999")), "logits")
    assert lost["answer:not-in-passage"] == lost["evidence:none"] == 1.0
    assert (
        confidence_features(PASSAGE, QUESTION, predicted(span("Anna")), "logits")[
            "answer:repeats-question"
        ]
        == 1
    )


def test_an_option_is_compared_with_its_own_evidence():
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
        found = confidence_features(PASSAGE, question, prediction, "logits")
        assert found["evidence:covers"] == found["evidence:ahead"] == 1.0
        assert found["evidence:sentences"] == 1.0


def test_features_of_no_answer_samples_and_missing_values():
    """What is not there is said to be not there."""
    silent = confidence_features(
        PASSAGE, QUESTION, Prediction(question_id="q", answer=Answer(kind="none")), "logits"
    )
    assert silent["answer:empty"] == silent["confidence:none"] == silent["nbest:none"] == 1.0
    assert silent["evidence:none"] == silent["samples:none"] == 1.0
    one, two = Generation(text="A  b"), Generation(text="c")
    sampled = predicted(span("1873"), generation=Generation(text="A b"), others=(one, two, two))
    assert confidence_features(PASSAGE, QUESTION, sampled, "logits")["samples:agreement"] == 1 / 3


def test_option_scores_are_inverted_for_negative_stems():
    """Where only options are scored, the best one's share is the confidence; or the worst one's."""
    options = (Option(label="A", text="a"), Option(label="B", text="b"))
    question = msgspec.structs.replace(QUESTION, kind="verification", options=options)
    prediction = Prediction(question_id="q", option_scores=(0.9, 0.1))
    assert reader_confidence(question, prediction, "probabilities") == pytest.approx(
        1 / (1 + math.exp(-0.8))
    )
    turned = msgspec.structs.replace(question, asks_for="contradicted", options=options)
    skewed = Prediction(question_id="q", option_scores=(0.9, 0.8))
    assert reader_confidence(turned, skewed, "probabilities") == pytest.approx(
        1 / (1 + math.exp(-0.1))
    )


def test_candidates_have_precedence_over_option_scores():
    prediction = predicted(span("1873", 0.6), span("Harrow", 0.01), option_scores=(0.9, 0.1))
    found = confidence_features(PASSAGE, QUESTION, prediction, "probabilities")
    assert found["nbest:top"] == found["confidence"] == 0.6
    assert found["nbest:log-ratio"] == pytest.approx(math.log(60))


def test_log_odds_are_clipped():
    """Outside of [0, 1] nothing is surer than sure."""
    assert log_odds(0.5) == 0
    assert log_odds(-3) == log_odds(0) == -12
    assert log_odds(1) == log_odds(7) == 12


MILLS = Passage(passage_id="p", text="Two mills stood in Harrow. One mill burned.")  # 26 + 17
HOW_MANY = Question(
    question_id="q", passage_id="p", text="How many mills stood in Harrow?", kind="discrete"
)


def make_prediction(*texts, kind="span", **more):
    return Prediction(question_id="q", answer=Answer(kind=kind, texts=texts), **more)


def test_every_feature_of_a_small_answer_by_hand():
    """Of the question mill, stood and Harrow mean something, and the evidence holds the first."""
    prediction = make_prediction(
        "mill", confidence=0.8, evidence=(Evidence(spans=(Span(27, 43),), score=0.5),)
    )
    found = confidence_features(MILLS, HOW_MANY, prediction, "logits")
    assert {name: value for name, value in found.items() if value} == pytest.approx(
        {
            "confidence": 0.8,
            "confidence:log-odds": math.log(4),
            "nbest:none": 1,
            "samples:none": 1,
            "answer:length": math.log(2),
            "answer:times": math.log(3),  # in mills, too
            "answer:place": 4 / 43,
            "answer:repeats-question": 1,
            "question:length": math.log(7),
            "question:number": 1,
            "passage:length": math.log(44),
            "evidence:covers": 1 / 3,
            "evidence:sentences": 1,
            "evidence:score": 0.5,
        }
    )


@pytest.mark.parametrize(
    ("kind", "feature"), [("number", "number"), ("date", "date"), ("spans", "several")]
)
def test_kinds_of_answers_and_questions_are_features(kind, feature):
    found = confidence_features(MILLS, HOW_MANY, make_prediction("Two", "One", kind=kind), "logits")
    kinds = ("number", "date", "several")
    assert [found[f"answer:{one}"] for one in kinds] == [float(one == feature) for one in kinds]
    asked = {"number": "How many?", "date": "When?", "name": "Who?"}
    for one, text in asked.items():
        question = msgspec.structs.replace(HOW_MANY, text=text, asks_for="contradicted")
        found = confidence_features(MILLS, question, make_prediction("Two"), "logits")
        assert [found[f"question:{other}"] for other in asked] == [
            float(other == one) for other in asked
        ]
        assert found["question:contradicted"] == 1


def test_the_position_of_an_answer_is_its_span_in_the_passage():
    """The second mill is not where the text is found first; a place beyond the end is none."""

    def placed(start, end, text="mill"):
        spans = (Span(start, end),)
        said = Prediction(question_id="q", answer=Answer(kind="span", texts=(text,), spans=spans))
        return confidence_features(MILLS, HOW_MANY, said, "logits")

    assert placed(31, 35)["answer:place"] == 31 / 43
    twice = Answer(kind="spans", texts=("mill", "Two"), spans=(Span(31, 35), Span(0, 3)))
    beyond = Answer(kind="spans", texts=("mill", "Two"), spans=(Span(31, 35), Span(40, 50)))
    for answer in (twice, beyond):
        both = Prediction(question_id="q", answer=answer)
        assert confidence_features(MILLS, HOW_MANY, both, "logits")["answer:place"] == 31 / 43
    last = Answer(kind="span", texts=("mill",), spans=(Span(5, 9),))
    at_the_end = Prediction(question_id="q", answer=last)
    pair = Passage(passage_id="p", text="mill mill")
    assert confidence_features(pair, HOW_MANY, at_the_end, "logits")["answer:place"] == 5 / 9
    assert placed(36, 43, "burned.")["answer:place"] == 36 / 43
    assert placed(40, 44)["answer:place"] == 4 / 43
    assert placed(31, 35)["evidence:covers"] == 1 / 3  # the second sentence holds mill alone
    assert placed(0, 3, "Two")["evidence:covers"] == 1.0
    assert placed(25, 28)["evidence:sentences"] == 2  # it lies across both
    nowhere = confidence_features(MILLS, HOW_MANY, make_prediction("—"), "logits")
    assert nowhere["answer:not-in-passage"] == 1
    assert nowhere["answer:place"] == nowhere["answer:times"] == nowhere["answer:length"] == 0
    assert nowhere["answer:repeats-question"] == 0  # there is no word in it
    often = Passage(passage_id="p", text="mill " * 30)
    assert confidence_features(often, HOW_MANY, make_prediction("mill"), "logits")[
        "answer:times"
    ] == math.log(21)


def test_agreement_of_alternatives_by_hand():
    """One of two units, and none of three."""
    said = [span(text, 0.3) for text in ("red bridge", "bridge", "tower")]
    found = confidence_features(PASSAGE, QUESTION, predicted(*said), "probabilities")
    assert found["nbest:agreement"] == pytest.approx((1 / 2 + 0) / 2)
    assert (
        confidence_features(PASSAGE, QUESTION, predicted(said[0]), "logits")["nbest:agreement"] == 0
    )


def test_shares_of_nothing_and_of_a_single_alternative():
    """A list without any share is none; a single sure one is cut as log-odds are."""
    none = confidence_features(
        PASSAGE, QUESTION, predicted(span("1873"), span("Anna")), "probabilities"
    )
    assert none["nbest:none"] == 1
    alone = confidence_features(PASSAGE, QUESTION, predicted(span("1873", 1.0)), "probabilities")
    assert (alone["nbest:margin"], alone["nbest:log-ratio"], alone["nbest:entropy"]) == (1, 12, 0)
    assert alone["nbest:count"] == math.log(2)
    assert alone["nbest:none"] == alone["nbest:rest"] == 0
    beside = confidence_features(
        PASSAGE, QUESTION, predicted(span("1873", 0.6), span("Anna")), "probabilities"
    )
    assert (beside["nbest:log-ratio"], beside["nbest:entropy"]) == (12, 0)
    assert log_odds(1e-9) == -12
    assert log_odds(1e-3) == pytest.approx(math.log(1 / 999))


@pytest.mark.parametrize(
    ("scores", "scale"),
    [((0.5, 0.5005), "probabilities"), ((0.5, 0.502), "logits"), ((0.0, 1.0), "probabilities")],
)
def test_a_sum_above_one_by_rounding_is_accepted(scores, scale):
    """And leaves nothing over."""
    listed = predicted(*(span("1873", one) for one in scores))
    assert confidence_features(PASSAGE, QUESTION, listed, "probabilities")["nbest:rest"] == 0
    assert detect_scale([predicted(*(span("1873", one) for one in scores))]) == scale


def test_missing_features_are_marked_and_not_numbers():
    """No answer at all, an answer without words, a generation alone, evidence without a score."""
    given = (Evidence(spans=(Span(0, 26),)),)
    for answer in (None, Answer(kind="none"), Answer(kind="span", texts=(" ",))):
        said = Prediction(
            question_id="q", answer=answer, evidence=given, generation=Generation(text="x")
        )
        found = confidence_features(MILLS, HOW_MANY, said, "logits")
        assert found["answer:empty"] == found["evidence:none"] == found["samples:none"] == 1
        assert found["evidence:covers"] == found["evidence:score"] == 0
        bare = msgspec.structs.replace(said, evidence=())
        assert confidence_features(MILLS, HOW_MANY, bare, "logits") == found
    mute = msgspec.structs.replace(HOW_MANY, text="?!")
    assert (
        confidence_features(MILLS, mute, make_prediction("Two", evidence=given), "logits")[
            "evidence:covers"
        ]
        == 0
    )
    scored = confidence_features(MILLS, HOW_MANY, make_prediction("Two", evidence=given), "logits")
    assert (scored["evidence:covers"], scored["evidence:score"]) == (1, 0)


def test_features_of_answers_with_several_texts():
    """Mill is asked for and Two is not; Two stands there once, and mill twice."""
    several = confidence_features(
        MILLS, HOW_MANY, make_prediction("Two", "mill", kind="spans"), "logits"
    )
    assert several["answer:length"] == pytest.approx(math.log(3))
    assert several["answer:times"] == math.log(2)
    assert several["answer:repeats-question"] == 1 / 2


@pytest.mark.parametrize("by_place", [True, False])
def test_an_option_without_evidence_has_no_coverage(by_place):
    """By place as by label, empty evidence is none, and text without places is some."""
    options = (Option(label="A", text="red bridge"), Option(label="B", text="tower"))
    question = msgspec.structs.replace(QUESTION, kind="choice", options=options)
    labels = ("", "") if by_place else ("A", "B")

    def said(*evidence):
        answer = Answer(kind="choice", label="A", texts=("red bridge",))
        prediction = Prediction(question_id="q", answer=answer, evidence=evidence)
        return confidence_features(PASSAGE, question, prediction, "logits")

    assert said()["evidence:none"] == 1
    bare = [Evidence(option_label=label) for label in labels]
    assert said(*bare)["evidence:none"] == 1
    quoted = Evidence(option_label=labels[0], texts=("A bridge.",))
    assert said(quoted, bare[1])["evidence:covers"] == 1 / 2
    assert said(quoted, bare[1])["evidence:ahead"] == 0


def test_an_option_s_lead_is_over_the_best_other_one():
    """A's evidence holds both of its words, B's one of two, C's none."""
    texts = ("red bridge", "green bridge", "black tower")
    options = tuple(Option(label=a, text=b) for a, b in zip("ABC", texts, strict=True))
    question = msgspec.structs.replace(QUESTION, kind="choice", options=options)
    held = tuple(Evidence(option_label=label, spans=(Span(26, 60),)) for label in "ABC")
    for label, ahead in (("A", 0.5), ("B", -0.5), ("C", -1.0)):
        prediction = Prediction(
            question_id="q", answer=Answer(kind="choice", label=label), evidence=held
        )
        found = confidence_features(PASSAGE, question, prediction, "logits")
        assert found["evidence:ahead"] == ahead
        assert found["question:options"] == 3
        assert found["answer:not-in-passage"] == 0  # of a letter nothing is asked there
    fewer = Prediction(
        question_id="q",
        answer=Answer(kind="choice", label="A"),
        evidence=(Evidence(spans=(Span(26, 60),)),),  # one for three options: nobody's
    )
    assert confidence_features(PASSAGE, question, fewer, "logits")["evidence:none"] == 1


def test_evidence_with_only_texts_counts_like_sentences():
    """As other harnesses hand it in, without places."""
    prediction = make_prediction(
        "Two", evidence=(Evidence(texts=("One mill burned.", "In Harrow.")),)
    )
    found = confidence_features(MILLS, HOW_MANY, prediction, "logits")
    assert found["evidence:covers"] == pytest.approx(2 / 3)
    assert found["evidence:sentences"] == 2
