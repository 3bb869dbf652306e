"""The strings that scorers of single answers compare: one a gold answer, one a prediction."""

from collections.abc import Sequence
from typing import TypeVar

from closeread.errors import CloseReadError
from closeread.types import Prediction, Question

Gold = TypeVar("Gold")
_JUDGE_NONE = ("squad2", "squad2~strict", "cmrc~mixed")


def references(question: Question, metric: str) -> Sequence[str]:
    """Return each gold answer's first text.

    Raises:
        CloseReadError: There is none.
    """
    found = [answer.texts[0] for answer in question.answers if answer.texts]
    return found or require_gold(question.question_id, found, metric)


def require_gold(question_id: str, golds: Sequence[Gold], metric: str) -> Sequence[Gold]:
    """Return the gold answers as they are.

    Raises:
        CloseReadError: There is none: the maximum over nothing at which official programs stop.
    """
    if golds:
        return golds
    judges_none = metric in _JUDGE_NONE
    raise CloseReadError(
        "the question has no gold answer to compare with",
        where=f"{metric}, question {question_id}",
        expected="at least one accepted answer for every question"
        + (", or a mark that it is unanswerable" if judges_none else ""),
        cure="score data that has gold answers, and mark a question as unanswerable in the data: "
        'is_impossible in SQuAD\'s format, "answer": null in JSON lines, an empty cell in CSV'
        if judges_none
        else "score data that has gold answers; squad2, and cmrc~mixed in Chinese, score "
        "unanswerable questions too",
    )


def predicted_text(prediction: Prediction | None) -> str | None:
    """Return a prediction's first text, "" where it says that there is no answer.

    None means that there is nothing to compare: no prediction, or a reader that failed.
    """
    if prediction is None or prediction.answer is None:
        return None
    texts = prediction.answer.texts
    return texts[0] if texts else ""


def require_string(question_id: str, raw: object, metric: str) -> str:
    """Check that a raw JSON value is a string, as the official program needs it.

    Raises:
        CloseReadError: It is null, a number, a list or an object.
    """
    if isinstance(raw, str):
        return raw
    raise CloseReadError(
        f"the prediction is not a string: {raw!r:.60}",
        where=f"{metric}, question {question_id}",
        expected="{question id: answer string}",
        cure='write "" for an empty answer, or leave the question out',
    )


def undefined_mean(metric: str, what: str) -> CloseReadError:
    """Return the error for a mean over nothing, at which the official programs stop."""
    return CloseReadError(
        f"the mean is undefined: {what}",
        where=metric,
        expected="at least one question to average over",
        cure="check that the predictions belong to this data set",
    )
