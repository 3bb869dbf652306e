"""MultiRC: published, in SuperGLUE's lines and in rows; several options of a question are right."""

import json
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from closeread.errors import CloseReadError, InputError, UsageError
from closeread.formats import dump, load
from closeread.formats.conversion.convert import convert
from closeread.formats.submissions import load_submission
from closeread.formats.submissions.dumping import hand_in
from closeread.metrics.multirc import metric
from closeread.runs.records import ScoreSettings
from closeread.runs.score import score_submission
from closeread.types import Answer, Defects, Prediction
from format_samples import CHECKED

TEXT = "The ferry left at six. It carried a piano."


def superglue_line(at: int, *truths: tuple[int, ...]) -> dict[str, Any]:
    """A paragraph of SuperGLUE whose questions have options with these labels; -1 for none."""
    questions = [
        {
            "question": f"Q{number}?",
            "answers": [
                {"text": f"option {index}", "idx": index} | ({"label": said} if said >= 0 else {})
                for index, said in enumerate(labels)
            ],
            "idx": number,
        }
        for number, labels in enumerate(truths)
    ]
    return {"idx": at, "version": 1.1, "passage": {"text": TEXT, "questions": questions}}


def write_rows(folder: Path, *rows: Any, name: str = "set.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def back(path: Path, folder: Path) -> list[Any]:
    dump(load(path), folder / "back.json")
    return [json.loads(row) for row in (folder / "back.json").read_text("utf-8").splitlines()]


def test_the_published_form_round_trips(tmp_path):
    """Without the marks of sentences; those that were used are evidence."""
    defects = Defects()
    path = write_rows(tmp_path, CHECKED)
    ((passage, (question,)),) = load(path).read(defects)
    assert (load(path).format, defects.counts) == ("multirc", {})
    assert passage.text == "The ferry left Marl at six. It carried 14 sheep and one piano."
    assert question.question_id == "Fiction/1.txt==0"
    assert (question.kind, question.asks_for) == ("verification", "supported")
    assert (question.option_truth, question.answers) == ((True, False, True), ())
    assert question.gold_evidence[0].texts == ("It carried 14 sheep and one piano.",)
    dump(load(path), tmp_path / "back.json")
    assert json.loads((tmp_path / "back.json").read_text("utf-8")) == CHECKED


@pytest.mark.parametrize(
    "text", ["Plain.", "<b>Sent 2: </b>A.<br>", "<b>Sent 1: </b>A.<br> B.", "<b>Sent 1: </b>A."]
)
def test_other_marks_stay_in_the_text(tmp_path, text):
    odd = json.loads(json.dumps(CHECKED))
    odd["data"][0]["paragraph"]["text"] = text
    path = write_rows(tmp_path, odd)
    ((passage, (question,)),) = load(path)
    assert (passage.text, question.gold_evidence) == (text, ())
    dump(load(path), tmp_path / "back.json")
    assert json.loads((tmp_path / "back.json").read_text("utf-8")) == odd


def test_evidence_in_a_missing_sentence_is_counted(tmp_path):
    odd = json.loads(json.dumps(CHECKED))
    odd["data"][0]["paragraph"]["questions"][0]["sentences_used"] = [0, 7]
    assert load(write_rows(tmp_path, odd)).check().counts == {"evidence-not-in-passage": 1}


def test_superglues_lines_round_trip(tmp_path):
    """Labels of options; a test set has none, and so no gold."""
    rows = [superglue_line(0, (1, 0, 1), (0, 0)), superglue_line(5, (-1, -1))]
    path = write_rows(tmp_path, *rows)
    (_, (both, neither)), (_, (hidden,)) = load(path)
    assert [one.question_id for one in (both, neither, hidden)] == ["0-0", "0-1", "5-0"]
    assert (both.option_truth, neither.option_truth) == ((True, False, True), (False, False))
    assert (hidden.option_truth, hidden.has_gold) == ((), False)
    assert back(path, tmp_path) == rows
    with pytest.raises(CloseReadError, match="not every option has a truth value"):
        metric().score(hidden, None)


@pytest.mark.parametrize("labels", [(1, 0), ("True", "False"), (True, False)])
def test_rows_are_read_as_lines(tmp_path, labels):
    """Of `datasets`: an option a row, with numbers or, in parquet, names for labels."""
    rows = [
        {"paragraph": TEXT, "question": f"Q{question}?", "answer": f"option {answer}",
         "idx": {"paragraph": 3, "question": question, "answer": answer}, "label": labels[answer]}
        for question in (8, 9) for answer in (0, 1)
    ]  # fmt: skip
    path = write_rows(tmp_path, *rows)
    ((passage, (first, second)),) = load(path)
    assert (passage.text, first.question_id, second.question_id) == (TEXT, "3-8", "3-9")
    assert first.option_truth == (True, False)
    assert [option.text for option in second.options] == ["option 0", "option 1"]
    back(path, tmp_path)
    assert [*load(tmp_path / "back.json")] == [*load(path)]


@pytest.mark.parametrize(
    ("row", "em", "f1a"),
    [
        ({"idx": 0, "passage": {"idx": 0, "questions": [{"idx": 0, "answers": [
            {"idx": 0, "label": 1}, {"idx": 1, "label": 0}, {"idx": 2, "label": 1}]}]}}, 1, 1),
        ({"id": "0-0", "option_scores": [0.9, 0.2, 0.4]}, 0, 2 / 3),
        ({"id": "0-0", "answer": "C"}, 0, 2 / 3),
    ],
)  # fmt: skip
def test_submissions_are_scored(tmp_path, row, em, f1a):
    """SuperGLUE's labels, our own scores of options, or the one option that was picked."""
    data = load(write_rows(tmp_path, superglue_line(0, (1, 0, 1))))
    path = write_rows(tmp_path, row, name="p.jsonl")
    found = score_submission(data, load_submission(path, data), ScoreSettings(metrics=())).metrics
    assert (found["multirc.em"].value, found["multirc.f1a"].value) == (em, pytest.approx(f1a))


def test_a_failure_is_wrong_even_if_no_option_is_right(tmp_path):
    ((_, (question,)),) = load(write_rows(tmp_path, superglue_line(0, (0, 0))))
    failed = Prediction(question_id="0-0", error="no answer came")
    assert metric().score(question, failed).values["em"] == 0
    assert metric().score(question, None).values["em"] is None
    none = Prediction(question_id="0-0", option_scores=(0.1, 0.2), answer=Answer(kind="none"))
    assert metric().score(question, none).values["em"] == 1


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"pid": "a", "qid": "0", "scores": ["x"]}, "question a==0: the scores are not a list"),
        ({"idx": 0, "passage": {"questions": [{"idx": 0, "answers": [{"idx": 0}]}]}}, "'label'"),
    ],
)
def test_invalid_labels_are_errors(tmp_path, row, told):
    with pytest.raises(InputError, match=told):
        load_submission(write_rows(tmp_path, row, name="p.jsonl"))


@pytest.mark.parametrize(
    "name", ["1", "zh-01-q1", "zh-01-1", "3-q1", "01-0", "3-00", "٣-0", f"{10**20}-0"]
)
def test_other_sets_cannot_be_written(tmp_path, name):
    """Lines number their passages: ``zh-01`` was written, and then could not be read."""
    passage = name.rpartition("-")[0] or "p"
    row = {"id": name, "passage": TEXT, "passage_id": passage, "question": "When?"}
    path = write_rows(tmp_path, row | {"options": ["a", "b"], "answer": "A"})
    with pytest.raises(UsageError, match="of two integers") as told:
        convert(load(path), tmp_path / "back.json", "multirc")
    assert told.value.where == f"question {name}"
    assert [*tmp_path.iterdir()] == [path]


def test_sets_with_fitting_ids_can_be_written(tmp_path):
    row = {"id": "3-0", "passage": TEXT, "passage_id": "3", "question": "When?"}
    path = write_rows(tmp_path, row | {"options": ["a", "b"], "truth": [True, True]})
    assert "id" not in convert(load(path), tmp_path / "back.json", "multirc").lost
    ((_, (question,)),) = load(tmp_path / "back.json", "multirc")
    assert (question.question_id, question.option_truth) == ("3-0", (True, True))


def test_shuffled_rows_are_an_error(tmp_path):
    """Options of one question apart: a question cut short, or one that comes again."""

    def row(question: int, option: int) -> dict[str, Any]:
        numbers = {"paragraph": 0, "question": question, "answer": option}
        return {"paragraph": "A.", "question": "Q?", "answer": "a", "idx": numbers, "label": 1}

    for order in (
        [(0, 0), (1, 2), (0, 1), (1, 3)],
        [(0, 0), (0, 1), (1, 4), (1, 5), (0, 2), (0, 3)],
    ):
        path = write_rows(tmp_path, *(row(*numbers) for numbers in order))
        with pytest.raises(InputError, match=r"question 0-0: .* are not adjacent"):
            list(load(path))


def test_predictions_are_written_in_superglues_form(tmp_path):
    """Those of lines, and of rows, which have its ids; a question without any is left out."""
    dataset = load(
        write_rows(tmp_path, superglue_line(3, (1, 0, 1), (0, 1)), superglue_line(7, (1, 1)))
    )
    given = {
        "3-0": Prediction(question_id="3-0", option_scores=(1.0, 0.0, 1.0)),
        "7-0": Prediction(question_id="7-0", option_scores=(0.0, 0.0)),
    }
    hand_in(given, dataset, "multirc", stream := BytesIO())
    first, second = map(json.loads, stream.getvalue().splitlines())
    answers = [{"idx": place, "label": label} for place, label in enumerate((1, 0, 1))]
    assert first == {"idx": 3, "passage": {"questions": [{"idx": 0, "answers": answers}]}}
    assert second["idx"] == 7
    path = tmp_path / "handed.jsonl"
    path.write_bytes(stream.getvalue())
    back = load_submission(path, dataset).predictions
    assert {name: one.option_scores for name, one in back.items()} == {
        name: one.option_scores for name, one in given.items()
    }


def test_single_answer_forms_reject_multirc(tmp_path):
    """``texts`` came out empty of scores that were handed in, or with one option of several."""
    dataset = load(write_rows(tmp_path, superglue_line(3, (1, 0, 1))))
    for form in ("texts", "nbest", "expmrc", "vgaokao"):
        with pytest.raises(UsageError, match="choose --to multirc"):
            hand_in({}, dataset, form, BytesIO())
    with pytest.raises(UsageError, match="the run's data set is in the format multirc"):
        hand_in({}, dataset, "qasper", BytesIO())
