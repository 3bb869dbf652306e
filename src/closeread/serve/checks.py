"""Checks of questions and passages that all paths of the service share."""

from closeread.serve.refusals import BODY, RefusedError
from closeread.serve.settings import Settings
from closeread.types import Passage, Question

_WITH_OPTIONS = ("choice", "verification", "entailment")


def check_count(count: int, settings: Settings) -> None:
    """Refuse more questions than the queue can hold, before they are processed.

    Raises:
        RefusedError: With status 413.
    """
    if count > settings.queue:
        raise RefusedError(
            413,
            "too-many-questions",
            f"the request holds {count:,} questions",
            where=BODY,
            expected=f"at most {settings.queue:,}",
            cure="send fewer at once, or start the service with a larger --queue",
        )


def check_passage(
    passage: Passage, settings: Settings, text_location: str, title_location: str
) -> None:
    """Refuse a passage that is too long; the locations are those of its fields in the request.

    Raises:
        RefusedError: With status 422.
    """
    _check_length(
        passage.text, settings.max_passage_characters, text_location, "--max-passage-characters"
    )
    _check_length(
        passage.title, settings.max_question_characters, title_location, "--max-question-characters"
    )


def check_question(
    question: Question, settings: Settings, where: str, text_field: str = "text"
) -> None:
    """Refuse a question that is too long with its options, or whose options are unusable.

    Args:
        question: The question of the request.
        settings: The limits.
        where: Its location in the request.
        text_field: The name of the field with its text.

    Raises:
        RefusedError: With status 422.
    """
    limit, flag = settings.max_question_characters, "--max-question-characters"
    _check_length(question.text, limit, f"{where}.{text_field}", flag)
    total_length = len(question.text) + sum(len(option.text) for option in question.options)
    if total_length > limit:
        raise _too_long_refusal(
            f"question and options have {total_length:,} characters", limit, where, flag
        )
    if len(question.options) > settings.max_options:
        raise RefusedError(
            422,
            "too-long",
            f"the question has {len(question.options):,} options",
            where=f"{where}.options",
            expected=f"at most {settings.max_options:,}",
            cure="remove options",
        )
    _check_labels(question, where)
    if question.kind in _WITH_OPTIONS and not question.options:
        raise RefusedError(
            422,
            "wrong-fields",
            f"a question of kind {question.kind!r} has no options",
            where=f"{where}.options",
            expected='a list of {"label": ..., "text": ...}',
            cure="add options, or set kind to span",
        )


def _check_labels(question: Question, where: str) -> None:
    """Refuse empty or repeated labels; evidence without a label belongs to the question.

    Raises:
        RefusedError: With status 422.
    """
    labels: set[str] = set()
    for number, option in enumerate(question.options):
        if not option.label or option.label in labels:
            raise RefusedError(
                422,
                "wrong-fields",
                f"two options have the label {option.label!r}"
                if option.label
                else "the option's label is empty",
                where=f"{where}.options[{number}].label",
                expected="a different label for each option, such as A, B, C, D",
                cure="change the labels",
            )
        labels.add(option.label)


def _check_length(text: str, limit: int, where: str, flag: str) -> None:
    if len(text) > limit:
        raise _too_long_refusal(f"the text has {len(text):,} characters", limit, where, flag)


def _too_long_refusal(what: str, limit: int, where: str, option: str) -> RefusedError:
    return RefusedError(
        422,
        "too-long",
        what,
        where=where,
        expected=f"at most {limit:,}",
        cure=f"shorten it, or start the service with a larger {option}",
    )
