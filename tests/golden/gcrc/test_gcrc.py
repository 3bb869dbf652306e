"""GCRC_advRobust against the official program: every case, malformed inputs included."""

import json

import pytest

from closeread import load
from closeread.errors import CloseReadError
from closeread.formats.submissions import load_submission
from closeread.metrics.gcrc import metric, official, strict
from closeread.metrics.intervals import value
from closeread.types import Answer, Prediction, Submission

FIELDS = {"original": "answer", "positive": "positive_answer", "negative": "negative_answer"}


@pytest.fixture(scope="module")
def questions(corpus):
    found = list(load(corpus / "data" / "gcrc_advrobust" / "dev_GCRCadvrobust.json").questions())
    gold = json.loads((corpus / "golden" / "gcrc" / "gold_letters.json").read_text("utf-8"))
    assert len(found) == 3 * len(gold) == 1008
    for question in found:
        letters = dict(zip(FIELDS, gold[question.group_id], strict=True))
        assert question.answers[0].label == letters[question.role]
    return found


def cases(corpus):
    path = corpus / "golden" / "gcrc" / "cases.jsonl"
    found = [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]
    assert len(found) == 43
    return found


def handed_in(case):
    """The rows as the program's reader would see them, three an item."""
    items = case.get("rows") or [[key, *row] for key, row in case["predictions"].items()]
    rows = []
    for name, *letters in items:
        rows += [(f"{name}#{role}", letter) for role, letter in zip(FIELDS, letters, strict=True)]
    predictions = {
        question_id: Prediction(
            question_id=question_id,
            answer=Answer(kind="choice", label=letter) if isinstance(letter, str) else None,
        )
        for question_id, letter in rows
    }
    return Submission(predictions=predictions, rows=tuple(rows))


def scored(chosen, questions, submission):
    return [chosen.score(each, submission.predictions.get(each.question_id)) for each in questions]


def test_every_case_with_scores(corpus, questions):
    compared = 0
    for case in cases(corpus):
        expected = case["official"]["scores"]
        if expected is None:
            continue
        submission = handed_in(case)
        scores = scored(metric(), questions, submission)
        assert official(scores, submission) == expected, case["name"]
        pools = {pool.metric: pool for pool in metric().pool(scores, submission)}
        for name, number in expected.items():
            assert value(pools[f"gcrc.{name.lower()}"]) == number, (case["name"], name)
        compared += 1
    print(f"{compared} cases compared")
    assert compared == 34


def test_every_case_that_the_program_refuses(corpus, questions, tmp_path):
    """Ours refuses them with one message; but for the byte order mark, which we can read."""
    compared = 0
    for case in cases(corpus):
        if case["official"]["scores"] is not None:
            continue
        path = tmp_path / f"{case['name']}.json"
        _write(path, case)
        compared += 1
        if case["name"] == "bom_file":
            assert len(load_submission(path).predictions) == 3
            continue
        with pytest.raises(CloseReadError) as caught:
            submission = load_submission(path)
            official(scored(metric(), questions, submission), submission)
        assert str(caught.value), case["name"]
    print(f"{compared} cases compared")
    assert compared == 9


def test_every_case_from_its_file_on_disk(corpus, questions, tmp_path):
    """The same numbers when the submission is read from a file in the official form."""
    compared = 0
    for case in cases(corpus):
        expected = case["official"]["scores"]
        if expected is None:
            continue
        path = tmp_path / f"{case['name']}.json"
        _write(path, case)
        submission = load_submission(path)
        assert official(scored(metric(), questions, submission), submission) == expected, case[
            "name"
        ]
        compared += 1
    print(f"{compared} files compared")
    assert compared == 34


def test_strict_counts_every_triple_once(corpus, questions):
    by_name = {case["name"]: case for case in cases(corpus)}

    def strictly(name):
        submission = handed_in(by_name[name])
        scores = scored(strict(), questions, submission)
        pools = strict().pool(scores, submission)
        assert all(len(pool.unit_ids) == 336 for pool in pools)
        return [value(pool) for pool in pools]

    assert strictly("all_correct") == [1.0, 1.0, 1.0, 1.0]
    assert strictly("baseline") == list(by_name["baseline"]["official"]["scores"].values())
    assert strictly("only_correct_originals_submitted")[0] == 71 / 336
    assert strictly("missing_every_third_correct")[:3] == [224 / 336] * 3
    assert strictly("extra_ids")[:3] == [1.0] * 3
    assert strictly("unknown_ids_only") == [0.0] * 4
    assert strictly("duplicate_first_right_then_wrong")[0] == 0.0
    assert strictly("duplicate_wrong_then_right")[0] == 1.0


def _write(path, case):
    if "file_content" in case:
        content = case["file_content"]
        text = content if isinstance(content, str) else json.dumps(content)
        path.write_text(text, "utf-8")
    elif "predictions" in case or "rows" in case:
        items = case.get("rows") or [[key, *row] for key, row in case["predictions"].items()]
        rows = [dict(zip(("id", *FIELDS.values()), item, strict=True)) for item in items]
        path.write_text(json.dumps({"data": rows}), "utf-8")
