"""MuSiQue: paragraphs with titles, supporting ones, aliases, questions that are not answerable."""

import json
from pathlib import Path
from typing import Any

import pytest

from closeread.errors import InputError, UsageError
from closeread.formats import dump, load
from closeread.formats.submissions import load_submission
from closeread.runs.records import ScoreSettings
from closeread.runs.score import score_submission
from closeread.types import Answer, Defects, Span

PARAGRAPHS = [
    {"idx": 0, "title": "Ferry", "paragraph_text": "It left at six.", "is_supporting": True},
    {"idx": 1, "title": "Ferry", "paragraph_text": "It had\n14 sheep.", "is_supporting": False},
    {"idx": 2, "title": "Piano", "paragraph_text": "Nobody tuned it.", "is_supporting": True},
]
ROW = {
    "id": "2hop__1_2",
    "paragraphs": PARAGRAPHS,
    "question": "When did what carried the piano leave?",
    "question_decomposition": [{"id": 1, "question": "a >> b", "answer": "ferry"}],
    "answer": "six",
    "answer_aliases": ["six o'clock", "at six"],
    "answerable": True,
}


def write_lines(folder: Path, *rows: dict[str, Any]) -> Path:
    path = folder / "musique.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def test_questions_have_their_paragraphs(tmp_path):
    """Titles stand above; two paragraphs of one title are two."""
    defects = Defects()
    data = load(write_lines(tmp_path, ROW))
    ((passage, (question,)),) = data.read(defects)
    assert (data.format, defects.counts) == ("musique", {})
    assert passage.text == (
        "Ferry\nIt left at six.\n\nFerry\nIt had\n14 sheep.\n\nPiano\nNobody tuned it."
    )
    six, clock, at = question.answers
    assert six == Answer(kind="span", texts=("six",), spans=(Span(17, 20),))
    assert (clock.texts, clock.spans, at.spans) == (("six o'clock",), (), (Span(14, 20),))
    (found,) = question.gold_evidence
    assert [span.of(passage.text) for span in found.spans] == [
        "It left at six.",
        "Nobody tuned it.",
    ]
    assert question.tags == {"hops": "2hop"}


@pytest.mark.parametrize(
    ("changes", "kinds"),
    [
        ({}, ["span", "span", "span"]),
        ({"answerable": False}, ["none"]),
        ({"answer_aliases": []}, ["span"]),
    ],
)
def test_musique_round_trips(tmp_path, changes, kinds):
    row = ROW | changes
    bare = {"id": "2hop__3_4"} | {key: row[key] for key in ("paragraphs", "question")}
    path = write_lines(tmp_path, row, bare)
    (_, (one,)), (_, (hidden,)) = load(path)
    assert [answer.kind for answer in one.answers] == kinds
    assert hidden.answers == ()
    dump(load(path), tmp_path / "back.jsonl")
    assert (tmp_path / "back.jsonl").read_text() != ""
    written = [json.loads(line) for line in (tmp_path / "back.jsonl").read_text().splitlines()]
    assert written == [json.loads(line) for line in path.read_text().splitlines()]
    assert load(path).check().counts == {}
    assert load(write_lines(tmp_path, row, row)).check().counts == {"duplicate-id": 1}


def test_submissions_are_scored(tmp_path):
    """The answers of the official form; any alias will do."""
    path = tmp_path / "p.jsonl"
    row = {"id": "2hop__1_2", "predicted_answer": "at six", "predicted_support_idxs": [0],
           "predicted_answerable": True}  # fmt: skip
    path.write_text(json.dumps(row))
    data = load(write_lines(tmp_path, ROW))
    found = score_submission(data, load_submission(path, data), ScoreSettings(metrics=()))
    assert found.metrics["squad.em"].value == 1


def test_questions_of_the_full_set_get_two_ids(tmp_path):
    """Only the last of each id was judged: which of the two, the order of the file decided."""
    rows = (ROW, ROW | {"id": "2hop__3_4"}, ROW | {"answerable": False}, ROW | {"id": "2hop__5_6"})
    path = write_lines(tmp_path, *rows)
    data = load(path)
    names = [question.question_id for question in data.questions()]
    assert names == ["2hop__1_2", "2hop__3_4", "2hop__1_2-2", "2hop__5_6"]
    assert data.check().counts == {}
    dump(data, tmp_path / "back.jsonl")
    back = (tmp_path / "back.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in back] == [*rows]
    given = [
        {"id": row["id"], "predicted_answer": "six", "predicted_answerable": row["answerable"]}
        for row in rows
    ]
    given[3]["predicted_answerable"] = False  # which of the set with answers alone says nothing
    (tmp_path / "p.jsonl").write_text("".join(json.dumps(row) + "\n" for row in given))
    handed = load_submission(tmp_path / "p.jsonl", data)
    found = score_submission(data, handed, ScoreSettings(metrics=()))
    values = {name: (one.value, one.n_scored) for name, one in found.metrics.items()}
    assert values["squad2.hasans_em"] == (1, 3)
    assert values["squad2.noans_em"] == (1, 1)
    assert [name for name, _ in handed.rows] == names


def test_other_sets_cannot_be_written(tmp_path):
    row = {"id": "1", "passage": "It left.", "question": "When?"}
    with pytest.raises(UsageError, match="paragraphs with titles"):
        dump(load(write_lines(tmp_path, row)), tmp_path / "back", "musique")


def test_a_paragraph_without_text_is_an_error(tmp_path):
    row = ROW | {"paragraphs": [*PARAGRAPHS, {"idx": 3, "title": "x"}]}
    with pytest.raises(InputError, match=r"line 1, .*paragraphs\[3\].*'paragraph_text' is missing"):
        list(load(write_lines(tmp_path, row)))
