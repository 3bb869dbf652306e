"""Which part of a claim stands in which sentence of its evidence, and which part in none.

The parts are found as plagiarism detectors find copies, by tiling (Wise 1993): the longest run of
units that claim and sentence share is laid first, and every unit of the claim is under one tile.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from closeread.evidence.terms import Unit, units
from closeread.types import Evidence, Record, Span

_PLACES = 16


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


def explanation(claim: str, passage: str, evidence: Evidence) -> Explanation:
    """Lay the parts of a claim over the sentences of its evidence.

    Args:
        claim: The option's text, or the question's where there is none.
        passage: The passage's text.
        evidence: From any retriever; its spans lie in the passage.
    """
    wanted = units(claim)
    said = [units(span.of(passage)) for span in evidence.spans]
    under = [False] * len(wanted)
    covered = []
    for run in _tiles(wanted, said, under):
        tile = wanted[run.start : run.start + run.length]
        found = said[run.sentence][run.place : run.place + run.length]
        base = evidence.spans[run.sentence].start
        covered.append(
            Match(
                option_span=Span(tile[0].start, tile[-1].end),
                passage_span=Span(base + found[0].start, base + found[-1].end),
                sentence_index=run.sentence,
            )
        )
    met = {unit.form for sentence in said for unit in sentence}
    return Explanation(
        evidence=evidence,
        covered=tuple(sorted(covered, key=lambda match: match.option_span)),
        uncovered=tuple(_uncovered(wanted, under, met)),
    )


def _tiles(
    wanted: Sequence[Unit], said: Sequence[Sequence[Unit]], under: list[bool]
) -> Iterator[_Run]:
    """Yield runs of units that lie under no other, the longest first; mark them in ``under``."""
    runs = [run for number, found in enumerate(said) for run in _runs(wanted, found, number)]
    runs.sort(key=lambda run: (-run.length, run.start, run.sentence, run.place))
    for run in runs:
        for free in _free(run, under):
            if _says_something(wanted[free.start : free.start + free.length]):
                for place in range(free.start, free.start + free.length):
                    under[place] = True
                yield free


def _runs(wanted: Sequence[Unit], found: Sequence[Unit], sentence: int) -> Iterator[_Run]:
    """Yield, for each unit of the claim where the longest run breaks off, that run.

    Of a pair of units that a sentence repeats over and over only the first few places count, so
    that the time is linear in the claim and in the sentence.
    """
    begins: dict[tuple[str, str], list[int]] = {}
    for place, unit in enumerate(found):
        if place:
            begins.setdefault((found[place - 1].form, unit.form), []).append(place - 1)
        if unit.is_word:
            begins.setdefault((unit.form, ""), []).append(place)
    ending: dict[int, int] = {}  # place in the sentence -> length of the run that ends there
    longest = (0, 0)
    for start, unit in enumerate(wanted):
        here = {
            place + 1: length + 1
            for place, length in ending.items()
            if place + 1 < len(found) and found[place + 1].form == unit.form
        }
        for following in (*(one.form for one in wanted[start + 1 : start + 2]), ""):
            for place in begins.get((unit.form, following), ())[:_PLACES]:
                here.setdefault(place, 1)
        if len(here) > _PLACES:
            here = dict(sorted(here.items(), key=lambda run: (-run[1], run[0]))[:_PLACES])
        best = min(((-length, place) for place, length in here.items()), default=(0, 0))
        if longest[0] and best[0] != longest[0] - 1:
            yield _Run(start + longest[0], longest[1] + longest[0] + 1, -longest[0], sentence)
        ending, longest = here, best
    if longest[0]:
        yield _Run(len(wanted) + longest[0], longest[1] + longest[0] + 1, -longest[0], sentence)


def _free(run: _Run, under: Sequence[bool]) -> Iterator[_Run]:
    """Yield the parts of a run that lie under no other."""
    begun: int | None = None
    for offset in range(run.length + 1):
        taken = offset == run.length or under[run.start + offset]
        if begun is None and not taken:
            begun = offset
        elif begun is not None and taken:
            yield _Run(run.start + begun, run.place + begun, offset - begun, run.sentence)
            begun = None


def _says_something(tile: Sequence[Unit]) -> bool:
    """Whether units that match are more than chance: one Chinese character alone is not."""
    content = [unit for unit in tile if not unit.is_function]
    return bool(content) and (len(tile) > 1 or content[0].is_word)


def _uncovered(wanted: Sequence[Unit], under: Sequence[bool], met: set[str]) -> Iterator[Span]:
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
