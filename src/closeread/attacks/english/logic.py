"""What English statements assert: reworded, put in another order, denied or affirmed."""

import random
import re
from collections.abc import Iterator

from closeread.attacks.english.capitals import is_name, within
from closeread.attacks.english.grounding import (
    LONGEST,
    bearing,
    denies,
    fitted,
    reworded,
    sure,
)
from closeread.attacks.english.predicates import affirmations, denials, verbs
from closeread.attacks.english.wordlists import listed
from closeread.attacks.statements import HIDDEN, Statement, Turn, hide_quotations
from closeread.types import Span

NAME = "logic"
_PART = rf"[^,.;:()?!{HIDDEN}]{{2,50}}?"
_END = r"(?=[.]?\s*$)"
_NOT_ONLY = re.compile(rf"\bnot only (?P<one>{_PART}),? but(?: also)? (?P<other>{_PART}){_END}")
_BOTH = re.compile(
    rf"(?<=\w )(?<!with )(?<!of )(?<!in )(?<!for )(?<!to )(?<!by )(?<!from )(?<!between )"
    rf"both (?!of )(?P<one>{_PART}) and (?P<other>{_PART}){_END}"
)
_INVERTED = re.compile(r"(?:do|does|did|is|are|was|were|can|could|will|would|has|have|had)\b")
_NAMES = re.compile(
    r"(?<![\w,.'’] )(?<![\w'’-])(?P<one>[A-Z][a-z]+) and (?P<other>[A-Z][a-z]+)"
    r"(?! (?:[A-Z]|respectively|\d))(?![\w'’-])"
)
_LIST = re.compile(
    r"(?<=, )(?P<one>[a-z]{3,}), (?P<other>[a-z]{3,})"
    r"(?=(?:, [a-z]+)*,? (?:and|or) [a-z]+(?:[.]?$|,))"
)
_ORDERED = re.compile(
    r"\b(?:first|then|next|finally|respectively|order|before|after|from|between)\b|\d",
    re.IGNORECASE,
)
_CONTRACTED = re.compile(
    r"\b(?P<aux>does|do|did|is|are|was|were|has|have|had|could|would|should|ca|wo)n['’]t\b"
)
_APART = re.compile(
    r"\b(?P<aux>does|do|did|is|are|was|were|could|would|should) not\b(?! only)|\b(?P<can>cannot)\b"
)
_WHOLE = {"ca": "cannot", "wo": "will not"}
_MADE_BY = re.compile(
    r"^(?P<one>(?:The|An?|His|Her|Their|Its|[A-Z][\w’'-]*)(?: [\w’'-]+){0,4})"
    r" (?:was|were) (?P<verb>[a-z]+)"
    r" by (?P<other>(?:the |an? |his |her |their )?(?:[\w’'-]+ ){0,3}[\w’'-]+)(?P<end>[.]?)\s*$"
)
_NO_AGENT = re.compile(rf"\d|['’]s?$|{listed('no_agent')}")
_OBJECTS = {"He": "him", "She": "her", "They": "them", "We": "us", "I": "me"}


def turns_en(statement: Statement, random: random.Random) -> Iterator[Turn]:
    """Yield the turns of what an English statement asserts, the least visible first."""
    if len(statement.text) > LONGEST:
        return
    text = hide_quotations(statement.text)
    if sure(statement):
        if bearing(statement):
            yield from _exchanged(text)
        yield from _denied(statement, text)
    same = [*reworded(statement, NAME), *_reordered(statement, text)]
    random.shuffle(same)
    yield from same
    yield from _contracted(text)  # the least of changes


def _denied(statement: Statement, text: str) -> Iterator[Turn]:
    """Yield the turns of what is said into its denial, or back, where the evidence says it."""
    near = bearing(statement)
    for denial in affirmations(text):
        if any(map(denies, near)):
            yield fitted(statement.text, denial.span, denial.words, denial.rule, "opposite")
    for denial in denials(text):
        if near and not all(map(denies, near)):
            yield fitted(statement.text, denial.span, denial.words, denial.rule, "opposite")


def _exchanged(text: str) -> Iterator[Turn]:
    """Yield what is and what is not in each other's place."""
    for match in _NOT_ONLY.finditer(text):
        if not _INVERTED.match(match["one"]):
            words = f"not {match['one']} but {match['other']}"
            yield Turn(Span(*match.span()), words, "not-only>not", "opposite")


def _reordered(statement: Statement, text: str) -> Iterator[Turn]:
    """Yield two parts in the other order, joined by other words, or told of the one who did it."""
    for match in _NOT_ONLY.finditer(text):
        if not _INVERTED.match(match["one"]):
            words = f"both {match['one']} and {match['other']}"
            yield Turn(Span(*match.span()), words, "reworded", "same")
    for match in _BOTH.finditer(text):
        if " and " not in match["other"]:
            words = f"not only {match['one']} but also {match['other']}"
            yield Turn(Span(*match.span()), words, "reworded", "same")
    if not _ORDERED.search(text):
        for pattern, between in ((_NAMES, " and "), (_LIST, ", ")):
            for match in pattern.finditer(text):
                if match["one"] == match["other"] or (
                    match["one"][0].isupper() and is_name(match["one"], statement.passage) is False
                ):
                    continue
                words = f"{match['other']}{between}{match['one']}"
                yield Turn(Span(*match.span()), words, "list-order", "same")
    if made := _MADE_BY.match(text):
        yield from _active(made, statement.passage)


def _active(match: re.Match[str], passage: str) -> Iterator[Turn]:
    verb = verbs().get(match["verb"])
    one, other = match["one"], match["other"]
    if verb is None or match["verb"] != verb.participle or _NO_AGENT.search(other):
        return
    if " " in one and re.search(r"\b(?:who|that|which|and|not|no|of)\b", one):
        return
    inside = _OBJECTS.get(one) or within(one, passage)
    if inside is None:
        return
    words = f"{other[0].upper()}{other[1:]} {verb.past} {inside}{match['end']}"
    yield Turn(Span(0, match.end("end")), words, "active", "same")


def _contracted(text: str) -> Iterator[Turn]:
    """Yield a denial in full for a short one, or the other way round."""
    for match in _CONTRACTED.finditer(text):
        words = _WHOLE.get(match["aux"], f"{match['aux']} not")
        yield Turn(Span(*match.span()), words, "contraction", "same")
    for match in _APART.finditer(text):
        words = "can’t" if match["can"] else f"{match['aux']}n’t"
        mark = "'" if "’" not in text else "’"
        yield Turn(Span(*match.span()), words.replace("’", mark), "contraction", "same")
