"""Scoring in several processes changes nothing but the time."""

import json

import pytest

from closeread.cli import main
from closeread.errors import InputError
from closeread.runs import parallel
from closeread.runs.parallel import lines_by_workers


def closeread(*arguments):
    with pytest.raises(SystemExit) as ended:
        main([str(one) for one in arguments])
    return ended.value.code


def test_the_files_are_the_same(tmp_path, monkeypatch):
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


def test_lines_come_in_order(monkeypatch):
    """Whatever process they came from."""
    from collections import Counter

    monkeypatch.setattr(parallel, "BLOCK", 3)
    counts = Counter()
    joined = b"".join(lines_by_workers(numbers, 4, counts))
    assert joined.decode().split() == [str(place) for place in range(100)]
    assert counts["seen"] == 100


def test_a_user_error_in_a_process_is_one_here():
    """With its message."""
    from collections import Counter

    def broken(mine, counts):
        yield 0, b""
        raise InputError("no gold", where="file, line 3", cure="add it")

    with pytest.raises(InputError, match="no gold") as caught:
        list(lines_by_workers(broken, 2, Counter()))
    assert caught.value.where == "file, line 3"
