"""A run again with other confidences: a whole run folder that verifies, gold never shown."""

import json

import pytest

from closeread import attack
from closeread.errors import UsageError
from closeread.exam import locate
from closeread.formats import load
from closeread.formats.submissions import load_submission
from closeread.metrics.choice import picked_label
from closeread.readers import make
from closeread.runs.from_submission import save_submission
from closeread.runs.predict import Job, predict
from closeread.runs.recalibrate import grade_run, recalibrate_run
from closeread.runs.records import ScoreSettings, describe_reader
from closeread.runs.score import score_run
from closeread.runs.verify import verify


@pytest.fixture
def run(tmp_path):
    reader, options = make("lexical", {})
    job = Job(
        dataset=load(str(locate("exam/zh"))),
        reader=reader,
        reader_info=describe_reader("lexical", options, reader),
        limit=42,
    )
    return predict(job, tmp_path / "run")


def half_confidence(passage, question, prediction, *_):
    assert passage.text
    assert not (question.answers or question.option_truth or question.group_id)
    return 0.5 + prediction.confidence / 2


def test_answers_stay_and_confidences_change(run, tmp_path):
    """Same answers, same accuracy; the new folder scores and verifies, and says what it is of."""
    made = recalibrate_run(run, tmp_path / "new", half_confidence, record={"method": "half"})
    for old, new in zip(run.predictions(), made.predictions(), strict=True):
        assert new.confidence == 0.5 + old.confidence / 2
        assert (new.answer, new.candidates, new.evidence) == (
            old.answer,
            old.candidates,
            old.evidence,
        )
    settings = ScoreSettings(metrics=("choice", "selective"))
    assert score_run(made, settings).metrics == score_run(run, settings).metrics
    assert verify(made).verdict == "verified"
    told = json.loads((tmp_path / "new" / "run.json").read_text("utf-8"))
    assert told["reader"]["record"]["calibrated"] == {
        "run": str(run.path),
        "predictions_sha256": run.info.predictions_sha256,
        "method": "half",
    }
    assert made.info.dataset.limit == 42


def test_withheld_answers_are_empty(run, tmp_path):
    """Below the line no metric finds a pick, and it counts as not answered."""
    made = recalibrate_run(run, tmp_path / "new", half_confidence, record={}, least=0.7)
    questions = {one.question_id: one for one in run.dataset().questions()}
    silent = 0
    for prediction in made.predictions():
        if prediction.confidence < 0.7:
            silent += 1
            assert picked_label(questions[prediction.question_id], prediction) is None
            assert "withheld" in prediction.note
    assert 0 < silent < 42
    right = sum(
        row.correct for row in grade_run(run) if half_confidence(*vars(row).values()) >= 0.7
    )
    summary = score_run(made, ScoreSettings(metrics=("choice",))).metrics["choice.accuracy"]
    assert summary.value == right / 42
    assert verify(made).verdict == "verified"


def test_questions_and_predictions_are_counted_as_they_come(run, tmp_path):
    """What a progress bar shows: every question read, and every prediction written."""
    read, written = [], []
    rows = grade_run(run, advance=read.append)
    next(rows)
    assert sum(read) == 1
    assert len(list(rows)) + 1 == sum(read) == 42
    recalibrate_run(run, tmp_path / "new", half_confidence, record={}, advance=written.append)
    assert sum(written) == 42


def test_graded_answers_carry_no_gold(run):
    """Right and wrong are told beside the question, not in it; failures are left out."""
    rows = list(grade_run(run))
    assert len(rows) == 42
    assert {row.correct for row in rows} == {0.0, 1.0}
    assert not any(row.question.answers or row.question.option_truth for row in rows)
    with pytest.raises(UsageError, match=r"no value 'choice\.f7'"):
        list(grade_run(run, "choice.f7"))


def test_variants_have_the_part_and_unit_of_their_original(tmp_path):
    """Else a calibrator would be tried on copies of what it was learned from."""
    attack("exam/en", ["distractor"], tmp_path / "harder.jsonl")
    dataset = load(str(tmp_path / "harder.jsonl"))
    reader, options = make("lexical", {})
    info = describe_reader("lexical", options, reader)
    done = predict(Job(dataset=dataset, reader=reader, reader_info=info), tmp_path / "run")
    rows = list(grade_run(done))
    assert {len({row.part for row in rows if row.unit == one.unit}) for one in rows} == {1}
    assert len({row.unit for row in rows}) == len(rows) / 2
    texts = {row.passage.text for row in rows if row.prediction.question_id.endswith("#original")}
    assert len({row.part for row in rows}) == len(texts) < len({row.passage.text for row in rows})


def test_variants_whose_original_is_missing_stay_together(tmp_path):
    """Each has a passage of its own, and no question is about the passage as it was."""
    answers = [{"kind": "span", "texts": ["Marl"], "spans": [[15, 19]]}]
    lines = []
    for name in ("p#a#positive", "p#a#negative", "q#b#positive"):
        passage = {"passage_id": name, "text": f"The ferry left Marl. It was {name}."}
        asked = {"question_id": name[2:], "passage_id": name, "text": "Which port?", "kind": "span"}
        lines.append(json.dumps({"passage": passage, "questions": [asked | {"answers": answers}]}))
    path = tmp_path / "set.jsonl"
    path.write_text("\n".join(lines), "utf-8")
    reader, options = make("lexical", {})
    info = describe_reader("lexical", options, reader)
    done = predict(Job(dataset=load(str(path)), reader=reader, reader_info=info), tmp_path / "run")
    first, second, other = grade_run(done, "squad.em")
    assert first.passage.text != second.passage.text
    assert first.part == second.part != other.part


def test_gold_evidence_alone_can_grade_a_question(tmp_path):
    """Where a metric asks for nothing else; a question with nothing is left out."""
    asked = {"passage_id": "p", "text": "When did the ferry leave?", "kind": "span"}
    gold = {"question_id": "a", "gold_evidence": [{"spans": [[0, 26]]}]}
    row = {
        "passage": {"passage_id": "p", "text": "The ferry left Marl at six. It was full."},
        "questions": [asked | gold, asked | {"question_id": "b"}],
    }
    path = tmp_path / "set.jsonl"
    path.write_text(json.dumps(row) + "\n", "utf-8")
    reader, options = make("lexical", {})
    info = describe_reader("lexical", options, reader)
    done = predict(Job(dataset=load(str(path)), reader=reader, reader_info=info), tmp_path / "run")
    assert [row.prediction.question_id for row in grade_run(done, "evidence.f1")] == ["a"]


def test_submitted_predictions_become_a_run(tmp_path):
    """Missing predictions fail, failures keep no confidence, and the files are not asked again."""
    dataset = load(str(locate("exam/zh")))
    ids = [question.question_id for question in dataset.questions()]
    path = tmp_path / "p.json"
    path.write_text(json.dumps(dict.fromkeys(ids[:60], "A")), "utf-8")
    run = save_submission(dataset, load_submission(path, dataset), [path], tmp_path / "run")
    assert len(list(grade_run(run))) == 60
    made = recalibrate_run(run, tmp_path / "new", lambda *_: 0.25, record={})
    assert made.info.submission == ()
    told = [prediction.confidence for prediction in made.predictions()]
    assert told == [0.25] * 60 + [None] * (len(ids) - 60)
    assert made.info.n_failed == len(ids) - 60
    assert verify(made).verdict == "verified in part"  # not scored yet


def test_a_folder_that_is_taken_is_rejected(run, tmp_path):
    """Neither the run itself nor another one is overwritten unasked."""
    with pytest.raises(UsageError, match="made from"):
        recalibrate_run(run, run.path, half_confidence, record={}, overwrite=True)
    recalibrate_run(run, tmp_path / "new", half_confidence, record={})
    with pytest.raises(UsageError, match="already holds a run"):
        recalibrate_run(run, tmp_path / "new", half_confidence, record={})
    assert recalibrate_run(
        run, tmp_path / "new", half_confidence, record={}, overwrite=True
    ).info.complete
