"""``closeread ingest`` as a user calls it, and what the other verbs do with its runs."""

import gzip
import json
import shutil
from pathlib import Path

from closeread.runs.ingest import ingest
from command_line import run_in_process

FIXTURES = Path(__file__).parent / "fixtures"


def test_ingested_runs_can_be_scored_verified_and_moved(tmp_path):
    out = tmp_path / "runs"
    done = run_in_process("ingest", FIXTURES / "lm_eval", "--out", out, "--json")
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)
    assert {Path(name).name for name in printed["runs"]} == {"drop_local", "choice_local"}
    assert printed["skipped"] == printed["kept"] == {}
    moved = tmp_path / "elsewhere"
    out.rename(moved)
    done = run_in_process("score", moved / "drop_local", "--json", "--metric", "lm-eval")
    assert round(json.loads(done.stdout)["metrics"]["lm-eval.drop.f1"]["value"], 4) == 0.2457
    assert run_in_process("score", moved / "choice_local").returncode == 0
    assert run_in_process("verify", moved).returncode == 0
    page = tmp_path / "page.html"
    done = run_in_process("report", moved / "drop_local", moved / "choice_local", "--out", page)
    assert done.returncode == 0 and "Harlow" in page.read_text("utf-8")


def test_the_table_lists_what_the_log_lacks(tmp_path):
    done = run_in_process("ingest", FIXTURES / "opencompass", "--out", tmp_path / "run")
    assert done.returncode == 0 and "finish-reason" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 100


def test_the_table_of_several_runs_has_relative_names(tmp_path):
    """(In the column of a table a whole path is broken over lines.)"""
    out = tmp_path / "runs"
    done = run_in_process("ingest", FIXTURES / "lm_eval", "--out", out)
    title, _, *rows = done.stdout.splitlines()
    assert title == f"2 runs in {out}"
    assert [row.split()[0] for row in rows if "lm-eval" in row] == ["choice_local", "drop_local"]


def test_a_broken_log_exits_with_2_and_without_a_traceback(tmp_path):
    (log,) = (FIXTURES / "lm_eval").glob("samples_drop*")
    path = tmp_path / log.name
    path.write_bytes(log.read_bytes()[:-500])
    done = run_in_process("ingest", path, "--out", tmp_path / "run")
    assert done.returncode == 2 and "cut-record 1, first line 14" in done.stderr
    assert "Traceback" not in done.stderr and not (tmp_path / "run").exists()
    done = run_in_process("ingest", path, "--out", tmp_path / "run", "--skip-bad")
    assert done.returncode == 0 and "skipped as unusable: cut-record 1" in done.stderr


def test_results_without_questions_cannot_be_scored_and_say_so(tmp_path):
    log = FIXTURES / "handmade" / "results-v1.json"
    assert run_in_process("ingest", log, "--out", tmp_path / "runs").returncode == 0
    done = run_in_process("score", tmp_path / "runs" / "drop")
    assert done.returncode == 2 and "Traceback" not in done.stderr


def test_a_log_given_twice_makes_one_run(tmp_path):
    """By itself, and beside the folder that holds it."""
    (log,) = (FIXTURES / "lm_eval_few_shot").glob("samples*.jsonl")
    done = run_in_process("ingest", log, log, log.parent, "--out", tmp_path / "run")
    assert done.returncode == 0 and "is given more than once; it is used once" in done.stderr
    assert (tmp_path / "run" / "run.json").is_file()


def test_single_logs_are_read_by_relative_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = [
        "evalscope/predictions/canned/drop_default.jsonl",
        "evalscope/reviews/canned/drop_default.jsonl",
        "opencompass/predictions/canned/drop.json",
        "lm_eval/samples_drop_local_2026-11-20T12-01-37.903515.jsonl",
    ]
    for number, name in enumerate(names):
        Path("log").write_bytes((FIXTURES / name).read_bytes())
        (run,) = ingest([Path("log")], Path(f"run-{number}")).runs
        assert run.info.n_predictions == 14 and not run.info.n_failed
        assert run.info.log.scores == {} and run.info.log.lost


def test_two_models_on_one_task_get_different_names(tmp_path):
    for model in ("small", "large/er"):
        folder = tmp_path / "logs" / model.replace("/", "__")
        shutil.copytree(FIXTURES / "lm_eval", folder)
        for results in folder.glob("results_*"):
            found = json.loads(results.read_text("utf-8"))
            found["config"]["model_args"] = f"pretrained={model},token=secret"
            results.write_text(json.dumps(found), "utf-8")
    runs = ingest([tmp_path / "logs"], tmp_path / "runs").runs
    assert sorted(run.path.name for run in runs) == [
        "large-er--choice_local",
        "large-er--drop_local",
        "small--choice_local",
        "small--drop_local",
    ]
    assert all("secret" not in (run.path / "run.json").read_text("utf-8") for run in runs)


def test_the_same_log_always_gives_the_same_run(tmp_path):
    one, two = (ingest([FIXTURES / "inspect"], tmp_path / name).runs for name in ("a", "b"))
    for first, second in zip(one, two, strict=True):
        assert first.path.name == second.path.name
        for name in ("dataset.jsonl", "predictions.jsonl", "ledger.jsonl", "log_scores.jsonl"):
            assert (first.path / name).read_bytes() == (second.path / name).read_bytes()


def test_files_of_a_folder_that_cannot_be_read_are_named(tmp_path):
    """An empty file, one in UTF-16 and a cut one may be the logs of tasks that failed."""
    folder = tmp_path / "logs"
    folder.mkdir()
    (log,) = (FIXTURES / "lm_eval").glob("samples_drop*")
    shutil.copy(log, folder)
    (folder / "samples_empty.jsonl").touch()
    (folder / "samples_wide.jsonl").write_text(log.read_text("utf-8"), "utf-16")
    (folder / "samples_cut.jsonl.gz").write_bytes(gzip.compress(log.read_bytes())[:30])
    (folder / "notes.txt").touch()
    done = run_in_process("ingest", folder, "--out", tmp_path / "run")
    assert done.returncode == 0, done.stderr
    told = [line for line in done.stderr.splitlines() if line.startswith("skipped: ")]
    named = {Path(line.split(": ")[1]).name: line.split(": ")[2] for line in told}
    assert list(named) == ["samples_cut.jsonl.gz", "samples_empty.jsonl", "samples_wide.jsonl"]
    assert named["samples_empty.jsonl"] == "the file is empty"
