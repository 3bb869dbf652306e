"""Every benchmark without torch runs to its end on a small input and prints its table.

Left out: lm_eval as the peer, which has an environment of its own.
"""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from benchmarks import __main__ as command
from benchmarks import client, evidence, measure, scoring, serving, startup
from benchmarks.inputs.drop_pairs import make_pairs

from bench_tables import check_table


@pytest.fixture(autouse=True)
def _own_folder(monkeypatch, tmp_path):
    for module in (evidence, scoring):
        monkeypatch.setattr(module, "DATA", tmp_path)


def test_startup(tmp_path, capsys):
    results = list(startup.startup(measure.PYTHON, runs=1))
    names = [
        "import closeread / python -c pass",
        "closeread --help / python -c pass",
        f"closeread --help against lm_eval {startup.LM_EVAL_VERSION}",
    ]
    check_table(results, names, tmp_path, capsys)


def test_mrqa(tmp_path, capsys):
    results = list(scoring.mrqa(40, runs=1))
    names = [
        "MRQA 40, no intervals / inflate-and-parse floor",
        "MRQA 40, no intervals, against the official way",
        "MRQA 40, with intervals / floor",
    ]
    check_table(results, names, tmp_path, capsys)


def test_drop(tmp_path, capsys):
    results = list(scoring.drop({"few": make_pairs(200)}, runs=1))
    check_table(results, ["DROP, 200 pairs (few), nothing cached"], tmp_path, capsys)


def test_drop_stops_where_scores_differ(monkeypatch):
    monkeypatch.setattr(scoring.official_drop, "score_pair", lambda *_: (2.0, 2.0))
    with pytest.raises(SystemExit, match="DROP scores of few differ from the official way"):
        list(scoring.drop({"few": make_pairs(10)}, runs=1))


def test_rescore(tmp_path, capsys):
    results = list(scoring.rescore(300, 100))
    names = [
        "DROP, saved generations, official scorer",
        "DROP, the same, official and all corrections in one pass",
        "closeread score, 300 generations, whole process",
        "  its peak memory",
        "  official and all corrections, whole process",
        "  its peak memory",
        "  with --workers 2, against 1",
    ]
    check_table(results, names, tmp_path, capsys)


def test_audit(tmp_path, capsys):
    results = list(scoring.audit(60))
    check_table(results, ["closeread audit, 60 questions, all checks"], tmp_path, capsys)


def test_bootstrap(tmp_path, capsys):
    results = list(scoring.bootstrap(100, 100))
    names = [f"bootstrap of a {metric} metric, 100 x 100" for metric in ("0/1", "F1")]
    check_table(results, names, tmp_path, capsys)


def test_memory(tmp_path, capsys):
    results = list(scoring.memory(40, 1))
    names = [f"peak memory, {verb}, 1 MB" for verb in ("score", "read")]
    check_table(results, names, tmp_path, capsys)


def test_peak_memory_is_the_commands_own():
    """On Linux a process counts the peak of the one that starts it."""
    ballast = bytearray(300 << 20)
    assert run_python("pass").peak_mb < 100 < len(ballast) >> 20


def test_a_command_that_fails_ends_the_benchmark_with_its_message():
    with pytest.raises(SystemExit, match="division by zero"):
        run_python("1 / 0")


def run_python(code):
    return measure.run_once([measure.PYTHON, "-c", code])


def test_evidence(tmp_path, capsys):
    results = [*evidence.extraction(3, runs=1), *evidence.growth(20_000, 4, runs=1)]
    names = [
        "soft masking, 12 options, equal output",
        "cover (the default), 12 options, against it",
        "cover, 2,800 options",
    ]
    for reader in ("lexical", "cues"):
        names += [f"{reader}, 20,000 characters, 4 options / 5,000", "  the same / 1 option"]
    check_table(results, names, tmp_path, capsys)


def run_in_thread(benchmark):
    """Return a benchmark's results; one with an event loop of its own needs a thread of its own.

    Browser tests leave their event loop running in the main thread.
    """
    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(lambda: list(benchmark())).result()


def test_client(tmp_path, capsys):
    load = client.Load(concurrency=4, per_connection=3, delay=0.01)
    results = run_in_thread(lambda: client.client(None, load, rounds=1))
    names = ["client, 12 requests, 4 in flight / stub's ceiling"]
    check_table(results, names, tmp_path, capsys)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads Linux's /proc")
def test_serving(tmp_path, capsys):
    growth = "memory gained, 40 to 80 requests"
    results = run_in_thread(lambda: serving.speed(4, 600, rounds=1))
    results += run_in_thread(lambda: serving.memory_growth(4, 40, 80))
    names = ["serve, processor time a request / bare Starlette", growth]
    check_table(results, names, tmp_path, capsys, may_be_negative=[growth])


def test_the_command_runs_benchmarks_by_name(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(measure, "OUT", tmp_path / "out")
    monkeypatch.setitem(
        command.BENCHMARKS, "bootstrap", lambda: iter([measure.limit("few", 1.0, 2.0, "s")])
    )
    command.main(["bootstrap"])
    _, line = capsys.readouterr().out.splitlines()
    assert line.split() == ["few", "1.00", "s", "-", "1.00", "<=", "2", "s:", "met"]
    with pytest.raises(SystemExit, match="no benchmark named nothing; there are startup, mrqa"):
        command.main(["nothing"])
