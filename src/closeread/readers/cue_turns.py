"""What an option drops of its evidence, and what it puts in its place, by categories of cue words.

Seen over the pieces that option and evidence share: a cue of the evidence that stands beside or
between them and that the option lacks was dropped; where two pieces follow each other in both,
what stands between them was exchanged.
"""

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise

from closeread.evidence.explanation import Explanation, Match
from closeread.readers.cue_words import Cue, Lexicon
from closeread.types import Passage, Span

Features = dict[str, float]
_LENGTH = 1.5  # of each group's vector, however much was dropped or exchanged
_BEFORE, _BEHIND = 6, 2  # characters beside the shared pieces where a cue still belongs to them
_GAP, _PASSAGE_GAP = 6, 8  # between two pieces, at most, where what stands there was exchanged


def turns(text: str, explanation: Explanation, passage: Passage, words: Lexicon) -> Features:
    """Return what the option drops (``dropped-…:category``) and exchanges (``swap:this>that``).

    Args:
        text: The option.
        explanation: Its evidence and the pieces that they share.
        passage: The passage that the evidence stands in.
        words: The cue words of its language.
    """
    own = words.find(text)
    said = [
        [_at(cue, span.start) for cue in words.find(span.of(passage.text))]
        for span in explanation.evidence.spans
    ]
    matches = sorted(explanation.covered, key=lambda match: match.option_span.start)
    return _of_length(_dropped(own, said, matches)) | _of_length(
        _swapped(text, passage.text, own, said, matches)
    )


def _dropped(
    own: Sequence[Cue], said: Sequence[Sequence[Cue]], matches: Sequence[Match]
) -> set[str]:
    """Return the names: of a category dropped, and whether between the pieces or at their edge."""
    words = {cue.word for cue in own}
    categories = _categories(own)
    found = set()
    for sentence, cues in enumerate(said):
        pieces = [match.passage_span for match in matches if match.sentence_index == sentence]
        if not pieces:
            continue
        start, end = min(p.start for p in pieces), max(p.end for p in pieces)
        for cue in cues:
            beside = start - _BEFORE <= cue.start < end + _BEHIND
            shared = any(p.start < cue.end and cue.start < p.end for p in pieces)
            if not beside or shared or cue.word in words:
                continue
            where = "in" if start <= cue.start < end else "edge"
            for category in set(cue.categories) - categories:
                found |= {f"dropped-category:{category}", f"dropped-{where}:{category}"}
    return found


def _swapped(
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
        put = _categories(cue for cue in own if cue.start in _range(ours))
        left = _categories(cue for cue in said[one.sentence_index] if cue.start in _range(theirs))
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


def _range(span: Span) -> range:
    return range(span.start, span.end)


def _at(cue: Cue, start: int) -> Cue:
    return cue._replace(start=cue.start + start, end=cue.end + start)


def _of_length(names: set[str]) -> Features:
    return {name: _LENGTH / math.sqrt(len(names)) for name in sorted(names)}
