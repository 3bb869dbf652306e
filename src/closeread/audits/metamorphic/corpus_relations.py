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


def _to_rows(predictions: Sequence[Prediction]) -> Rows:
    return [(one.question_id, one) for one in predictions]


def _third_mask(questions: Sequence[Question]) -> list[bool]:
    """Whether each question belongs to every third one, or to every third triple."""
    group_numbers: dict[str, int] = {}
    for question in questions:
        group_numbers.setdefault(question.group_id or question.question_id, len(group_numbers))
    return [
        group_numbers[question.group_id or question.question_id] % 3 == 2 for question in questions
    ]


def _two_of_three_right(questions: Sequence[Question]) -> Rows:
    """Two questions, or triples, of three answered rightly."""
    pairs = zip(questions, _third_mask(questions), strict=True)
    return _to_rows(
        [wrong_prediction(one) if third else right_prediction(one) for one, third in pairs]
    )


def _ids_of_last(questions: Sequence[Question]) -> set[str]:
    last_question = questions[-1]
    members = [
        one
        for one in questions
        if last_question.group_id and one.group_id == last_question.group_id
    ]
    return {one.question_id for one in members or [last_question]}


def _make_one_more_wrong(questions: Sequence[Question]) -> tuple[Rows, Rows]:
    last = _ids_of_last(questions)
    rows = [
        wrong_prediction(one) if one.question_id in last else right_prediction(one)
        for one in questions
    ]
    return _to_rows([right_prediction(one) for one in questions]), _to_rows(rows)


def _make_third_wrong(questions: Sequence[Question]) -> tuple[Rows, Rows]:
    return _to_rows([right_prediction(one) for one in questions]), _two_of_three_right(questions)


def _leave_out_wrong(questions: Sequence[Question]) -> tuple[Rows, Rows]:
    rows = _two_of_three_right(questions)
    thirds = zip(rows, _third_mask(questions), strict=True)
    return rows, [row for row, third in thirds if not third]


def _leave_out_right(questions: Sequence[Question]) -> tuple[Rows, Rows]:
    rows = _to_rows([right_prediction(one) for one in questions])
    last = _ids_of_last(questions)
    return rows, [row for row in rows if row[0] not in last]


def _answer_again(questions: Sequence[Question]) -> tuple[Rows, Rows]:
    rows = _two_of_three_right(questions)
    again = [(one.question_id, right_prediction(one)) for one in questions]
    return rows, [*again, *rows]  # the last answer to each question is the one it had


def _answer_variants_again(questions: Sequence[Question]) -> tuple[Rows, Rows]:
    variants = {one.question_id for one in questions if one.role in ("positive", "negative")}
    rows = _to_rows(
        [
            wrong_prediction(one) if one.question_id in variants else right_prediction(one)
            for one in questions
        ]
    )
    again = [
        (one.question_id, right_prediction(one)) for one in questions if one.question_id in variants
    ]
    return rows, [*again, *rows]


def _add_unknown_id(questions: Sequence[Question]) -> tuple[Rows, Rows]:
    rows = _two_of_three_right(questions)
    unknown = Prediction(question_id="no such id", answer=wrong_prediction(questions[0]).answer)
    return rows, [*rows, ("no such id", unknown)]


def _reverse_rows(questions: Sequence[Question]) -> tuple[Rows, Rows]:
    rows = _two_of_three_right(questions)
    return rows, rows[::-1]


FILE_RELATIONS: tuple[FileRelation, ...] = (
    FileRelation("wrong-counts", "one more wrong answer lowers the score", "lower",
                 _make_one_more_wrong),
    FileRelation("wrong-third", "a third of wrong answers lowers the score", "lower",
                 _make_third_wrong),
    FileRelation("left-out", "leaving out a wrong answer does not raise the score", "not higher",
                 _leave_out_wrong),
    FileRelation("right-left-out", "leaving out a right answer lowers the score", "lower",
                 _leave_out_right),
    FileRelation("id-twice", "a second answer to a question does not raise the score",
                 "not higher", _answer_again),
    FileRelation("variant-twice", "a second answer to a variant does not raise the score",
                 "not higher", _answer_variants_again),
    FileRelation("unknown-id", "an answer to an unknown question changes nothing", "same",
                 _add_unknown_id),
    FileRelation("row-order", "the order of rows is ignored", "same", _reverse_rows),
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
    values = {pool.metric: value(pool) for pool in metric.pool(scores, submission)}
    return {name: number for name, number in values.items() if number is not None}
