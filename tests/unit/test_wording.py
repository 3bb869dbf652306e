"""Messages and tables: counts agree with what is counted, and nothing of the data is obeyed."""

import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from closeread.api.datasets import format_defects
from closeread.cli import cli, main
from closeread.cli.terminal.numbers import align_columns
from closeread.cli.terminal.output import print_table, remark
from closeread.errors import InputError
from closeread.reports.table import to_one_line as line_of
from closeread.runs.submission_fit import Misfits, format_misfits
from closeread.types import Defects
from closeread.wording import count_of, escape_message, in_one_line, seconds_of

EVIL = "q1\nforged: all is well\r\x1b[31m\x07\u202e\u2028\ud800"
SHOWN = "q1␊forged: all is well␍␛[31m␇<U+202E><U+2028><U+D800>"


@pytest.mark.parametrize(
    ("seconds", "told"), [(1, "1 second"), (0.3, "0.3 seconds"), (60.0, "60 seconds")]
)
def test_one_second_is_no_several(seconds, told):
    assert seconds_of(seconds) == told


@given(st.text())
def test_nothing_is_left_that_a_terminal_obeys(text):
    """Blanks and combining characters are text; line breaks stay in messages alone."""
    for made, kept in ((in_one_line(text), ""), (escape_message(text), "\n")):
        left = {one for one in made if unicodedata.category(one) in {"Cc", "Cs", "Zl", "Zp"}}
        assert left <= set(kept)
        made.encode()
    assert escape_message(text).count("\n") == text.count("\n")


@pytest.mark.parametrize("text", ["", "q1", "海绵\u3000城市", "e\u0301", "a b"])
def test_what_is_harmless_stays(text):
    assert in_one_line(text) == escape_message(text) == text


def test_errors_hold_their_own_lines_alone():
    """The place, what was expected and the cure are one line each."""
    error = InputError("found", where=f"question {EVIL}", expected=EVIL, cure=EVIL)
    assert str(error) == f"question {SHOWN}: found\n  expected: {SHOWN}\n  do: {SHOWN}"
    assert str(InputError("one:\n  two\x1b[31m")) == "one:\n  two␛[31m"
    assert error.where == f"question {EVIL}"  # as it is, for programs
    place: Any = Path("a") / "b"  # what no type checker sees
    assert str(InputError("found", where=place)) == f"{place}: found"


def test_defects_are_a_line_each():
    found = Defects()
    found.add("duplicate-id", f"the id {EVIL} occurs twice", question_id=EVIL)
    assert format_defects(found) == f"  duplicate-id: 1\n    {SHOWN}: the id {SHOWN} occurs twice"


def test_tables_and_remarks(capsys):
    """In a terminal, in Markdown, and in what is said of ids that do not fit."""
    assert align_columns(("metric", "n"), [(EVIL, "1")])[1] == f"{SHOWN}  1"
    print_table(("id", "n"), [("q1\x1b[31m", "1")], title="t\x07")
    assert "q1␛[31m" in (printed := capsys.readouterr().out)
    assert "t␇" in printed
    remark("one\ntwo \x1b[31m")
    assert capsys.readouterr().err == "one\ntwo ␛[31m\n"
    assert line_of(EVIL) == "q1 forged: all is well ␛[31m␇<U+202E> <U+D800>"
    nothing = {field: [] for field in Misfits._fields} | {"n_predictions": 1, "n_questions": 0}
    found = Misfits(**nothing | {"strangers": [EVIL]})
    (line,) = format_misfits(found)
    assert line.endswith(f": {SHOWN}")


def test_no_line_of_a_verb_begins_with_what_an_id_holds(tmp_path):
    """A reader that fails names the first question; what is odd about a set names its questions."""
    name = EVIL.removesuffix("\ud800")
    row = {"id": name, "passage": "Ann ran.", "question": "Who?", "answer": "Zoe", "topic": name}
    path, run = tmp_path / "my.jsonl", tmp_path / "run"
    path.write_text(json.dumps(row) + "\n")
    for verb in (
        ["show", path],
        ["describe", path],
        ["read", path, "--reader", "longest-option", "--out", run],
        ["score", run, "--by", "topic"],
        ["read", path, "--reader", "lexical", "--out", tmp_path / "strict", "--strict"],
        ["show", path, "--question", "other"],
    ):
        done = CliRunner().invoke(cli, list(map(str, verb)))
        said = done.output + (str(done.exception) if done.exception else "")
        assert "q1␊forged: all is well␍␛[31m␇" in said, verb
        assert not any(line.startswith("forged") for line in said.splitlines()), verb
        assert not {"\x1b", "\r", "\x07", "\u202e"} & set(said), verb


@pytest.mark.parametrize(
    ("count", "told"), [(0, "0 passages"), (1, "1 passage"), (2431, "2,431 passages")]
)
def test_a_count_agrees_with_what_is_counted(count, told):
    assert count_of(count, "passage") == told


def test_what_is_said_of_them_agrees_too():
    assert count_of(1, "id comes", "ids come") == "1 id comes"
    assert count_of(2, "id comes", "ids come") == "2 ids come"


def test_the_verbs_tell_of_one_question(tmp_path, monkeypatch, capsys):
    """As a first try has it: `--limit 1`."""
    monkeypatch.chdir(tmp_path)
    for verb in (
        ["read", "exam/en", "--reader", "lexical", "--limit", "1", "--out", "run"],
        ["score", "run", "--no-intervals"],
        ["read", "exam/en", "--reader", "lexical", "--limit", "1", "--out", "again"],
        ["score", "again", "--no-intervals"],
        ["compare", "run", "again", "--resamples", "100"],
        ["convert", "exam/en", "one.jsonl", "--limit", "1"],
        ["evidence", "exam/zh", "--limit", "1", "--no-intervals"],
    ):
        with pytest.raises(SystemExit):
            main(verb)
        found = capsys.readouterr()
        told = found.out + found.err
        assert "1 question" in told
        assert not any(f"1 {several}" in told for several in ("questions", "passages", "options"))
