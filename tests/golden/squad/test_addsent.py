"""AddSent's figures equal the printouts of ``eval_squad.py`` over the published 3,560 rows."""

import json
import zlib

import pytest

from closeread.formats import load
from closeread.metrics import addsent
from closeread.metrics.intervals import value
from closeread.types import Answer, Prediction, Submission

# System, and of how many ids one is left out, to what the program printed.
PRINTED = [
    ("bert_ensemble", 0, (86.0, 91.548138419296, 27.8, 40.60288947289832)),
    ("bert_ensemble", 3, (59.8, 63.7446002813448, 20.3, 32.54743834507875)),
    ("bert_ensemble", 7, (74.6, 79.23851362200867, 27.5, 41.13011358936158)),
    ("logistic_regression", 0, (39.4, 50.411915242553235, 12.7, 22.71202171338007)),
    ("logistic_regression", 3, (28.5, 36.033707969026736, 9.4, 18.68434260599509)),
    ("logistic_regression", 7, (34.2, 43.43357894096135, 12.5, 23.10634844778992)),
]
KEYS = ("orig_exact_match", "orig_f1", "adv_exact_match", "adv_f1")
VALUES = ("addsent.original_em", "addsent.original_f1", "addsent.em", "addsent.f1")


def _said(items, answers, left_out):
    """A variant is answered as its original, by its passage's end, or by the first word more."""
    said = {}
    for passage, question in items:
        number = zlib.crc32(question.question_id.encode())
        if left_out and number % left_out == 0:
            continue
        original, hyphen, _ = question.question_id.partition("-")
        first, words = answers.get(original, ""), passage.text.split()
        ways = (first, " ".join(words[-4:]), f"{first} {words[0]}")
        said[question.question_id] = ways[number % 3] if hyphen else first
    return said


@pytest.mark.parametrize(("system", "left_out", "printed"), PRINTED)
def test_every_whole_file_is_as_the_program_prints_it(corpus, system, left_out, printed):
    dataset = load(corpus / "data/squad_adv/sample1k-HCVerifyAll.json")
    items = [(passage, one) for passage, questions in dataset for one in questions]
    answers = json.loads((corpus / f"data/squad_preds/{system}.v1.1.json").read_text("utf-8"))
    said = _said(items, answers, left_out)
    golds = [(one.question_id, [answer.text for answer in one.answers]) for _, one in items]
    assert addsent.official(golds, said) == dict(zip(KEYS, printed, strict=True))
    handed_in = {
        name: Prediction(question_id=name, answer=Answer(kind="span", texts=(text,)))
        for name, text in said.items()
    }
    metric = addsent.metric()
    scores = [metric.score(one, handed_in.get(one.question_id)) for _, one in items]
    pools = {one.metric: one for one in metric.pool(scores, Submission(predictions=handed_in))}
    for name, number in zip(VALUES, printed, strict=True):
        assert value(pools[name]) == pytest.approx(number / 100, abs=1e-12)
        assert len(pools[name].unit_ids) == 1000
