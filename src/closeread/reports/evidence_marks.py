"""Locate evidence for the page, and find the parts of a claim that it covers."""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from closeread.evidence.cover import explain
from closeread.evidence.query import label_of
from closeread.types import Evidence, Option, Passage, Question, Span


class ClaimCoverage(NamedTuple):
    """Which parts of a claim (an option's or a question's text) its evidence covers.

    Attributes:
        covered: Parts of the claim with the matching place in the passage:
            ``(start, end, start in the passage, end in the passage)``.
        uncovered: The parts of the claim that no evidence covers.
    """

    covered: list[tuple[int, int, int, int]]
    uncovered: list[Span]


def locate_evidence(evidence: Sequence[Evidence], passage: Passage | None) -> tuple[Evidence, ...]:
    """Add spans to evidence that is only text, if it occurs exactly once in the passage."""
    if passage is None:
        return tuple(evidence)
    return tuple(
        piece
        if piece.spans
        else replace(piece, spans=tuple(_find_span(text, passage.text) for text in texts))
        for piece in evidence
        for texts in [[text for text in piece.texts if passage.text.count(text) == 1 and text]]
    )


def _find_span(text: str, passage: str) -> Span:
    start = passage.index(text)
    return Span(start, start + len(text))


def cover_options(
    question: Question, passage: Passage | None, evidence: Sequence[Evidence]
) -> list[ClaimCoverage]:
    """Return, for each option, which of its parts the evidence covers.

    An option without evidence of its own is compared with the whole question's. If there is none
    either, nothing counts as uncovered. Empty if that is so for all options, and if the options are
    judgements of a hypothesis.
    """
    if passage is None:
        return []
    coverages = [_cover_claim(question, passage, claim, evidence) for claim in question.claims]
    return coverages if any(any(coverage) for coverage in coverages) else []


def cover_question(
    question: Question, passage: Passage | None, evidence: Sequence[Evidence]
) -> ClaimCoverage | None:
    """Return which parts of a question its evidence covers, if the question itself is the claim.

    None if its options are the claims, and if there is no evidence.
    """
    if passage is None or question.claims:
        return None
    coverage = _cover_claim(question, passage, None, evidence)
    return coverage if any(coverage) else None


def _cover_claim(
    question: Question, passage: Passage, option: Option | None, evidence: Sequence[Evidence]
) -> ClaimCoverage:
    label = label_of(option)
    own_evidence = [piece for piece in evidence if piece.option_label == label and piece.spans]
    relevant = own_evidence or [piece for piece in evidence if not piece.option_label]
    spans = tuple(sorted({span for piece in relevant for span in piece.spans}))
    if not spans:
        return ClaimCoverage([], [])
    explanation = explain(question, passage, option, Evidence(spans=spans))
    return ClaimCoverage(
        [
            (
                match.option_span.start,
                match.option_span.end,
                match.passage_span.start,
                match.passage_span.end,
            )
            for match in explanation.covered
        ],
        list(explanation.uncovered),
    )
