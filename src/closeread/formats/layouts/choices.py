"""Options, letters and gold options, for all multiple-choice formats."""

import re
from collections import Counter
from collections.abc import Sequence
from string import ascii_uppercase
from unicodedata import normalize

from closeread.errors import InputError
from closeread.formats.layouts.json_writing import unwritable_error
from closeread.types import Answer, Defects, Option, Polarity, Question
from closeread.wording import count_of

_MAX_OPTIONS = 5  # the most in a published set
_MAX_DIGITS = 2  # of a number that may stand for an option
MAX_LETTERED = len(ascii_uppercase)
# A letter as people type it on Chinese keyboards: Ｃ, （C）, C．, 选C, C项, 答案：C.
_TYPED = re.compile(
    r"\s*(?:(?:正确)?答案[是为]?:?|故?选:?)?\s*\(?\s*([A-Za-z])\s*\)?\s*[.。、,;]?\s*项?\s*"
)


def make_options(
    texts: Sequence[str], where: str, *, exactly: int | None = None, most: int = _MAX_OPTIONS
) -> tuple[Option, ...]:
    """Letter the options of a question.

    Args:
        texts: The options in order.
        where: The place of the question, for the error.
        exactly: How many the format promises; from two to ``most`` if None.
        most: At most ``MAX_LETTERED``.

    Raises:
        InputError: The number of options is another.
    """
    if len(texts) != exactly if exactly else not 2 <= len(texts) <= most:
        raise InputError(
            count_of(len(texts), "option"),
            where=where,
            expected=f"{exactly} options" if exactly else f"2 to {most} options",
            cure="complete the question or remove it",
        )
    return tuple([Option(label=ascii_uppercase[i], text=text) for i, text in enumerate(texts)])


def parse_letter(answer: str) -> str:
    """Return the letter in a typed answer: ``C`` for ``（c）`` and ``选Ｃ``, else ""."""
    typed = _TYPED.fullmatch(normalize("NFKC", answer))
    return typed[1].upper() if typed else ""


def parse_number(answer: str) -> int | None:
    """Return an answer in ASCII or full-width digits as a number; None for any other."""
    digits = normalize("NFKC", answer).strip()
    return (
        int(digits)
        if digits.isascii() and digits.isdecimal() and len(digits) <= _MAX_DIGITS
        else None
    )


def gold_from_letter(
    letter: str | None, options: tuple[Option, ...], name: str, defects: Defects
) -> tuple[Answer, ...]:
    """Return the gold for a letter; keeps and counts an unknown letter; no gold for None.

    Counts equal and empty options in any case.
    """
    count_unclear_options(options, name, defects)
    if letter is None:
        return ()
    for option in options:
        if option.label == letter:
            return (option.answer,)
    defects.add("answer-not-an-option", f"the answer {letter!r} is not an option", question_id=name)
    return (Answer(kind="choice", label=letter),)


def gold_from_text(
    text: str | None, options: tuple[Option, ...], name: str, defects: Defects
) -> tuple[Answer, ...]:
    """Return the gold for an option's text; otherwise as ``gold_from_letter``."""
    count_unclear_options(options, name, defects)
    if text is None:
        return ()
    labels = [option.label for option in options if option.text == text]
    if not labels:
        defects.add(
            "answer-not-an-option", f"the answer {text!r} is not an option", question_id=name
        )
    return (Answer(kind="choice", label=labels[0] if labels else "", texts=(text,)),)


def count_unclear_options(options: tuple[Option, ...], name: str, defects: Defects) -> None:
    """Count ``repeated-option`` and ``empty-option``."""
    for text, many in Counter(option.text.strip() for option in options).items():
        if not text:
            defects.add("empty-option", "an option has no text", question_id=name)
        elif many > 1:
            defects.add(
                "repeated-option", f"several options have the text {text[:40]!r}", question_id=name
            )


def gold_letter(question: Question) -> str | None:
    """Return the letter of the gold option; None if the question has no gold."""
    return question.answers[0].label if question.answers else None


def implied_truth(
    letter: str | None, options: tuple[Option, ...], asks_for: Polarity | None
) -> tuple[bool | None, ...]:
    """Return each option's truth value, as the gold letter and the stem's polarity imply it."""
    if asks_for is None or letter not in {option.label for option in options}:
        return ()
    return tuple([(option.label == letter) == (asks_for == "supported") for option in options])


def require_options(
    question: Question, format_name: str, *, exactly: int | None = None
) -> list[str]:
    """Return the options' texts, for a format that requires options.

    Raises:
        UsageError: The number of options is another, or their labels are not A, B, C, ...
    """
    n_options = len(question.options)
    labels = "".join(option.label for option in question.options)
    fits = n_options == exactly if exactly else 2 <= n_options <= _MAX_OPTIONS
    if not fits or labels != ascii_uppercase[:n_options]:
        raise unwritable_error(
            f"{count_of(n_options, 'option')} labelled {labels!r}" if n_options else "no options",
            question.question_id,
            f"{format_name} holds questions with "
            + (
                f"{exactly} options"
                if exactly
                else f"2 to {_MAX_OPTIONS} options labelled A, B, ..."
            ),
        )
    return [option.text for option in question.options]
