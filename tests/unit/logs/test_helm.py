"""HELM: a run's folder, what was made of it for the site, and runs that are something else."""

import gzip
import json
import shutil
from pathlib import Path

import pytest

from audit_runs import load_run
from broken_logs import assert_rejected_then_skipped
from closeread.audits.recorded import check
from closeread.errors import InputError
from closeread.formats.logs.detect import find_logs
from closeread.runs.ingest import ingest
from closeread.runs.records import ScoreSettings
from closeread.runs.score import score_run

FIXTURES = Path(__file__).parent / "fixtures/helm"
DROP = FIXTURES / "drop_local"
JOINT = FIXTURES / "choice_joint"
CALIBRATED = FIXTURES / "choice_calibrated"


def ingest_by_task(log, out, **beside):
    return {run.info.log.task: run for run in ingest([log], out, **beside).runs}


def change_run(tmp_path, change, run=DROP, name="scenario_state.json"):
    """A copy of a recorded run with one of its files changed."""
    folder = tmp_path / run.name
    shutil.copytree(run, folder)
    document = json.loads((folder / name).read_text("utf-8"))
    change(document)
    (folder / name).write_text(json.dumps(document), "utf-8")
    return folder


def test_a_run_is_read_with_all_fields(tmp_path):
    runs = ingest_by_task(DROP, tmp_path / "runs")
    assert list(runs) == ["drop_local", "drop_local,lowercase"]
    log = runs["drop_local"].info.log
    assert (log.harness, log.model) == ("helm", "local/canned")
    assert log.settings["num_fewshot"] == 0 and log.settings["stop_sequences"] == ["\n"]
    assert log.created == "2025-11-24T16:00:00+00:00" and "tail" in log.lost
    assert not {"tokens", "sample-scores"} & set(log.lost)
    first = next(iter(runs["drop_local"].dataset().questions()))
    assert first.text == "How many yards was the longest field goal?"
    assert first.answers[0].texts == ("47",)
    passages = [passage.text for passage, _ in runs["drop_local"].dataset()]
    assert passages[0].startswith("The Harlow Herons met") and passages[0].endswith("won 9-7.")
    said = {one.question_id: one for one in runs["drop_local"].predictions()}[first.question_id]
    assert (said.answer.texts, said.generation.text) == (("47",), " 47")
    assert said.generation.stops == ("\n",) and said.generation.completion_tokens is not None
    assert "finish-reason" in log.lost  # its clients lose it where they cut a text
    lower = next(iter(runs["drop_local,lowercase"].dataset().questions()))
    assert (lower.question_id, lower.text) == (first.question_id, first.text.lower())


@pytest.mark.parametrize("task", ["drop_local", "drop_local,lowercase"])
def test_ingested_scores_equal_the_logged_ones(tmp_path, task):
    run = ingest_by_task(DROP, tmp_path / "runs")[task]
    names = ("exact_match", "quasi_exact_match", "prefix_exact_match", "f1_score")
    for name in names:
        ours = f"helm.{name}"
        found = score_run(run, ScoreSettings(metrics=(ours,))).metrics[ours]
        assert found.value == pytest.approx(run.info.log.scores[name], abs=1e-12)
    finding = check(load_run(run))
    assert finding.verdict == "sound"
    assert "f1_score is reproduced by helm.f1_score" in finding.headline


def test_the_letter_is_extracted_as_by_the_harness(tmp_path):
    """One of the three answers is none of the letters."""
    (run,) = ingest_by_task(JOINT, tmp_path / "run").values()
    assert run.info.log.task == "choice_local:method=multiple_choice_joint"
    first = next(iter(run.dataset().questions()))
    assert [one.text for one in first.options] == ["the Herons", "the Quails", "nobody"]
    picked = [one.answer and one.answer.label for one in run.predictions()]
    assert picked == ["A", "C", None]
    assert {one.generation.finish_reason for one in run.predictions()} == {"stop"}
    found = score_run(run, ScoreSettings(metrics=("choice",))).metrics["choice.accuracy"]
    assert found.value == run.info.log.scores["exact_match"] == 1 / 3


@pytest.mark.parametrize(
    ("pattern", "said", "label"),
    [(r"answer is (\w)", "The answer is B.", "B"), (r"[A-C]", "so: B!", "B"), (r"\d", "B", None)],
)
def test_the_pattern_of_the_adapter_finds_the_letter(tmp_path, pattern, said, label):
    def told(document):
        document["adapter_spec"]["output_mapping_pattern"] = pattern
        document["request_states"][0]["result"]["completions"][0]["text"] = said

    (run,) = ingest_by_task(change_run(tmp_path, told, JOINT), tmp_path / "run").values()
    answer = next(iter(run.predictions())).answer
    assert (answer and answer.label) == label


def test_likelihoods_are_of_the_options_tokens(tmp_path):
    (run,) = ingest_by_task(CALIBRATED, tmp_path / "run").values()
    question, said = next(iter(run.dataset().questions())), next(iter(run.predictions()))
    assert said.answer == question.options[0].answer
    # -1.5, -3.25 and -4 with the question, -3 each without it
    assert said.option_scores == pytest.approx((1.5, -0.25, -1.0))
    found = score_run(run, ScoreSettings(metrics=("choice",))).metrics["choice.accuracy"]
    assert found.value == run.info.log.scores["exact_match"] == 2 / 3


def test_without_option_tokens_the_harness_choice_is_used(tmp_path):
    def unspelt(document):
        for state in document["request_states"]:
            state["result"]["completions"][0]["tokens"] = []

    (run,) = ingest_by_task(change_run(tmp_path, unspelt, CALIBRATED), tmp_path / "run").values()
    said = list(run.predictions())
    assert [one.answer.label for one in said] == ["A", "A", "B"]
    assert not any(one.option_scores for one in said)


def test_displayed_predictions_have_answers_and_scores(tmp_path):
    whole, site = (
        ingest_by_task(DROP, tmp_path / "whole"),
        ingest_by_task(FIXTURES / "site", tmp_path / "site"),
    )
    assert list(site) == list(whole)
    for task, run in site.items():
        assert list(run.dataset()) == list(whole[task].dataset())
        assert [one.answer for one in run.predictions()] == [
            one.answer for one in whole[task].predictions()
        ]
        assert "finish-reason" in run.info.log.lost and "tokens" not in run.info.log.lost
        assert next(iter(run.log_scores())).values.keys() == {"f1_score"}
        assert "tail" in run.info.log.lost and run.info.log.scores == whole[task].info.log.scores


def test_displayed_predictions_beside_a_state_are_skipped(tmp_path):
    folder = tmp_path / "both"
    shutil.copytree(FIXTURES / "site", folder)
    packed = gzip.compress((DROP / "scenario_state.json").read_bytes())
    (folder / "scenario_state.json.gz").write_bytes(packed)
    (found,) = find_logs([folder], None)
    assert found[0].name == "scenario_state.json.gz"
    assert set(ingest_by_task(folder, tmp_path / "runs")) == {"drop_local", "drop_local,lowercase"}


def test_answers_without_questions_are_an_error(tmp_path):
    path = tmp_path / "display_predictions.json"
    shutil.copy(FIXTURES / "site" / path.name, path)
    with pytest.raises(InputError, match=r"has no instances\.json"):
        ingest([path], tmp_path / "run")


def test_a_state_alone_has_no_scores(tmp_path):
    folder = tmp_path / "quac:model=some_model,data_augmentation=canonical"
    folder.mkdir()
    shutil.copy(DROP / "scenario_state.json", folder)
    run = ingest_by_task(folder, tmp_path / "runs")["quac:data_augmentation=canonical"]
    assert run.info.log.scores == {} and not list(run.log_scores())
    assert {"sample-scores", "tokens"} <= set(run.info.log.lost)


def test_texts_of_early_versions_are_read(tmp_path):
    def bare(document):
        for state in document["request_states"]:
            instance = state["instance"]
            instance["input"] = instance["input"]["text"]
            for reference in instance["references"]:
                reference["output"] = reference["output"]["text"]

    old = ingest_by_task(change_run(tmp_path, bare), tmp_path / "old")
    new = ingest_by_task(DROP, tmp_path / "new")
    for task, run in new.items():
        assert list(run.dataset()) == list(old[task].dataset())


def test_turns_of_a_dialogue_stay_with_their_question(tmp_path):
    text = (
        "Title: A mill\n\nPassage: It has 12 wheels.\n\nQuestion: What has it?\nAnswer: wheels\n\n"
    )

    def dialogue(document):
        document["request_states"][0]["instance"]["input"]["text"] = text + "Question: How many?"

    run = ingest_by_task(change_run(tmp_path, dialogue), tmp_path / "runs")["drop_local"]
    passage, (question, *_) = next(iter(run.dataset()))
    assert passage.text == "Title: A mill\n\nPassage: It has 12 wheels."
    assert question.text == "What has it?\nAnswer: wheels\n\nQuestion: How many?"


def test_each_trial_and_split_is_a_run(tmp_path):
    def parted(document):
        _, second, third, _ = states = document["request_states"][:4]
        document["request_states"] = states
        second["train_trial_index"] = 1
        third["instance"]["split"] = "valid"

    runs = ingest_by_task(change_run(tmp_path, parted), tmp_path / "runs")
    assert {"drop_local", "drop_local,lowercase,trial-1", "drop_local,valid"} <= set(runs)
    assert runs["drop_local"].info.log.scores == {}


def test_missing_and_failed_requests_are_counted(tmp_path):
    def failing(document):
        first, second = document["request_states"][:2]
        document["request_states"] = [first, second]
        del first["result"]
        second["result"] = {"success": False, "error": "quota", "completions": [], "cached": False}

    folder = change_run(tmp_path, failing)
    with pytest.raises(InputError, match="no-response 1"):
        ingest([folder], tmp_path / "runs")
    found = ingest([folder], tmp_path / "runs", skip_bad=True)
    assert found.kept == {"sample-error": 1}
    assert [one.error for run in found.runs for one in run.predictions()] == ["quota"]


def test_values_of_other_types_are_counted(tmp_path):
    """What takes its place in a run as text where a number belongs could not be read from it."""

    def odd(document):
        states = document["request_states"]
        states[0]["result"]["request_time"] = "slow"
        states[1]["instance"]["perturbation"] = 5
        document["request_states"] = states[:4]

    found = ingest([change_run(tmp_path, odd)], tmp_path / "runs", skip_bad=True)
    assert found.skipped == {"odd-value": 1}
    assert sum(1 for run in found.runs for _ in run.predictions()) == 3


def test_invalid_displayed_requests_are_skipped(tmp_path):
    folder = change_run(
        tmp_path, lambda rows: rows.insert(0, {"x": 1}), FIXTURES / "site", "display_requests.json"
    )
    whole = ingest([FIXTURES / "site"], tmp_path / "whole").runs
    found = ingest([folder], tmp_path / "runs").runs
    assert [list(run.predictions()) for run in found] == [list(run.predictions()) for run in whole]


def test_unsupported_methods_are_an_error(tmp_path):
    def ranking(document):
        document["adapter_spec"]["method"] = "ranking_binary"

    with pytest.raises(InputError, match="unknown adapter method 'ranking_binary'"):
        ingest([change_run(tmp_path, ranking)], tmp_path / "runs")


def test_a_truncated_state_keeps_earlier_requests(tmp_path):
    folder = tmp_path / "cut"
    shutil.copytree(JOINT, folder)
    state = folder / "scenario_state.json"
    state.write_bytes(state.read_bytes()[:-300])
    assert_rejected_then_skipped(state, tmp_path, "cut-log", 1, 2)


def test_the_likeliest_completion_is_the_answer(tmp_path):
    def several(document):
        result = document["request_states"][0]["result"]
        second = {"text": "forty", "logprob": -0.5, "tokens": []}
        result["completions"] = [*result["completions"], second]

    found = ingest([change_run(tmp_path, several)], tmp_path / "runs")
    said = next(iter(found.runs[0].predictions()))
    assert said.generation.text == "forty" and found.kept == {"more-responses": 1}
