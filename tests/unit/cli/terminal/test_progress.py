"""Progress in a log: seldom a line, none of short work, the rate of what is done now."""

from io import StringIO

import pytest

from closeread.cli.terminal.progress import ProgressLog
from command_line import closeread


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def log_lines_of_work(
    total: int | None, *, seconds_each: float, steps: int, before: int = 0
) -> list[str]:
    out, clock = StringIO(), Clock()
    lines = ProgressLog("training", total, out, clock)
    if before:
        lines.advance(before)
    for _ in range(steps):
        clock.now += seconds_each
        lines.advance()
    return out.getvalue().splitlines()


def test_short_work_writes_nothing() -> None:
    assert log_lines_of_work(50, seconds_each=1, steps=50) == []


def test_the_first_line_comes_after_a_minute() -> None:
    told = log_lines_of_work(3600, seconds_each=0.5, steps=140)
    assert told == ["training: 120 of 3,600 (3%), 2.0/s, 29 min left"]


def test_lines_become_rarer_with_time() -> None:
    assert len(log_lines_of_work(3600, seconds_each=1, steps=3600)) < 12
    assert 140 < len(log_lines_of_work(86400, seconds_each=1, steps=86400)) < 155


def test_resumed_work_does_not_count_earlier_steps() -> None:
    told = log_lines_of_work(10_000, seconds_each=2, steps=31, before=9_000)
    assert told == ["training: 9,030 of 10,000 (90%), 2.0 s each, 32 min left"]


def test_no_time_left_without_a_total() -> None:
    assert log_lines_of_work(None, seconds_each=1, steps=61)[0] == "training: 60, 1.0/s"


def test_long_times_are_shown_in_hours() -> None:
    assert log_lines_of_work(10_000, seconds_each=1, steps=61)[0].endswith("2 h 46 min left")


def test_short_times_are_shown_in_seconds() -> None:
    """It was 0 minutes."""
    assert log_lines_of_work(100, seconds_each=1, steps=61)[0].endswith(", 1.0/s, 40 s left")


@pytest.fixture
def told_at_once(monkeypatch) -> None:
    monkeypatch.setattr("closeread.cli.terminal.progress._FIRST", 0.0)
    monkeypatch.setattr("closeread.cli.terminal.progress._MOST", 0.0)
    monkeypatch.setattr("closeread.items._STEP", 10)


@pytest.mark.parametrize("verb", ["score", "verify", "report"])
def test_commands_over_several_runs_show_progress(
    verb, tmp_path, monkeypatch, capsys, told_at_once
) -> None:
    """In a log from the first minute on; one run is told by its questions."""
    monkeypatch.chdir(tmp_path)
    for name in "ab":
        given = ("--reader", "first-sentence", "--limit", "3", "--out", f"runs/{name}")
        assert closeread("read", "exam/en", *given) == 0
        assert closeread("score", f"runs/{name}", "--no-intervals") == 0
    capsys.readouterr()
    assert closeread(verb, "runs/a") == 0
    assert "runs:" not in capsys.readouterr().err
    assert closeread(verb, "runs", *(("--out", "page.html") if verb == "report" else ())) == 0
    assert "runs: 2 of 2 (100%)" in capsys.readouterr().err


@pytest.mark.parametrize("given", [("describe", "exam/zh"), ("convert", "exam/zh", "zh.jsonl")])
def test_progress_of_a_large_set_counts_questions(
    given, tmp_path, monkeypatch, capsys, told_at_once
):
    monkeypatch.chdir(tmp_path)
    assert closeread(*given) == 0
    assert "questions: 108, " in capsys.readouterr().err


def test_progress_of_a_large_run_counts_questions(
    tmp_path, monkeypatch, capsys, told_at_once
) -> None:
    monkeypatch.chdir(tmp_path)
    assert closeread("read", "exam/en", "--reader", "first-sentence", "--out", "run") == 0
    capsys.readouterr()
    score = ("score", "run", "--no-intervals", "--metric", "drop", "--metric", "squad2")
    assert closeread(*score) == 0
    told = capsys.readouterr().err
    assert "questions: 75 of 75 (100%), " in told
    assert told.index("questions: 75 of 75") < told.index("metrics: 2 of 2 (100%), ")
    for verb in ("verify", "report"):
        assert closeread(verb, "run") == 0
        assert "questions: 75 of 75 (100%), " in capsys.readouterr().err
    assert closeread(*score, "--workers", "2") == 0
    told = capsys.readouterr().err
    assert "questions:" not in told
    assert "metrics: 2 of 2 (100%), " in told
