"""ExpMRC's scorer equals the official program, per question and over whole files."""

import json

import pytest

from closeread.metrics import expmrc
from closeread.metrics.matching.segmentation import Segmenter
from closeread.types import Answer, Evidence, Option, Prediction, Question, Submission

pytestmark = pytest.mark.usefixtures("punkt")

CHOICE = {"c3", "race"}
SETS = ("squad", "race", "cmrc2018", "c3")


def _golds(data, name):
    for article in data["data"]:
        if name in CHOICE:
            for index, label in enumerate(article["answers"]):
                yield f"{article['id']}-{index}", [label], article["evidences"][index]
            continue
        for paragraph in article["paragraphs"]:
            for qa in paragraph["qas"]:
                yield qa["id"], [answer["text"] for answer in qa["answers"]], qa["evidences"]


@pytest.fixture(scope="module")
def sets(corpus):
    found = {}
    for name in SETS:
        folder = corpus / "data/expmrc"
        data = json.loads((folder / f"expmrc-{name}-dev.json").read_text("utf-8"))
        sample = json.loads((folder / f"sample_submission/{name}.json").read_text("utf-8"))
        found[name] = data["version"], list(_golds(data, name)), sample
    return found


def _changed(sample, change):
    ids = list(sample)
    if change == "sample_submission":
        return sample
    if change == "every_5th_missing":
        return {key: sample[key] for place, key in enumerate(ids) if place % 5}
    if change == "empty_evidence":
        return {key: {**row, "evidence": ""} for key, row in sample.items()}
    if change == "swapped":
        following = dict(zip(ids, ids[1:] + ids[:1], strict=True))
        return {
            key: {**row, "evidence": sample[following[key]]["evidence"]}
            for key, row in sample.items()
        }
    assert change == "none"
    return {}


def test_every_submission_prints_the_official_output(golden, sets):
    for row in golden("expmrc/results.json"):
        version, golds, sample = sets[row["dataset"]]
        printed = expmrc.official(
            golds,
            _changed(sample, row["name"]),
            choice=row["dataset"] in CHOICE,
            version=version,
            file=row["output"]["FILE"],
        )
        assert printed == row["output"], (row["dataset"], row["name"])


def _question(key, answers, evidences, choice):
    if choice:
        gold = tuple(Answer(kind="choice", label=label) for label in answers)
    else:
        gold = tuple(Answer(kind="span", texts=(text,)) for text in answers)
    return Question(
        question_id=key,
        passage_id="",
        text="",
        kind="choice" if choice else "span",
        options=tuple(Option(label=label, text="") for label in "ABCD") if choice else (),
        answers=gold,
        gold_evidence=tuple(Evidence(texts=(text,)) for text in evidences),
    )


def _prediction(key, row, choice):
    kept = {"label": row["answer"]} if choice else {"texts": (row["answer"],)}
    return Prediction(
        question_id=key,
        answer=Answer(kind="choice" if choice else "span", **kept),
        evidence=(Evidence(texts=(row["evidence"],)),),
    )


def test_every_question_and_every_pool_is_the_official_one(golden, sets):
    rows = {(row["dataset"], row["id"]): row for row in golden("expmrc/questions.jsonl")}
    totals = {
        row["dataset"]: row["output"]
        for row in golden("expmrc/results.json")
        if row["name"] == "sample_submission"
    }
    metric = expmrc.metric()
    for name, (_, golds, sample) in sets.items():
        choice = name in CHOICE
        handed_in = {key: _prediction(key, row, choice) for key, row in sample.items()}
        scores = []
        for key, answers, evidences in golds:
            question = _question(key, answers, evidences, choice)
            score = metric.score(question, handed_in[key])
            row = rows.pop((name, key))
            found = score.values["answer_f1"], score.values["evidence_f1"]
            assert found == (row["answer_f1"], row["evidence_f1"]), row
            scores.append(score)
        for pool in metric.pool(scores, Submission(predictions=handed_in)):
            value = 100.0 * sum(pool.numerators) / sum(pool.denominators)
            key = {"answer_f1": "ANS_F1", "evidence_f1": "EVI_F1", "overall_f1": "ALL_F1"}
            assert f"{value:.3f}" == totals[name][key[pool.metric.removeprefix("expmrc.")]]
    assert not rows


def test_without_punkt_as_many_rows_differ_as_the_notes_on_the_outputs_say(golden, sets):
    rows = {(row["dataset"], row["id"]): row for row in golden("expmrc/questions.jsonl")}
    metric = expmrc.Expmrc(segmenter=Segmenter(punkt=False))
    moved = dict.fromkeys(SETS, 0)
    for name, (_, golds, sample) in sets.items():
        choice = name in CHOICE
        for key, answers, evidences in golds:
            prediction = _prediction(key, sample[key], choice)
            values = metric.score(_question(key, answers, evidences, choice), prediction).values
            row = rows[name, key]
            moved[name] += any(
                values[value] != row[value] for value in ("answer_f1", "evidence_f1")
            )
    assert moved == {"squad": 5, "race": 53, "cmrc2018": 0, "c3": 0}
