"""Key words of English statements: one that decides the sense is reworded, or turned."""

import random
import re
from collections.abc import Iterator

from closeread.attacks.english.grounding import (
    LONGEST,
    bearing,
    contrary,
    fitted,
    plain,
    reworded,
    sure,
    swapped,
    terms,
)
from closeread.attacks.english.numerals import (
    NumberMention,
    exact,
    labels,
    moved,
    numbers,
    spelled,
    written,
)
from closeread.attacks.statements import Statement, Turn, hide_quotations

NAME = "keyword"
_LISTED = re.compile(r"[—–:(]|, [A-Z][^,]* and [A-Z]")
_DIGITS = re.compile(r"\d")
_UNITS = frozenset(
    (
        "years", "days", "hours", "minutes", "weeks", "months", "miles", "kilometers", "meters",
        "children", "people", "students", "dollars", "kilometres", "metres", "boys", "girls",
    )
)  # fmt: skip
_OF_THESE = re.compile(r"\b(?:first|last|next|other|these|those|past) $")
_SMALL = 10  # up to which numbers are as usual in letters as in digits


def turns_en(statement: Statement, random: random.Random) -> Iterator[Turn]:
    """Yield the turns of an English statement's key words, the least visible first."""
    if len(statement.text) > LONGEST:
        return
    if sure(statement):
        yield from _miscounted(statement, random)
        yield from swapped(statement, NAME)
        yield from contrary(statement, NAME)
    same = [*reworded(statement, NAME), *_respelled(statement)]
    random.shuffle(same)
    yield from same


def _miscounted(statement: Statement, random: random.Random) -> Iterator[Turn]:
    """Yield a number of things exchanged for another, where the evidence tells the same number.

    The passage has no such number of them.
    """
    text = hide_quotations(statement.text)
    known = {(one.number, _thing(one)) for line in bearing(statement) for one in numbers(line)}
    anywhere = {(one.number, _thing(one)) for one in numbers(statement.passage)}
    mentions = list(numbers(text))
    for one in mentions:
        if (
            len(mentions) == 1
            and not _LISTED.search(text)  # what is counted is told, too
            and not _DIGITS.search(text[: one.span.start] + text[one.span.end :])
            and (text[: one.span.start].strip() or text[0].isalpha())
            and exact(text, one)
            and (one.number, _thing(one)) in known
            and plain(text, one.span.start)
        ):
            free = [number for number in moved(one) if (number, _thing(one)) not in anywhere]
            was = one.span.of(text)
            free = [number for number in free if was[0].isdigit() or spelled(number)]
            if free:
                words = written(random.choice(free), was)
                yield fitted(statement.text, one.span, words, "number", "opposite")


def _thing(mentions: NumberMention) -> frozenset[str]:
    return frozenset(terms(mentions.of)) or frozenset((mentions.of,))


def _respelled(statement: Statement) -> Iterator[Turn]:
    """Yield a small number written in digits for letters, or the other way round.

    Only where it is the one number of a statement, or it looks odd.
    """
    text = hide_quotations(statement.text)
    mentions = list(numbers(text))
    if len(mentions) != 1 or mentions[0].number > _SMALL or sum(map(str.isdigit, text)) > len("10"):
        return
    (one,) = mentions
    was = one.span.of(text)
    if one.of.startswith(("%", "a.m", "p.m")) or not text[: one.span.start].strip():
        return
    if labels(text, one):
        return
    if not was[0].isdigit() and (one.of not in _UNITS or _OF_THESE.search(text, 0, one.span.start)):
        return
    words = spelled(one.number) if was[0].isdigit() else str(one.number)
    if sum(map(str.isdigit, text)) == sum(map(str.isdigit, was)):
        yield Turn(one.span, words, "numerals", "same")
