"""Promises about a whole file: missing, repeated and wrong answers never raise its score."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from closeread.metrics.intervals import value
from closeread.protocols import Metric
from closeread.types import Answer, Prediction, Question, Submission

Rows = list[tuple[str, Prediction]]


@dataclass(frozen=True)
class FileRelation:
    """A promise about two submissions for the same questions."""

    name: str
    promise: str
    demand: Literal["same", "lower", "not higher"]
    make: Callable[[Sequence[Question]], tuple[Rows, Rows]]


def right_prediction(question: Question) -> Prediction:
    """Return a prediction that equals the first gold answer."""
    gold = question.answers[0]
    return Prediction(question_id=question.question_id, answer=gold)


def wrong_prediction(question: Question) -> Prediction:
    """Return a prediction that equals no gold answer."""
    if question.options:
        gold = {answer.label for answer in question.answers}
        label = next((one.label for one in question.options if one.label not in gold), "")
        answer = Answer(kind="choice", label=label)
    else:
        answer = Answer(kind="span", texts=("qqq",))
    return Prediction(question_id=question.question_id, answer=answer)


def _rows(predictions: Sequence[Prediction]) -> Rows:
    return [(one.question_id, one) for one in predictions]


def _is_third(questions: Sequence[Question]) -> list[bool]:
    """Whether each question belongs to every third one, or to every third triple."""
    places: dict[str, int] = {}
    for one in questions:
        places.setdefault(one.group_id or one.question_id, len(places))
    return [places[one.group_id or one.question_id] % 3 == 2 for one in questions]


def _two_of_three_right(questions: Sequence[Question]) -> Rows:
    """Two questions, or triples, of three answered rightly."""
    pairs = zip(questions, _is_third(questions), strict=True)
    return _rows(
        [wrong_prediction(one) if third else right_prediction(one) for one, third in pairs]
    )


def _last_ids(questions: Sequence[Question]) -> set[str]:
    end = questions[-1]
    same = [one for one in questions if end.group_id and one.group_id == end.group_id]
    return {one.question_id for one in same or [end]}


def _one_more_wrong(questions: Sequence[Question]) -> tuple[Rows, Rows]:
    last = _last_ids(questions)
    rows = [
        wrong_prediction(one) if one.question_id in last else right_prediction(one)
        for one in questions
    ]
    return _rows([right_prediction(one) for one in questions]), _rows(rows)


def _third_wrong(questions: Sequence[Question]) -> tuple[Rows, Rows]:
    return _rows([right_prediction(one) for one in questions]), _two_of_three_right(questions)


def _wrong_left_out(questions: Sequence[Question]) -> tuple[Rows, Rows]:
    rows = _two_of_three_right(questions)
    thirds = zip(rows, _is_third(questions), strict=True)
    return rows, [row for row, third in thirds if not third]


def _right_left_out(questions: Sequence[Question]) -> tuple[Rows, Rows]:
    rows = _rows([right_prediction(one) for one in questions])
    last = _last_ids(questions)
    return rows, [row for row in rows if row[0] not in last]


def _answered_again(questions: Sequence[Question]) -> tuple[Rows, Rows]:
    rows = _two_of_three_right(questions)
    again = [(one.question_id, right_prediction(one)) for one in questions]
    return rows, [*again, *rows]  # the last answer to each question is the one it had


def _variants_again(questions: Sequence[Question]) -> tuple[Rows, Rows]:
    variants = {one.question_id for one in questions if one.role in ("positive", "negative")}
    rows = _rows(
        [
            wrong_prediction(one) if one.question_id in variants else right_prediction(one)
            for one in questions
        ]
    )
    again = [
        (one.question_id, right_prediction(one)) for one in questions if one.question_id in variants
    ]
    return rows, [*again, *rows]


def _unknown_id(questions: Sequence[Question]) -> tuple[Rows, Rows]:
    rows = _two_of_three_right(questions)
    stranger = Prediction(question_id="no such id", answer=wrong_prediction(questions[0]).answer)
    return rows, [*rows, ("no such id", stranger)]


def _backwards(questions: Sequence[Question]) -> tuple[Rows, Rows]:
    rows = _two_of_three_right(questions)
    return rows, rows[::-1]


FILE_RELATIONS: tuple[FileRelation, ...] = (
    FileRelation("wrong-counts", "one more wrong answer lowers the score", "lower",
                 _one_more_wrong),
    FileRelation("wrong-third", "a third of wrong answers lowers the score", "lower",
                 _third_wrong),
    FileRelation("left-out", "leaving out a wrong answer does not raise the score", "not higher",
                 _wrong_left_out),
    FileRelation("right-left-out", "leaving out a right answer lowers the score", "lower",
                 _right_left_out),
    FileRelation("id-twice", "a second answer to a question does not raise the score",
                 "not higher", _answered_again),
    FileRelation("variant-twice", "a second answer to a variant does not raise the score",
                 "not higher", _variants_again),
    FileRelation("unknown-id", "an answer to an unknown question changes nothing", "same",
                 _unknown_id),
    FileRelation("row-order", "the order of rows is ignored", "same", _backwards),
)  # fmt: skip


def file_scores(metric: Metric, questions: Sequence[Question], rows: Rows) -> dict[str, float]:
    """Return the metric's values over a file of rows; the last of an id is its prediction."""
    submission = Submission(
        predictions=dict(rows),
        rows=tuple(
            (name, one.answer.label if one.answer and one.answer.label else one)
            for name, one in rows
        ),
    )
    scores = [
        metric.score(question, submission.predictions.get(question.question_id))
        for question in questions
    ]
    found = {pool.metric: value(pool) for pool in metric.pool(scores, submission)}
    return {name: number for name, number in found.items() if number is not None}
