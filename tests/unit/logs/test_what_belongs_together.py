"""Golds, scores and numbers of a log go to the question and the run that they were written for."""

import json
import shutil
from pathlib import Path

import pytest

from closeread.formats.logs import golds
from closeread.formats.logs.detect import guess
from closeread.runs.ingest import ingest

FIXTURES = Path(__file__).parent / "fixtures"
(CHOICES,) = (FIXTURES / "lm_eval").glob("samples_choice*")


def write_json(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), "utf-8")


def logged_values(run, name):
    return [score.values.get(name) for score in run.log_scores()]


def test_an_integer_gold_is_an_index():
    options = golds.make_lettered_options(["2", "1", "0"])
    assert golds.find_option(0, options).label == "A"
    assert golds.find_option("0", options).label == "C"
    assert golds.find_option(3, options) is golds.find_option(-1, options) is None


def test_lm_evals_integer_gold_is_an_index(tmp_path):
    rows = [json.loads(line) for line in CHOICES.read_text("utf-8").splitlines()]
    for row in rows:
        row["target"] = "0"
        for request, text in zip(row["arguments"].values(), (" 2", " 1", " 0"), strict=True):
            request["arg_1"] = text
    path = tmp_path / CHOICES.name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    (run,) = ingest([path], tmp_path / "run").runs
    assert {question.answers[0].label for question in run.dataset().questions()} == {"A"}


def test_results_of_another_date_are_not_used(tmp_path):
    shutil.copy(CHOICES, tmp_path)
    (results,) = (FIXTURES / "lm_eval").glob("results_*.944379.json")
    other = tmp_path / "results_2026-11-19T00-00-00.000000.json"
    shutil.copy(results, other)
    (run,) = ingest([tmp_path / CHOICES.name], tmp_path / "run").runs
    assert run.info.log.scores == {} and run.info.log.model == ""
    undated = tmp_path / "samples_choice_local.jsonl"
    shutil.copy(CHOICES, undated)
    (run,) = ingest([undated], tmp_path / "undated").runs
    assert run.info.log.scores["acc"] > 0  # the only ones there are
    shutil.copy(results, tmp_path)
    (run,) = ingest([undated], tmp_path / "two").runs
    assert run.info.log.scores == {}


@pytest.mark.parametrize("form", ["list", "object"])
def test_opencompass_scores_of_parts_are_assigned(tmp_path, form):
    """One file of scores stands for all parts; as an object it begins with a type."""
    entries = [
        {"origin_prompt": f"Passage: P{n}\nQuestion: Which?", "prediction": "x", "gold": "x"}
        for n in range(5)
    ]
    for part, of in enumerate((entries[:3], entries[3:])):
        shuffled = dict(reversed([(str(at), one) for at, one in enumerate(of)]))
        first = {"0": shuffled.pop("0")}
        path = tmp_path / "predictions" / "m" / f"set_{part}.json"
        write_json(path, first | shuffled)
    rows = [{"pred": "x", "correct": [n in (0, 3)]} for n in range(5)]
    details = rows if form == "list" else {"type": "GEN"} | {str(n): rows[n] for n in range(5)}
    write_json(tmp_path / "results" / "m" / "set.json", {"accuracy": 40.0, "details": details})
    runs = ingest([tmp_path / "predictions"], tmp_path / "runs").runs
    by_task = {run.info.log.task: logged_values(run, "correct") for run in runs}
    assert by_task == {"set_0": [1.0, 0.0, 0.0], "set_1": [1.0, 0.0]}
    (tmp_path / "predictions" / "m" / "set_0.json").unlink()
    (run,) = ingest([tmp_path / "predictions"], tmp_path / "later").runs
    assert logged_values(run, "correct") == [] and "sample-scores" in run.info.log.lost


def test_scores_over_all_epochs_belong_to_no_single_one(tmp_path):
    (log,) = (FIXTURES / "inspect").glob("*.json")
    found = json.loads(log.read_text("utf-8"))
    found["samples"] += [sample | {"epoch": 2} for sample in found["samples"]]
    write_json(tmp_path / "log.json", found)
    runs = ingest([tmp_path / "log.json"], tmp_path / "runs").runs
    assert len(runs) == 2 and all(run.info.log.scores == {} for run in runs)


def test_further_answers_to_a_question_are_counted(tmp_path):
    (log,) = (FIXTURES / "inspect").glob("*.json")
    found = json.loads(log.read_text("utf-8"))
    found["samples"][0]["output"]["choices"] *= 2
    write_json(tmp_path / "log.json", found)
    assert ingest([tmp_path / "log.json"], tmp_path / "a").kept == {"more-responses": 1}
    entry = {"origin_prompt": "Passage: P\nQuestion: Q?", "prediction": ["x", "y"], "gold": "x"}
    write_json(tmp_path / "set.json", {"0": entry})
    assert ingest([tmp_path / "set.json"], tmp_path / "b").kept == {"more-responses": 1}


def test_the_tail_is_lost_only_with_stops(tmp_path):
    (path,) = (FIXTURES / "lm_eval").glob("samples_drop_local*")
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for row in rows:
        row["arguments"]["gen_args_0"]["arg_1"]["until"] = []
    copy = tmp_path / path.name
    copy.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    (run,) = ingest([copy], tmp_path / "run").runs
    assert "tail" not in run.info.log.lost and "finish-reason" in run.info.log.lost


def test_a_log_with_very_long_prompts_is_recognised(tmp_path):
    (path,) = (FIXTURES / "lm_eval").glob("samples_drop_local*")
    row = json.loads(path.read_text("utf-8").splitlines()[0])
    row["arguments"]["gen_args_0"]["arg_0"] = "word " * 100_000
    copy = tmp_path / "log"
    copy.write_text(json.dumps(row) + "\n", "utf-8")
    assert guess(copy).name == "lm-eval"
    review = (FIXTURES / "evalscope/reviews/canned/drop_default.jsonl").read_text("utf-8")
    row = json.loads(review.splitlines()[0])
    row = {"index": 0, "messages": [{"role": "user", "content": "word " * 100_000}]} | row
    copy.write_text(json.dumps(row) + "\n", "utf-8")
    assert guess(copy).name == "evalscope"


def test_numbers_beyond_floats_are_odd_values(tmp_path):
    (path,) = (FIXTURES / "lm_eval").glob("samples_drop_local*")
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    rows[1]["f1"] = 10**400
    copy = tmp_path / path.name
    copy.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    found = ingest([copy], tmp_path / "run", skip_bad=True)
    assert sum(found.skipped.values()) == 1
