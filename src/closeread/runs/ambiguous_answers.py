"""Submitted answers that may mean something else than official programs take them for."""

from closeread.text.garbled import may_be_garbled
from closeread.types import Prediction, Question, Submission

_NO_ANSWER = {  # how systems and people write that there is no answer
    "unanswerable", "no answer", "no_answer", "noanswer", "not answerable", "cannotanswer",
    "cannot answer", "n/a", "null", "none", "nan", "cls", "impossible", "unknown", "无法回答",
    "无答案", "没有答案", "不可回答",
}  # fmt: skip


def may_be_ambiguous(submission: Submission) -> bool:
    """Whether any answer is garbled, has several texts or says "no answer", or odds are given.

    The test is cheap: it does not need the questions.
    """
    return bool(submission.extras.get("null_odds")) or any(
        len(prediction.answer.texts) > 1
        or any(says_no_answer(text) or may_be_garbled(text) for text in prediction.answer.texts)
        for prediction in submission.predictions.values()
        if prediction.answer is not None
    )


def accepted_texts(question: Question) -> list[str]:
    """Return all texts of a question's gold answers."""
    return [text for answer in question.answers for text in answer.texts]


def says_no_answer(text: str) -> bool:
    """Whether a text says in words that there is no answer."""
    return text.strip(" .。[]<>()").casefold() in _NO_ANSWER


def declines(question: Question, prediction: Prediction) -> bool:
    """Whether an answer is null, or says in words "no answer" where that is no gold answer."""
    answer = prediction.answer
    if answer is None:
        withheld = prediction.error or prediction.confidence is not None or prediction.evidence
        return not withheld
    return says_no_answer(answer.text) and answer.text.strip().casefold() not in {
        text.strip().casefold() for text in accepted_texts(question)
    }


def has_several_texts(prediction: Prediction) -> bool:
    """Whether an answer has several different texts."""
    return prediction.answer is not None and len(set(prediction.answer.texts)) > 1
