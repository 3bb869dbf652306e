"""Scorers that bear a harness' name give that harness' numbers, pair by pair."""

import json

import pytest

from closeread import load
from closeread.registry import lookup
from closeread.types import Answer, Prediction, Question
from interop.scorers.pairs import pairs, written
from interop.scorers.record import EACH, HARNESSES, OUT, judged
from project_paths import corpus_folder

pytestmark = pytest.mark.interop


def of_the_development_set():
    """Every fifth question of DROP's development set, with answers that harnesses part on."""
    folder = corpus_folder()
    if folder is None:
        return []
    rows = []
    questions = list(load(folder / "data/drop/drop_v0_dev.jsonl.gz").questions())
    for place, question in enumerate(questions[::5]):
        golds = [list(answer.texts) for answer in question.answers if answer.texts]
        said = list(written(" and ".join(golds[0])))
        chosen = [said[(place + step) % len(said)] for step in range(0, 37, 7)]
        other = questions[(11 * place + 3) % len(questions)].answers[0].texts[0]
        rows += [(one, golds) for one in (golds[0][0], other, *chosen)]
    return rows


def ours(name, said, golds):
    answers = tuple(Answer(kind="spans", texts=tuple(gold)) for gold in golds)
    question = Question(question_id="q", passage_id="p", text="?", kind="discrete", answers=answers)
    prediction = Prediction(question_id="q", answer=Answer(kind="span", texts=(said,)))
    return lookup.resolve("metric", name)().score(question, prediction).values


@pytest.mark.timeout(1800)  # some of the packages are slow to begin
@pytest.mark.parametrize("harness", HARNESSES)
def test_every_pair_is_judged_alike(harness):
    """Pairs of our own, and real gold answers where the corpus is."""
    own, real = pairs(), of_the_development_set()
    theirs = judged(harness, [*own, *real])
    if theirs is None:
        pytest.skip(f"no environment for {harness}: `make interop` makes it")
    name = HARNESSES[harness]
    for (said, golds), wanted in zip([*own, *real], theirs, strict=True):
        assert ours(name, said, golds) == wanted, (said, golds)
    print(f"{name}: {len(own)} pairs of our own and {len(real)} of the development set")
    assert len({json.dumps(one) for one in theirs}) > 2

    recorded = [json.loads(line) for line in OUT.read_text("utf-8").splitlines()]
    assert [row[name] for row in recorded] == theirs[: len(own) : EACH]
