"""Parses one prediction in any published form.

Whether a string is a letter, a span or a number is up to the metric: an answer keeps the string,
and a single capital letter is also its label.
"""

import json
import math
import sys
from collections.abc import Mapping
from numbers import Real
from typing import Any

from closeread.errors import InputError
from closeread.types import Answer, Candidate, Evidence, Prediction
from closeread.wording import count_of

FORMS = "docs/formats.md lists the forms"
_SCORE_FIELDS = ("confidence", "score", "probability")
ANSWER_FIELDS = (
    "answer",
    "prediction",
    "text",
    "label",
    "value",
    "predicted_answer",
    "prediction_text",
    "gold_label",  # the column of predictions in MultiNLI's tables
)
_OTHER_FIELDS = ("evidence", "option_scores", "prob")


def parse_prediction(source: str, question_id: str, value: Any) -> Prediction:
    """Parse the value of a question; ``source`` is for messages.

    Raises:
        InputError: It is of no known form.
    """
    if isinstance(value, dict):
        if isinstance(value.get("answers"), list) and isinstance(value.get("scores"), list):
            if len(value["answers"]) != len(value["scores"]):
                raise InputError(
                    f"{count_of(len(value['answers']), 'answer')} and "
                    f"{count_of(len(value['scores']), 'score')}",
                    where=f"{source}, question {question_id}",
                    expected="a score for each answer",
                    cure="fix the file",
                )
            pairs = list(zip(value["answers"], value["scores"], strict=True))
            return _nbest(source, question_id, pairs)
        return _object(source, question_id, value)
    if value and all_are(value, dict):
        pairs = [(item.get("text"), _score_of(source, question_id, item) or 0.0) for item in value]
        return _nbest(source, question_id, pairs)
    return Prediction(question_id=question_id, answer=_answer(source, question_id, value))


def _object(source: str, question_id: str, value: Mapping[str, Any]) -> Prediction:
    if not any(field in value for field in (*ANSWER_FIELDS, *_OTHER_FIELDS)):
        raise _unknown_form_error(source, question_id, value)
    answer = next((value[key] for key in ANSWER_FIELDS if key in value), None)
    if isinstance(answer, dict):  # Quoref's prediction rows: {"answer": {"value": [...]}}
        answer = answer.get("value")
    evidence = _evidence(value.get("evidence") or value.get("predicted_evidence") or ())
    scores = value.get("option_scores") or value.get("prob") or ()
    are_numbers = isinstance(scores, list | tuple) and all(map(is_number, scores))
    rank = value.get("scores_rank", False)
    if evidence is None or not are_numbers or not isinstance(rank, bool):
        raise _unknown_form_error(source, question_id, value)
    return Prediction(
        question_id=question_id,
        answer=_answer(source, question_id, answer),
        confidence=_score_of(source, question_id, value),
        evidence=evidence,
        option_scores=tuple(float(score) for score in scores),
        scores_rank=rank,
    )


def _evidence(value: Any) -> tuple[Evidence, ...] | None:
    """Parse evidence: a string, strings, or either by option label; None for anything else."""
    by_label = value if isinstance(value, dict) else {"": value}
    evidence = []
    for label, label_texts in by_label.items():
        texts = (label_texts,) if isinstance(label_texts, str) else label_texts
        if not all_are(texts, str):
            return None
        if texts:
            evidence.append(Evidence(option_label=str(label), texts=tuple(texts)))
    return tuple(evidence)


def _nbest(source: str, question_id: str, pairs: list[tuple[Any, Any]]) -> Prediction:
    candidates = []
    for text, score in pairs:
        answer = _answer(source, question_id, text)
        if answer is None or not is_number(score):
            raise _unknown_form_error(source, question_id, [text, score])
        candidates.append(Candidate(answer=answer, score=float(score)))
    best = max(candidates, key=lambda candidate: candidate.score, default=None)
    return Prediction(
        question_id=question_id,
        answer=best.answer if best else None,
        confidence=best.score if best else None,
        candidates=tuple(candidates),
    )


def _score_of(source: str, question_id: str, value: Mapping[str, Any]) -> float | None:
    field = next((key for key in _SCORE_FIELDS if value.get(key) is not None), None)
    if field is None:
        return None
    return _number(source, question_id, field, value[field])


def _number(source: str, question_id: str, name: str, value: Any) -> float:
    if not is_number(value):
        raise InputError(
            f"the {name} is {describe_kind(value)}",
            where=f"{source}, question {question_id}",
            expected="a number in the range of a float",
        )
    return float(value)


def check_numbers(source: str, prediction: Prediction) -> Prediction:
    """Return a prediction made in memory, after checking that none of its numbers is NaN.

    Raises:
        InputError: Its confidence or an option score is not a number.
    """
    if prediction.confidence is not None:
        _number(source, prediction.question_id, "confidence", prediction.confidence)
    for score in prediction.option_scores:
        _number(source, prediction.question_id, "option score", score)
    return prediction


def _answer(source: str, question_id: str, value: Any) -> Answer | None:
    if value is None:
        return None
    if isinstance(value, str):
        return text_answer(value)
    if all_are(value, str):
        return Answer(kind="spans", texts=tuple(value))
    raise _unknown_form_error(source, question_id, value)


def text_answer(text: str) -> Answer:
    """Return a string as an answer."""
    label = text if len(text) == 1 and "A" <= text <= "Z" else ""
    return Answer(kind="span", texts=(text,), label=label)


def all_are(values: Any, type: Any) -> bool:  # noqa: A002
    """Whether a value is a list or tuple of one type."""
    return isinstance(values, list | tuple) and all(isinstance(value, type) for value in values)


def is_number(value: Any) -> bool:
    """Whether a value is a number in the range of a float."""
    is_real = isinstance(value, Real) and not isinstance(value, bool)
    return is_real and bool(abs(value) <= sys.float_info.max)


def describe_kind(value: Any) -> str:
    """Return the name of a value's type for messages."""
    names = {dict: "an object", list: "an array", str: "a string", bool: "true or false"}
    if value is None:
        return "null"
    if isinstance(value, float) and not math.isfinite(value):
        return "not a finite number"
    if isinstance(value, int | float):
        return names.get(type(value), "a number")
    return names.get(type(value), f"a value of type {type(value).__name__}")  # in memory only


def _unknown_form_error(source: str, question_id: str, value: Any) -> InputError:
    return InputError(
        f"the prediction is {describe_kind(value)}",
        where=f"{source}, question {question_id}",
        expected='a string, strings, or an object with "answer", or "answers" and "scores"; '
        "evidence as strings, or as strings by option, option_scores as numbers",
        cure=_cure_of(question_id, value),
    )


def _cure_of(question_id: str, value: Any) -> str:
    if isinstance(value, float) and math.isnan(value):
        return "remove rows without an answer: table.dropna(subset='answer') in pandas"
    if isinstance(value, dict) and value and all(isinstance(text, str) for text in value.values()):
        return f"if {question_id!r} is not a question but holds the answers, pass only its value"
    if isinstance(value, int | float):  # true and false, too
        return f'write it as text: "{json.dumps(value)}"; for an option, write its letter'
    return ""
