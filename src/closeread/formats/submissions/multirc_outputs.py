"""Reads and writes MultiRC's submissions: which options of each question are right.

``[{"pid", "qid", "scores": [0, 1, ...]}, ...]`` as the official program takes it; SuperGLUE's lines
``{"idx", "passage": {"idx", "questions": [{"idx", "answers": [{"idx", "label"}, ...]}, ...]}}``.
"""

from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

import msgspec

from closeread.errors import InputError
from closeread.formats.files.parse_errors import explain
from closeread.formats.layouts.json_writing import write_array, write_lines
from closeread.formats.submissions.raw_prediction import FORMS, is_number
from closeread.types import Dataset, Prediction


class _Label(msgspec.Struct):
    label: bool | int


class _Question(msgspec.Struct):
    idx: int
    answers: list[_Label]


class _Passage(msgspec.Struct):
    questions: list[_Question]


class _Line(msgspec.Struct):
    idx: int
    passage: _Passage


def is_scored(row: Mapping[str, Any]) -> bool:
    """Whether a row has scores for the options of one question."""
    return {"pid", "qid", "scores"} <= row.keys()


def parse_scored(place: str, row: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return a question's id and the scores of its options.

    Raises:
        InputError: The scores are not numbers.
    """
    scores = row["scores"]
    if not isinstance(scores, list) or not all(map(is_number, scores)):
        raise InputError(
            "the scores are not a list of numbers",
            where=f"{place}, question {row['pid']}=={row['qid']}",
            expected="0 or 1 for each option",
            cure=FORMS,
        )
    return f"{row['pid']}=={row['qid']}", {"option_scores": scores}


def is_paragraph(row: Mapping[str, Any]) -> bool:
    """Whether a row has the options of a whole paragraph, as in SuperGLUE."""
    passage = row.get("passage")
    return "idx" in row and isinstance(passage, dict) and "questions" in passage


def parse_paragraph(place: str, row: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each question's id with its options' scores.

    Raises:
        InputError: A label is missing, or of another type.
    """
    try:
        line = msgspec.convert(row, _Line)
    except msgspec.ValidationError as error:
        raise explain(error, place, value=row, kind=_Line) from error
    for question in line.passage.questions:
        yield (
            f"{line.idx}-{question.idx}",
            {"option_scores": [int(a.label) for a in question.answers]},
        )


def write(predictions: Mapping[str, Prediction], dataset: Dataset, stream: BinaryIO) -> None:
    """Write which options are predicted to be right, in the set's own form: published or lines.

    Args:
        predictions: With 1 or 0 for each option; questions without them are left out.
        dataset: In MultiRC's form.
        stream: The output.
    """
    if dataset.metadata["multirc"]["lines"]:
        write_lines(stream, _iter_lines(predictions, dataset))
    else:
        write_array(stream, _iter_scored(predictions, dataset))


def _iter_scored(
    predictions: Mapping[str, Prediction], dataset: Dataset
) -> Iterator[dict[str, Any]]:
    for question in dataset.questions():
        if verdicts := _option_verdicts(predictions, question.question_id):
            pid, _, qid = question.question_id.rpartition("==")
            yield {"pid": pid, "qid": qid, "scores": verdicts}


def _iter_lines(
    predictions: Mapping[str, Prediction], dataset: Dataset
) -> Iterator[dict[str, Any]]:
    for passage, questions in dataset:
        question_rows = []
        for question in questions:
            if verdicts := _option_verdicts(predictions, question.question_id):
                answers = [{"idx": place, "label": label} for place, label in enumerate(verdicts)]
                number = int(question.question_id.rpartition("-")[2])
                question_rows.append({"idx": number, "answers": answers})
        if question_rows:
            yield {"idx": int(passage.passage_id), "passage": {"questions": question_rows}}


def _option_verdicts(predictions: Mapping[str, Prediction], question_id: str) -> list[int]:
    prediction = predictions.get(question_id)
    return [] if prediction is None else [int(score) for score in prediction.option_scores]
