"""The verifier's decision on the authors' own logits: their predictions, and their accuracy."""

import json

import pytest

from closeread import load
from closeread.readers.competition import answer_shares, decided, rank_options
from closeread.text.polarity import vgaokao_polarity


@pytest.fixture(scope="module")
def rows(corpus):
    """Each question with its options' log-odds and what the authors' program said."""
    folder = corpus / "data" / "vgaokao"
    lines = (folder / "official_logits.txt").read_text("utf-8").split("\n")
    logits = [tuple(map(float, line.split("\t")[1:3])) for line in lines if line.strip()]
    said = json.loads((folder / "official_predictions.json").read_text("utf-8"))["results"]
    questions = list(load(folder / "test.json").questions())
    assert len(logits) == 4 * len(questions) == 4 * len(said) == 2800
    return [
        (question, [true - false for false, true in logits[4 * place : 4 * place + 4]], one)
        for place, (question, one) in enumerate(zip(questions, said, strict=True))
    ]


def test_every_decision_is_the_authors(corpus, rows):
    """Arg max or arg min by what the stem asks for gives all 700 predictions and the accuracy."""
    golden = json.loads((corpus / "golden" / "vgaokao" / "qa.json").read_text("utf-8"))
    right = 0
    for question, odds, said in rows:
        assert question.question_id == str(said["qid"])
        found = decided(question, odds, scores=said["prob"])
        assert rank_options(question, odds)[0] == said["prediction"]
        assert found.answer.label == "ABCD"[said["prediction"]]
        assert found.option_scores == pytest.approx(said["prob"], abs=1e-6)
        right += found.answer.label == question.answers[0].label
    print(f"{len(rows)} decisions compared, {right} right")
    assert right / len(rows) == golden["question_accuracy"]


def test_no_stem_asks_for_another_polarity_here_than_there(rows):
    differing = [
        question.text
        for question, _, _ in rows
        if question.asks_for != vgaokao_polarity(question.text)
    ]
    assert differing == []


def test_confidence_of_the_authors_model_is_above_its_accuracy(rows):
    """It is a posterior under the model's own odds, which nothing calibrates; and it orders.

    The surer half of the answers is right more often than the other.
    """
    told = sorted(
        (max(answer_shares(question, odds)), rank_options(question, odds)[0] == said["answer"])
        for question, odds, said in rows
    )
    half = len(told) // 2
    unsure, sure = (sum(right for _, right in part) / half for part in (told[:half], told[half:]))
    mean = sum(share for share, _ in told) / len(told)
    accuracy = sum(right for _, right in told) / len(told)
    print(f"mean confidence {mean:.3f}, accuracy {accuracy:.3f}; halves {unsure:.3f}, {sure:.3f}")
    assert mean > accuracy
    assert sure > unsure
