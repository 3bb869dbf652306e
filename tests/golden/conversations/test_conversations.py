"""CoQA's and QuAC's scorers equal the official programs: HOW.md tells what these said."""

import json
from io import BytesIO
from pathlib import Path

import pytest

from closeread.errors import UsageError
from closeread.formats import dump, load
from closeread.formats.submissions import load_submission
from closeread.formats.submissions.dumping import hand_in
from closeread.metrics import coqa, quac
from closeread.runs.records import ScoreSettings
from closeread.runs.score import score_submission
from closeread.types import Answer, Prediction

HERE = Path(__file__).parent
SETS = {
    "coqa": ("coqa.json", "coqa_predictions.json"),
    "quac": ("quac.json", "quac_predictions.jsonl"),
}


@pytest.fixture(scope="module")
def recorded():
    return json.loads((HERE / "recorded.json").read_text("utf-8"))


@pytest.mark.parametrize(("name", "module"), [("coqa", coqa), ("quac", quac)])
def test_every_number_of_every_question(recorded, name, module):
    dataset = load(HERE / SETS[name][0])
    submission = load_submission(HERE / SETS[name][1], dataset)
    metric, nothing = module.metric(), {"em": 0.0, "f1": 0.0}
    told = recorded[name]["each"]
    n_questions = 0
    for question in dataset.questions():
        n_questions += 1
        key = question.question_id
        score = metric.score(question, submission.predictions.get(key))
        assert score.values == (told.get(key, nothing) if name == "coqa" else told[key]), key
    assert n_questions > 80
    values = [one["f1"] for one in told.values()]
    assert sum(one is not None and 0 < one < 1 for one in values) > 20
    assert name == "coqa" or values.count(None) >= 5


def test_whole_files(recorded):
    """Sums over a file; the program gives percent and rounds."""
    for name, (gold, handed_in) in SETS.items():
        dataset = load(HERE / gold)
        found = score_submission(
            dataset, load_submission(HERE / handed_in, dataset), ScoreSettings(metrics=())
        )
        whole = recorded[name]["whole"]
        percent = 100 if name == "coqa" else 1
        for key in ("em", "f1") if name == "coqa" else ("f1", "heq_q", "heq_d", "unfiltered_f1"):
            value = found.metrics[f"{name}.{key}"].value
            assert value is not None
            assert value == pytest.approx(whole[key] / percent, abs=1e-12), (name, key)
    assert found.metrics["quac.unanswerable"].value == recorded["quac"]["whole"]["unanswerable"]


def test_how_much_people_must_agree_is_an_option(recorded):
    dataset = load(HERE / "quac.json")
    submission = load_submission(HERE / "quac_predictions.jsonl", dataset)
    settings = ScoreSettings(metrics=("quac",), options={"quac": {"min_f1": 0.7}})
    found = score_submission(dataset, submission, settings).metrics
    for key in ("f1", "heq_q", "heq_d", "unfiltered_f1"):
        assert found[f"quac.{key}"].value == pytest.approx(
            recorded["quac"]["strict"][key], abs=1e-12
        )
    assert "min_f1:0.7" in found["quac.f1"].signature


@pytest.mark.parametrize("name", ["coqa", "quac"])
def test_what_is_handed_in_goes_out_as_it_came(tmp_path, name):
    """In the order of the questions, without those that nothing was handed in for."""
    gold, handed_in = SETS[name]
    dataset = load(HERE / gold)
    given = load_submission(HERE / handed_in, dataset).predictions
    with (tmp_path / handed_in).open("wb") as stream:
        hand_in(given, dataset, name, stream)
    again = load_submission(tmp_path / handed_in, dataset).predictions
    assert again == given
    written = (tmp_path / handed_in).read_text("utf-8")
    if name == "coqa":
        assert json.loads(written) == json.loads((HERE / handed_in).read_text("utf-8"))
    else:
        assert written.count("\n") == len((HERE / handed_in).read_text("utf-8").splitlines())
    none = {key: Prediction(question_id=key, answer=Answer(kind="none")) for key in given}
    hand_in(none, dataset, name, said := BytesIO())
    word = {"coqa": b'"unknown"', "quac": b'"CANNOTANSWER"'}[name]
    assert said.getvalue().count(word) == len(given)


def test_other_sets_have_no_conversations(tmp_path):
    row = {"id": "1", "passage": "a b", "question": "?", "answer": "a"}
    (tmp_path / "own.jsonl").write_text(json.dumps(row))
    for form in ("coqa", "quac"):
        with pytest.raises(UsageError, match="the run's data set is in the format jsonl"):
            hand_in({}, load(tmp_path / "own.jsonl"), form, BytesIO())


@pytest.mark.parametrize("name", ["coqa.json", "quac.json"])
def test_what_is_read_comes_back(tmp_path, name):
    dump(load(HERE / name), tmp_path / name)
    assert json.loads((tmp_path / name).read_text("utf-8")) == json.loads(
        (HERE / name).read_text("utf-8")
    )
