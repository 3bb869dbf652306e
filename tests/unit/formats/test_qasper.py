"""QASPER: annotations of several kinds, evidence with and without a place, and rows."""

import json
from pathlib import Path
from typing import Any

import pytest

from closeread.errors import InputError, UsageError
from closeread.formats import dump, load
from closeread.types import Defects, Evidence, Span
from format_samples import PAPER

SAID = PAPER["1901.00001"]["qas"][0]["answers"][0]["answer"]
NOTHING = {"unanswerable": False, "extractive_spans": [], "yes_no": None, "free_form_answer": "",
           "evidence": []}  # fmt: skip


def write_set(folder: Path, value: Any) -> Path:
    path = folder / "set.json"
    path.write_text(json.dumps(value) + "\n", "utf-8")
    return path


def paper_with_answers(*said: dict[str, Any]) -> Any:
    paper = json.loads(json.dumps(PAPER))
    paper["1901.00001"]["qas"][0]["answers"] = [{"answer": one} for one in said]
    return paper


def round_trip(path: Path, folder: Path) -> Any:
    dump(load(path), folder / "back.json")
    return json.loads((folder / "back.json").read_text("utf-8"))


def test_papers_have_their_questions(tmp_path):
    path = write_set(tmp_path, PAPER)
    defects = Defects()
    ((passage, (question,)),) = load(path).read(defects)
    assert (load(path).format, defects.counts, passage.title) == ("qasper", {}, "Ferries")
    assert passage.text == "We study ferries.\nData\nThe ferry left at six.\nIt had a piano."
    (answer,), (found,) = question.answers, question.gold_evidence
    assert (answer.kind, answer.spans[0].of(passage.text)) == ("span", "at six")
    assert found.spans[0].of(passage.text) == "The ferry left at six."
    assert round_trip(path, tmp_path) == PAPER


@pytest.mark.parametrize(
    ("said", "kind", "texts"),
    [
        (NOTHING | {"unanswerable": True, "evidence": ["x"]}, "none", ()),
        (NOTHING | {"extractive_spans": ["piano", "six"]}, "spans", ("piano", "six")),
        (NOTHING | {"free_form_answer": "Early", "yes_no": True}, "span", ("Early",)),
        (NOTHING | {"yes_no": True}, "span", ("Yes",)),
        (NOTHING | {"yes_no": False}, "span", ("No",)),
    ],
)
def test_annotations_follow_the_official_precedence(tmp_path, said, kind, texts):
    path = write_set(tmp_path, paper_with_answers(said))
    ((_, (question,)),) = load(path)
    assert [(one.kind, one.texts) for one in question.answers] == [(kind, texts)]
    assert load(path).check().counts == {}
    assert round_trip(path, tmp_path) == paper_with_answers(said)


def test_evidence_that_is_not_a_paragraph_is_counted(tmp_path):
    """Of figures and tables is no defect; another text is."""
    evidence = ["FLOAT SELECTED: Table 1", "It had a piano.", "Nowhere."]
    path = write_set(
        tmp_path, paper_with_answers(SAID | {"evidence": evidence, "extractive_spans": ["horse"]})
    )
    ((_, (question,)),) = load(path)
    assert question.gold_evidence == (
        Evidence(
            spans=(Span(46, 61),),
            texts=("It had a piano.", "FLOAT SELECTED: Table 1", "Nowhere."),
        ),
    )
    counted = {"answer-not-in-passage": 1, "evidence-not-in-passage": 1}
    assert load(path).check().counts == counted


def test_an_annotation_without_an_answer_is_an_error(tmp_path):
    with pytest.raises(InputError, match=r"qas\[0\], question q1: an annotation without an answer"):
        list(load(write_set(tmp_path, paper_with_answers(NOTHING))))


def test_rows_are_read_as_the_published_form(tmp_path):
    paper = PAPER["1901.00001"]
    (asked_of,) = paper["qas"]
    (one,) = asked_of["answers"]
    row = paper | {
        "id": "1901.00001",
        "full_text": {
            "section_name": ["Data"],
            "paragraphs": [paper["full_text"][0]["paragraphs"]],
        },
        "qas": {key: [value] for key, value in asked_of.items()}
        | {"answers": [{key: [value] for key, value in one.items()}]},
        "figures_and_tables": {"caption": ["Table 1: Ferries"], "file": ["1.png"]},
    }
    path = write_set(tmp_path, row)
    assert load(path).format == "qasper"
    assert round_trip(path, tmp_path) == PAPER
    row["qas"]["question_id"] = []
    with pytest.raises(InputError, match="not lists of equal length"):
        list(load(write_set(tmp_path, row)))


def test_other_sets_cannot_be_written(tmp_path):
    row = {"id": "1", "passage": "a b", "question": "?", "answer": "a"}
    with pytest.raises(UsageError, match="paper with sections"):
        dump(load(write_set(tmp_path, row)), tmp_path / "back.json", "qasper")
