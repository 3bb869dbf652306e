"""lm-evaluation-harness before 0.4: what ``--write_out`` wrote of each task."""

import json
import shutil
from pathlib import Path

import pytest

from broken_logs import assert_rejected_then_skipped
from closeread.errors import InputError
from closeread.runs.ingest import ingest

FIXTURES = Path(__file__).parent / "fixtures/write_out"
DROP, RACE = (FIXTURES / f"{name}_write_out_info.json" for name in ("drop", "race"))


def test_texts_have_the_first_gold_and_the_scores(tmp_path):
    run, _ = ingest([FIXTURES], tmp_path / "runs").runs
    log = run.info.log
    assert (log.harness, log.model, log.task_version) == ("lm-eval", "canned/model", "1")
    assert log.scores["em"] == 2 / 3 and log.settings["num_fewshot"] == 1
    assert {"tail", "stops", "gold-others", "gold-spans"} <= set(log.lost)
    question = next(iter(run.dataset().questions()))
    assert question.text == "How many yards was the longest field goal?"
    assert question.answers[0].texts == ("47",) and question.answers[0].kind == "number"
    said = next(iter(run.predictions()))
    assert said.generation.text == " 47"
    assert [row.values for row in run.log_scores()] == [
        {"em": 1.0, "f1": 1.0}, {"em": 1.0, "f1": 1.0}, {"em": 0.0, "f1": 0.5},
    ]  # fmt: skip
    assert set(run.log_shown().values()) == {("12",)}


def test_options_begin_after_the_answer_heading(tmp_path):
    """(Those of the first question begin with the same word.)"""
    _, run = ingest([FIXTURES], tmp_path / "runs").runs
    first, second, _ = run.dataset().questions()
    assert [one.text for one in first.options] == ["the Herons", "the Quails", "nobody"]
    assert first.answers[0].label == "A" and second.answers[0].label == "B"
    said = list(run.predictions())[1]
    assert said.option_scores == (-2.0, -2.5, -7.0) and said.answer.label == "A"


def rewrite_log(tmp_path, log, change):
    rows = json.loads(log.read_text("utf-8"))
    for row in rows:
        change(row)
    path = tmp_path / log.name
    path.write_text(json.dumps(rows), "utf-8")
    return path


def test_options_begin_at_the_first_differing_word(tmp_path):
    def bare(row):
        for at in range(3):
            row[f"prompt_{at}"] = row[f"prompt_{at}"].replace("\nAnswer:", "")

    (run,) = ingest([rewrite_log(tmp_path, RACE, bare)], tmp_path / "run").runs
    second = list(run.dataset().questions())[1]
    assert [one.text for one in second.options] == ["on the islands", "in the capital", "abroad"]


def test_the_suffix_until_is_removed_from_prompts(tmp_path):
    def until(row):
        row["prompt_0"] = f"How many?{'until'}"

    (run,) = ingest([rewrite_log(tmp_path, DROP, until)], tmp_path / "run").runs
    assert {one.text for one in run.dataset().questions()} == {"How many?"}


@pytest.mark.parametrize(
    ("answers", "kind"),
    [({"text": ["forty", "some forty"], "answer_start": [1, 2]}, "span"), ({"text": []}, "none")],
)
def test_squad_golds_are_read_from_the_scores(tmp_path, answers, kind):
    def squad(row):
        row["exact"] = str(({"id": "q", "prediction_text": "x"}, {"id": "q", "answers": answers}))

    (run,) = ingest([rewrite_log(tmp_path, DROP, squad)], tmp_path / "run").runs
    for question in run.dataset().questions():
        assert [one.kind for one in question.answers] == [kind] * max(1, len(answers["text"]))
    assert all("exact" not in row.values for row in run.log_scores())


def test_two_results_of_one_task_are_not_used(tmp_path):
    shutil.copytree(FIXTURES, tmp_path / "out")
    shutil.copy(FIXTURES / "canned.json", tmp_path / "out/other.json")
    run, _ = ingest([tmp_path / "out"], tmp_path / "runs").runs
    assert run.info.log.scores == {} and run.info.log.model == ""


def test_results_of_further_tasks_are_separate_runs(tmp_path):
    """What lies beside them and is no file is passed over."""
    shutil.copytree(FIXTURES, tmp_path / "out")
    (tmp_path / "out" / RACE.name).unlink()
    (tmp_path / "out/moved.json").symlink_to(tmp_path / "gone.json")
    found = ingest([tmp_path / "out"], tmp_path / "runs").runs
    assert [run.info.n_predictions for run in found] == [0, 0, 3]


def test_truncated_arrays_and_missing_golds_are_counted(tmp_path):
    cut = tmp_path / DROP.name
    cut.write_bytes(DROP.read_bytes()[:-200])
    assert_rejected_then_skipped(cut, tmp_path, "cut-log", 1, 2)

    def without(row):
        del row["truth"]

    with pytest.raises(InputError, match="missing-gold 3"):
        ingest([rewrite_log(tmp_path, DROP, without)], tmp_path / "other")
