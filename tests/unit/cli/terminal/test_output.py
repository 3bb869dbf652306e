"""What every verb does alike: pipes that close, keys pressed, terminals that lack characters."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.shell_completion import BashComplete

from closeread import catalog
from closeread.cli import cli
from closeread.cli.terminal.output import print_table, print_wrapped
from closeread.readers.generative.rules import RULES

CLOSEREAD = [sys.executable, "-m", "closeread"]


def run_command(*arguments, **environment):
    return subprocess.run(
        [*CLOSEREAD, *map(str, arguments)],
        capture_output=True, check=False, env=os.environ | environment,
    )  # fmt: skip


@pytest.mark.parametrize("verb", ["ls readers", "show exam/zh", "describe exam/en", "audit"])
def test_a_closed_pipe_is_no_failure(verb, tmp_path):
    """Whether the output is longer than what the pipe holds or not, and whoever wrote to it."""
    if verb == "audit":  # rich writes its first line
        verb = f"audit {tmp_path / 'run'} --check truncation"
        run_command("read", "exam/en", "--reader", "first-sentence", "--out", tmp_path / "run")
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*CLOSEREAD, *verb.split()], stdout=writing, stderr=subprocess.PIPE, check=False
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


def test_an_interruption_has_its_own_exit_code(tmp_path):
    """130, as a shell has it; 1 would say that `verify` found a difference."""
    (tmp_path / "slow.py").write_text(
        "import pathlib, time\n"
        "class Slow:\n"
        "    def retrieve(self, question, passage, option, k=None):\n"
        "        pathlib.Path('begun').touch()\n"
        "        time.sleep(60)\n"
    )
    process = subprocess.Popen(
        [*CLOSEREAD, "evidence", "exam/zh", "--retriever", "slow:Slow", "--out", "found.jsonl"],
        stderr=subprocess.PIPE, text=True, cwd=tmp_path,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )  # fmt: skip
    while not (tmp_path / "begun").exists() and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate()
    assert (process.returncode, told) == (130, "interrupted\n")
    assert {path.name for path in tmp_path.iterdir()} - {"__pycache__"} == {"slow.py", "begun"}


def test_json_is_utf_8_on_every_terminal():
    """And so the same bytes."""
    shown = ("show", "exam/zh", "--limit", "1", "--json")
    explained = ("evidence", "exam/zh", "--question", "zh-01-q1", "--explain", "--json")
    for arguments in (shown, explained):
        done = run_command(*arguments, PYTHONIOENCODING="ascii")
        assert done.returncode == 0, done.stderr.decode()
        assert done.stdout == run_command(*arguments, PYTHONIOENCODING="utf-8").stdout
        assert "海绵城市" in str(json.loads(done.stdout))


def test_characters_that_a_terminal_lacks_are_replaced(tmp_path):
    """No traceback: a question mark in their place."""
    run = tmp_path / "run"
    assert run_command("read", "exam/zh", "--reader", "majority", "--out", run).returncode == 0
    done = run_command("score", run, "--by", "topic", "--no-intervals", PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr.decode()
    assert b"????" in done.stdout


def test_a_title_is_not_broken_by_a_narrow_table(capsys):
    print_table(("a", "b"), [("1", "2")], title="Where in the passage the answer stands")
    assert capsys.readouterr().out == "Where in the passage the answer stands\na  b\n1  2\n"


def test_a_word_that_is_too_wide_is_not_cut(capsys):
    """Such as the folder of a run, which the next command is to name."""
    path = "runs/" + "a-model-with-a-long-name" * 3
    print_table(("run", "lost in the log"), [(path, "nothing of it")] * 2 + [("x", "y" * 60)])
    shown = capsys.readouterr().out
    assert "…" not in shown
    assert path in "".join(line.partition("  ")[0] for line in shown.splitlines())


def test_wrapped_sentences_are_indented_without_trailing_blanks(capsys):
    """Double-width characters count as two."""
    print_wrapped("ends in a digit " * 10 + "题" * 60, "  ")
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 2
    assert all(line.startswith("  ") and line == line.rstrip() for line in lines)
    assert max(len(line) + line.count("题") for line in lines) <= 100


def test_help_of_ls_breaks_no_word():
    told = run_command("ls").stderr.decode()
    assert "Usage: closeread ls [OPTIONS] KIND [NAME]\n" in told
    assert all(f"{kind}s" in told for kind in ("reader", "trainer", "set"))


@pytest.mark.parametrize("kind", ["readers", "sets"])
def test_every_list_is_one_object(kind):
    """As what all verbs print."""
    found = json.loads(run_command("ls", kind, "--json").stdout)
    assert list(found) == [kind]
    if kind == "readers":
        assert [one["reader"] for one in found[kind]] == list(catalog.names("reader"))


def test_help_names_every_extraction_rule():
    told = " ".join(run_command("score", "--help").stdout.decode().split())
    (rules,) = re.findall(r"by the rule ([\w, -]+) or (\w+)\.", told)
    assert {*rules[0].split(", "), rules[1]} == {"auto", *RULES}


def test_a_removed_working_folder_is_no_failure(tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    told = subprocess.run(
        ["sh", "-c", 'rmdir ../gone && exec "$@"', "sh", *CLOSEREAD, "--version"],
        cwd=gone, capture_output=True, check=False,
    )  # fmt: skip
    assert (told.returncode, told.stderr) == (0, b"")


@pytest.mark.parametrize(
    ("typed", "begun", "offered"),
    [
        (["ls", "readers"], "le", ["lexical"]),
        (["ls", "sets"], "", []),
        (["read", "exam/en", "--reader"], "le", ["lexical"]),
        (["serve"], "le", ["lexical"]),
        (["evidence", "exam/en", "--retriever"], "bm", ["bm25"]),
        (["attack", "exam/en", "--strategy"], "ty", ["typo"]),
        (["score", "run", "--metric"], "mr", ["mrqa"]),
    ],
)
def test_shell_completion_offers_catalog_names(typed, begun, offered):
    shell = BashComplete(cli, {}, "closeread", "_CLOSEREAD_COMPLETE")
    assert [one.value for one in shell.get_completions(typed, begun)] == offered


def test_options_are_listed_as_they_are_passed():
    """With what each takes and its default: a table, or one object."""
    told = run_command("ls", "readers", "http").stdout.decode().splitlines()
    assert told[0].split() == ["option", "takes", "default"]
    assert told[1] == "url              text            required"
    assert "tokens           true or false   true" in told
    found = json.loads(run_command("ls", "readers", "cues", "--json").stdout)
    assert found["reader"] == "cues"
    assert found["options"][0] == {
        "option": "weights", "takes": "a path", "default": "", "needed": False
    }  # fmt: skip
    assert not found["passes_on"]
    passing = run_command("ls", "readers", "evidence")
    assert b"cover" in passing.stdout
    assert b"passed on" in passing.stderr
    assert b"no options" in run_command("ls", "readers", "longest-option").stderr
    for arguments in (("formats", "squad"), ("readers", "lexicall")):
        refused = run_command("ls", *arguments)
        assert refused.returncode == 2
        assert refused.stderr.startswith(b"closeread: ")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("arguments", [["ls", "readers"], ["--help"], ["show", "exam/en"]])
def test_a_full_disk_prints_one_message(arguments):
    """Nobody takes it for a bug, nor for the exit code 1 that `verify` has a meaning for."""
    with Path("/dev/full").open("wb") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "closeread", *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert ended.returncode == 2
    assert ended.stderr.startswith("closeread: the output: cannot be written: ")
    assert "Traceback" not in ended.stderr
    assert "do: free disk space" in ended.stderr


@pytest.mark.skipif(os.name != "posix", reason="`>&-` is the shell's")
def test_a_closed_stdout_is_ignored():
    """As `closeread ls readers >&-` starts it: there is no standard output at all."""
    ended = subprocess.run(
        ["sh", "-c", 'exec "$0" -m closeread ls readers >&-', sys.executable],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


@pytest.mark.skipif(os.name != "posix", reason="`2>&-` is the shell's")
def test_a_closed_stderr_is_no_failure():
    """A closed stderr, as a service may start us: what is told there is not told on stdout."""

    def silent(arguments):
        return subprocess.run(
            ["sh", "-c", f'exec "$0" -m closeread {arguments} 2>&-', sys.executable],
            capture_output=True, check=False,
        )  # fmt: skip

    done = silent("describe exam/en --json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["questions"] == 75
    done = silent("describe nowhere.json")
    assert (done.returncode, done.stdout) == (2, b"")


@pytest.mark.skipif(os.name != "posix" or sys.platform == "darwin", reason="names are text here")
@pytest.mark.parametrize("place", ["argument", "folder"])
def test_a_name_that_is_not_utf_8_is_rejected_at_once(tmp_path, place):
    """As an archive of another system leaves them: no run folder and no JSON can hold one."""
    odd = tmp_path / os.fsdecode("数据".encode("gb18030"))
    odd.mkdir()
    named = odd / "run" if place == "argument" else "run"
    done = subprocess.run(
        [*CLOSEREAD, "read", "exam/zh", "--reader", "majority", "--out", named, "--json"],
        capture_output=True, check=False, cwd=odd if place == "folder" else tmp_path,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"is not UTF-8\n  do: rename the file or folder" in done.stderr
    assert list(odd.iterdir()) == []
