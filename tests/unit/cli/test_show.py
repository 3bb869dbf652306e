"""``closeread show`` in a pipe, on a terminal, and with hostile text."""

import json
import re
import subprocess
import sys

import pytest
from rich.cells import cell_len

import pseudo_terminals
from closeread.cli.terminal.sheet import Sheet
from closeread.types import Answer, Evidence, Option, Passage, Question, Span
from command_line import run_in_process


def run_show(*arguments, **environment):
    return run_in_process("show", *arguments, **environment)


def on_terminal(*arguments, columns=60, **environment) -> str:
    return pseudo_terminals.on_terminal("show", *arguments, columns=columns, **environment)


def question_row(number, passage="A cat sat on the mat.", answer="the mat", **fields):
    return json.dumps(
        {"id": f"q{number}", "passage": passage, "question": "Where?", "answer": answer} | fields
    )


@pytest.fixture
def three(tmp_path):
    path = tmp_path / "own.jsonl"
    path.write_text(
        "\n".join(
            [
                question_row(1),
                question_row(2, answer="A cat"),
                question_row(3, passage="It ran.", answer="It"),
            ]
        )
        + "\n"
    )
    return path


def test_a_pipe_gets_plain_text_with_brackets(three):
    """No escape sequence, answers in brackets, a repeated passage only where it is marked."""
    done = run_show(three)
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout
    assert "A cat sat on ⟦the mat⟧." in done.stdout
    assert "⟦A cat⟧ sat on the mat." in done.stdout
    assert all(cell_len(line) <= 100 for line in done.stdout.splitlines())


def test_one_question_can_be_selected(three):
    """--question shows it with its number; --start and --limit cut."""
    done = run_show(three, "--question", "q2")
    assert "── 2 · q2" in done.stdout
    assert "q1" not in done.stdout
    assert "q3" not in done.stdout
    done = run_show(three, "--start", "2", "--limit", "1")
    assert "q2" in done.stdout
    assert "q3" not in done.stdout


def test_an_unknown_question_lists_similar_ids(three):
    """Exit code 2 and a hint."""
    done = run_show(three, "--question", "q22")
    assert done.returncode == 2
    assert "q2" in done.stderr
    assert "Traceback" not in done.stderr
    done = run_show(three, "--start", "9")
    assert done.returncode == 2
    assert "between 1 and 3" in done.stderr
    done = run_show(three, "--question", "q1", "--start", "2")
    assert done.returncode == 2
    assert "cannot be used together" in done.stderr, "that there is no q1 was said"


def test_a_group_is_shown_together(tmp_path):
    """The name of a triple shows its three questions."""
    path = tmp_path / "own.jsonl"
    path.write_text(
        "\n".join(
            question_row(
                f"{group}{role}", answer="A", options=["cat", "mat"], group=group, role=role
            )
            for group in ("x", "y")
            for role in ("original", "positive", "negative")
        )
    )
    shown = run_show(path, "--question", "y").stdout
    assert shown.count("── ") == 3
    assert "y negative" in shown
    assert "qxoriginal" not in shown


def test_json_is_one_object(three):
    """Passages and questions as records, with their numbers."""
    found = json.loads(run_show(three, "--json", "--start", "2").stdout)["questions"]
    assert [entry["number"] for entry in found] == [2, 3]
    assert found[0]["question"]["question_id"] == "q2"


def test_no_more_is_read_than_shown(tmp_path):
    """A broken line behind the question is never reached."""
    path = tmp_path / "own.jsonl"
    path.write_text(question_row(1) + "\n" + question_row(2, passage="Next.") + "\n" + "{broken\n")
    done = run_show(path, "--limit", "1")
    assert (done.returncode, done.stderr) == (0, "")
    done = run_show(path)
    assert done.returncode == 2
    assert "⟦the mat⟧" in done.stdout


def test_a_closed_pipe_is_no_error(tmp_path):
    """`show | head` ends quietly."""
    path = tmp_path / "own.jsonl"
    path.write_text("\n".join(question_row(number) for number in range(3000)))
    done = subprocess.run(
        f"{sys.executable} -m closeread show {path} | head -n 1",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "q0" in done.stdout
    assert done.stderr == ""


def test_a_terminal_is_styled_within_its_width(three):
    """Answers in reverse video, no brackets, no line wider than the window."""
    shown = on_terminal(three, columns=40)
    assert "\x1b[0;1;7mthe mat\x1b[0m" in shown
    assert "⟦" not in shown
    for line in shown.splitlines():
        assert cell_len(re.sub(r"\x1b\[[0-9;]*m", "", line)) <= 40


def test_no_color_is_honoured_on_a_terminal(three):
    """With NO_COLOR the brackets come back."""
    shown = on_terminal(three, NO_COLOR="1")
    assert "\x1b[" not in shown
    assert "⟦the mat⟧" in shown


HOSTILE = "A \x1b[31mcat\x1b]0;owned\x07 sat\x9b2J on \u202ethe mat\r\x08 and\x00 slept."


def test_hostile_text_is_harmless_on_a_terminal(tmp_path):
    """Only our own styles are escape sequences; everything else of the kind is made visible."""
    path = tmp_path / "own.jsonl"
    path.write_text(
        question_row(
            1, passage=HOSTILE, answer="cat", title="\x1b[2J", note="\x1b[5m", id="\x1b]8;;x\x07"
        )
    )
    shown = on_terminal(path)
    rest = re.sub(r"\x1b\[0(?:;\d+)*m", "", shown)
    assert "\x1b" not in rest
    assert not set(rest) & set("\x07\x08\x9b\x00\r\u202e")
    assert "\u241b[31m" in rest
    piped = run_show(path).stdout
    assert not set(piped) & set("\x1b\x07\x08\x9b\x00\r\u202e")


def test_chinese_stays_aligned_on_a_terminal():
    """The exam that ships, at 50 columns: no line is wider, options hang under their text."""
    shown = on_terminal("exam/zh", "--limit", "1", columns=50)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", shown).splitlines()
    assert all(cell_len(line) <= 50 for line in plain)
    assert not any(line.strip()[:1] in "，。；：、”）" for line in plain if line.strip())


def render_sheet(passage: str, question: Question, *, whole: bool = True, width: int = 60) -> str:
    made = Sheet(width=width, colour=False)
    return "".join(made.show(1, Passage(passage_id="p", text=passage), question, whole))


def test_evidence_is_numbered_in_the_passage_and_at_its_option():
    """The same raised number stands at both."""
    text = "甲是乙。丙是丁。"
    shown = render_sheet(
        text,
        Question(
            question_id="q",
            passage_id="p",
            text="正确的一项是",
            kind="verification",
            asks_for="supported",
            options=(Option(label="A", text="甲是乙"), Option(label="B", text="丙是戊")),
            option_truth=(True, False),
            answers=(Answer(kind="choice", label="A", texts=("甲是乙",)),),
            gold_evidence=(
                Evidence(spans=(Span(4, 8),), option_label="B"),
                Evidence(spans=(Span(0, 4),), option_label="A"),
            ),
        ),
    )
    assert "⟪¹甲是乙。⟫⟪²丙是丁。⟫" in shown
    assert "● A  甲是乙  (gold, true, evidence ¹)" in shown
    assert "○ B  丙是戊  (false, evidence ²)" in shown
    assert "asks for what is supported" in shown


def test_paragraphs_and_mrqa_markers_begin_lines():
    """Markers stay in sight; of many blank lines one is kept."""
    text = "[DOC] [TLE] Cats [PAR] A cat sat. [PAR] It slept.\n\n\n\nThe end."
    question = Question(
        question_id="q",
        passage_id="p",
        text="Who?",
        kind="span",
        answers=(Answer(kind="span", texts=("A cat",), spans=(Span(23, 28),)),),
    )
    shown = render_sheet(text, question)
    assert (
        "   [DOC] [TLE] Cats\n   [PAR] ⟦A cat⟧ sat.\n   [PAR] It slept.\n\n   The end.\n" in shown
    )


def test_later_questions_show_the_marked_paragraphs_only():
    """What stands above is not printed again."""
    question = Question(
        question_id="q",
        passage_id="p",
        text="Who?",
        kind="span",
        answers=(Answer(kind="span", texts=("two",), spans=(Span(4, 7),)),),
    )
    shown = render_sheet("one\ntwo\nthree", question, whole=False)
    assert "[...]\n   ⟦two⟧\n   [the passage as above]" in shown
    assert "three" not in shown


def test_answers_without_a_place_and_without_a_text():
    """Numbers say that they are numbers, no answer and no gold are said in words."""

    def ask(*answers):
        return render_sheet(
            "x",
            Question(question_id="q", passage_id="p", text="?", kind="discrete", answers=answers),
        )

    three = Answer(kind="number", texts=("3",))
    assert "A  ⟦3 (number)⟧  (given 2 times)" in ask(three, three)
    assert "⟦a | b (spans)⟧" in ask(Answer(kind="spans", texts=("a", "b")))
    assert "⟦no answer in the passage⟧" in ask(Answer(kind="none"))
    assert "no gold answer in the file" in ask()


def test_truth_values_and_turns_are_shown():
    """MultiRC's questions were said to have no gold, and a turn's line ends were signs."""
    options = tuple(Option(label=label, text=label * 3) for label in "AB")
    question = Question(
        question_id="q", passage_id="p", text="And who?\n\nEarlier:\nWhen?\nAt six.",
        kind="verification", asks_for="supported", options=options, option_truth=(True, True),
    )  # fmt: skip
    told = render_sheet("x", question)
    assert "Q  And who?\n\n   Earlier:\n   When?\n   At six.\n" in told
    assert "B  BBB  (true)" in told
    assert "no gold answer" not in told


@pytest.mark.parametrize("more", [(), ("--question", "q1"), ("--json",)])
def test_a_set_without_questions_is_an_error(tmp_path, more):
    """A header alone, as a cut download leaves it."""
    path = tmp_path / "cut.jsonl"
    path.write_text('{"header": {"dataset": "X", "split": "dev"}}\n')
    done = run_show(path, *more)
    assert done.returncode == 2
    assert "the data set has no questions" in done.stderr


def test_a_results_file_is_shown_as_tables(tmp_path):
    """A leaderboard of the shared task: models by data sets, the macro-average last."""
    path = tmp_path / "results.json"
    path.write_text(
        '{"leaderboard": [{"submission": {"description": "Ours", "user_name": "us"}, "scores": '
        '{"A_em": 50.0, "A_f1": 60.04, "B_em": 30.0, "B_f1": 40.0}}, {"submission": '
        '{"description": "Failed"}, "scores": {"A_em": null, "A_f1": null, "B_em": null, '
        '"B_f1": null}}]}'
    )
    done = run_show(path)
    assert "50.0 / 60.0" in done.stdout
    assert "40.0 / 50.0" in done.stdout
    assert "—" in done.stdout
    assert json.loads(run_show(path, "--json").stdout)["datasets"] == ["A", "B"]


def test_real_files_are_shown(corpus):
    """Every kind of set: the first questions, within the width, and the published results."""
    for name in (
        "xquad/xquad.zh.json",
        "drop/drop_dataset_dev_sample.json",
        "gcrc_advrobust/dev_GCRCadvrobust.json",
        "vgaokao/sample_annotation_visible.json",
        "ocnli/dev.json",
        "mrqa/results/ood-test-results.json",
        "covidqa/200423_covidQA.json",
    ):
        done = run_show(corpus / "data" / name, "--limit", 3)
        assert (done.returncode, done.stderr) == (0, ""), name
        assert all(cell_len(line) <= 100 for line in done.stdout.splitlines()), name
