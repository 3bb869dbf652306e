"""Evidence as the page marks it: its place, what of a claim it says, and what it leaves open."""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from closeread.evidence.cover import explain
from closeread.evidence.query import label_of
from closeread.types import Evidence, Option, Passage, Question, Span


class Laid(NamedTuple):
    """A claim, an option's text or a question's, laid over its evidence.

    Attributes:
        covered: Parts of the claim with the place in the passage that says the same:
            ``(start, end, start in the passage, end in the passage)``.
        uncovered: The parts of the claim that nothing says.
    """

    covered: list[tuple[int, int, int, int]]
    uncovered: list[Span]


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


def laid(question: Question, passage: Passage | None, evidence: Sequence[Evidence]) -> list[Laid]:
    """Return, for each option, which parts of it its evidence says and which not.

    An option without evidence of its own is laid over that of the whole question. Where there is
    none either, nothing is called uncovered: nobody looked. Empty where that is so for all, and
    where the options are judgements of a hypothesis.
    """
    if passage is None:
        return []
    found = [_over(question, passage, claim, evidence) for claim in question.claims]
    return found if any(any(one) for one in found) else []


def asked(question: Question, passage: Passage | None, evidence: Sequence[Evidence]) -> Laid | None:
    """Return which parts of a question its evidence says, where the question itself is the claim.

    None where its options are the claims, and where there is no evidence.
    """
    if passage is None or question.claims:
        return None
    found = _over(question, passage, None, evidence)
    return found if any(found) else None


def _over(
    question: Question, passage: Passage, option: Option | None, evidence: Sequence[Evidence]
) -> Laid:
    label = label_of(option)
    own = [one for one in evidence if one.option_label == label and one.spans]
    bearing = own or [one for one in evidence if not one.option_label]
    spans = tuple(sorted({span for one in bearing for span in one.spans}))
    if not spans:
        return Laid([], [])
    told = explain(question, passage, option, Evidence(spans=spans))
    return Laid(
        [
            (
                match.option_span.start,
                match.option_span.end,
                match.passage_span.start,
                match.passage_span.end,
            )
            for match in told.covered
        ],
        list(told.uncovered),
    )
