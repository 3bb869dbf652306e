"""Promises about whole files: missing, repeated and wrong answers never raise a score."""

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
        label = next((option.label for option in question.options if option.label not in gold), "")
        answer = Answer(kind="choice", label=label)
    else:
        answer = Answer(kind="span", texts=("qqq",))
    return Prediction(question_id=question.question_id, answer=answer)


def _to_rows(predictions: Sequence[Prediction]) -> Rows:
    return [(prediction.question_id, prediction) for prediction in predictions]


def _third_mask(questions: Sequence[Question]) -> list[bool]:
    """Return for each question whether it is in every third place, counted in triples if any."""
    group_numbers: dict[str, int] = {}
    for question in questions:
        group_numbers.setdefault(question.group_id or question.question_id, len(group_numbers))
    return [
        group_numbers[question.group_id or question.question_id] % 3 == 2 for question in questions
    ]


def _two_of_three_right(questions: Sequence[Question]) -> Rows:
    """Return rows in which two of every three questions, or triples, are answered correctly."""
    pairs = zip(questions, _third_mask(questions), strict=True)
    return _to_rows(
        [
            wrong_prediction(question) if is_third else right_prediction(question)
            for question, is_third in pairs
        ]
    )


def _ids_of_last(questions: Sequence[Question]) -> set[str]:
    last_question = questions[-1]
    members = [
        question
        for question in questions
        if last_question.group_id and question.group_id == last_question.group_id
    ]
    return {question.question_id for question in members or [last_question]}


def _make_one_more_wrong(questions: Sequence[Question]) -> tuple[Rows, Rows]:
    last = _ids_of_last(questions)
    rows = [
        wrong_prediction(question) if question.question_id in last else right_prediction(question)
        for question in questions
    ]
    return _to_rows([right_prediction(question) for question in questions]), _to_rows(rows)


def _make_third_wrong(questions: Sequence[Question]) -> tuple[Rows, Rows]:
    return _to_rows([right_prediction(question) for question in questions]), _two_of_three_right(
        questions
    )


def _leave_out_wrong(questions: Sequence[Question]) -> tuple[Rows, Rows]:
    rows = _two_of_three_right(questions)
    marked_rows = zip(rows, _third_mask(questions), strict=True)
    return rows, [row for row, is_third in marked_rows if not is_third]


def _leave_out_right(questions: Sequence[Question]) -> tuple[Rows, Rows]:
    rows = _to_rows([right_prediction(question) for question in questions])
    last = _ids_of_last(questions)
    return rows, [row for row in rows if row[0] not in last]


def _answer_again(questions: Sequence[Question]) -> tuple[Rows, Rows]:
    rows = _two_of_three_right(questions)
    second_answers = [(question.question_id, right_prediction(question)) for question in questions]
    return rows, [*second_answers, *rows]  # the last answer to each question is the original one


def _answer_variants_again(questions: Sequence[Question]) -> tuple[Rows, Rows]:
    variants = {
        question.question_id for question in questions if question.role in ("positive", "negative")
    }
    rows = _to_rows(
        [
            wrong_prediction(question)
            if question.question_id in variants
            else right_prediction(question)
            for question in questions
        ]
    )
    second_answers = [
        (question.question_id, right_prediction(question))
        for question in questions
        if question.question_id in variants
    ]
    return rows, [*second_answers, *rows]


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
    """Return the metric's values over a file's rows; an id's last row is its prediction."""
    submission = Submission(
        predictions=dict(rows),
        rows=tuple(
            (
                name,
                prediction.answer.label
                if prediction.answer and prediction.answer.label
                else prediction,
            )
            for name, prediction in rows
        ),
    )
    scores = [
        metric.score(question, submission.predictions.get(question.question_id))
        for question in questions
    ]
    values = {pool.metric: value(pool) for pool in metric.pool(scores, submission)}
    return {name: number for name, number in values.items() if number is not None}
