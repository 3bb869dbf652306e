"""Classify how a text ended: what may have cut it, and whether it runs on."""

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from closeread.audits.subject import Subject, generated_text
from closeread.audits.truncation.copies import occurs_in
from closeread.audits.truncation.recuts import STOPS, extract_until, is_taken_from, within_number
from closeread.types import Answer, Prediction, Question

# Matches only at the first of several line breaks, because models may end in thousands of them.
_HEADING = re.compile(
    r"(?<!\s)[^\S\n]*+(?P<line>\n)\s*+(?:Passage|Question|Context|Article|Q|文章|材料|问题|题目)"
    r"\s*+(?:\d++\s*+)?[:：]",
    re.IGNORECASE,
)
_NUMBER_AT_END = re.compile(r"\d$")

CAUSES = {
    "failed": "the reader failed and returned no text",
    "empty": "the text is empty",
    "token limit": "the text ended at the token limit",
    "decimal cut": "the text has only the part of a decimal gold answer before its point",
    "gold cut": "the text is the beginning of a gold answer, up to a stop string in it",
    "ends in a number": "the text ends in a digit: a stop may have cut it",
    "next example": "the text continues with headings as in the prompt",
    "run-on": "text on further lines",
    "copied": "the answer of one of the prompt's examples (see the notes)",
    "answer after": "a gold answer is in the text, but not on its first line",
    "not taken": "the extracted answer is not in the text, or is empty",
}


def iter_causes(
    question: Question,
    prediction: Prediction,
    stops: Sequence[str],
    copied: frozenset[str],
    *,
    whole: bool = False,
) -> Iterator[str]:
    """Yield the names of ``CAUSES`` that a text shows; a ``whole`` text was not cut."""
    text = generated_text(prediction)
    stripped = text.strip()
    if not stripped:
        yield "failed" if prediction.error else "empty"
        return
    if prediction.generation and prediction.generation.finish_reason in ("length", "max_tokens"):
        yield "token limit"
    golds = [gold for answer in question.answers for gold in answer.texts]
    if not whole:
        cuts = [classify_cut(stripped, gold.strip(), stops) for gold in golds]
        if "number" in cuts:
            yield "decimal cut"
        elif any(cuts):
            yield "gold cut"
        if _NUMBER_AT_END.search(stripped):
            yield "ends in a number"
    heading = _HEADING.search(stripped)
    if heading:
        yield "next example"
    first, _, rest = stripped.partition("\n")
    if rest.strip():
        yield "run-on"
        own_text = stripped[len(first) : heading.start("line") if heading else None]
        if _has_gold(question, own_text) and not _has_gold(question, first):
            yield "answer after"
    if first in copied:
        yield "copied"
    if (
        prediction.generation
        and not prediction.error
        and not _is_in_text(prediction.answer, stripped)
    ):
        yield "not taken"


def _has_gold(question: Question, text: str) -> bool:
    lowered = text.lower()
    golds = (gold.strip().lower() for answer in question.answers for gold in answer.texts)
    return any(gold and occurs_in(gold, lowered) for gold in golds)


def _is_in_text(answer: Answer | None, text: str) -> bool:
    return answer is not None and (answer.kind == "none" or is_taken_from(answer, text))


def leaves_answer_intact(
    cause: str, run: Subject, question: Question, prediction: Prediction
) -> bool:
    """Whether a cause lies after the extracted answer and so did not change it.

    This holds if the run's own stop or a next example comes before the token limit, if the answer
    was extracted from a later line, or if the text has no gold answer that could have been taken.
    ``without_next_example`` covers next examples.
    """
    generation, answer = prediction.generation, prediction.answer
    if cause == "not taken":
        return not _has_gold(question, generated_text(prediction))
    if generation is None or answer is None or not answer.texts:
        return False
    if cause == "answer after":
        first = generation.text.strip().partition("\n")[0]
        return all(text not in first and "\n" not in text.strip() for text in answer.texts)
    return cause == "token limit" and (
        any(stop in generation.text for stop in run.own_stops)
        or _HEADING.search(generation.text) is not None
    )


def without_next_example(run: Subject, question: Question, prediction: Prediction) -> Prediction:
    """Return the prediction with its answer taken from the text before the next example."""
    text = generated_text(prediction)
    heading = _HEADING.search(text)
    if heading is None:
        return prediction
    stops = (*run.own_stops, text[heading.start("line") :])
    return extract_until(question, prediction, stops, run.rule)


def classify_cut(text: str, gold: str, stops: Sequence[str]) -> Literal["", "number", "text"]:
    """Return whether a stop cut a gold answer at a number or elsewhere, if the text ends there.

    Both texts have no white space at their ends. If no stops are known, the two most common are
    tried.
    """
    for stop in stops or STOPS[:2]:
        head, matched_stop, rest = gold.partition(stop)
        if matched_stop and rest and head and text.endswith(head.rstrip()) and gold not in text:
            before = text[: len(text) - len(head.rstrip())]
            if not before or not before[-1].isalnum():
                return "number" if within_number(head, stop, rest) else "text"
    return ""
