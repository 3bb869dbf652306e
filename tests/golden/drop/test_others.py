"""Other harnesses' scorers against what was measured of them, cell by cell."""

import re

import pytest

from closeread.metrics.intervals import value
from closeread.registry import lookup
from closeread.types import Answer, Prediction, Question, Submission

EM, F1 = "em", "f1"
# Rows that were measured on functions which take lists; the notes leave the others' cells open.
NOT_APPLICABLE = {"n/a"}


def section(corpus, number):
    text = (corpus / "research/drop.md").read_text("utf-8")
    return text.split(f"### {number} ")[1].split("\n### ")[0].split("\n---")[0]


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split(" | ")]


def literal(cell):
    """The text between back-quotes, with the notes' escapes."""
    text = re.search(r"`(.*?)`", cell)
    shown = text[1] if text else cell.split(" (")[0]
    return {"empty string": ""}.get(shown, shown.replace("\\n", "\n").replace("\\t", "\t"))


def spans(text):
    return tuple(part.strip().strip('"') for part in text.split(","))


def predicted(cell):
    if cell.startswith("["):
        return spans(re.match(r"\[(.*?)\]", cell)[1])
    return (literal(cell),)


def golds(cell):
    cell = re.sub(r" \(Smith\)$", " (Smith)", cell)
    if cell.startswith("("):
        return [spans(found) for found in re.findall(r"\((.*?)\)", cell.replace(",)", ")"))]
    return [(cell,)]


def judged(name, texts, accepted):
    answers = tuple(Answer(kind="spans", texts=gold) for gold in accepted)
    question = Question(question_id="q", passage_id="p", text="?", kind="discrete", answers=answers)
    prediction = Prediction(question_id="q", answer=Answer(kind="spans", texts=texts))
    return made(name).score(question, prediction).values


def made(name):
    """The metric, as it was when the notes were measured."""
    options = {"version": "499e6152"} if name == "inspect" else {}
    return lookup.resolve("metric", name)(**options)


def numbers(cell):
    bare = re.sub(r"\(.*?\)|\*|\s", "", cell)
    return [float(number) for number in bare.split("/")]


def test_the_whole_measured_table(corpus):
    """Every row and cell of the notes' table: official, lm-eval, lighteval, simple-evals, ..."""
    lines = [line for line in section(corpus, "1.8").splitlines() if line.startswith("| ")]
    rows = [cells(line) for line in lines[1:]]
    compared = 0
    for prediction, gold, *measured in rows:
        texts, accepted = predicted(prediction), golds(gold)
        found = {
            name: judged(name, texts, accepted)
            for name in ("drop", "lm-eval", "lighteval", "simple-evals", "inspect", "opencompass")
        }
        ours = [
            [found["drop"]["em"], found["drop"]["f1"]],
            [found["lm-eval"]["drop.em"], found["lm-eval"]["drop.f1"]],
            [found["lighteval"]["drop.em"], found["lighteval"]["drop.f1"]],
            [
                found["simple-evals"]["drop.em"],
                round(found["simple-evals"]["drop.f1"] * 100, 2),
                found["simple-evals"]["drop.score"],
            ],
            [found["inspect"]["f1"]],
            [found["opencompass"]["drop"]],
        ]
        for cell, own in zip(measured, ours, strict=True):
            if cell not in NOT_APPLICABLE:
                assert own == numbers(cell), (prediction, gold, cell)
                compared += 1
    print(f"{len(rows)} rows, {compared} cells compared")
    assert len(rows) == 29
    assert compared > 29 * 5


def test_lighteval_reports_the_best_question_for_all_of_them():
    """Its drop metric joins a file by the maximum; its task's exact match by the mean."""
    questions = [
        Question(
            question_id=f"q{place}", passage_id="p", text="?", kind="discrete",
            answers=(Answer(kind="number", texts=("3",)),),
        )
        for place in range(4)
    ]  # fmt: skip
    metric = lookup.resolve("metric", "lighteval")()
    predictions = {
        one.question_id: Prediction(
            question_id=one.question_id,
            answer=Answer(kind="number", texts=("3" if one.question_id == "q0" else "4",)),
        )
        for one in questions
    }
    scores = [metric.score(one, predictions[one.question_id]) for one in questions]
    pools = metric.pool(scores, Submission(predictions=predictions))
    assert {pool.metric: value(pool) for pool in pools} == {
        "lighteval.drop.em": 1.0,
        "lighteval.drop.f1": 1.0,
        "lighteval.exact_match": 0.25,
    }


@pytest.mark.parametrize(
    ("said", "gold", "em"),
    [
        ("12.25", "12.75", 1.0),  # both are cut at the point
        ("1,000", "1,999", 1.0),
        ("U.S. Army", "U.S. Navy", 1.0),
        ("北京。上海", "北京", 0.0),  # a Chinese full stop does not cut
        ("北京。", "北京", 1.0),
        ("The answer", "answer", 1.0),
        ("answer", "Answer", 0.0),  # case counts
    ],
)
def test_opencompass_exact_match_cuts_at_points_and_commas(said, gold, em):
    """EMEvaluator compares what stands before the first line break, full stop or comma."""
    assert judged("opencompass", (said,), [(gold,)])["em"] == em


@pytest.mark.parametrize(
    ("said", "gold", "em", "f1"),
    [
        ("南京长江大桥", "长江大桥", 0.0, 0.0),
        ("长江大桥。", "长江大桥", 0.0, 0.0),
        ("the bridge", "bridge!", 1.0, 1.0),
        ("the", "a", 1.0, 0.0),
    ],
)
def test_evaluate_squad_takes_a_chinese_answer_for_one_word(said, gold, em, f1):
    """Words lie between blanks, and full-width marks stay on."""
    found = judged("evaluate", (said,), [(gold,)])
    assert (found["squad.em"], found["squad.f1"]) == (em, f1)
