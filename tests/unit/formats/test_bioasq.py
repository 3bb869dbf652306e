"""BioASQ: questions of four types over snippets."""

import json
from pathlib import Path
from typing import Any

import pytest

from closeread.errors import InputError, UsageError
from closeread.formats import dump, load
from closeread.runs.scoring.default_metrics import default_metrics
from closeread.types import Answer, Defects, Span
from format_samples import SNIPPETS

FACT, TRUTH = SNIPPETS["questions"]
SUMMARY = FACT | {"id": "b0", "type": "summary"}


def write_set(folder: Path, *questions: Any) -> Path:
    path = folder / "set.json"
    path.write_text(json.dumps({"questions": questions, "username": "x"}), "utf-8")
    return path


def round_trip(path: Path, folder: Path) -> Any:
    dump(load(path), folder / "back.json")
    return json.loads((folder / "back.json").read_text("utf-8"))


def test_questions_have_their_snippets(tmp_path):
    defects = Defects()
    path = write_set(tmp_path, FACT, TRUTH)
    (passage, (fact,)), (_, (truth,)) = load(path).read(defects)
    assert (load(path).format, defects.counts) == ("bioasq", {})
    assert passage.text == "The ferry left at six.\nIt had a piano."
    assert fact.answers == (
        Answer(kind="span", texts=("at six",), spans=(Span(15, 21),)),
        Answer(kind="span", texts=("six",), spans=(Span(18, 21),)),
    )
    assert ([one.text for one in truth.options], truth.answers[0].label) == (["yes", "no"], "A")
    assert truth.tags == {"type": "yesno"}
    assert round_trip(path, tmp_path) == {"questions": [FACT, TRUTH], "username": "x"}


@pytest.mark.parametrize(
    ("kind", "said", "texts"),
    [
        ("factoid", "six", [("six",)]),
        ("factoid", ["six", "at six"], [("six",), ("at six",)]),
        ("factoid", [["six"], ["piano"]], [("six",), ("piano",)]),
        ("list", [["six", "at six"], ["piano"]], [("six", "piano")]),
        ("list", ["six", "piano"], [("six", "piano")]),
        ("list", None, []),
        ("list", [[]], []),
        ("list", [["six"], [" "]], [("six",)]),
        ("yesno", "", []),
        ("yesno", "No", [("no",)]),
        ("yesno", ["yes"], [("yes",)]),
        ("yesno", None, []),
    ],
)
def test_answers_of_every_type_are_read(tmp_path, kind, said, texts):
    row = FACT | {"type": kind, "exact_answer": said}
    path = write_set(tmp_path, row)
    ((_, (question,)),) = load(path)
    assert [answer.texts for answer in question.answers] == texts
    assert round_trip(path, tmp_path)["questions"] == [row]


def test_free_form_questions_are_skipped_and_written_back(tmp_path):
    rows = [SUMMARY, SUMMARY | {"id": "b9"}, FACT, SUMMARY | {"id": "c"}, TRUTH, SUMMARY]
    path = write_set(tmp_path, *rows)
    dataset = load(path)
    assert [question.question_id for question in dataset.questions()] == ["b1", "b2"]
    assert dataset.check().counts == {"free-answer": 4}
    assert round_trip(path, tmp_path)["questions"] == rows


def test_odd_answers_are_counted(tmp_path):
    rows = [FACT | {"exact_answer": "seven"}, TRUTH | {"exact_answer": "maybe"}]
    counted = {"answer-not-in-passage": 1, "answer-not-an-option": 1}
    assert load(write_set(tmp_path, *rows)).check().counts == counted


def test_default_metrics_follow_the_questions(tmp_path):
    listed = FACT | {"id": "b3", "type": "list", "exact_answer": [["six"], ["piano"]]}
    assert default_metrics(load(write_set(tmp_path, FACT)), {}) == ("squad",)
    assert default_metrics(load(write_set(tmp_path, TRUTH, listed)), {}) == ("choice", "drop")


def test_a_question_without_a_body_is_an_error(tmp_path):
    row = {key: value for key, value in FACT.items() if key != "body"}
    with pytest.raises(InputError, match=r"questions\[1\].*'body' is missing"):
        list(load(write_set(tmp_path, TRUTH, row)))


def test_other_sets_cannot_be_written(tmp_path):
    path = tmp_path / "own.jsonl"
    path.write_text(json.dumps({"id": "1", "passage": "a", "question": "?", "answer": "a"}))
    with pytest.raises(UsageError, match="snippets as they were read"):
        dump(load(path), tmp_path / "back.json", "bioasq")
