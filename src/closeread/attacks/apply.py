"""Apply edits to texts, and shift the spans that point into them."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from msgspec.structs import replace

from closeread.errors import UsageError
from closeread.types import Answer, Edit, Evidence, Passage, Question, Span

_WithSpans = TypeVar("_WithSpans", Answer, Evidence)


def apply(passage: Passage, question: Question, edits: Sequence[Edit]) -> tuple[Passage, Question]:
    """Return a passage and a question with edits applied to both.

    Spans of answers and gold evidence in the passage are shifted. An edited passage gets an id that
    names the question, because its edits were chosen for that question.

    Args:
        passage: The original passage.
        question: The original question with its options.
        edits: Edits of the original texts; they must not overlap.

    Raises:
        UsageError: Two edits of one text overlap, an edit lies outside its text, or it names an
            unknown option.
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
    passage_edits = _edits_of(edits, "passage")
    if not passage_edits:
        return passage, question
    passage_id = f"{passage.passage_id}#{question.question_id}"
    question = replace(
        question,
        passage_id=passage_id,
        answers=tuple(_move_spans(answer, passage_edits) for answer in question.answers),
        gold_evidence=tuple(
            _move_spans(evidence, passage_edits) for evidence in question.gold_evidence
        ),
    )
    return replace(
        passage, passage_id=passage_id, text=apply_edits(passage.text, passage_edits)
    ), question


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Return a text with edits applied; their spans refer to the original text.

    Raises:
        UsageError: Two edits overlap, or one lies outside the text.
    """
    pieces, position = [], 0
    for edit in sorted(edits, key=lambda edit: edit.span):
        start, end = edit.span.start, edit.span.end
        if not position <= start <= end <= len(text):
            raise UsageError(
                f"an edit of characters {start} to {end} in a text of {len(text)} characters"
                + (f", after an edit that ends at {position}" if start < position else ""),
                where=f"{edit.strategy}, {edit.rule}",
                expected="edits inside the text that do not overlap",
            )
        pieces += [text[position:start], edit.words]
        position = end
    return "".join((*pieces, text[position:]))


def _edits_of(edits: Sequence[Edit], place: str, label: str = "") -> list[Edit]:
    return [edit for edit in edits if edit.place == place and edit.label == label]


def _move_spans(record: _WithSpans, edits: Sequence[Edit]) -> _WithSpans:
    """Return an answer or evidence with its spans shifted; no edit may overlap them."""

    def moved(span: Span) -> Span:
        shift = sum(
            len(edit.words) - (edit.span.end - edit.span.start)
            for edit in edits
            if edit.span.end <= span.start
        )
        return Span(span.start + shift, span.end + shift)

    return replace(record, spans=tuple(map(moved, record.spans)))
