"""What an option drops of its evidence, and what it puts in its place, by categories of cue words.

Seen over the pieces that option and evidence share: a cue of the evidence that stands beside or
between them and that the option lacks was dropped; where two pieces follow each other in both,
what stands between them was exchanged.
"""

import math
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from operator import attrgetter

from closeread.evidence.claims.explanation import Explanation, Match
from closeread.readers.cues.passage import ReadPassage
from closeread.readers.cues.words import Cue
from closeread.types import Span

Features = dict[str, float]
_LENGTH = 1.5  # of each group's vector, however much was dropped or exchanged
_BEFORE, _BEHIND = 6, 2  # characters beside the shared pieces where a cue still belongs to them
_GAP, _PASSAGE_GAP = 6, 8  # between two pieces, at most, where what stands there was exchanged


def turn_features(text: str, explanation: Explanation, read: ReadPassage) -> Features:
    """Return what the option drops (``dropped-…:category``) and exchanges (``swap:this>that``).

    Args:
        text: The option.
        explanation: Its evidence and the pieces that they share.
        read: The passage that the evidence stands in.
    """
    own = read.words.find(text)
    said = [read.cues(span) for span in explanation.evidence.spans]
    matches = sorted(explanation.covered, key=lambda match: match.option_span.start)
    return _scale_to_length(_dropped_features(own, said, matches)) | _scale_to_length(
        _swap_features(text, read.passage.text, own, said, matches)
    )


def _dropped_features(
    own: Sequence[Cue], said: Sequence[Sequence[Cue]], matches: Sequence[Match]
) -> set[str]:
    """Return the names: of a category dropped, and whether between the pieces or at their edge."""
    words = {cue.word for cue in own}
    categories = _categories(own)
    pieces: dict[int, list[Span]] = {}
    for match in matches:
        pieces.setdefault(match.sentence_index, []).append(match.passage_span)
    found = set()
    for sentence, spans in pieces.items():
        start, end = min(p.start for p in spans), max(p.end for p in spans)
        beside = _cues_between(said[sentence], start - _BEFORE, end + _BEHIND)
        for cue in _iter_cues_outside(beside, sorted(spans)):
            if cue.word in words:
                continue
            where = "in" if start <= cue.start < end else "edge"
            for category in set(cue.categories) - categories:
                found |= {f"dropped-category:{category}", f"dropped-{where}:{category}"}
    return found


def _iter_cues_outside(cues: Iterable[Cue], pieces: Sequence[Span]) -> Iterator[Cue]:
    """Yield the cues that share nothing with a piece; both are in order."""
    behind = iter(pieces)
    piece = next(behind, None)
    for cue in cues:
        while piece is not None and piece.end <= cue.start:
            piece = next(behind, None)
        if piece is None or cue.end <= piece.start:
            yield cue


def _swap_features(
    text: str,
    passage: str,
    own: Sequence[Cue],
    said: Sequence[Sequence[Cue]],
    matches: Sequence[Match],
) -> set[str]:
    """Return ``swap:evidence's>option's`` category for what stands between two pieces.

    ``nothing`` says that nothing stands there, ``other`` that no cue does.
    """
    found: set[str] = set()
    for one, two in pairwise(matches):
        ours = Span(one.option_span.end, two.option_span.start)
        theirs = Span(one.passage_span.end, two.passage_span.start)
        if (
            one.sentence_index != two.sentence_index
            or not 0 <= ours.end - ours.start <= _GAP
            or not 0 <= theirs.end - theirs.start <= _PASSAGE_GAP
        ):
            continue
        put = _categories(_cues_between(own, ours.start, ours.end))
        left = _categories(_cues_between(said[one.sentence_index], theirs.start, theirs.end))
        if put or left:
            found |= {
                f"swap:{this}>{that}"
                for this in left or {_without_cue(theirs.of(passage))}
                for that in put or {_without_cue(ours.of(text))}
            }
    return found


def _without_cue(between: str) -> str:
    return "other" if between.strip() else "nothing"


def _categories(cues: Iterable[Cue]) -> set[str]:
    return {category for cue in cues for category in cue.categories}


def _cues_between(cues: Sequence[Cue], start: int, end: int) -> Sequence[Cue]:
    """Return the cues that begin in ``[start, end)``, of cues in order."""
    return cues[bisect_left(cues, start, key=_start) : bisect_left(cues, end, key=_start)]


_start = attrgetter("start")


def _scale_to_length(names: set[str]) -> Features:
    return {name: _LENGTH / math.sqrt(len(names)) for name in sorted(names)}
