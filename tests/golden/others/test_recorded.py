"""Scorers under other harnesses' names against what those harnesses said: HOW.md tells which."""

import json
from pathlib import Path

import pytest

from closeread import catalog
from closeread.types import Answer, Prediction, Question

NAMES = ("lm-eval", "lighteval", "inspect", "simple-evals", "opencompass", "evaluate")


@pytest.fixture(scope="module")
def recorded():
    lines = Path(__file__).with_name("pairs.jsonl").read_text("utf-8").split("\n")
    return [json.loads(line) for line in lines if line]


@pytest.mark.parametrize("name", NAMES)
def test_every_number(name, recorded):
    """To the last bit, but for evaluate, whose script gives percent."""
    metric = catalog.resolve("metric", name)()
    spread = set()
    for row in recorded:
        answers = tuple(Answer(kind="spans", texts=tuple(gold)) for gold in row["golds"])
        question = Question(
            question_id="q", passage_id="p", text="?", kind="discrete", answers=answers
        )
        said = Prediction(question_id="q", answer=Answer(kind="span", texts=(row["said"],)))
        found = metric.score(question, said).values
        wanted = row[name]
        spread.update(wanted.values())
        if name == "evaluate":
            wanted = pytest.approx(wanted, abs=1e-15)
        assert found == wanted, row["said"]
    assert len(recorded) == 820 and len(spread) > 1


def test_the_older_inspect_takes_each_word_once(recorded):
    """The two versions part where a word is said twice, and nowhere else."""
    old = catalog.resolve("metric", "inspect")(version="499e6152")
    parted = 0
    for row in recorded:
        answers = tuple(Answer(kind="spans", texts=tuple(gold)) for gold in row["golds"])
        question = Question(
            question_id="q", passage_id="p", text="?", kind="discrete", answers=answers
        )
        said = Prediction(question_id="q", answer=Answer(kind="span", texts=(row["said"],)))
        parted += old.score(question, said).values != row["inspect"]
    assert 0 < parted < len(recorded) / 8
