"""How texts ended, and what cutting them elsewhere does."""

import pytest

from audit_runs import generated, loaded, make_run
from closeread.audits.truncation import causes, check
from closeread.types import Answer, Question

RUN_ON = "\n\nPassage: The town has 7 wards"


def asked(*golds):
    return Question(
        question_id="q", passage_id="p", text="?", kind="discrete",
        answers=tuple(Answer(kind="span", texts=(gold,)) for gold in golds),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("gold", "text", "found"),
    [
        ("12.25", "12", {"decimal cut", "ends in a number"}),
        ("12.25", "about 12", {"decimal cut", "ends in a number"}),
        ("12.25", "112", {"ends in a number"}),
        ("12.25", "12.25", {"ends in a number"}),
        ("St. Brendan", "St", {"gold cut"}),
        ("7", "7" + RUN_ON, {"run-on", "next example"}),
        ("7", "I count the trips.\nThere are 7", {"run-on", "answer after", "ends in a number"}),
        ("7", "", {"empty"}),
        ("7", " \n ", {"empty"}),
        ("Ada", "Ada", set()),
    ],
)
def test_causes_are_named(gold, text, found):
    """Each by what the text and the gold answer show."""
    assert set(causes(asked(gold), generated("q", text), (), frozenset())) == found


def test_the_token_limit_is_told_by_the_server():
    """The finish reason says it."""
    prediction = generated("q", "the ferry that", finish_reason="length")
    assert "token limit" in set(causes(asked("7"), prediction, (), frozenset()))


def test_a_copied_answer_is_one_that_many_questions_got():
    """The same long text, right nowhere."""
    text = "number,date,spans,worker_id,hit_id"
    assert "copied" in set(causes(asked("7"), generated("q", text), (), frozenset([text])))


def test_cutting_at_the_line_break_restores_the_score(tmp_path):
    """Run-on text after right answers: all of the loss comes back."""
    finding = check(loaded(make_run(tmp_path, "run-on", lambda gold: gold + RUN_ON)))
    assert finding.verdict == "broken"
    assert 'cutting at "\\n" takes drop F1 from' in finding.headline
    recuts = {row["stop"]: row for row in finding.data["recuts"]}
    assert recuts["\n"]["em"] == 1.0
    assert recuts["\n"]["changed"] == 8
    assert recuts[None]["em"] == 0.0
    assert finding.data["causes"]["next example"] == 8


def test_decimals_cut_at_the_point_are_found(tmp_path):
    """The stop "." took the decimals."""
    finding = check(loaded(make_run(tmp_path, "cut", lambda gold: gold.split(".")[0])))
    assert finding.verdict == "broken"
    assert finding.data["causes"]["decimal cut"] == 3
    assert finding.data["causes"]["gold cut"] == 1
    assert "decimal cut" in finding.headline


def test_clean_answers_are_sound(tmp_path):
    """Nothing to complain of."""
    finding = check(loaded(make_run(tmp_path, "gold", lambda gold: gold)))
    assert finding.verdict == "sound"


def test_the_oracle_rows_of_the_development_set(corpus, tmp_path):
    """Run-on oracle generations on all 9,536 questions: 0.00/13.41, 0.15/13.50, 100/100."""
    import json

    from closeread import load
    from closeread.formats.submissions import load_submission
    from closeread.runs.keep import keep

    dataset = load(corpus / "data/drop/drop_v0_dev.jsonl.gz")
    ending = "\n\nPassage: Hoping to rebound from their loss"
    said = {one.question_id: one.answers[0].texts[0] + ending for one in dataset.questions()}
    file = tmp_path / "oracle.json"
    file.write_text(json.dumps(said))
    run = keep(dataset, load_submission(file, dataset), (file,), tmp_path / "oracle")
    recuts = {row["stop"]: row for row in check(loaded(run)).data["recuts"]}
    shown = {
        stop: (round(100 * recuts[stop]["em"], 2), round(100 * recuts[stop]["f1"], 2))
        for stop in (None, ".", "\n")
    }
    print(f"{len(said)} questions: {shown}")
    assert shown == {None: (0.0, 13.41), ".": (0.15, 13.5), "\n": (100.0, 100.0)}
