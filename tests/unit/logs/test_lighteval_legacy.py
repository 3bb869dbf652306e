"""lighteval's flat details, before 0.9, and the first Open LLM Leaderboard's, rows made by hand."""

import json
import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from closeread.errors import InputError
from closeread.runs.ingest import ingest
from closeread.runs.records import ScoreSettings
from closeread.runs.score import score_run
from project_paths import ROOT

DATE = "2024-03-01T10-20-30.405060"
QUERY = "Passage: Two kicks, of 20 and 47 yards.\nQuestion: How far was the longer?\nAnswer:"
SHOWN = "Passage: One kick.\nQuestion: How many kicks?\nAnswer: 1"
WRITTEN = {
    "example": QUERY,
    "instruction": "",
    "full_prompt": f"{SHOWN}\n\n{QUERY}",
    "num_effective_few_shots": 1,
    "num_asked_few_shots": 1,
    "predictions": [" 47"],
    "input_tokens": [[1, 2, 3]],
    "cont_tokens": [[4]],
    "truncated": [0],
    "padded": [0],
    "gold": ["47", "47 yards"],
    "choices": [],
    "gold_index": [],
    "metrics": {"em": 1.0, "f1": 1.0},
    "specifics": {"golds_no_preprocessing": [["47"], ["47", "20"]]},
}
LIKELIHOODS = WRITTEN | {
    "example": "Passage: It rained.\nQuestion: Was it dry?\nAnswer:",
    "full_prompt": "Passage: It rained.\nQuestion: Was it dry?\nAnswer:",
    "predictions": [-3.0, -0.5],
    "gold": [],
    "choices": [" yes", " no"],
    "gold_index": [1],
    "metrics": {"acc": 1.0},
    "specifics": None,
}


def write_details(folder, rows, task="lighteval|drop|1"):
    path = folder / "details" / "org" / "model" / DATE / f"details_{task}_{DATE}.parquet"
    path.parent.mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist(rows), path)
    return path


def single_question(run):
    (question,), (said,) = run.dataset().questions(), run.predictions()
    return question, said


def print_cells(row):
    return {name: str(value) for name, value in row.items()}


@pytest.mark.parametrize("how", [dict, print_cells])
def test_generated_answers_have_golds_and_examples(tmp_path, how):
    (run,) = ingest([write_details(tmp_path, [how(WRITTEN)])], tmp_path / "run").runs
    question, said = single_question(run)
    (passage, _), *_ = run.dataset()
    assert passage.text == "Two kicks, of 20 and 47 yards."
    assert question.text == "How far was the longer?" and said.generation.text == " 47"
    assert [answer.texts for answer in question.answers] == [("47",), ("47", "20")]
    assert run.log_shown() == {"0": ("1",)}
    assert next(run.log_scores()).values == {"em": 1.0, "f1": 1.0}
    log = run.info.log
    assert (log.task, log.model, log.created) == ("lighteval|drop|1", "model", DATE)
    assert log.settings == {"num_fewshot": 1}
    assert {"tail", "stops", "tokens", "finish-reason", "version"} <= set(log.lost)


@pytest.mark.parametrize(
    "row",
    [
        LIKELIHOODS,
        print_cells(LIKELIHOODS),
        print_cells(LIKELIHOODS | {"predictions": [(-3.0, False), (-0.5, True)]}),
    ],
    ids=["columns", "printed", "pairs, which no column holds unprinted"],
)
def test_likelihoods_may_come_with_a_greedy_flag(tmp_path, row):
    (run,) = ingest([write_details(tmp_path, [row])], tmp_path / "run").runs
    question, said = single_question(run)
    assert question.answers[0].label == said.answer.label == "B"
    assert said.option_scores == (-3.0, -0.5) and run.log_shown() == {}
    settings = ScoreSettings(metrics=("choice.accuracy",))
    assert score_run(run, settings).metrics["choice.accuracy"].value == 1.0


def test_a_text_that_looks_like_a_list_stays_a_text(tmp_path):
    row = WRITTEN | {"predictions": ["[1, 2]"], "specifics": None, "gold": ["5"]}
    (run,) = ingest([write_details(tmp_path, [row])], tmp_path / "run").runs
    question, said = single_question(run)
    assert said.answer.texts == ("[1, 2]",) and question.answers[0].kind == "number"


def test_scores_and_results_of_the_hub_layout_are_read(tmp_path):
    row = {name: value for name, value in LIKELIHOODS.items() if name != "metrics"}
    path = write_details(tmp_path, [row | {"acc": 1.0, "acc_norm": 0.0}], "harness|arc|25")
    results = {
        "config_general": {"model_name": "org/model", "lighteval_sha": "abc"},
        "results": {"harness|arc|25": {"acc": 1.0, "acc_stderr": 0.0}},
        "versions": {"harness|arc|25": 0},
    }
    beside = path.parent.parent / f"results_{DATE}.json"
    beside.write_text(json.dumps(results), "utf-8")
    (run,) = ingest([path], tmp_path / "run").runs
    assert next(run.log_scores()).values == {"acc": 1.0, "acc_norm": 0.0}
    log = run.info.log
    assert (log.model, log.version, log.task_version) == ("org/model", "abc", "0")
    assert log.scores == {"acc": 1.0, "acc_stderr": 0.0} and "version" not in log.lost


def test_the_leaderboards_drop_without_gold_is_an_error(tmp_path):
    row = WRITTEN | {"example": "f37e81fa-ef7b", "gold": [], "specifics": None}
    path = write_details(tmp_path, [row], "harness|drop|3")
    with pytest.raises(InputError, match=r"missing-gold 1, .*f37e81fa.*leaderboard did not log it"):
        ingest([path], tmp_path / "run")


@pytest.mark.parametrize("how", [dict, print_cells])
def test_the_documented_conversion_of_the_leaderboards_drop_works(tmp_path, monkeypatch, how):
    """They are scored against DROP's own file, whose ids stand in the rows."""
    row = {"example": "q-1", "full_prompt": "", "predictions": [" 47\n\nPassage: x"], "gold": []}
    pq.write_table(pa.Table.from_pylist([how(row)]), tmp_path / "details.parquet")
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs/logs.md").read_text(), re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "docs/logs.md", "exec"), {})
    assert json.loads((tmp_path / "predictions.json").read_text()) == {"q-1": " 47\n\nPassage: x"}


def test_unknown_columns_are_named_in_the_error(tmp_path):
    path = write_details(tmp_path, [{"question": "Who?"}])
    with pytest.raises(InputError, match=r"has the columns question(.|\n)*full_prompt"):
        ingest([path], tmp_path / "run")
