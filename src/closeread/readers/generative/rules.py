"""The rules that extract an answer from a model's text, by name."""

import re
from collections.abc import Callable

from closeread.readers.generative.judging import find_option, verdict_letter
from closeread.readers.generative.letters import is_refusal, pick_labels
from closeread.readers.generative.prompts import UNANSWERABLE
from closeread.readers.generative.verdicts import find_verdict
from closeread.text.calendar import A_MONTH
from closeread.types import Answer, Question

_PREFIX = re.compile(
    r"(?:\b(?:final\s+|correct\s+)?answer\b(?:\s*\*+)?(?:\s+is\b\s*:?|\s*[:：=])"
    r"|(?:最终)?答案\s*(?:(?:是|为)\s*[:：]?|[:：])|^#+\s*(?:(?:final\s+)?answer|(?:最终)?答案)\s*$)"
    r"(?:\s*\*+)?",
    re.IGNORECASE | re.MULTILINE,
)
_BOXED = re.compile(r"\$*\\boxed\{(?:\\(?:text|textbf|mathrm|mathbf)\{)?([^{}]+)\}{1,2}\$*[.。]?")
_NUMBER = re.compile(r"[-+−]?\d[\d,]*(?:\.\d+)?")
_DATE = re.compile(rf"(?:\d{{1,2}}\s+)?{A_MONTH}(?:\s+\d{{1,4}})?", re.IGNORECASE)
_SEMICOLON = re.compile("[;；]")
_MARKUP = " \t*`"
_QUOTES = (('"', '"'), ("“", "”"), ("'", "'"), ("‘", "’"), ("「", "」"))

Rule = Callable[[str, Question | None], Answer | None]


def extract_verdict(text: str, question: Question) -> str:
    """Return the letter of the verdict on one option; "" if the text has none.

    A letter stated as the answer decides; otherwise a verdict in words; otherwise any letter.

    Args:
        text: The model's text.
        question: The question of ``judging.support_question``.
    """
    answer_text = without_reasoning(text)
    picked = pick_labels(answer_text, question.options)
    if picked.rule not in ("conclusion", "first"):
        for part in (_line_after_prefix(answer_text), answer_text):
            if (supported := find_verdict(part)) is not None:
                return verdict_letter(supported)
    return picked.labels[0] if len(picked.labels) == 1 else ""


def without_reasoning(text: str) -> str:
    """Return the text after the model's reasoning; without its end, the text before it."""
    _, closed, after = text.rpartition("</think>")
    if closed:
        return after
    return text.partition("<think>")[0]


def _extract_whole_text(text: str, question: Question | None) -> Answer | None:
    return Answer(kind="span", texts=(text,)) if text.strip() else None


def _extract_first_line(text: str, question: Question | None) -> Answer | None:
    return _build_span(
        next((line for line in without_reasoning(text).splitlines() if line.strip()), "")
    )


def _extract_last_line(text: str, question: Question | None) -> Answer | None:
    lines = [line for line in without_reasoning(text).splitlines() if line.strip()]
    return _build_span(lines[-1] if lines else "")


def _extract_after_prefix(text: str, question: Question | None) -> Answer | None:
    return _build_span(_line_after_prefix(without_reasoning(text)))


def _extract_letter(text: str, question: Question | None) -> Answer | None:
    if question is None or not question.options:
        return None
    picked = pick_labels(without_reasoning(text), question.options, question.asks_for)
    if len(picked.labels) == 1:
        return find_option(question, picked.labels[0]).answer
    return Answer(kind="none") if picked.rule == "refusal" else None


def _extract_discrete(text: str, question: Question | None) -> Answer | None:
    """Return a number, a date, or pieces separated by semicolons."""
    line = _find_answer_line(text)
    # Stripped after the split: a pattern that includes the spaces takes quadratic time.
    stripped = (_strip_markup(piece.strip()) for piece in _SEMICOLON.split(line))
    pieces = tuple(piece for piece in stripped if piece)
    if not pieces:
        return None
    if len(pieces) > 1:
        return Answer(kind="spans", texts=pieces)
    number = _NUMBER.fullmatch(pieces[0].rstrip(".。"))
    if number:  # without the sentence's full stop: the official evaluator reads "12.25." as 1225
        return Answer(kind="number", texts=(number.group(),))
    return Answer(kind="date" if _DATE.fullmatch(pieces[0]) else "span", texts=pieces)


def _extract_span(text: str, question: Question | None) -> Answer | None:
    line = _strip_markup(_find_answer_line(text))
    if line.rstrip(".。").casefold() in (*UNANSWERABLE.values(), "no answer"):
        return Answer(kind="none")
    if is_refusal(line):
        return Answer(kind="none")
    return _build_span(line)


def _extract_by_kind(text: str, question: Question | None) -> Answer | None:
    if question is None:
        return _extract_span(text, question)
    if question.options:
        return _extract_letter(text, question)
    return (
        _extract_discrete(text, question)
        if question.kind == "discrete"
        else _extract_span(text, question)
    )


RULES: dict[str, Rule] = {
    "none": _extract_whole_text,
    "first-line": _extract_first_line,
    "last-line": _extract_last_line,
    "answer-prefix": _extract_after_prefix,
    "letter": _extract_letter,
    "drop": _extract_discrete,
    "span": _extract_span,
    "auto": _extract_by_kind,
}


def _build_span(text: str) -> Answer | None:
    stripped = text.strip()
    return Answer(kind="span", texts=(stripped,)) if stripped else None


def _find_answer_line(text: str) -> str:
    """Return the line after the last answer prefix, else the first line that is not blank."""
    answer_text = without_reasoning(text)
    after_prefix = _line_after_prefix(answer_text) if _PREFIX.search(answer_text) else answer_text
    return next((line for line in after_prefix.splitlines() if line.strip(_MARKUP)), "").strip()


def _line_after_prefix(text: str) -> str:
    """Return the line after the last ``Answer:``; the whole text if there is none."""
    matches = list(_PREFIX.finditer(text))
    if not matches:
        return text
    rest = text[matches[-1].end() :].strip()
    return rest.partition("\n")[0]


def _strip_markup(text: str) -> str:
    """Return a text without markup and quotation marks around it, paired or not.

    Quotation marks within the text stay, so that copied text is still found in the passage.
    """
    while True:
        stripped = text.strip(_MARKUP)
        boxed = _BOXED.fullmatch(stripped)
        stripped = boxed[1] if boxed else stripped
        for left, right in _QUOTES:
            inner = stripped[1:-1]
            if len(stripped) > 1 and stripped[0] == left and stripped[-1] == right:
                stripped = inner if left not in inner and right not in inner else stripped
            elif stripped.startswith(left) and right not in stripped[1:]:
                stripped = stripped[1:]
            elif stripped.endswith(right) and left not in stripped[:-1]:
                stripped = stripped[:-1]
        if stripped == text:
            return stripped
        text = stripped
