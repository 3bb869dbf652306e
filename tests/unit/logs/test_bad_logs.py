"""Broken logs: what is wrong is named and counted, and skipped only where the user asks for it."""

import copy
import dataclasses
import gzip
import json
import os
import random
import shutil
from pathlib import Path

import pytest

from broken_logs import assert_rejected_then_skipped
from closeread.cli import main
from closeread.errors import InputError, UnknownNameError
from closeread.formats.logs.detect import find_logs
from closeread.runs.ingest import ingest

FIXTURES = Path(__file__).parent / "fixtures"
(SAMPLES,) = (FIXTURES / "lm_eval").glob("samples_drop_local*")
(RESULTS,) = (FIXTURES / "lm_eval").glob("results_*903515.json")


def change_log(tmp_path, change):
    """A copy of the recorded samples, each row changed in place or dropped."""
    made = [json.loads(line) for line in SAMPLES.read_text("utf-8").splitlines()]
    made = [row for number, row in enumerate(made) if change(number, row) is not False]
    path = tmp_path / SAMPLES.name
    path.write_text("".join(json.dumps(row) + "\n" for row in made), "utf-8")
    return path


def test_a_log_truncated_within_a_record_is_counted(tmp_path):
    path = tmp_path / SAMPLES.name
    path.write_bytes(SAMPLES.read_bytes()[:-500])
    assert_rejected_then_skipped(path, tmp_path, "cut-record", 1, 13)


@pytest.mark.parametrize("kept", [20, 300])
def test_a_log_truncated_in_its_first_record_is_reported(tmp_path, kept):
    """Another one that is whole stands beside it."""
    shutil.copy(SAMPLES, tmp_path)
    cut = tmp_path / "samples_other_2026-11-20T12-01-38.000000.jsonl"
    cut.write_bytes(SAMPLES.read_bytes()[:kept])
    with pytest.raises(InputError, match="cut-record 1") as refused:
        ingest([tmp_path], tmp_path / "run")
    assert str(cut) in str(refused.value)
    assert not (tmp_path / "run").exists()


def test_a_truncated_gzip_gives_the_records_before_the_cut(tmp_path):
    """Of so small a log nothing; of one that was inflated piece by piece all but the last piece."""
    dice = random.Random(3)
    first = json.loads(SAMPLES.read_text("utf-8").splitlines()[0])
    rows = []
    for number in range(60):
        row = copy.deepcopy(first)
        row |= {"doc_id": number, "padding": dice.randbytes(50_000).hex()}
        row["doc"]["query_id"] = row["doc"]["id"] = str(number)
        rows.append(json.dumps(row) + "\n")
    packed = gzip.compress("".join(rows).encode(), 1)
    path = tmp_path / (SAMPLES.name + ".gz")
    path.write_bytes(packed[:-1000])
    with pytest.raises(InputError, match="cut-log 1, first line"):
        ingest([path], tmp_path / "run")
    (run,) = ingest([path], tmp_path / "run", skip_bad=True).runs
    assert 20 < run.info.n_predictions < 60
    path.write_bytes(gzip.compress(SAMPLES.read_bytes())[:-100])
    with pytest.raises(InputError, match="the gzip data is cut off"):
        ingest([path], tmp_path / "none", skip_bad=True)


def test_a_line_that_is_not_json_is_counted(tmp_path):
    raw = SAMPLES.read_bytes().splitlines(keepends=True)
    path = tmp_path / SAMPLES.name
    path.write_bytes(b"".join([*raw[:5], b"{oops\n", *raw[5:]]))
    assert_rejected_then_skipped(path, tmp_path, "not-json", 1, 14)


def test_missing_golds_are_counted(tmp_path):
    def change(number, row):
        if number < 3:
            row["target"] = None
            for name in ("answer", "answers", "validated_answers"):
                row["doc"].pop(name)

    assert_rejected_then_skipped(change_log(tmp_path, change), tmp_path, "missing-gold", 3, 11)


def test_drops_column_names_are_not_gold(tmp_path):
    """They stand as ``target`` of every document, of one whose gold is missing too."""

    def empty(number, row):
        if number == 3:
            row["doc"]["answer"] = dict.fromkeys(row["doc"]["answer"])
            row["doc"]["validated_answers"] = {}
            row["doc"]["answers"] = []
        assert row["target"].startswith("number,")

    assert_rejected_then_skipped(change_log(tmp_path, empty), tmp_path, "missing-gold", 1, 13)


def test_nan_scores_are_dropped_and_answers_kept(tmp_path):
    def change(number, row):
        if number in (2, 4):
            row["f1"] = float("nan")

    path = change_log(tmp_path, change)
    assert b"NaN" in path.read_bytes()
    run = assert_rejected_then_skipped(path, tmp_path, "nan-score", 2, 14)
    logged = [score.values["f1"] for score in run.log_scores()]
    assert [place for place, value in enumerate(logged) if value is None] == [2, 4]


def test_a_nan_likelihood_fails_only_its_question(tmp_path):
    (path,) = (FIXTURES / "lm_eval").glob("samples_choice*")
    made = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    made[1]["resps"][0][0][0] = "nan"
    copy = tmp_path / path.name
    copy.write_text("".join(json.dumps(row) + "\n" for row in made), "utf-8")
    (run,) = ingest([copy], tmp_path / "run").runs
    assert [bool(found.error) for found in run.predictions()] == [False, True, False]
    assert run.info.n_failed == 1


@pytest.mark.parametrize("how", ["other metrics", "the same documents"])
def test_two_tasks_in_one_file_are_counted(tmp_path, how):
    path = tmp_path / SAMPLES.name
    first = SAMPLES.read_text("utf-8")
    (other,) = (FIXTURES / "lm_eval").glob("samples_choice*")
    more = other.read_text("utf-8") if how == "other metrics" else first
    path.write_text(first + more, "utf-8")
    count = 3 if how == "other metrics" else 14
    assert_rejected_then_skipped(path, tmp_path, "mixed-tasks", count, 14)


def test_a_newer_version_is_counted(tmp_path):
    shutil.copy(SAMPLES, tmp_path)
    newer = RESULTS.read_text("utf-8").replace('"0.4.13"', '"0.7.0"')
    (tmp_path / RESULTS.name).write_text(newer, "utf-8")
    assert_rejected_then_skipped(tmp_path / SAMPLES.name, tmp_path, "newer-version", 1, 14)


def test_missing_fields_are_counted(tmp_path):
    path = change_log(tmp_path, lambda number, row: row.pop("resps") if number == 1 else None)
    assert_rejected_then_skipped(path, tmp_path, "missing-field", 1, 13)


def test_repeated_ids_are_numbered_and_counted(tmp_path):
    def change(number, row):
        row["doc"]["query_id"] = row["doc"]["id"] = "same" if number < 3 else str(number)

    found = ingest([change_log(tmp_path, change)], tmp_path / "run")
    assert found.kept == {"repeated-id": 2}
    names = [said.question_id for said in found.runs[0].predictions()]
    assert names[:4] == ["same", "same#2", "same#3", "3"]


def test_a_huge_record_is_read_and_counted(tmp_path):
    def change(number, row):
        if number == 7:
            row["resps"] = [["47" + " and so on" * 5_000_000]]

    found = ingest([change_log(tmp_path, change)], tmp_path / "run")
    assert found.kept == {"huge-record": 1} and not found.skipped
    (run,) = found.runs
    assert max(len(said.generation.text) for said in run.predictions()) == 50_000_002


def test_a_log_that_begins_with_a_huge_record_is_recognised(tmp_path, monkeypatch):
    """What tells lm-eval's samples from others stands behind the response."""
    monkeypatch.setattr("closeread.formats.files.decompression._LONG_HEAD_BYTES", 400_000)

    def swell(number, row):
        if number == 0:
            row["resps"] = row["filtered_resps"] = [["word " * 100_000]]

    found = ingest([change_log(tmp_path, swell)], tmp_path / "run")
    assert found.runs[0].info.n_predictions == 14


def test_a_huge_unknown_record_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr("closeread.formats.files.decompression._LONG_HEAD_BYTES", 400_000)
    path = tmp_path / "long.jsonl"
    path.write_text('{"a": "' + "x" * 500_000 + '"}', "utf-8")
    with pytest.raises(InputError, match="first record is too long") as refused:
        ingest([path], tmp_path / "run")
    assert "--format" in str(refused.value)


def test_column_names_are_not_gold(tmp_path):
    """DROP's target is made of them; of a document without its answers nothing tells the gold."""

    def thinned(number, row):
        if number < 3:
            row["doc"] = {name: row["doc"][name] for name in ("id", "passage", "question")}
            row["target"] = "number,date,spans,worker_id,hit_id"

    assert_rejected_then_skipped(change_log(tmp_path, thinned), tmp_path, "missing-gold", 3, 11)


@pytest.mark.parametrize("target", [["A", "C"], "AC"])
def test_options_required_together_are_not_alternatives(tmp_path, target):
    """The scorer ``choice`` wants all of them: one alone would be counted as right."""
    (log,) = (FIXTURES / "inspect").glob("*.json")
    found = json.loads(log.read_text("utf-8"))
    left = len(found["samples"]) - 1
    found["samples"][0]["target"] = target
    path = tmp_path / "log.json"
    path.write_text(json.dumps(found))
    assert_rejected_then_skipped(path, tmp_path, "odd-value", 1, left)


def test_several_targets_of_another_scorer_are_alternatives(tmp_path):
    """Each of them is right."""
    (log,) = (FIXTURES / "inspect").glob("*choice*.json")
    found = json.loads(log.read_text("utf-8"))
    first = found["samples"][0]
    first["target"] = ["A", "C"]
    first["scores"] = {"match": first["scores"]["choice"]}
    path = tmp_path / "log.json"
    path.write_text(json.dumps(found))
    (run,) = ingest([path], tmp_path / "runs").runs
    question = next(one for _, of in run.dataset() for one in of)
    assert [answer.label for answer in question.answers] == ["A", "C"]


def test_newer_schemas_and_unfinished_runs_are_counted(tmp_path):
    (log,) = (FIXTURES / "inspect").glob("*.json")
    found = json.loads(log.read_text("utf-8"))
    found |= {"version": 3, "status": "error"}
    found["samples"][1] |= {"error": {"message": "the endpoint went away"}}
    path = tmp_path / "log.json"
    path.write_text(json.dumps(found), "utf-8")
    run = assert_rejected_then_skipped(path, tmp_path, "newer-version", 1, 3)
    assert run.info.defects == {"sample-error": 1, "unfinished": 1}
    assert [said.error for said in run.predictions()][1] == "the endpoint went away"


def test_a_truncated_json_log_is_counted(tmp_path):
    (log,) = (FIXTURES / "inspect").glob("*.json")
    raw = log.read_bytes()
    path = tmp_path / "log.json"
    path.write_bytes(raw[: raw.rindex(b'"id": "c3"') + 40])
    assert_rejected_then_skipped(path, tmp_path, "cut-log", 1, 2)


def test_each_epoch_is_a_run(tmp_path):
    (log,) = (FIXTURES / "inspect").glob("*.json")
    found = json.loads(log.read_text("utf-8"))
    found["samples"] += [sample | {"epoch": 2} for sample in found["samples"]]
    path = tmp_path / "log.json"
    path.write_text(json.dumps(found), "utf-8")
    runs = ingest([path], tmp_path / "runs").runs
    assert [run.info.log.task for run in runs] == ["choice_local", "choice_local,epoch-2"]
    assert [run.info.n_predictions for run in runs] == [3, 3]


def test_a_truncated_parquet_file_is_an_error(tmp_path):
    (whole,) = (FIXTURES / "lighteval").rglob("*.parquet")
    path = tmp_path / whole.name
    path.write_bytes(whole.read_bytes()[:-100])
    with pytest.raises(InputError, match="a cut parquet file cannot be recovered"):
        ingest([path], tmp_path / "run", skip_bad=True)
    assert not (tmp_path / "run").exists()


def test_truncated_predictions_are_counted(tmp_path):
    raw = (FIXTURES / "opencompass" / "predictions" / "canned" / "drop.json").read_bytes()
    path = tmp_path / "drop.json"
    path.write_bytes(raw[:-200])
    assert_rejected_then_skipped(path, tmp_path, "cut-log", 1, 13)


def test_a_truncated_gaokao_log_keeps_the_texts_before_the_cut(tmp_path):
    (log,) = (FIXTURES / "handmade").glob("canned-4*")
    found = json.loads(log.read_text("utf-8"))
    found["example"] *= 3
    path = tmp_path / log.name
    path.write_bytes(json.dumps(found).encode()[:-200])
    assert_rejected_then_skipped(path, tmp_path, "cut-log", 1, 4)


def test_a_log_without_usable_records_is_an_error(tmp_path):
    path = change_log(tmp_path, lambda number, row: row.pop("resps") and None)
    with pytest.raises(
        InputError, match=r"no usable question is left in this log \(missing-field 14\)"
    ):
        ingest([path], tmp_path / "run", skip_bad=True)


def test_an_unusable_log_does_not_stop_a_folder(tmp_path, capsys):
    """It is named with the reason."""
    logs = tmp_path / "logs"
    logs.mkdir()
    bad = change_log(logs, lambda number, row: row.pop("resps") and None)
    bad = bad.rename(logs / "samples_empty_2026-11-20T12-01-37.903515.jsonl")
    (whole,) = (FIXTURES / "lighteval").rglob("*.parquet")
    cut = logs / whole.name
    cut.write_bytes(whole.read_bytes()[:-100])
    with pytest.raises(InputError, match="2 logs hold nothing usable") as refused:
        ingest([logs], tmp_path / "runs", skip_bad=True)
    assert "(missing-field 14)" in str(refused.value) and cut.name in str(refused.value)
    assert [path.name for path in tmp_path.iterdir()] == ["logs"]
    shutil.copy(SAMPLES, logs / "samples_whole_2026-11-20T12-01-37.903515.jsonl")
    with pytest.raises(InputError, match="as parquet"):
        ingest([logs], tmp_path / "runs")
    with pytest.raises(SystemExit) as ended:
        main(["ingest", str(logs), "--out", str(tmp_path / "runs"), "--skip-bad", "--json"])
    assert ended.value.code == 0
    printed = capsys.readouterr()
    found = json.loads(printed.out)
    assert [run["n_predictions"] for run in found["runs"].values()] == [14]
    assert found["skipped"]["missing-field"] == 14
    assert set(found["passed_over"]) == {str(bad), str(cut)}
    assert (
        f"skipped: {bad}: no usable question is left in this log (missing-field 14)" in printed.err
    )
    assert f"skipped: {cut}: " in printed.err


def test_unclosed_html_is_parsed_in_linear_time(tmp_path):
    """Each of the beginnings looked for an end as far as the record goes."""
    source = FIXTURES / "handmade" / "drop_canned-model_20261120_120000_allresults.json"
    found = json.loads(source.read_text("utf-8"))
    found["htmls"] = [one + "<p>Score: " * 100_000 for one in found["htmls"]]
    path = tmp_path / source.name
    path.write_text(json.dumps(found))
    (plain,) = ingest([source], tmp_path / "plain").runs
    (long,) = ingest([path], tmp_path / "long").runs
    assert [*long.predictions()] == [*plain.predictions()]


def test_a_failed_ingest_leaves_no_run(tmp_path, monkeypatch):
    """Beside one that is whole: its records came before it was known that it cannot be used."""
    format_ = find_logs([SAMPLES], None)[0][1]

    def broken(path, problems, facts):
        for record in format_.read(path, problems, facts):
            yield record
            if "broken" in path.name:
                raise InputError("it breaks off", where=str(path))

    one = dataclasses.replace(format_, read=broken)
    paths = [tmp_path / f"samples_{name}_2026-11-20T12-01-37.jsonl" for name in ("broken", "whole")]
    for path in paths:
        shutil.copy(SAMPLES, path)
    monkeypatch.setattr("closeread.runs.ingest.find_logs", lambda *_: [(of, one) for of in paths])
    found = ingest(paths, tmp_path / "run", skip_bad=True)
    assert [run.info.n_predictions for run in found.runs] == [14]
    assert found.passed_over == {str(paths[0]): "it breaks off"}
    assert found.runs[0].path == tmp_path / "run"
    assert {path.name for path in tmp_path.iterdir()} == {"run", *(path.name for path in paths)}


def test_files_that_are_not_logs_are_rejected(tmp_path):
    path = tmp_path / "notes.json"
    path.write_text('{"hello": 1}')
    with pytest.raises(InputError, match="no known harness") as raised:
        ingest([path], tmp_path / "run")
    assert "score --dataset D --predictions P --save RUN" in raised.value.cure
    for raw, reason in ((b"", "the file is empty"), ("{}".encode("utf-16"), "UTF-16")):
        (tmp_path / "odd").write_bytes(raw)
        with pytest.raises(InputError, match=reason):
            ingest([tmp_path / "odd"], tmp_path / "run")
    with pytest.raises(InputError, match="holds no log of a known harness"):
        ingest([tmp_path], tmp_path / "run")
    for name in ("one.jsonl", "two.jsonl"):  # called as logs are: each may be one
        (tmp_path / name).write_bytes("{}".encode("utf-16"))
    with pytest.raises(InputError, match="that closeread can read") as raised:
        ingest([tmp_path], tmp_path / "run")
    assert raised.value.found.count(".jsonl: the text is UTF-16") == 2
    assert "iconv" in raised.value.cure
    with pytest.raises(InputError, match="no such file"):
        ingest([tmp_path / "none"], tmp_path / "run")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(
        InputError, match="pipe: not a regular file\n  do: save the content to a file"
    ):
        ingest([tmp_path / "pipe"], tmp_path / "run")
    with pytest.raises(UnknownNameError, match="lm-eval"):
        ingest([path], tmp_path / "run", harness="lmeval")
