"""The rules by which an answer is read from what a model wrote, by name."""

import re
from collections.abc import Callable

from closeread.readers.generative.judging import letter_of, option_of
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
_DRESS = " \t*`"
_QUOTES = (('"', '"'), ("“", "”"), ("'", "'"), ("‘", "’"), ("「", "」"))

Rule = Callable[[str, Question | None], Answer | None]


def extract_verdict(text: str, asked: Question) -> str:
    """Return the letter of the verdict on one option, "" where there is none.

    A letter that is stated as the answer decides, and without one what is said in words.
    """
    shown = without_reasoning(text)
    found = pick_labels(shown, asked.options)
    if found.rule not in ("conclusion", "first"):
        for part in (_after_prefix(shown), shown):
            if (supported := find_verdict(part)) is not None:
                return letter_of(supported)
    return found.labels[0] if len(found.labels) == 1 else ""


def without_reasoning(text: str) -> str:
    """Return what follows the model's reasoning; nothing where the reasoning never ended."""
    _, closed, after = text.rpartition("</think>")
    if closed:
        return after
    return text.partition("<think>")[0]


def _none(text: str, question: Question | None) -> Answer | None:
    return Answer(kind="span", texts=(text,)) if text.strip() else None


def _first_line(text: str, question: Question | None) -> Answer | None:
    return _span(next((line for line in without_reasoning(text).splitlines() if line.strip()), ""))


def _last_line(text: str, question: Question | None) -> Answer | None:
    lines = [line for line in without_reasoning(text).splitlines() if line.strip()]
    return _span(lines[-1] if lines else "")


def _answer_prefix(text: str, question: Question | None) -> Answer | None:
    return _span(_after_prefix(without_reasoning(text)))


def _letter(text: str, question: Question | None) -> Answer | None:
    if question is None or not question.options:
        return None
    found = pick_labels(without_reasoning(text), question.options, question.asks_for)
    if len(found.labels) == 1:
        return option_of(question, found.labels[0]).answer
    return Answer(kind="none") if found.rule == "refusal" else None


def _drop(text: str, question: Question | None) -> Answer | None:
    """Read a number, a date, or pieces separated by semicolons."""
    said = _answer_line(text)
    # Stripped after the cut: a pattern with the space before it would look for it at every space.
    found = (_strip_dress(piece.strip()) for piece in _SEMICOLON.split(said))
    pieces = tuple(piece for piece in found if piece)
    if not pieces:
        return None
    if len(pieces) > 1:
        return Answer(kind="spans", texts=pieces)
    number = _NUMBER.fullmatch(pieces[0].rstrip(".。"))
    if number:  # a sentence may end behind it: the official evaluator makes 1225 of "12.25."
        return Answer(kind="number", texts=(number.group(),))
    return Answer(kind="date" if _DATE.fullmatch(pieces[0]) else "span", texts=pieces)


def _span_line(text: str, question: Question | None) -> Answer | None:
    said = _strip_dress(_answer_line(text))
    if said.rstrip(".。").casefold() in (*UNANSWERABLE.values(), "no answer"):
        return Answer(kind="none")
    if is_refusal(said):
        return Answer(kind="none")
    return _span(said)


def _auto(text: str, question: Question | None) -> Answer | None:
    if question is None:
        return _span_line(text, question)
    if question.options:
        return _letter(text, question)
    return _drop(text, question) if question.kind == "discrete" else _span_line(text, question)


RULES: dict[str, Rule] = {
    "none": _none,
    "first-line": _first_line,
    "last-line": _last_line,
    "answer-prefix": _answer_prefix,
    "letter": _letter,
    "drop": _drop,
    "span": _span_line,
    "auto": _auto,
}


def _span(text: str) -> Answer | None:
    said = text.strip()
    return Answer(kind="span", texts=(said,)) if said else None


def _answer_line(text: str) -> str:
    """Return the line of the answer: after the last prefix, else the first that is not blank."""
    shown = without_reasoning(text)
    found = _after_prefix(shown) if _PREFIX.search(shown) else shown
    return next((line for line in found.splitlines() if line.strip(_DRESS)), "").strip()


def _after_prefix(text: str) -> str:
    """Return the line that follows the last ``Answer:``; the whole text where there is none."""
    matches = list(_PREFIX.finditer(text))
    if not matches:
        return text
    rest = text[matches[-1].end() :].strip()
    return rest.partition("\n")[0]


def _strip_dress(text: str) -> str:
    """Return a text without dress: marks around all of it, and quotes around all of it or lost.

    Quotes that belong to words within stay, so that what was copied is still found in the passage.
    """
    while True:
        said = text.strip(_DRESS)
        boxed = _BOXED.fullmatch(said)
        said = boxed[1] if boxed else said
        for left, right in _QUOTES:
            within = said[1:-1]
            if len(said) > 1 and said[0] == left and said[-1] == right:
                said = within if left not in within and right not in within else said
            elif said.startswith(left) and right not in said[1:]:
                said = said[1:]
            elif said.endswith(right) and left not in said[:-1]:
                said = said[:-1]
        if said == text:
            return said
        text = said
