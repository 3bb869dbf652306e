"""OpenAI evals: events of samples mixed with each other, the report anywhere, nothing else."""

import json
import tracemalloc
from pathlib import Path

import pytest

from audit_runs import load_run
from broken_logs import assert_rejected_then_skipped
from closeread.audits.recorded import check
from closeread.errors import InputError
from closeread.formats.logs.openai_evals import read
from closeread.formats.logs.records import Problems
from closeread.runs.ingest import ingest
from closeread.runs.records import ScoreSettings
from closeread.runs.score import score_run

FIXTURES = Path(__file__).parent / "fixtures/openai_evals"
DROP = FIXTURES / "drop_local.jsonl"


def change_log(tmp_path, change, log=DROP):
    """A copy of a recorded log, its events changed in place or dropped."""
    rows = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    rows = [row for row in rows if change(row) is not False]
    path = tmp_path / log.name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def test_questions_have_texts_golds_and_token_counts(tmp_path):
    (run,) = ingest([DROP], tmp_path / "run").runs
    log = run.info.log
    assert (log.harness, log.model, log.task) == ("openai-evals", "canned", "drop_local.test.v0")
    assert log.created and log.settings == {"seed": 20220722}
    questions = list(run.dataset().questions())
    assert [one.question_id for one in questions] == [f"drop_local.test.{at}" for at in range(14)]
    assert questions[0].text == "How many yards was the longest field goal?"
    assert questions[1].answers[1].texts == ("March 1992",)
    first = next(iter(run.predictions()))
    assert first.generation.text.startswith(" 47\n\nPassage")
    assert (first.generation.prompt_tokens, first.generation.completion_tokens) == (90, 13)
    assert "tokens" not in log.lost and "passage" in log.lost


def test_ingested_scores_equal_the_logged_ones(tmp_path):
    (run,) = ingest([DROP], tmp_path / "run").runs
    for theirs, ours in (("accuracy", "simple-evals.drop.score"), ("f1_score", "squad.f1")):
        found = score_run(run, ScoreSettings(metrics=(ours,))).metrics[ours]
        assert found.value == pytest.approx(run.info.log.scores[theirs], abs=1e-12)
    finding = check(load_run(run))
    assert finding.verdict == "sound" and "f1_score is reproduced by squad.f1" in finding.headline


def test_options_are_found_in_the_prompt_and_letters_extracted(tmp_path):
    (run,) = ingest([FIXTURES / "choice_local.jsonl"], tmp_path / "run").runs
    question = next(iter(run.dataset().questions()))
    assert [one.text for one in question.options] == ["the Herons", "the Quails", "nobody"]
    assert question.text == "Who won the game?" and question.answers[0].label == "A"
    assert "extraction" in run.info.log.lost and "gold-kinds" not in run.info.log.lost
    found = score_run(run, ScoreSettings(metrics=("choice",))).metrics["choice.accuracy"]
    assert found.value == run.info.log.scores["accuracy"] == 1 / 3


def test_examples_are_named_system_messages(tmp_path):
    (run,) = ingest([FIXTURES / "drop_few_shot.jsonl"], tmp_path / "run").runs
    assert set(run.log_shown().values()) == {("12", "Ada Brandt")} and len(run.log_shown()) == 3


def test_the_matched_text_of_a_chain_of_thought_is_the_answer(tmp_path):
    """Three texts are sampled of one question; the last one is the answer."""

    def think(row):
        if row.get("type") == "sampling":
            row["data"]["sampled"] = "Let us see. It may be 3, or 4."

    path = change_log(tmp_path, think)
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    asked = next(row for row in rows if row.get("type") == "sampling")
    last = {**asked, "data": {"prompt": [], "sampled": "47"}}
    path.write_text("".join(json.dumps(row) + "\n" for row in [*rows, last]), "utf-8")
    found = ingest([path], tmp_path / "run")
    said = {one.question_id: one for one in found.runs[0].predictions()}[asked["sample_id"]]
    assert said.generation.text == "47" and not found.kept
    texts = {one.question_id: one.text for one in found.runs[0].dataset().questions()}
    assert all(texts.values())


def test_a_failed_sample_is_a_prediction_with_an_error(tmp_path):
    def fail(row):
        if row.get("sample_id") == "drop_local.test.3" and row["type"] == "sampling":
            row["type"], row["data"] = "error", {"type": "Timeout", "message": "no answer came"}

    found = ingest([change_log(tmp_path, fail)], tmp_path / "run")
    said = {one.question_id: one for one in found.runs[0].predictions()}["drop_local.test.3"]
    assert said.error == "no answer came" and found.kept["sample-error"] == 1


def test_model_graded_samples_have_no_gold(tmp_path):
    def judge(row):
        return row.get("type") != "match"

    with pytest.raises(InputError, match="missing-gold 14"):
        ingest([change_log(tmp_path, judge)], tmp_path / "run")


def test_a_killed_run_is_read_without_report(tmp_path):
    def cut(row):
        return "final_report" not in row

    path = change_log(tmp_path, cut)
    assert ingest([path], tmp_path / "run").kept == {"unfinished": 1}
    path.write_bytes(path.read_bytes()[:-60])
    assert_rejected_then_skipped(path, tmp_path / "again", "cut-record", 1, 14)


def test_a_log_is_not_held_in_memory(tmp_path):
    """The events of a sample stand apart, those of 2,000 others between them: all were held."""
    rows = [json.loads(line) for line in DROP.read_text("utf-8").splitlines()]
    beside = [row for row in rows if "sample_id" not in row]
    mine = [row for row in rows if row.get("sample_id") == "drop_local.test.0"]
    path = tmp_path / "long.jsonl"
    with path.open("w") as stream:
        stream.writelines(json.dumps(row) + "\n" for row in beside)
        for event in mine:  # all texts, then all matches, then all scores
            for at in range(2000):
                one = json.loads(json.dumps(event)) | {"sample_id": f"drop_local.test.{at}"}
                if event["type"] == "sampling":
                    one["data"]["prompt"][0]["content"] += f"\n{at} " + "lamp " * 1000
                stream.write(json.dumps(one) + "\n")
    problems, facts = Problems(), {}
    tracemalloc.start()
    found = [
        (one.question.question_id, one.prediction.generation.text, set(one.scores))
        for one in read(path, problems, facts)
    ]
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < path.stat().st_size / 4 > 2_500_000
    assert [name for name, _, _ in found] == [f"drop_local.test.{at}" for at in range(2000)]
    (text,), (names,) = {text for _, text, _ in found}, {frozenset(one) for _, _, one in found}
    assert text.startswith(" 47") and names == {"correct", "accuracy", "f1_score"}
    assert facts and not problems.bad.counts | problems.kept.counts


def test_a_score_that_is_not_a_number_is_counted(tmp_path):
    def odd(row):
        if row.get("sample_id") == "drop_local.test.3" and row["type"] == "metrics":
            row["data"]["f1_score"] = float("nan")

    assert_rejected_then_skipped(change_log(tmp_path, odd), tmp_path / "run", "nan-score", 1, 14)
