"""Predictions as publishers of pages, snippets and pairs take them: a set and what answers it."""

import json
from pathlib import Path
from typing import Any

import pytest

from closeread.errors import InputError, UsageError
from closeread.formats import load
from closeread.runs.records import ScoreSettings
from closeread.runs.score import score_submission
from closeread.types import Answer, Dataset, Span
from format_samples import PAGE, SNIPPETS, WEB
from submission_samples import load_submitted

NULL = {"start_token": -1, "end_token": -1}
LISTED = SNIPPETS["questions"][0] | {
    "id": "b3", "type": "list", "exact_answer": [["six"], ["piano"]]
}  # fmt: skip


def write_and_load(folder: Path, value: Any, name: str = "set.json") -> Dataset:
    path = folder / name
    path.write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")
    return load(path)


def score_values(folder: Path, data: Dataset, given: Any) -> dict[str, float | None]:
    found = score_submission(
        data, load_submitted(folder, given, dataset=data), ScoreSettings(metrics=())
    )
    return {name: one.value for name, one in found.metrics.items()}


def nq_submission(**changes: Any) -> dict[str, Any]:
    row = {
        "example_id": 7, "long_answer": {"start_token": 0, "end_token": 9},
        "short_answers": [{"start_token": 5, "end_token": 7}], "short_answers_score": 2.5,
        "yes_no_answer": "NONE",
    }  # fmt: skip
    return {"predictions": [row | changes]}


def test_answers_by_tokens_are_located(tmp_path):
    data = write_and_load(tmp_path, PAGE)
    one = load_submitted(tmp_path, nq_submission(), dataset=data).predictions["7"]
    assert one.answer == Answer(kind="span", texts=("at six",), spans=(Span(24, 30),))
    assert one.evidence[0].texts == ("<P> The ferry left Marl at six . </P>",)
    assert one.confidence == 2.5
    assert score_values(tmp_path, data, nq_submission())["squad.em"] == 1


@pytest.mark.parametrize(
    ("changes", "answer"),
    [
        ({"yes_no_answer": "YES"}, Answer(kind="span", texts=("yes",))),
        ({"short_answers": []}, Answer(kind="none")),
        ({"short_answers": [NULL]}, Answer(kind="none")),
    ],
)
def test_yes_no_and_no_answer_are_read(tmp_path, changes, answer):
    data = write_and_load(tmp_path, PAGE)
    one = load_submitted(
        tmp_path, nq_submission(**changes, long_answer=NULL), dataset=data
    ).predictions["7"]
    assert (one.answer, one.evidence) == (answer, ())


def test_token_answers_beyond_the_page_are_an_error(tmp_path):
    data = write_and_load(tmp_path, PAGE)
    assert list(
        load_submitted(tmp_path, nq_submission(example_id=8), dataset=data).predictions
    ) == ["8"]
    for tokens in ({"start_token": 16, "end_token": 18}, {"start_token": -1, "start_byte": 4}):
        with pytest.raises(InputError, match=r"question 7.*are not in the page"):
            load_submitted(tmp_path, nq_submission(short_answers=[tokens]), dataset=data)
    with pytest.raises(InputError, match=r"predictions\[0\].*short_answers"):
        load_submitted(tmp_path, nq_submission(short_answers="at six"), dataset=data)
    with pytest.raises(UsageError, match="token ranges"):
        load_submitted(tmp_path, nq_submission())


@pytest.mark.parametrize("factoid", [[["six", "at six"], ["piano"]], ["six", "piano"], "six"])
def test_bioasq_submissions_are_scored(tmp_path, factoid):
    """The first of ranked names is the answer; what is written for a summary has no question."""
    data = write_and_load(tmp_path, SNIPPETS | {"questions": [*SNIPPETS["questions"], LISTED]})
    given = {
        "questions": [
            {"id": "b1", "exact_answer": factoid, "ideal_answer": "At six."},
            {"id": "b2", "exact_answer": "yes"},
            {"id": "b3", "exact_answer": [["piano", "a piano"], ["six"]]},
            {"id": "b4", "ideal_answer": "It left."},
        ]
    }
    assert list(load_submitted(tmp_path, given, dataset=data).predictions) == ["b1", "b2", "b3"]
    found = score_values(tmp_path, data, given)
    assert (found["drop.em"], found["choice.accuracy"]) == (1, 1)


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"id": "b1", "exact_answer": [[1]]}, r"question b1.*exact answer is \[\[1\]\]"),
        ({"exact_answer": "six"}, r"questions\[1\].*without an id"),
    ],
)
def test_invalid_bioasq_answers_are_an_error(tmp_path, row, told):
    data = write_and_load(tmp_path, SNIPPETS)
    with pytest.raises(InputError, match=told):
        load_submitted(
            tmp_path, {"questions": [{"id": "b2", "exact_answer": "no"}, row]}, dataset=data
        )


def test_record_submissions_are_scored(tmp_path):
    """By the query's number, which is one in the whole set; by the passage's beside it, as well."""
    rows = [
        {
            "idx": at,
            "passage": {"text": "Mara met Tom.", "entities": []},
            "qas": [
                {"query": "@placeholder met him", "answers": [{"text": "Mara"}], "idx": one}
                for one in queries
            ],
        }
        for at, queries in enumerate([(0, 1), (2,)])
    ]
    data = write_and_load(tmp_path, "".join(json.dumps(row) + "\n" for row in rows), "record.jsonl")
    assert [one.question_id for one in data.questions()] == ["0-0", "0-1", "1-2"]
    said = {0: "Mara", 1: "Tom", 2: "Mara"}
    lines = [{"idx": number, "label": text} for number, text in said.items()]
    assert score_values(tmp_path, data, lines)["squad.em"] == pytest.approx(2 / 3)
    both = [{"idx": {"passage": 0, "query": 1}, "label": "Mara"}, {"idx": 9, "label": "Tom"}]
    found = load_submitted(tmp_path, both, dataset=data).predictions
    assert {name: one.answer.text for name, one in found.items()} == {"0-1": "Mara", "9": "Tom"}


def test_webqas_word_means_no_answer(tmp_path):
    """It was a text, and wrong."""
    data = write_and_load(tmp_path, WEB)
    for none in ("no_answer", ["no_answer"], {"answer": "no_answer"}, ""):
        given = {"Q_1#00": "六点", "Q_1#01": none}
        assert score_values(tmp_path, data, given)["cmrc.em~mixed"] == 1
    given = {"Q_1#00": "no_answer", "Q_1#01": "piano"}
    assert score_values(tmp_path, data, given)["cmrc.em~mixed"] == 0


def test_predictions_for_pairs_match_by_id(tmp_path):
    rows = ("gold_label\tsentence1\tsentence2\tpairID", "neutral\tHe sails.\tHe is old.\t1n",
            "entailment\tHe sails.\tSomebody sails.\t1e")  # fmt: skip
    data = write_and_load(tmp_path, "\n".join(rows) + "\n", "dev.tsv")
    found = score_values(tmp_path, data, "pairID,gold_label\n1e,entailment\n1n,contradiction\n")
    assert found["choice.accuracy"] == 0.5
