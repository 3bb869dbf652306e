"""`closeread describe` as a user calls it, and the names that a data set goes by."""

import json
import re
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from closeread.api.datasets import locate, open_dataset
from closeread.errors import DefectError, InputError, UnknownNameError
from command_line import run_in_process


@pytest.fixture
def faulty(tmp_path: Path) -> Path:
    path = tmp_path / "faulty.json"
    rows = [[["甲来了。"], [{"question": "谁来了?", "choice": ["甲", "乙"], "answer": "丙"}], "d"]]
    path.write_text(json.dumps(rows, ensure_ascii=False), "utf-8")
    return path


def test_the_table_lists_the_statistics():
    """The shipped exam by name: its counts stand in tables of at most 100 columns."""
    done = run_in_process("describe", "exam/zh")
    assert done.returncode == 0, done.stderr
    assert "verification stems" in done.stdout
    assert "Gold evidence" in done.stdout
    assert re.search(r"options with several pieces +\d+% \(1: \d+, 2: \d+", done.stdout)
    assert "options per question       4: 108" in done.stdout
    widths = [sum(2 if ord(c) > 0x2E80 else 1 for c in line) for line in done.stdout.splitlines()]
    assert max(widths) <= 100


def test_an_empty_set_has_zeros(tmp_path: Path):
    (tmp_path / "set.json").write_text('{"data": []}')
    done = run_in_process("describe", str(tmp_path / "set.json"))
    assert done.returncode == 0, done.stderr
    assert "()" not in done.stdout


def test_json_is_one_object(faulty: Path):
    """--json prints one JSON object; defects are counted in it."""
    done = run_in_process("describe", str(faulty), "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["questions"] == 1
    assert found["defects"] == {"answer-not-an-option": 1}


def test_strict_stops_at_defects(faulty: Path):
    """--strict exits with 2 and lists what is wrong, where, and the cure."""
    done = run_in_process("describe", str(faulty), "--strict")
    assert done.returncode == 2
    assert "answer-not-an-option: 1" in done.stderr
    assert "d-0: the answer '丙' is not an option" in done.stderr
    assert "do: " in done.stderr
    assert not done.stdout
    with pytest.raises(DefectError):
        open_dataset(str(faulty), strict=True)
    assert open_dataset(str(faulty)).format == "c3"


def test_data_sets_are_found_by_every_kind_of_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """exam/zh is the exam, a file of that name is the file, an unknown exam is said to be so."""
    assert locate("exam/zh").suffix == ".jsonl"
    assert open_dataset("exam/en").name
    with pytest.raises(UnknownNameError):
        locate("exam/fr")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError):
        open_dataset("nowhere.json")
    (tmp_path / "exam").mkdir()
    (tmp_path / "exam/fr").write_text("x", "utf-8")
    assert locate("exam/fr") == Path("exam/fr")


@pytest.fixture
def address(faulty: Path) -> Iterator[str]:
    class _Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *args: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(faulty.parent)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/{faulty.name}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_url_is_a_data_set(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A data set is fetched by its URL and read like a file."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("CLOSEREAD_CACHE", str(tmp_path / "cache"))
    assert [q.question_id for q in open_dataset(address).questions()] == ["d-0"]


def test_a_version_equal_to_the_name_is_shown_once(tmp_path):
    """A set whose version repeats its name has one name, and no line ends in blanks in a pipe."""
    record = {"version": "lamps", "data": [{"title": "t", "paragraphs": []}]}
    record["data"][0]["paragraphs"] = [{"context": "The lamp burns.", "qas": [
        {"id": "q", "question": "What burns?", "answers": [{"text": "lamp", "answer_start": 4}]}
    ]}]  # fmt: skip
    (tmp_path / "lamps.json").write_text(json.dumps(record))
    done = run_in_process("describe", str(tmp_path / "lamps.json"))
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "lamps (squad)"
    assert [line for line in lines if line != line.rstrip()] == []
