"""Return the strings that scorers of single answers compare: gold answers and a prediction."""

from collections.abc import Sequence
from typing import TypeVar

from closeread.errors import CloseReadError
from closeread.types import Prediction, Question

Gold = TypeVar("Gold")
_SCORE_UNANSWERABLE = ("squad2", "squad2~strict", "cmrc~mixed")


def references(question: Question, metric: str) -> Sequence[str]:
    """Return each gold answer's first text.

    Raises:
        CloseReadError: The question has no gold answer.
    """
    texts = [answer.texts[0] for answer in question.answers if answer.texts]
    return texts or require_gold(question.question_id, texts, metric)


def require_gold(question_id: str, golds: Sequence[Gold], metric: str) -> Sequence[Gold]:
    """Return the gold answers unchanged.

    Raises:
        CloseReadError: There is none; official programs stop at the maximum over nothing.
    """
    if golds:
        return golds
    scores_unanswerable = metric in _SCORE_UNANSWERABLE
    raise CloseReadError(
        "the question has no gold answer to compare with",
        where=f"{metric}, question {question_id}",
        expected="at least one accepted answer for every question"
        + (", or a mark that it is unanswerable" if scores_unanswerable else ""),
        cure="score data that has gold answers, and mark a question as unanswerable in the data: "
        'is_impossible in SQuAD\'s format, "answer": null in JSON lines, an empty cell in CSV'
        if scores_unanswerable
        else "score data that has gold answers; squad2, and cmrc~mixed in Chinese, score "
        "unanswerable questions too",
    )


def predicted_text(prediction: Prediction | None) -> str | None:
    """Return a prediction's first text; "" if it predicts that there is no answer.

    None means that there is nothing to compare: no prediction, or a reader that failed.
    """
    if prediction is None or prediction.answer is None:
        return None
    texts = prediction.answer.texts
    return texts[0] if texts else ""


def require_string(question_id: str, raw: object, metric: str) -> str:
    """Return a raw JSON value if it is a string, as the official program requires.

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
