"""`closeread ask`: a passage of one's own, shown with the answers in it."""

import json
import subprocess
import sys

import pytest

from command_line import run_in_process, run_in_subprocess

TEXT = "The bridge at Orle was opened in 1894. Ann Lorm built it with nine men."
ZH = "老桥建于1894年。部分居民主张拆除它，但桥最终保留了下来。"


def ask(*arguments, code=0, given=b""):
    done = run_in_process("ask", *arguments, given=given)
    assert done.returncode == code, done.stderr
    return done.stdout, done.stderr


def test_answers_are_marked_in_the_passage():
    """Each question with its answer bracketed in the passage, and what else might be one."""
    shown, _ = ask(
        "When was it opened?", "Who built it?", "--reader", "lexical", "--text", TEXT,
        "--width", "80",
    )  # fmt: skip
    first, second = shown.split("\n\n   The bridge")
    assert "⟪¹The bridge at Orle was opened in ⟦1894⟧.⟫" in first
    assert "Q  When was it opened?\nA  ⟦1894⟧\n   confidence 0." in first
    assert "   or nine men  0." in first
    assert "⟪¹⟦Ann Lorm⟧ built it" in second


def test_a_reader_for_other_questions_warns():
    """Its silence is no finding about the passage."""
    shown, _ = ask("When was it opened?", "--reader", "cues", "--text", TEXT)
    assert "this reader does not answer questions of the kind span" in shown


def test_blank_input_is_rejected():
    """As an unset variable of the shell, or an empty file, would have it."""
    _, told = ask(" ", "--reader", "lexical", "--text", TEXT, code=2)
    assert "a question is empty" in told
    _, told = ask("When?", "--reader", "lexical", "--passage", "-", given=b"\n", code=2)
    assert "the passage is empty" in told
    options = ("--option", "It was opened in 1894.", "--option", "")
    _, told = ask("Which?", "--reader", "lexical", "--text", TEXT, *options, code=2)
    assert "an option is empty" in told


def test_options_are_judged_with_evidence():
    """A Chinese stem for what is contradicted: the option that is picked is marked so."""
    shown, _ = ask(
        "下列说法不正确的一项是", "--reader", "cues", "--text", ZH,
        "--option", "居民都主张拆除老桥", "--option", "老桥最终保留了下来",
    )  # fmt: skip
    assert "asks for what is contradicted" in shown
    assert " ● A  居民都主张拆除老桥  (picked" in shown
    assert " ○ B  老桥最终保留了下来" in shown
    assert "scores A -" in shown
    assert "added:都" in shown  # why


def test_the_passage_from_a_file_and_from_stdin(tmp_path):
    """A file with a byte order mark and stdin are read alike; --json prints the predictions."""
    file = tmp_path / "passage.txt"
    file.write_bytes(b"\xef\xbb\xbf" + TEXT.encode())
    command = ("Who built it?", "--reader", "lexical", "--json", "-o", "sharpness=4")
    one, _ = ask(*command, "--passage", str(file))
    other, _ = ask(*command, "--passage", "-", given=TEXT.encode())
    assert one == other
    told = json.loads(one)
    assert told["reader"] == "lexical"
    assert told["options"]["sharpness"] == 4
    (prediction,) = told["predictions"]
    start, end = prediction["answer"]["spans"][0]
    assert TEXT[start:end] == prediction["answer"]["texts"][0] == "Ann Lorm"


def test_control_characters_are_not_printed(tmp_path):
    """Neither the passage nor what a reader says of itself moves the cursor."""
    (tmp_path / "odd.py").write_text(
        "from closeread import Prediction\n"
        "class Odd:\n"
        "    def read(self, items):\n"
        "        for _, question in items:\n"
        "            yield Prediction(question_id=question.question_id, note='\\x1b[2J gone')\n",
        "utf-8",
    )
    done = subprocess.run(
        [sys.executable, "-m", "closeread", "ask", "q", "--reader", "odd:Odd",
         "--text", "a\x1b[31mb"],
        capture_output=True, cwd=tmp_path, check=True,
    )  # fmt: skip
    assert b"\x1b" not in done.stdout
    assert "␛[2J gone" in done.stdout.decode()


@pytest.mark.parametrize(
    ("arguments", "given", "said"),
    [
        (["q", "--reader", "lexical"], b"", "give exactly one passage"),
        (["q", "--reader", "lexical", "--text", "x", "--passage", "y"], b"", "one passage"),
        (["q", "--reader", "lexical", "--passage", "nowhere.txt"], b"", "nowhere.txt: cannot be"),
        (["q", "--reader", "lexical", "--passage", "-"], b"\xff\xfa", "stdin: byte 0 is not UTF-8"),
        (
            ["q", "--reader", "lexical", "--passage", "-"],
            b"PK\x03\x04\xff",
            "save the text as UTF-8",
        ),
        (["q", "--reader", "lexical", "--text", "x", "--option", "a"], b"", "1 option\n"),
        (["q", "--reader", "lexcal", "--text", "x"], b"", "no reader named 'lexcal'"),
    ],
)
def test_user_errors_are_explained(arguments, given, said):
    """One message, exit code 2, nothing on stdout."""
    shown, told = ask(*arguments, code=2, given=given)
    assert (shown, said in told) == ("", True), told


@pytest.mark.parametrize(
    "arguments",
    [
        [b"\xff", "--reader", "lexical", "--text", "x"],
        ["q", "--reader", "lexical", "--text", b"x\xff", "--json"],
    ],
)
def test_input_that_is_not_text_is_rejected(arguments):
    done = subprocess.run(
        [sys.executable, "-m", "closeread", "ask", *arguments], capture_output=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"is not UTF-8" in done.stderr


def test_stdin_is_the_passage():
    done = subprocess.run(
        [sys.executable, "-m", "closeread", "ask", "Who built it?", "--reader", "lexical",
         "--passage", "-"],
        input=TEXT.encode(), capture_output=True, check=True,
    )  # fmt: skip
    assert "⟦Ann Lorm⟧" in done.stdout.decode()


def test_a_failing_reader_exits_with_2(tmp_path):
    """The failure is shown in its place, the other question is answered, and the exit code is 2."""
    (tmp_path / "half.py").write_text(
        "from closeread import Answer, Prediction\n"
        "class Half:\n"
        "    def read(self, items):\n"
        "        for _, question in items:\n"
        "            if question.text == 'bad':\n"
        "                raise ValueError('too hard')\n"
        "            answer = Answer(kind='span', texts=('yes',))\n"
        "            yield Prediction(question_id=question.question_id, answer=answer)\n",
        "utf-8",
    )
    done = run_in_subprocess(
        "ask", "bad", "good", "--reader", "half:Half", "--text", "t", folder=tmp_path
    )
    assert done.returncode == 2
    assert "A  the reader gave no answer\n   the reader failed: ValueError: too hard" in done.stdout
    assert "A  ⟦yes⟧" in done.stdout
