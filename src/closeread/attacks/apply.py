"""Apply edits: make the new texts, and move the spans that point into them."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from msgspec.structs import replace

from closeread.errors import UsageError
from closeread.types import Answer, Edit, Evidence, Passage, Question, Span

_Placed = TypeVar("_Placed", Answer, Evidence)


def apply(passage: Passage, question: Question, edits: Sequence[Edit]) -> tuple[Passage, Question]:
    """Return a passage and a question with edits applied to both.

    Spans of answers and of gold evidence in the passage move along. A changed passage gets an id of
    its own, which names the question: the edit was chosen for that question.

    Args:
        passage: The original passage.
        question: The original question with its options.
        edits: Edits of the original texts, which do not overlap.

    Raises:
        UsageError: Two edits of one text overlap, one lies outside its text, or names no option.
    """
    labels = {option.label for option in question.options}
    for edit in edits:
        if edit.place == "option" and edit.label not in labels:
            raise UsageError(
                f"an edit names the option {edit.label!r}, which the question does not have",
                where=question.question_id, expected="one of " + ", ".join(sorted(labels)),
            )  # fmt: skip
    options = tuple(
        replace(option, text=apply_edits(option.text, _edits_of(edits, "option", option.label)))
        for option in question.options
    )
    question = replace(
        question, text=apply_edits(question.text, _edits_of(edits, "question")), options=options
    )
    inside = _edits_of(edits, "passage")
    if not inside:
        return passage, question
    name = f"{passage.passage_id}#{question.question_id}"
    question = replace(
        question,
        passage_id=name,
        answers=tuple(_move_spans(one, inside) for one in question.answers),
        gold_evidence=tuple(_move_spans(one, inside) for one in question.gold_evidence),
    )
    return replace(passage, passage_id=name, text=apply_edits(passage.text, inside)), question


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Return a text with edits applied, whose spans refer to the original text.

    Raises:
        UsageError: Two overlap, or one lies outside the text.
    """
    kept, at = [], 0
    for edit in sorted(edits, key=lambda one: one.span):
        start, end = edit.span.start, edit.span.end
        if not at <= start <= end <= len(text):
            raise UsageError(
                f"an edit of characters {start} to {end} in a text of {len(text)} characters"
                + (f", after an edit that ends at {at}" if start < at else ""),
                where=f"{edit.strategy}, {edit.rule}",
                expected="edits inside the text that do not overlap",
            )
        kept += [text[at:start], edit.words]
        at = end
    return "".join((*kept, text[at:]))


def _edits_of(edits: Sequence[Edit], place: str, label: str = "") -> list[Edit]:
    return [edit for edit in edits if edit.place == place and edit.label == label]


def _move_spans(found: _Placed, edits: Sequence[Edit]) -> _Placed:
    """Return what points into a passage after changes that touch none of its places."""

    def moved(span: Span) -> Span:
        by = sum(
            len(edit.words) - (edit.span.end - edit.span.start)
            for edit in edits
            if edit.span.end <= span.start
        )
        return Span(span.start + by, span.end + by)

    return replace(found, spans=tuple(map(moved, found.spans)))
