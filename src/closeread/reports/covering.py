"""Evidence as the page marks it: where it stands, and what of an option it leaves uncovered."""

from collections.abc import Sequence

from msgspec.structs import replace

from closeread.evidence.cover import explain
from closeread.types import Evidence, Passage, Question, Span


def located(evidence: Sequence[Evidence], passage: Passage | None) -> tuple[Evidence, ...]:
    """Give evidence that is only text its place, where that is the only one in the passage."""
    if passage is None:
        return tuple(evidence)
    return tuple(
        one
        if one.spans
        else replace(one, spans=tuple(_only_place(text, passage.text) for text in texts))
        for one in evidence
        for texts in [[text for text in one.texts if passage.text.count(text) == 1 and text]]
    )


def _only_place(text: str, passage: str) -> Span:
    start = passage.index(text)
    return Span(start, start + len(text))


def uncovered(
    question: Question, passage: Passage | None, evidence: Sequence[Evidence]
) -> list[list[Span]]:
    """Return, for each option, the parts of it that none of its evidence says.

    An option without evidence of its own is laid over that of the whole question. Where there is
    none either, nothing is called uncovered: nobody looked.
    """
    if passage is None:
        return []
    found: list[list[Span]] = []
    for option in question.options:
        own = [one for one in evidence if one.option_label == option.label and one.spans]
        bearing = own or [one for one in evidence if not one.option_label]
        spans = tuple(sorted({span for one in bearing for span in one.spans}))
        parts = explain(question, passage, option, Evidence(spans=spans)).uncovered if spans else ()
        found.append(list(parts))
    return found if any(found) else []
