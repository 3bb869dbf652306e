"""An answer without blanks is one word to SQuAD's program, and its F1 says so."""

import hashlib
import json

import pytest

import closeread
from closeread.metrics import mrqa, squad, squad2
from closeread.metrics.matching.unspaced import ONE_WORD
from closeread.reports.words.notes import NOTES
from closeread.runs import open_run
from closeread.runs.verify import verify
from closeread.types import Answer, Passage, Prediction, Question

METRICS = [squad.metric(), mrqa.metric(), squad2.metric()]
every = pytest.mark.parametrize("metric", METRICS, ids=lambda one: one.name)
PASSAGE = Passage(passage_id="p", text="在青石桥的东边，1990年 by Ann Lee", language="zh")


def question(name, *golds):
    answers = tuple(Answer(kind="span", texts=(gold,)) for gold in golds)
    return Question(
        question_id=name,
        passage_id="p",
        text="?",
        kind="span",
        answers=answers or (Answer(kind="none"),),
    )


def numbers(metric, *questions):
    said = [
        Prediction(question_id=one.question_id, answer=Answer(kind="span", texts=("青石",)))
        for one in questions
    ]
    return closeread.score([(PASSAGE, questions)], said, metrics=metric.name, resamples=0).metrics


@every
@pytest.mark.parametrize(
    ("gold", "note"),
    [
        ("青石桥", ONE_WORD),
        ("さくら", ONE_WORD),
        ("1990年", ""),
        ("Ann Lee", ""),
        ("青石 桥头", ""),
    ],
)
def test_unspaced_answers_are_recognised(metric, gold, note):
    assert metric.score(question("q", gold), None).note == note


@every
def test_f1_of_mostly_unspaced_answers_has_a_note(metric):
    found = numbers(metric, question("a", "青石桥"), question("b", "桥东边"), question("c", "Ann"))
    told = found[f"{metric.name}.f1"]
    assert told.note.startswith(
        "2 of 3 answers are Chinese or Japanese, and this metric counts each as one word"
    )
    assert "--metric cmrc~mixed" in told.note
    assert told.value == 0  # as the official program has it
    assert not found[f"{metric.name}.em"].note
    assert "按字计算" in NOTES.say(told.note, "zh")


@every
def test_few_unspaced_answers_have_no_note(metric):
    found = numbers(metric, question("a", "青石桥"), question("b", "Ann"), question("c", "Lee"))
    assert not found[f"{metric.name}.f1"].note


def test_unanswerable_questions_do_not_hide_the_note():
    found = numbers(squad2.metric(), question("a", "青石桥"), question("b"), question("c"))
    assert "1 of 1 answers" in found["squad2.f1"].note
    assert "1 of 1 answers" in found["squad2.hasans_f1"].note
    assert found["squad2.noans_f1"].note == ""


def test_best_f1_and_its_area_have_the_note_too():
    """They are F1, beside best exact match and its area, which are what they say."""
    questions = [question("a", "青石桥"), question("b", "桥东边"), question("c")]
    said = [
        Prediction(question_id=name, answer=Answer(kind="span", texts=(text,)))
        for name, text in (("a", "青石"), ("b", "桥东边"))
    ]
    said.append(Prediction(question_id="c", answer=Answer(kind="none")))
    found = closeread.score(
        [(PASSAGE, questions)],
        said,
        metrics="squad2",
        null_odds={"a": 0.1, "b": 0.2, "c": 0.9},
        resamples=0,
    ).metrics
    told = {name for name, one in found.items() if "2 of 2 answers are Chinese" in one.note}
    assert told == {f"squad2.{one}" for one in ("f1", "hasans_f1", "best_f1", "pr_f1_ap")}
    assert found["squad2.best_em"].value == found["squad2.best_f1"].value == 2 / 3


def test_runs_scored_without_the_note_are_verified(tmp_path):
    """Its file of scores has no notes, and its summary none; its numbers are right."""
    data = tmp_path / "data.jsonl"
    closeread.convert([(PASSAGE, [question("a", "青石桥")])], data, "jsonl")
    run = closeread.read(data, "first-sentence", tmp_path / "run")
    closeread.score(run, metrics="squad")
    lines = [json.loads(line) for line in (run.path / "scores.jsonl").read_text().splitlines()]
    assert all(one.pop("note") == ONE_WORD for one in lines)
    (run.path / "scores.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in lines))
    summary = json.loads((run.path / "summary.json").read_text())
    raw = (run.path / "scores.jsonl").read_bytes()
    summary["scores_sha256"] = hashlib.sha256(raw).hexdigest()
    summary["computed_by"]["counts"] = 5
    del summary["metrics"]["squad.f1"]["note"]
    (run.path / "summary.json").write_text(json.dumps(summary))
    found = verify(open_run(run.path))
    assert not found.differences
    (told,) = (one for one in found.unchecked if "note" in one)
    assert "squad.f1: note nothing is stored, 1 of 1 answers are" in told
