"""``closeread ingest`` as a user calls it, and what the other verbs do with its runs."""

import json
import subprocess
import sys
from pathlib import Path

FIXTURES = Path(__file__).parent / "fixtures"


def closeread(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "closeread", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_folder_of_logs_becomes_runs_that_score_verify_and_report_even_when_moved(tmp_path):
    out = tmp_path / "runs"
    done = closeread("ingest", FIXTURES / "lm_eval", "--out", out, "--json")
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)
    assert {Path(name).name for name in printed["runs"]} == {"drop_local", "choice_local"}
    assert printed["skipped"] == printed["kept"] == {}
    moved = tmp_path / "elsewhere"
    out.rename(moved)
    done = closeread("score", moved / "drop_local", "--json", "--metric", "lm-eval")
    assert round(json.loads(done.stdout)["metrics"]["lm-eval.drop.f1"]["value"], 4) == 0.2457
    assert closeread("score", moved / "choice_local").returncode == 0
    assert closeread("verify", moved).returncode == 0
    page = tmp_path / "page.html"
    done = closeread("report", moved / "drop_local", moved / "choice_local", "--out", page)
    assert done.returncode == 0 and "Harlow" in page.read_text("utf-8")


def test_the_table_names_what_is_lost(tmp_path):
    done = closeread("ingest", FIXTURES / "opencompass", "--out", tmp_path / "run")
    assert done.returncode == 0 and "finish-reason" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 100


def test_a_broken_log_exits_with_2_and_without_a_traceback(tmp_path):
    (log,) = (FIXTURES / "lm_eval").glob("samples_drop*")
    path = tmp_path / log.name
    path.write_bytes(log.read_bytes()[:-500])
    done = closeread("ingest", path, "--out", tmp_path / "run")
    assert done.returncode == 2 and "cut-record 1, first line 14" in done.stderr
    assert "Traceback" not in done.stderr and not (tmp_path / "run").exists()
    done = closeread("ingest", path, "--out", tmp_path / "run", "--skip-bad")
    assert done.returncode == 0 and "left out: cut-record 1" in done.stderr


def test_results_without_questions_cannot_be_scored_and_say_so(tmp_path):
    log = FIXTURES / "handmade" / "results-v1.json"
    assert closeread("ingest", log, "--out", tmp_path / "runs").returncode == 0
    done = closeread("score", tmp_path / "runs" / "drop")
    assert done.returncode == 2 and "Traceback" not in done.stderr
