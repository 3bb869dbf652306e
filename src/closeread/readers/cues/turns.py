"""Which cue words an option drops from its evidence or exchanges for others, by category.

Both are seen at the pieces that option and evidence share. A cue of the evidence beside or between
these pieces that the option lacks was dropped. If two pieces follow each other in both texts, the
cues between them were exchanged.
"""

import math
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from operator import attrgetter

from closeread.evidence.claims.explanation import Explanation, Match
from closeread.readers.cues.passage import PassageIndex
from closeread.readers.cues.words import Cue
from closeread.types import Span

Features = dict[str, float]
_VECTOR_LENGTH = 1.5  # to which each group's vector is scaled
# Characters around the shared pieces of a sentence where a cue still belongs to them.
_CHARACTERS_BEFORE, _CHARACTERS_AFTER = 6, 2
# Maximum characters between two pieces for an exchange.
_MAX_OPTION_GAP, _MAX_PASSAGE_GAP = 6, 8


def turn_features(text: str, explanation: Explanation, passage_index: PassageIndex) -> Features:
    """Return the words that an option drops (``dropped-…:category``) or swaps (``swap:old>new``).

    Args:
        text: The option.
        explanation: Its evidence and the pieces that both share.
        passage_index: Index of the passage of the evidence.
    """
    option_cues = passage_index.words.find(text)
    evidence_cues = [passage_index.cues(span) for span in explanation.evidence.spans]
    matches = sorted(explanation.covered, key=lambda match: match.option_span.start)
    return _scale_to_length(_find_dropped(option_cues, evidence_cues, matches)) | _scale_to_length(
        _find_swaps(text, passage_index.passage.text, option_cues, evidence_cues, matches)
    )


def _find_dropped(
    option_cues: Sequence[Cue], evidence_cues: Sequence[Sequence[Cue]], matches: Sequence[Match]
) -> set[str]:
    """Return names of dropped categories, with the location: among the pieces or at the edge."""
    option_words = {cue.word for cue in option_cues}
    option_categories = _categories(option_cues)
    pieces: dict[int, list[Span]] = {}
    for match in matches:
        pieces.setdefault(match.sentence_index, []).append(match.passage_span)
    names = set()
    for sentence_index, spans in pieces.items():
        start, end = min(span.start for span in spans), max(span.end for span in spans)
        nearby_cues = _cues_between(
            evidence_cues[sentence_index], start - _CHARACTERS_BEFORE, end + _CHARACTERS_AFTER
        )
        for cue in _iter_cues_outside(nearby_cues, sorted(spans)):
            if cue.word in option_words:
                continue
            location = "in" if start <= cue.start < end else "edge"
            for category in set(cue.categories) - option_categories:
                names |= {f"dropped-category:{category}", f"dropped-{location}:{category}"}
    return names


def _iter_cues_outside(cues: Iterable[Cue], pieces: Sequence[Span]) -> Iterator[Cue]:
    """Yield the cues that overlap no piece; both sequences are in text order."""
    remaining = iter(pieces)
    piece = next(remaining, None)
    for cue in cues:
        while piece is not None and piece.end <= cue.start:
            piece = next(remaining, None)
        if piece is None or cue.end <= piece.start:
            yield cue


def _find_swaps(
    text: str,
    passage: str,
    option_cues: Sequence[Cue],
    evidence_cues: Sequence[Sequence[Cue]],
    matches: Sequence[Match],
) -> set[str]:
    """Return ``swap:evidence's>option's`` for the cue categories between two shared pieces.

    ``nothing`` stands for an empty gap, ``other`` for text without a cue.
    """
    names: set[str] = set()
    for first, second in pairwise(matches):
        option_gap = Span(first.option_span.end, second.option_span.start)
        passage_gap = Span(first.passage_span.end, second.passage_span.start)
        if (
            first.sentence_index != second.sentence_index
            or not 0 <= option_gap.end - option_gap.start <= _MAX_OPTION_GAP
            or not 0 <= passage_gap.end - passage_gap.start <= _MAX_PASSAGE_GAP
        ):
            continue
        new_categories = _categories(_cues_between(option_cues, option_gap.start, option_gap.end))
        old_categories = _categories(
            _cues_between(evidence_cues[first.sentence_index], passage_gap.start, passage_gap.end)
        )
        if new_categories or old_categories:
            names |= {
                f"swap:{old}>{new}"
                for old in old_categories or {_name_without_cue(passage_gap.of(passage))}
                for new in new_categories or {_name_without_cue(option_gap.of(text))}
            }
    return names


def _name_without_cue(text: str) -> str:
    return "other" if text.strip() else "nothing"


def _categories(cues: Iterable[Cue]) -> set[str]:
    return {category for cue in cues for category in cue.categories}


def _cues_between(cues: Sequence[Cue], start: int, end: int) -> Sequence[Cue]:
    """Return the cues that begin in ``[start, end)``; ``cues`` is in text order."""
    return cues[bisect_left(cues, start, key=_start) : bisect_left(cues, end, key=_start)]


_start = attrgetter("start")


def _scale_to_length(names: set[str]) -> Features:
    return {name: _VECTOR_LENGTH / math.sqrt(len(names)) for name in sorted(names)}
