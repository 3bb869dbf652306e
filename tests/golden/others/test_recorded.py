"""Scorers under other harnesses' names against what those harnesses said: HOW.md tells which."""

import hashlib
import json
from pathlib import Path

import pytest

from closeread import load
from closeread.registry import lookup
from closeread.types import Answer, Prediction, Question

RUN_ON = "\n\nPassage: Hoping to rebound from their loss"
# Ten ways to write an accepted answer, by the names that the recorded verdicts have.
ORACLES = {
    "gold": lambda text: text,
    'gold + "."': lambda text: text + ".",
    'gold cut at first "." (stop ".")': lambda text: text.split(".")[0],
    'gold + "\\n\\nPassage: Hoping to rebound from their loss"': lambda text: text + RUN_ON,
    'same, cut at "."': lambda text: (text + RUN_ON).split(".")[0],
    'same, cut at "\\n"': lambda text: (text + RUN_ON).split("\n")[0],
    '"The answer is " + gold + "."': lambda text: f"The answer is {text}.",
    '"Answer: " + gold': lambda text: f"Answer: {text}",
    'constant "2"': lambda text: "2",
    '""': lambda text: "",
}
NAMES = ("lm-eval", "lighteval", "inspect", "simple-evals", "opencompass", "helm", "evaluate")


@pytest.fixture(scope="module")
def recorded():
    lines = Path(__file__).with_name("pairs.jsonl").read_text("utf-8").split("\n")
    return [json.loads(line) for line in lines if line]


@pytest.mark.parametrize("name", NAMES)
def test_every_number(name, recorded):
    """To the last bit, but for evaluate, whose script gives percent."""
    metric = lookup.resolve("metric", name)()
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
    old = lookup.resolve("metric", "inspect")(version="499e6152")
    parted = 0
    for row in recorded:
        answers = tuple(Answer(kind="spans", texts=tuple(gold)) for gold in row["golds"])
        question = Question(
            question_id="q", passage_id="p", text="?", kind="discrete", answers=answers
        )
        said = Prediction(question_id="q", answer=Answer(kind="span", texts=(row["said"],)))
        parted += old.score(question, said).values != row["inspect"]
    assert 0 < parted < len(recorded) / 8


def test_opencompass_over_the_whole_development_set(corpus):
    """Every verdict of its two scorers on 9,536 questions, written in ten ways."""
    path = Path(__file__).with_name("opencompass_drop_dev.json")
    wanted = json.loads(path.read_text("utf-8"))
    dev = list(load(corpus / "data/drop/drop_v0_dev.jsonl.gz").questions())
    metric = lookup.resolve("metric", "opencompass")()
    compared = 0
    for name, edit in ORACLES.items():
        verdicts = {"em": "", "drop": ""}
        for one in dev:
            answer = Answer(kind="span", texts=(edit(one.answers[0].texts[0]),))
            said = Prediction(question_id=one.question_id, answer=answer)
            for key, found in metric.score(one, said).values.items():
                verdicts[key] += str(int(found))
        for key, bits in verdicts.items():
            digest = hashlib.sha256(bits.encode()).hexdigest()
            assert {"right": bits.count("1"), "sha256": digest} == wanted[name][key], (name, key)
            compared += len(bits)
    print(f"{compared:,} verdicts compared")
    assert compared == 2 * 10 * 9536
