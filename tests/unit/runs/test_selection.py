"""Reading only the questions of a list, alone or into an earlier run."""

import json
import re

import pytest

from closeread import load
from closeread.errors import InputError
from closeread.exam import locate
from closeread.runs.selection import read_list, select_questions
from closeread.runs.store import open_run
from command_line import closeread


def exam_question_ids():
    return [question.question_id for question in load(locate("exam/en")).questions()]


@pytest.fixture
def runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    closeread("read", "exam/en", "--reader", "lexical", "--out", "first")
    (tmp_path / "again.txt").write_text(
        "".join(f"{one}\twhy\n" for one in exam_question_ids()[1:4]), "utf-8"
    )
    return tmp_path


def test_only_the_listed_questions_are_read_and_scored(runs):
    """The run is about three questions; scoring, verifying and reporting agree."""
    assert closeread("read", "exam/en", "--reader", "lexical", "--only", "again.txt",
                     "--out", "part") == 0  # fmt: skip
    part = open_run(runs / "part")
    assert [one.question_id for one in part.predictions()] == exam_question_ids()[1:4]
    assert part.info.dataset.n_questions == 3
    assert closeread("score", "part", "--no-intervals") == 0
    summary = part.summary()
    assert summary is not None
    assert {one.n_questions for one in summary.metrics.values()} == {3} or all(
        one.n_questions <= 3 for one in summary.metrics.values()
    )
    assert closeread("verify", "part") == 0
    assert closeread("report", "part") == 0


def test_other_predictions_are_taken_from_an_earlier_run(runs):
    """A whole run comes out: new answers to the listed questions, the old ones to all others."""
    closeread("read", "exam/en", "--reader", "first-sentence", "--only", "again.txt",
              "--rest", "first", "--out", "whole")  # fmt: skip
    old = {one.question_id: one for one in open_run(runs / "first").predictions()}
    new = {one.question_id: one for one in open_run(runs / "whole").predictions()}
    again = set(exam_question_ids()[1:4])
    assert list(new) == list(old)
    assert all(new[name] == old[name] for name in new if name not in again)
    assert any(new[name] != old[name] for name in again)
    info = json.loads((runs / "whole/run.json").read_text("utf-8"))
    assert info["rest"]["predictions_sha256"] == open_run(runs / "first").info.predictions_sha256
    assert closeread("verify", "whole") in (0, 2)


_REFUSING = """
from pathlib import Path
from closeread import Answer, Prediction

class Reader:
    def read(self, items):
        for passage, question in items:
            name, asked = question.question_id, Path("asked.txt")
            asked.write_text(asked.read_text() + "x" if asked.exists() else "x")
            if "Which" in question.text and not Path("mended").exists():
                yield Prediction(question_id=name, error="status 500")
            else:
                yield Prediction(question_id=name, answer=Answer(kind="none"))

def make():
    return Reader()
"""


def test_failed_questions_are_read_again(runs, capsys):
    """Without a list, those questions alone; the message about them says how."""
    (runs / "refusing_some.py").write_text(_REFUSING)
    read = ("read", "exam/en", "--reader", "refusing_some:make", "--out")
    closeread(*read, "broken")
    assert "with --rest broken and a new --out" in capsys.readouterr().err
    failed = {one.question_id for one in open_run(runs / "broken").predictions() if one.error}
    assert 0 < len(failed) < len(exam_question_ids())
    (runs / "mended").touch()
    (runs / "asked.txt").unlink()
    assert closeread(*read, "whole", "--rest", "broken") == 0
    assert len((runs / "asked.txt").read_text()) == len(failed)
    whole = list(open_run(runs / "whole").predictions())
    assert [one.question_id for one in whole] == exam_question_ids()
    assert not any(one.error for one in whole)
    assert "--rest" not in capsys.readouterr().err
    assert closeread(*read, "third", "--rest", "whole") == 2
    assert "failed on no question" in capsys.readouterr().err


def test_failed_questions_of_a_limited_run_are_read_again(runs, capsys):
    """The message names the limit, without which what lies behind it is read, too."""
    (runs / "refusing_some.py").write_text(_REFUSING)
    read = ("read", "exam/en", "--reader", "refusing_some:make", "--out")
    closeread(*read, "broken", "--limit", "20")
    n_failed = open_run(runs / "broken").info.n_failed
    assert 0 < n_failed < 20
    (named,) = re.findall("`closeread read` with (.+) and a new --out", capsys.readouterr().err)
    (runs / "mended").touch()
    (runs / "asked.txt").unlink()
    assert closeread(*read, "whole", *named.split()) == 0
    assert len((runs / "asked.txt").read_text()) == n_failed


def test_a_partial_run_is_not_compared_with_a_whole_one(runs, capsys):
    """They answer different questions, and the message says which of the two has a list."""
    closeread("read", "exam/en", "--reader", "lexical", "--only", "again.txt", "--out", "part")
    closeread("score", "part", "--no-intervals")
    closeread("score", "first", "--no-intervals")
    capsys.readouterr()
    assert closeread("compare", "first", "part") == 2
    told = capsys.readouterr().err
    assert "different questions" in told
    assert "exam/en, 3 questions of an id list (sha256 " in told


def test_a_list_of_other_questions_is_rejected(runs, capsys):
    """Before anything is written."""
    (runs / "other.txt").write_text("no such question\n", "utf-8")
    assert closeread("read", "exam/en", "--reader", "lexical", "--only", "other.txt",
                     "--out", "part") == 2  # fmt: skip
    assert "1 of 1 listed question not in the data set: no such question" in capsys.readouterr().err
    assert not (runs / "part").exists()


def test_a_list_of_other_questions_is_rejected_with_an_earlier_run(runs, capsys):
    """Or nothing would be read again, and nobody told."""
    (runs / "other.txt").write_text("no such question\n", "utf-8")
    assert closeread("read", "exam/en", "--reader", "first-sentence", "--only", "other.txt",
                     "--rest", "first", "--out", "whole") == 2  # fmt: skip
    assert "1 of 1 listed question not in the data set: no such question" in capsys.readouterr().err
    assert not (runs / "whole").exists()


def test_the_first_missing_ids_of_a_list_are_named(runs, capsys):
    """In its order, whatever their ids hold."""
    names = ["\x1b[31mred", exam_question_ids()[0], "two", "three", "four"]
    (runs / "other.txt").write_text("\n".join(names), "utf-8")
    assert closeread("read", "exam/en", "--reader", "lexical", "--only", "other.txt",
                     "--out", "part") == 2  # fmt: skip
    told = "4 of 5 listed questions not in the data set: ␛[31mred, two, three, …"
    assert told in capsys.readouterr().err


def test_a_limit_takes_the_first_listed_questions(runs):
    """The others are there, and were not asked for."""
    assert closeread("read", "exam/en", "--reader", "lexical", "--only", "again.txt",
                     "--limit", "2", "--out", "part") == 0  # fmt: skip
    assert [
        one.question_id for one in open_run(runs / "part").predictions()
    ] == exam_question_ids()[1:3]
    assert closeread("score", "part", "--no-intervals") == 0
    assert closeread("verify", "part") == 0


def test_an_empty_or_missing_list_is_rejected(tmp_path):
    """One id a line is expected."""
    (tmp_path / "empty.txt").write_text("\n \n", "utf-8")
    with pytest.raises(InputError, match="the list is empty"):
        read_list(tmp_path / "empty.txt")
    with pytest.raises(InputError, match="cannot be read"):
        read_list(tmp_path / "none.txt")


def test_an_earlier_run_on_another_data_set_is_rejected(runs, capsys):
    """The old answers must be to the same questions."""
    zh = [question.question_id for question in load(locate("exam/zh")).questions()]
    (runs / "zh.txt").write_text(zh[0] + "\n", "utf-8")
    assert closeread("read", "exam/zh", "--reader", "lexical", "--only", "zh.txt",
                     "--rest", "first", "--out", "part") == 2  # fmt: skip
    assert "answers other questions" in capsys.readouterr().err


def test_a_selection_keeps_the_order_of_the_data_set():
    """Whatever the order of the list."""
    wanted = exam_question_ids()[5:2:-1]
    part = select_questions(load(locate("exam/en")), wanted)
    assert [one.question_id for one in part.questions()] == wanted[::-1]


@pytest.mark.parametrize(
    ("content", "told"),
    [(None, "cannot be read: No such file or directory"), (b"q\xff", "byte 1 is not UTF-8")],
)
def test_an_unreadable_list_is_reported_in_one_message(runs, capsys, content, told):
    if content is not None:
        (runs / "list.txt").write_bytes(content)
    assert closeread("read", "exam/en", "--reader", "lexical", "--only", "list.txt",
                     "--out", "part") == 2  # fmt: skip
    assert f"list.txt: {told}\n" in capsys.readouterr().err
