"""Matches the parts of a claim with the sentences of its evidence.

The parts are found by greedy string tiling, as in plagiarism detection (Wise 1993): the longest run
of units that claim and sentence share is matched first, and a unit of the claim is in at most one
tile.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from closeread.evidence.claims.terms import Unit, units
from closeread.evidence.claims.unit_index import SentenceUnits, UnitIndex
from closeread.types import Evidence, Record, Span

_MAX_OPEN_RUNS = 16  # runs that are followed at once


class Match(Record, frozen=True, kw_only=True):
    """A part of the claim, and the part of the passage that it matches.

    Attributes:
        option_span: The part, in the option's text (the question's if there is no option).
        passage_span: The matching part of the passage.
        sentence_index: The index of its sentence among those of the evidence.
    """

    option_span: Span
    passage_span: Span
    sentence_index: int


class Explanation(Record, frozen=True, kw_only=True):
    """Evidence with the parts of the claim that it covers and does not cover.

    Function words, and single Chinese characters that occur in the evidence, may be in neither.

    Attributes:
        evidence: The evidence.
        covered: The parts that it covers, in the order of the claim.
        uncovered: The parts that it does not cover, in the order of the claim.
    """

    evidence: Evidence
    covered: tuple[Match, ...] = ()
    uncovered: tuple[Span, ...] = ()


class _Run(NamedTuple):
    """Equal units in the claim and in a sentence.

    Attributes:
        start: The index of the first unit in the claim.
        unit_index: The index of the first unit in the sentence.
        length: The number of units.
        sentence: The index of the sentence.
    """

    start: int
    unit_index: int
    length: int
    sentence: int


def explain_claim(claim: str, sentences: UnitIndex, evidence: Evidence) -> Explanation:
    """Match the parts of a claim with the sentences of its evidence.

    Args:
        claim: The option's text, or the question's if there is no option.
        sentences: The index of the passage's sentences.
        evidence: Evidence from any retriever, with spans in the passage.
    """
    claim_units = units(claim)
    sentence_units = [sentences[span] for span in evidence.spans]
    is_covered = [False] * len(claim_units)
    matches = []
    for run in _tiles(claim_units, sentence_units, is_covered):
        sentence, last = sentence_units[run.sentence], run.length - 1
        matches.append(
            Match(
                option_span=Span(claim_units[run.start].start, claim_units[run.start + last].end),
                passage_span=Span(
                    sentence.starts[run.unit_index], sentence.ends[run.unit_index + last]
                ),
                sentence_index=run.sentence,
            )
        )
    return Explanation(
        evidence=evidence,
        covered=tuple(sorted(matches, key=lambda match: match.option_span)),
        uncovered=tuple(_uncovered(claim_units, is_covered, sentences.forms_in(evidence.spans))),
    )


def _tiles(
    claim_units: Sequence[Unit], sentence_units: Sequence[SentenceUnits], is_covered: list[bool]
) -> Iterator[_Run]:
    """Yield runs that do not overlap in the claim, the longest first; mark their units covered."""
    pairs = list(pairwise([*(unit.form for unit in claim_units), ""]))
    runs = [
        run
        for number, sentence in enumerate(sentence_units)
        for run in _runs(pairs, sentence, number)
    ]
    runs.sort(key=lambda run: (-run.length, run.start, run.sentence, run.unit_index))
    for run in runs:
        for part in _uncovered_parts(run, is_covered):
            if _is_meaningful(claim_units[part.start : part.start + part.length]):
                for unit_index in range(part.start, part.start + part.length):
                    is_covered[unit_index] = True
                yield part


def _runs(pairs: Sequence[tuple[str, str]], sentence: SentenceUnits, number: int) -> Iterator[_Run]:
    """Yield the longest run at each unit of the claim at which that run ends.

    Args:
        pairs: The form of each unit of the claim, and of the next one.
        sentence: The sentence.
        number: Its number.
    """
    starts_of = sentence.starts_of
    forms = [*sentence.forms, ""]  # a sentinel that equals no unit
    previous: dict[int, int] = {}  # index in the sentence -> length of the run that ends there
    longest = (0, 0)
    for start, pair in enumerate(pairs):
        form = pair[0]
        current = {
            unit_index + 1: length + 1
            for unit_index, length in previous.items()
            if forms[unit_index + 1] == form
        }
        for key in (pair, (form, "")):
            for unit_index in starts_of.get(key, ()):
                current.setdefault(unit_index, 1)
        if len(current) > _MAX_OPEN_RUNS:
            ranked = sorted(current.items(), key=lambda run: (-run[1], run[0]))
            current = dict(ranked[:_MAX_OPEN_RUNS])
        best = min(
            ((-length, unit_index) for unit_index, length in current.items()), default=(0, 0)
        )
        if longest[0] and best[0] != longest[0] - 1:
            yield _Run(start + longest[0], longest[1] + longest[0] + 1, -longest[0], number)
        previous, longest = current, best
    if longest[0]:
        yield _Run(len(pairs) + longest[0], longest[1] + longest[0] + 1, -longest[0], number)


def _uncovered_parts(run: _Run, is_covered: Sequence[bool]) -> Iterator[_Run]:
    """Yield the parts of a run whose units of the claim are not covered yet."""
    first: int | None = None
    for offset in range(run.length + 1):
        ends_part = offset == run.length or is_covered[run.start + offset]
        if first is None and not ends_part:
            first = offset
        elif first is not None and ends_part:
            yield _Run(run.start + first, run.unit_index + first, offset - first, run.sentence)
            first = None


def _is_meaningful(tile: Sequence[Unit]) -> bool:
    """Return whether matching units are more than chance; a single Chinese character is not."""
    content = [unit for unit in tile if not unit.is_function]
    return bool(content) and (len(tile) > 1 or content[0].is_word)


def _uncovered(
    claim_units: Sequence[Unit], is_covered: Sequence[bool], evidence_forms: frozenset[str]
) -> Iterator[Span]:
    """Yield the gaps between tiles.

    Gaps of only function words are left out, and so is a single character that the evidence
    contains.
    """
    gap: list[Unit] = []
    for unit, ends_gap in zip([*claim_units, None], [*is_covered, True], strict=True):
        if unit is not None and not ends_gap:
            gap.append(unit)
            continue
        content = [unit for unit in gap if not unit.is_function]
        if len(content) > 1 or any(unit.form not in evidence_forms for unit in content):
            yield Span(gap[0].start, gap[-1].end)
        gap = []
