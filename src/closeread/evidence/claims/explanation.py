"""Which part of a claim is in which sentence of its evidence, and which part in none.

The parts are found as plagiarism detectors find copies, by tiling (Wise 1993): the longest run of
units that claim and sentence share is matched first, and every unit of the claim is in one tile.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from closeread.evidence.claims.terms import Unit, units
from closeread.evidence.claims.unit_index import SentenceUnits, UnitIndex
from closeread.types import Evidence, Record, Span

_OPEN = 16  # runs that are followed at once


class Match(Record, frozen=True, kw_only=True):
    """A part of the claim and where the passage says it.

    Attributes:
        option_span: The part, in the option's text (the question's where there is no option).
        passage_span: Where it stands, in the passage.
        sentence_index: In which of the evidence's sentences.
    """

    option_span: Span
    passage_span: Span
    sentence_index: int


class Explanation(Record, frozen=True, kw_only=True):
    """Evidence with what it does and does not cover; both in the order of the claim.

    Function words, and single Chinese characters that the evidence holds somewhere, may be in
    neither.
    """

    evidence: Evidence
    covered: tuple[Match, ...] = ()
    uncovered: tuple[Span, ...] = ()


class _Run(NamedTuple):
    """``length`` units from ``start`` in the claim and from ``place`` in a sentence are equal."""

    start: int
    place: int
    length: int
    sentence: int


def explain_claim(claim: str, sentences: UnitIndex, evidence: Evidence) -> Explanation:
    """Match the parts of a claim with the sentences of its evidence.

    Args:
        claim: The option's text, or the question's where there is none.
        sentences: Those of the passage.
        evidence: From any retriever; its spans lie in the passage.
    """
    wanted = units(claim)
    sentence_units = [sentences[span] for span in evidence.spans]
    under = [False] * len(wanted)
    covered = []
    for run in _tiles(wanted, sentence_units, under):
        found, last = sentence_units[run.sentence], run.length - 1
        covered.append(
            Match(
                option_span=Span(wanted[run.start].start, wanted[run.start + last].end),
                passage_span=Span(found.starts[run.place], found.ends[run.place + last]),
                sentence_index=run.sentence,
            )
        )
    return Explanation(
        evidence=evidence,
        covered=tuple(sorted(covered, key=lambda match: match.option_span)),
        uncovered=tuple(_uncovered(wanted, under, sentences.held(evidence.spans))),
    )


def _tiles(
    wanted: Sequence[Unit], sentence_units: Sequence[SentenceUnits], under: list[bool]
) -> Iterator[_Run]:
    """Yield runs of units that lie under no other, the longest first; mark them in ``under``."""
    pairs = list(pairwise([*(unit.form for unit in wanted), ""]))
    runs = [
        run for number, found in enumerate(sentence_units) for run in _runs(pairs, found, number)
    ]
    runs.sort(key=lambda run: (-run.length, run.start, run.sentence, run.place))
    for run in runs:
        for free in _free_parts(run, under):
            if _is_meaningful(wanted[free.start : free.start + free.length]):
                for place in range(free.start, free.start + free.length):
                    under[place] = True
                yield free


def _runs(pairs: Sequence[tuple[str, str]], found: SentenceUnits, sentence: int) -> Iterator[_Run]:
    """Yield, for each unit of the claim where the longest run breaks off, that run.

    Args:
        pairs: The form of each unit of the claim, and of the next.
        found: The sentence.
        sentence: Its number.
    """
    begins = found.begins
    forms = [*found.forms, ""]  # no unit is like what stands behind the last
    ending: dict[int, int] = {}  # place in the sentence -> length of the run that ends there
    longest = (0, 0)
    for start, pair in enumerate(pairs):
        form = pair[0]
        here = {
            place + 1: length + 1 for place, length in ending.items() if forms[place + 1] == form
        }
        for key in (pair, (form, "")):
            for place in begins.get(key, ()):
                here.setdefault(place, 1)
        if len(here) > _OPEN:
            here = dict(sorted(here.items(), key=lambda run: (-run[1], run[0]))[:_OPEN])
        best = min(((-length, place) for place, length in here.items()), default=(0, 0))
        if longest[0] and best[0] != longest[0] - 1:
            yield _Run(start + longest[0], longest[1] + longest[0] + 1, -longest[0], sentence)
        ending, longest = here, best
    if longest[0]:
        yield _Run(len(pairs) + longest[0], longest[1] + longest[0] + 1, -longest[0], sentence)


def _free_parts(run: _Run, under: Sequence[bool]) -> Iterator[_Run]:
    """Yield the parts of a run that lie under no other."""
    first: int | None = None
    for offset in range(run.length + 1):
        taken = offset == run.length or under[run.start + offset]
        if first is None and not taken:
            first = offset
        elif first is not None and taken:
            yield _Run(run.start + first, run.place + first, offset - first, run.sentence)
            first = None


def _is_meaningful(tile: Sequence[Unit]) -> bool:
    """Whether units that match are more than chance: one Chinese character alone is not."""
    content = [unit for unit in tile if not unit.is_function]
    return bool(content) and (len(tile) > 1 or content[0].is_word)


def _uncovered(
    wanted: Sequence[Unit], under: Sequence[bool], met: frozenset[str]
) -> Iterator[Span]:
    """Yield the gaps between tiles, but for those of function words and single characters met."""
    gap: list[Unit] = []
    for unit, taken in zip([*wanted, None], [*under, True], strict=True):
        if unit is not None and not taken:
            gap.append(unit)
            continue
        content = [one for one in gap if not one.is_function]
        if len(content) > 1 or any(one.form not in met for one in content):
            yield Span(gap[0].start, gap[-1].end)
        gap = []
