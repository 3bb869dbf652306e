"""MultiRC's scorer equals the official program: HOW.md tells what it said."""

import json
from pathlib import Path

import pytest

from closeread import hand_in
from closeread.formats import dump, load
from closeread.formats.submissions import load_submission
from closeread.metrics import multirc
from closeread.runs.from_submission import save_and_score
from closeread.runs.records import ScoreSettings
from closeread.runs.score import score_submission

HERE = Path(__file__).parent
GOLD, HANDED_IN = HERE / "gold.json", HERE / "predictions.json"


@pytest.fixture(scope="module")
def recorded():
    return json.loads((HERE / "recorded.json").read_text("utf-8"))


def test_every_question(recorded):
    dataset = load(GOLD)
    submission = load_submission(HANDED_IN, dataset)
    metric, told = multirc.metric(), recorded["each"]
    asked = [*dataset.questions()]
    for question in asked:
        score = metric.score(question, submission.predictions.get(question.question_id))
        assert score.values["em"] == told.get(question.question_id)
    assert (len(asked), len(told)) == (recorded["questions"], recorded["answered"])
    assert 10 < sum(told.values()) < len(told) - 10


def test_the_whole_file(recorded):
    """To the last bit: the program's order of sums is kept."""
    dataset = load(GOLD)
    submission = load_submission(HANDED_IN, dataset)
    settings = ScoreSettings(metrics=(), resamples=200)
    found = score_submission(dataset, submission, settings).metrics
    assert found["multirc.em"].value == pytest.approx(recorded["em"], abs=1e-15)
    assert found["multirc.f1a"].value == recorded["f1a"]
    assert found["multirc.f1m"].value == recorded["f1m"]
    for key in ("em", "f1a", "f1m"):
        one = found[f"multirc.{key}"]
        assert one.low < one.value < one.high
        assert (one.n_scored, one.n_questions) == (recorded["answered"], recorded["questions"])


def test_what_is_read_comes_back(tmp_path):
    dump(load(GOLD), tmp_path / "back.json")
    back = json.loads((tmp_path / "back.json").read_text("utf-8"))
    assert back == json.loads(GOLD.read_text("utf-8"))


def test_what_was_handed_in_is_written_again(tmp_path):
    """A run's predictions as the program takes them: every score of every option is the same."""
    dataset = load(GOLD)
    submission = load_submission(HANDED_IN, dataset)
    save_and_score(dataset, submission, (HANDED_IN,), tmp_path / "run", ScoreSettings(metrics=()))
    hand_in(tmp_path / "run", tmp_path / "p.json", "multirc")
    given = json.loads(HANDED_IN.read_text("utf-8"))
    asked = {one.question_id for one in dataset.questions()}
    known = [row for row in given if f"{row['pid']}=={row['qid']}" in asked]
    assert json.loads((tmp_path / "p.json").read_text("utf-8")) == known
