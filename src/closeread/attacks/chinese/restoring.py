"""A false statement made true: where it differs from the evidence by one word that decides."""

import re
from collections.abc import Iterator

from closeread.attacks.chinese.grounding import borne_out, equal
from closeread.attacks.chinese.wordlists import pairs, restorings
from closeread.attacks.statements import HIDDEN, Statement, Turn, hide_quotations
from closeread.types import Span

_NEAR = 2  # characters that have to be equal beside a word, for surroundings to be the same
_FAR = 64  # and no more are compared
_OFTEN = 8  # a word that stands more often in a statement is not the one that decides
_MARK = re.compile(rf"[，。；：！？、,;:!?\n{HIDDEN}]")
_DENIED = re.compile(r"(?:[不没未无非]|没有)[^，。；]{0,4}$")
_HAN = re.compile(r"[\u3400-\u9fff]+")
# How much of a statement, mended, has to be the evidence's own words: where less is, it may err
# in something else beside.
_BORNE_OUT = 0.83


def sole(statement: Statement, turns: Iterator[Turn], least: float = _BORNE_OUT) -> Iterator[Turn]:
    """Yield restorings where the rest of the statement is the evidence's own words.

    None where a statement differs from the evidence in two places: which of them makes it false
    cannot be told.
    """
    found = list(turns)
    if len({turn.span for turn in found}) != 1:
        return
    for turn in found:
        text = statement.text[: turn.span.start] + turn.words + statement.text[turn.span.end :]
        if borne_out(text, statement.evidence) >= least:
            yield turn


def restored(statement: Statement, strategy: str) -> Iterator[Turn]:
    """Yield what makes a false statement true: its word becomes the evidence's.

    The surroundings have to be the same: two equal characters right before the word or right
    behind it, in the statement and in the evidence. Where the evidence has the statement's own
    word in them too, nothing is restored.
    """
    for rule, said, stands in restorings(strategy):
        yield from put_back(statement, rule, said, stands)
    for sides in (*pairs(strategy), *pairs(strategy, "restored_pairs")):
        for side, other in (sides, sides[::-1]):
            yield from put_back(statement, "restored-contrary", side.found, other.found)


def put_back(
    statement: Statement, rule: str, said: re.Pattern[str], stands: re.Pattern[str]
) -> Iterator[Turn]:
    """Yield turns of what one pattern finds in a statement into what another finds in evidence."""
    text, evidence = hide_quotations(statement.text), statement.evidence
    matches = list(said.finditer(text))
    if len(matches) > _OFTEN:
        return
    for match in matches:
        before, after = _beside(text, match)
        best, words = _around(before, after, evidence, said, match[0]), ""
        for found in stands.finditer(evidence):
            left, right = _beside(evidence, found)
            score = _score(before, after, left, right)
            if score > best and bool(_DENIED.search(left)) == bool(_DENIED.search(before)):
                best, words = score, found[0]
        if best >= _NEAR and words and words != match[0]:
            yield Turn(Span(*match.span()), words, rule, "opposite")


def put_in(statement: Statement, rule: str, missing: re.Pattern[str]) -> Iterator[Turn]:
    """Yield what a statement leaves out of words that it takes over: a word of the evidence.

    Two characters before it and two behind it stand together in the statement.
    """
    text, evidence = hide_quotations(statement.text), statement.evidence
    for found in missing.finditer(evidence):
        left = evidence[max(0, found.start() - _NEAR) : found.start()]
        right = evidence[found.end() : found.end() + _NEAR]
        both = left + right
        if len(both) == 2 * _NEAR and _HAN.fullmatch(both) and text.count(both) == 1:
            if both in evidence or found[0] in text:
                continue
            place = text.index(both) + _NEAR
            yield Turn(Span(place, place), found[0], rule, "opposite")


def left_out(statement: Statement, rule: str, added: re.Pattern[str]) -> Iterator[Turn]:
    """Yield what a statement adds to words that it takes over: a word that is left out again.

    Two characters before it and two behind it stand together in the evidence.
    """
    text, evidence = hide_quotations(statement.text), statement.evidence
    for match in added.finditer(text):
        left = text[max(0, match.start() - _NEAR) : match.start()]
        right = text[match.end() : match.end() + _NEAR]
        both = left + right
        whole = len(both) == 2 * _NEAR and _HAN.fullmatch(both) is not None
        if whole and both in evidence and left + match[0] + right not in evidence:
            yield Turn(Span(*match.span()), "", rule, "opposite")


def same_around(text: str, span: Span, evidence: str, place: Span) -> bool:
    """Whether what stands around a word in a text is what stands around another in the evidence.

    The unit that a number counts is no surroundings of it: two characters beyond it have to be
    equal, or two before the number.
    """
    left = _run(text[: span.start][::-1], evidence[: place.start][::-1])
    right = _run(text[span.end :], evidence[place.end :])
    unit = 2 if text[span.end : span.end + 2] in ("世纪", "年代") else 1
    return left >= _NEAR or right >= _NEAR + unit


def _around(before: str, after: str, evidence: str, said: re.Pattern[str], words: str) -> int:
    """Return how far the surroundings of a word are those that it has in the evidence."""
    return max(
        (
            _score(before, after, *_beside(evidence, found))
            for found in said.finditer(evidence)
            if found[0] == words
        ),
        default=0,
    )


def _beside(text: str, match: re.Match[str]) -> tuple[str, str]:
    return text[max(0, match.start() - _FAR) : match.start()], text[
        match.end() : match.end() + _FAR
    ]


def _score(before: str, after: str, left: str, right: str) -> int:
    """Return how many characters are equal on the side where more are; marks end them."""
    return max(_run(before[::-1], left[::-1]), _run(after, right))


def _run(one: str, other: str) -> int:
    count = equal(one, other)
    mark = _MARK.search(one, 0, count)
    return mark.start() if mark else count
