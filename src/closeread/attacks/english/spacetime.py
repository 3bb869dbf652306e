"""Times and places of English statements: one is written otherwise, or moved."""

import random
import re
from collections.abc import Iterator

from closeread.attacks.english.grounding import (
    LONGEST,
    bearing,
    contrary,
    denies,
    plain,
    reworded,
    sure,
    swapped,
)
from closeread.attacks.english.numerals import bounds, moved, times, written
from closeread.attacks.english.wordlists import rows
from closeread.attacks.statements import Statement, Turn, hide_quotations
from closeread.text.calendar import A_MONTH
from closeread.types import Span

NAME = "spacetime"
_YEARS = re.compile(r"(?<!\d)\d{4}(?!\d)|\d{3}0s")
_ON_DAY = re.compile(rf"\bon (?P<month>{A_MONTH}) (?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?![\w,]| \d)")
_DAY_IN = re.compile(
    rf"\bon (?:the )?(?P<day>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<month>{A_MONTH})(?!\w| \d)"
)
_TIED = re.compile(
    r"\b(?:on|in|last|every|next|early|late|during|of|each)(?: the)?(?: (?:early|late))? $", re.I
)
_SINCE = re.compile(
    r"\b(?:since|until|till|by|before|after|from|to|between|and|or)(?: the)? ?$", re.I
)
_AT_PLACE = re.compile(r"\b(?:in|from|to) $")
_PLACED = re.compile(
    r"\b(?:was|were|went|came|lived|began|started|moved|located|born|held|built|opened|founded|grew|traveled"
    r"|[a-z]{3,}ed|wrote|lies|is (?:in|from)|comes from|lives)\b"
)
_MAYBE = re.compile(
    r"\b(?:and|or|other|also|first|spread|popular|like|such as|including|most|all)\b"
)


def turns_en(statement: Statement, random: random.Random) -> Iterator[Turn]:
    """Yield the turns of an English statement's times and places, the least visible first."""
    if len(statement.text) > LONGEST:
        return
    if sure(statement) and not denies(statement.text):
        yield from _moved(statement, random)
        yield from _named(statement, random)
        yield from _elsewhere(statement, random)
        yield from contrary(statement, NAME, str.islower)
        yield from swapped(statement, NAME)
    same = [*reworded(statement, NAME), *_dated(statement)]
    random.shuffle(same)
    yield from same


def _moved(statement: Statement, random: random.Random) -> Iterator[Turn]:
    """Yield a year, decade or century moved, where the evidence has it and not the new one."""
    text = hide_quotations(statement.text)
    known = {(one.unit, one.number) for line in bearing(statement) for one in times(line)}
    mentions = list(times(text))
    for one in mentions:
        if (
            len(_YEARS.findall(text)) > 1
            or len(mentions) > 1
            or (one.unit, one.number) not in known
            or bounds(text, one)
        ):
            continue
        free = [number for number in moved(one) if str(number) not in statement.passage]
        if one.unit == "century":
            free = [number for number in free if _ordinal(text, one.span) == _suffix(number)]
        if free and plain(text, one.span.start):
            words = written(random.choice(free), one.span.of(text))
            yield Turn(one.span, words, one.unit, "opposite")


def _ordinal(text: str, span: Span) -> str:
    return text[span.end : span.end + 2]


def _suffix(number: int) -> str:
    if 10 < number % 100 < 14:
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


def _named(statement: Statement, random: random.Random) -> Iterator[Turn]:
    """Yield a day of the week, month or season exchanged for one that the passage does not name."""
    text, near = hide_quotations(statement.text), "\n".join(bearing(statement))
    for row in rows(NAME):
        said = [match for name in row for match in re.finditer(rf"\b{name}\b", text)]
        if len(said) != 1 or said[0][0] not in near:
            continue
        before = text[: said[0].start()]
        free = [name for name in row if name.lower() not in statement.passage.lower()]
        free = [name for name in free if name != "May"]
        if free and _TIED.search(before) and not _SINCE.search(before) and plain(text, len(before)):
            yield Turn(Span(*said[0].span()), random.choice(free), "calendar", "opposite")


def _elsewhere(statement: Statement, random: random.Random) -> Iterator[Turn]:
    """Yield a place where something was, exchanged for another that the passage does not name."""
    text, near = hide_quotations(statement.text), "\n".join(bearing(statement))
    for row in rows(NAME, "places"):
        said = [match for name in row for match in re.finditer(rf"\b{name}\b", text)]
        free = [name for name in row if name not in statement.passage]
        if len(said) != 1 or not free or said[0][0] not in near:
            continue
        before, after = text[: said[0].start()], text[said[0].end() :]
        apart = _AT_PLACE.search(before) and not re.match(r"['’-]| (?:and|or|[A-Z])|, ", after)
        if (
            apart
            and _PLACED.search(before)
            and not _MAYBE.search(text)
            and plain(text, len(before))
        ):
            yield Turn(Span(*said[0].span()), random.choice(free), "elsewhere", "opposite")


def _dated(statement: Statement) -> Iterator[Turn]:
    """Yield a day of a month written the other way."""
    text = hide_quotations(statement.text)
    for match in _ON_DAY.finditer(text):
        day = int(match["day"])
        words = f"on the {day}{_suffix(day)} of {match['month']}"
        yield Turn(Span(*match.span()), words, "date", "same")
    for match in _DAY_IN.finditer(text):
        yield Turn(Span(*match.span()), f"on {match['month']} {match['day']}", "date", "same")
