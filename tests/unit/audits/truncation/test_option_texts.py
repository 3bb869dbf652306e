"""What was read of texts that name an option, and what was not."""

from pathlib import Path

import pytest

from audit_runs import load_run
from closeread.audits.subject import Subject
from closeread.audits.truncation.check import check
from closeread.reports.words.audit_sentences import OUR_CELLS, SENTENCES
from closeread.runs.ingest import ingest
from closeread.types import (
    Answer,
    Generation,
    Option,
    Passage,
    Prediction,
    Question,
    Submission,
)

LOGS = Path(__file__).parents[2] / "logs/fixtures"
OPTIONS = tuple(
    Option(label=label, text=text)
    for label, text in zip(
        "ABCD", ("a ferry", "an iron bridge", "two tunnels", "a ford"), strict=True
    )
)


def check_option_run(said, taken, *, gold="B", finish="stop", n=40, **more):
    """Questions of which the model wrote ``said`` and a harness read ``taken``."""
    questions = tuple(
        Question(
            question_id=f"q{place}", passage_id="p", text="What is there?", kind="choice",
            options=OPTIONS, answers=(Answer(kind="choice", label=gold),),
        )
        for place in range(n)
    )  # fmt: skip
    named = {"label": taken} if len(taken) == 1 else {"texts": (taken,)}
    answer = Answer(kind="choice", **named) if taken else None
    text = Generation(text=said, finish_reason=finish) if said is not None else None
    found = {
        each.question_id: Prediction(question_id=each.question_id, answer=answer, generation=text)
        for each in questions
    }
    return check(
        Subject(
            name="run", dataset="d", sha256="", questions=questions,
            passages={"p": Passage(passage_id="p", text="There is an iron bridge.")},
            submission=Submission(predictions=found), **more,
        )
    )  # fmt: skip


@pytest.mark.parametrize(
    ("said", "taken"),
    [
        ("**Answer:** (B)", ""),
        ("A good question. The answer is B.", "A"),
        ("<think>\nA or C?\n</think>\n\nB", "A"),
    ],
)
def test_a_missed_letter_is_reported(said, taken):
    """Accuracy was 0 by the harness' pattern."""
    finding = check_option_run(said, taken)
    assert finding.verdict == "broken"
    told = "extracting the answers with --extract auto changes accuracy from 0.00 to 100.00"
    assert finding.headline == f"run: {told}"
    assert finding.data["causes"]["no option"] == (0 if taken else 40)
    assert SENTENCES.say(finding.headline, "zh") != finding.headline
    assert {table.headings[0] for table in finding.tables} <= OUR_CELLS


@pytest.mark.parametrize(("said", "gold"), [("B", "B"), ("The answer is (B).", "C")])
def test_correctly_extracted_options_are_sound(said, gold):
    finding = check_option_run(said, "B", gold=gold)
    assert finding.verdict == "sound" and finding.data["read_anew"]["changed"] == 0
    assert "no option was lost" in finding.headline


@pytest.mark.parametrize(
    ("n", "told"),
    [
        (40, "40 texts ended at the token limit before they named an option"),
        (1, "1 text ended at the token limit before it named an option"),
    ],
)
def test_reasoning_cut_at_the_limit_is_reported(n, told):
    finding = check_option_run("Let us see what the passage says of", "", finish="length", n=n)
    assert finding.verdict == "broken"
    assert finding.headline == f"run: {told}"
    assert SENTENCES.say(finding.headline, "zh") != finding.headline
    wrong = check_option_run("I cannot tell.", "")
    assert wrong.verdict == "sound" and wrong.data["causes"]["no option"] == 40


def test_an_option_named_by_its_text_is_extracted():
    """It scores, and the limit behind it took nothing."""
    finding = check_option_run("an iron bridge", "an iron bridge", finish="length")
    assert finding.data["accuracy"] == 1.0
    assert finding.verdict == "sound" and finding.data["causes"]["no option"] == 0


def test_likelihoods_and_own_texts_are_not_extracted_again():
    """There is no text; or options were dealt anew, and each letter was turned back already."""
    assert check_option_run(None, "B").verdict == "skipped"
    ours = check_option_run("B", "C", gold="C", rule="letter")
    assert ours.verdict == "sound" and not ours.data["read_anew"]


@pytest.mark.parametrize("log", ["inspect/*choice*.json", "handmade/canned-4_2030*"])
def test_harnesses_with_correct_extraction_are_sound(tmp_path, log):
    """One text for all questions of a passage is not read for each."""
    (found,) = LOGS.glob(log)
    (run,) = ingest([found], tmp_path / "run").runs
    assert check(load_run(run)).verdict == "sound"
