"""QASPER's scorer equals the official program: HOW.md tells what it said."""

import json
from pathlib import Path

import pytest

from closeread.formats import dump, load
from closeread.formats.submissions import load_submission
from closeread.formats.submissions.dumping import hand_in
from closeread.metrics import qasper
from closeread.runs.records import ScoreSettings
from closeread.runs.score import score_submission
from closeread.types import Answer, Evidence, Prediction, Span, Submission

HERE = Path(__file__).parent
GOLD, HANDED_IN = HERE / "gold.json", HERE / "predictions.jsonl"


@pytest.fixture(scope="module")
def recorded():
    return json.loads((HERE / "recorded.json").read_text("utf-8"))


@pytest.mark.parametrize(("which", "text_only"), [("all", False), ("text", True)])
def test_every_number_of_every_question(recorded, which, text_only):
    dataset = load(GOLD)
    submission = load_submission(HANDED_IN, dataset)
    metric, told = qasper.metric(text_evidence_only=text_only), recorded[which]["each"]
    for question in dataset.questions():
        score = metric.score(question, submission.predictions.get(question.question_id))
        assert score.values == told[question.question_id], question.question_id
    assert sum(0 < one["answer_f1"] < 1 for one in told.values()) > 15
    assert sum(0 < one["evidence_f1"] < 1 for one in told.values()) > 15


@pytest.mark.parametrize(("which", "text_only"), [("all", False), ("text", True)])
def test_the_whole_file(recorded, which, text_only):
    dataset = load(GOLD)
    options = {"qasper": {"text_evidence_only": text_only}}
    settings = ScoreSettings(metrics=("qasper",), options=options)
    found = score_submission(dataset, load_submission(HANDED_IN, dataset), settings).metrics
    for key, value in recorded[which]["whole"].items():
        assert found[f"qasper.{key}"].value == pytest.approx(value, abs=1e-14)


def test_what_is_handed_in_goes_out_as_it_came(tmp_path):
    """Evidence in the paper's order, each paragraph once; what stands nowhere behind it."""
    dataset = load(GOLD)
    given = load_submission(HANDED_IN, dataset).predictions
    with (tmp_path / "p.jsonl").open("wb") as stream:
        hand_in(given, dataset, "qasper", stream)

    def rows(path: Path) -> dict[str, tuple[str, set[str]]]:
        found = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        return {
            one["question_id"]: (one["predicted_answer"], {*one["predicted_evidence"]})
            for one in found
        }

    assert rows(tmp_path / "p.jsonl") == rows(HANDED_IN)


def test_what_is_read_comes_back(tmp_path):
    dump(load(GOLD), tmp_path / "back.json")
    back = json.loads((tmp_path / "back.json").read_text("utf-8"))
    assert back == json.loads(GOLD.read_text("utf-8"))


def test_evidence_that_a_reader_cut_is_told_and_goes_out_as_paragraphs(tmp_path):
    """The program takes a sentence for no paragraph; what is handed in has the paragraph."""
    dataset = load(GOLD)
    question, piece = next(
        (question, Span(span.start, span.end - 1))
        for question in dataset.questions()
        for found in question.gold_evidence
        for span in found.spans
        if span.end - span.start > 9
    )
    passage = next(made for made, _ in dataset if made.passage_id == question.passage_id)
    evidence = Evidence(spans=(piece,), texts=(piece.of(passage.text),))
    cut = Prediction(
        question_id=question.question_id, answer=Answer(kind="none"), evidence=(evidence,)
    )
    metric = qasper.metric()
    assert (score := metric.score(question, cut)).values["evidence_f1"] == 0
    submission = Submission(predictions={question.question_id: cut})
    assert (
        "the evidence of 1 answer is only part of a gold paragraph"
        in metric.pool([score], submission)[1].note
    )
    with (tmp_path / "p.jsonl").open("wb") as stream:
        hand_in(submission.predictions, dataset, "qasper", stream)
    whole = load_submission(tmp_path / "p.jsonl", dataset).predictions[question.question_id]
    assert (score := metric.score(question, whole)).values["evidence_f1"] > 0
    assert (score.note, metric.pool([score], submission)[1].note) == ("", "")
