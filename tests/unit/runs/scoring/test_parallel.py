"""Scoring in several processes changes nothing but the time."""

import json
import os
import signal

import msgspec
import pytest

from closeread.errors import CloseReadError, InputError
from closeread.runs.scoring import parallel
from closeread.runs.scoring.parallel import lines_by_workers
from command_line import closeread


def test_files_of_several_workers_are_identical(tmp_path, monkeypatch):
    """One, two and three processes, blocks of seven questions."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(parallel, "BLOCK", 7)
    closeread("read", "exam/zh", "--reader", "lexical", "--out", "run")
    written = []
    for workers in (1, 2, 3):
        assert closeread("score", "run", "--workers", workers, "--no-intervals") == 0
        written.append(
            ((tmp_path / "run/scores.jsonl").read_bytes(),
             json.loads((tmp_path / "run/summary.json").read_bytes()))
        )  # fmt: skip
    assert written[0] == written[1] == written[2]
    assert closeread("verify", "run") == 0


def numbers(mine, counts):
    for place in range(100):
        if mine(place):
            counts["seen"] += 1
            yield place, f"{place}\n".encode()


def test_lines_of_several_workers_are_in_order(monkeypatch):
    """Whatever process they came from."""
    from collections import Counter

    monkeypatch.setattr(parallel, "BLOCK", 3)
    counts = Counter()
    joined = b"".join(lines_by_workers(numbers, 4, counts))
    assert joined.decode().split() == [str(place) for place in range(100)]
    assert counts["seen"] == 100


def test_a_user_error_in_a_worker_is_raised():
    """With its message."""
    from collections import Counter

    def broken(mine, counts):
        yield 0, b""
        raise InputError("no gold", where="file, line 3", cure="add it")

    with pytest.raises(InputError, match="no gold") as caught:
        list(lines_by_workers(broken, 2, Counter()))
    assert caught.value.where == "file, line 3"


def test_a_killed_worker_is_reported():
    """As where the machine's memory is used up: no error of ours, so no traceback."""
    from closeread.runs.scoring.parallel import map_by_workers

    with pytest.raises(CloseReadError, match="was killed") as caught:
        map_by_workers(lambda one: os.kill(os.getpid(), signal.SIGKILL), range(2), 2)
    assert "--workers" in caught.value.cure


def test_mapped_results_are_in_order():
    """More and fewer processes than items; a user error in one of them is one here."""
    from closeread.runs.scoring.parallel import map_by_workers

    for workers in (1, 2, 7):
        found = map_by_workers(lambda one: (one, os.getpid()), range(5), workers)
        assert [one for one, _ in found] == list(range(5))
        assert len({process for _, process in found} - {os.getpid()}) == min(workers, 5)

    def broken(one):
        if one == 3:
            raise InputError("no gold", where="line 3")
        return one

    with pytest.raises(InputError, match="no gold"):
        map_by_workers(broken, range(5), 2)


def test_scores_are_read_by_several_processes_at_once(tmp_path):
    """The readers of one open file do not move each other."""
    from closeread.runs.scoring.score_lines import read_scores, row_of
    from closeread.types import Score

    path = tmp_path / "scores.jsonl"
    scores = [Score(question_id=f"q{n}", values={"f1": n / 7, "em": None}) for n in range(40_000)]
    with path.open("w+b") as stream:
        for one in scores:
            for family in ("a", "b"):
                stream.write(msgspec.json.encode(row_of(family, one)) + b"\n")
        stream.flush()
        first, second = read_scores(stream.fileno(), "a"), read_scores(stream.fileno(), "b")
        for one in scores:
            got = next(first), next(second)
            assert [(row.metric, row.values) for row in got] == [
                ("a", one.values),
                ("b", one.values),
            ]
        assert next(first, None) is None
