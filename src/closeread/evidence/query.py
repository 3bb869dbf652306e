"""Builds the query of a retriever: a statement, a stem with an option, or a question alone."""

import re

from closeread.types import Option, Question

_BLANK = re.compile(r"_+|（\s*）|\(\s*\)")


def query_text(question: Question, option: Option | None) -> str:
    """Return the query text for which evidence is retrieved.

    An option of a verification question is a complete statement (section 3.1); another option is
    appended to its stem, or put into the stem's blank.
    """
    if option is None:
        return question.text
    if question.kind == "verification" or not question.text:
        return option.text
    if _BLANK.search(question.text):
        return _BLANK.sub(lambda _: f" {option.text} ", question.text, count=1).strip()
    return f"{question.text} {option.text}"


def label_of(option: Option | None) -> str:
    """Return the label of evidence: the option's, or "" for the question itself."""
    return option.label if option is not None else ""


def stem_parts(question: Question) -> tuple[str, str]:
    """Return the text before and after an option in ``query_text``; both may be empty."""
    if question.kind == "verification":
        return "", ""
    blank = _BLANK.search(question.text)
    if blank is None:
        return question.text, ""
    return question.text[: blank.start()], question.text[blank.end() :]
