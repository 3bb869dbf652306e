"""Cause and effect in English statements: told the other way round, exchanged, or taken away."""

import random
import re
from collections.abc import Iterator

from closeread.attacks.english.capitals import within
from closeread.attacks.english.grounding import (
    LONGEST,
    bearing,
    denies,
    reworded,
    sure,
    swapped,
)
from closeread.attacks.english.wordlists import listed
from closeread.attacks.statements import HIDDEN, Statement, Turn, hide_quotations
from closeread.types import Span

NAME = "causality"
_C = rf"[^,.;:()?!{HIDDEN}]"
_CAUSE, _EFFECT = rf"(?P<cause>{_C}{{4,90}}?)", rf"(?P<effect>{_C}{{5,90}}?)"
_END = r"(?P<end>[.]?)\s*$"
_BECAUSE = re.compile(rf"^{_EFFECT},? (?P<link>because(?: of)?) {_CAUSE}{_END}")
_FIRST = re.compile(rf"^(?P<link>Because(?: of)?) {_CAUSE}, {_EFFECT}{_END}")
# Denied, or singled out, an effect may or may not be so for that cause.
_SCOPED = re.compile(
    rf"{listed('scoped')}|\b(?:only|just|mainly|mostly|partly|simply|when|who|which|is|was)$",
    re.IGNORECASE,
)
_LED = re.compile(
    rf"^(?P<one>{_C}{{4,40}}?) (?P<verb>led to|resulted in|caused) (?P<other>{_C}{{4,40}}?){_END}"
)
_POINTS = re.compile(listed("pointing"), re.IGNORECASE)
_NAMED = re.compile(r"(?:the|an?) [a-z]|[A-Z][a-z]+ ?", re.IGNORECASE)


def turns_en(statement: Statement, random: random.Random) -> Iterator[Turn]:
    """Yield the turns of cause and effect in an English statement, the least visible first."""
    if len(statement.text) > LONGEST:
        return
    text = hide_quotations(statement.text)
    if sure(statement):
        yield from _led(statement, text)
        yield from swapped(statement, NAME)
    same = [*reworded(statement, NAME), *_told_first(statement, text)]
    random.shuffle(same)
    yield from same


def _told_first(statement: Statement, text: str) -> Iterator[Turn]:
    """Yield a statement that tells its cause first, or last, where it did not."""
    match = _BECAUSE.match(text)
    if match and match["effect"][0].isupper():
        effect, cause = match["effect"], match["cause"].rstrip()
        inside = within(effect, statement.passage)
        clear = not denies(effect) and not _SCOPED.search(effect) and not _SCOPED.search(cause)
        if inside is not None and clear:
            words = f"{match['link'].capitalize()} {cause}, {inside}{match['end']}"
            yield Turn(Span(0, match.end("end")), words, "cause-first", "same")
    elif match := _FIRST.match(text):
        effect, cause = match["effect"].rstrip(), match["cause"]
        if not denies(effect) and not _SCOPED.search(effect) and not _SCOPED.search(cause):
            words = f"{effect[0].upper()}{effect[1:]} {match['link'].lower()} {cause}{match['end']}"
            yield Turn(Span(0, match.end("end")), words, "cause-last", "same")


def _led(statement: Statement, text: str) -> Iterator[Turn]:
    """Yield what led to what in each other's place, where both are named."""
    match = _LED.match(text)
    if match is None or not bearing(statement):
        return
    one, other = match["one"], match["other"]
    if _POINTS.search(one) or _POINTS.search(other) or not _NAMED.match(other):
        return
    inside = within(one, statement.passage)
    if inside is None:
        return
    words = f"{other[0].upper()}{other[1:]} {match['verb']} {inside}{match['end']}"
    yield Turn(Span(0, match.end("end")), words, "exchanged", "opposite")
