"""The strategy of times and places: one is written otherwise, or moved."""

import random
import re
from collections.abc import Iterator

from closeread.attacks.statements import Statement, StatementStrategy, Turn
from closeread.attacks.surroundings import Surroundings
from closeread.attacks.turning.grounding import LONGEST, contrary, plain, reworded, swapped
from closeread.attacks.turning.numerals import moved, times, written
from closeread.attacks.turning.restoring import put_back, restored, same_around, sole
from closeread.attacks.turning.wordlists import hidden, rows, swaps
from closeread.protocols import Perturbation
from closeread.types import Span

NAME = "spacetime"
_DYNASTY = re.compile(r"(?P<name>[汉唐宋元明清])(?P<kind>[代朝])(?!表)")
_PART = tuple("南北东西后前两")  # 南宋, 东汉: a part of a dynasty
_DYNASTIES = "汉唐宋元明清"
_SINCE = re.compile("(?:世纪|年代|[年月代朝])?[初中末]?[期叶]?(?:以来|[以之]?[前后]|起|始)")
_UNTIL = re.compile("(?:[到至]|[自从]公?元?)$")
_LONGER = "洋尼河教大人学"  # what makes of a country's or town's name the name of something else


def spacetime(around: Surroundings) -> Perturbation:
    """Make the strategy."""
    return StatementStrategy(NAME, {"zh": turns_zh}, around)


def turns_zh(statement: Statement, random: random.Random) -> Iterator[Turn]:
    """Yield the turns of a Chinese statement's times and places, the least visible first."""
    if len(statement.text) > LONGEST:
        return
    if statement.holds is True:
        yield from _moved(statement, random)
        yield from _dynasty(statement, random)
        yield from _elsewhere(statement, random)
        yield from swapped(statement, swaps(NAME))
        yield from contrary(statement, NAME)
    elif statement.holds is False:
        yield from sole(statement, _restored(statement))
    same = [*_rewritten(statement), *reworded(statement, NAME)]
    random.shuffle(same)
    yield from same


def _rewritten(statement: Statement) -> Iterator[Turn]:
    """Yield times written in the other numerals; all of a statement's, or it looks odd."""
    found = list(times(hidden(statement.text)))
    if len(found) == 1:
        (time,) = found
        words = written(time.number, time.unit, arabic=not time.arabic)
        if not re.search(
            r"\d", statement.text[: time.span.start] + statement.text[time.span.end :]
        ):
            yield Turn(time.span, words, "numerals", "same")


def _moved(statement: Statement, random: random.Random) -> Iterator[Turn]:
    """Yield times moved, where the evidence has the time and not the one it is moved to."""
    known = {time.key for time in times(statement.evidence)}
    anywhere = {time.key for time in times(statement.passage)}
    text = hidden(statement.text)
    said = [time.key for time in times(text)]
    for time in times(text):
        if time.key in known and said.count(time.key) == 1 and not _bounds(text, time.span):
            free = [
                number
                for number in moved(time)
                if (time.unit, number) not in anywhere
                and (time.unit, number) not in said
                # What is to come lies not before the passage was written.
                and (number > time.number or time.unit != "year" or "将" not in text)
            ]
            if free:
                words = written(random.choice(free), time.unit, arabic=time.arabic)
                yield Turn(time.span, words, time.unit, "opposite")


def _dynasty(statement: Statement, random: random.Random) -> Iterator[Turn]:
    """Yield a dynasty exchanged for another that the passage does not name."""
    text = hidden(statement.text)
    said = list(_DYNASTY.finditer(text))
    named = {match["name"] for match in _DYNASTY.finditer(statement.evidence)}
    known = set(re.findall(r"([汉唐宋元明清])[代朝初末时人]", statement.passage))
    if len(said) == 1 and said[0]["name"] in named:
        free = [name for name in _DYNASTIES if name not in known and name not in text]
        before = text[: said[0].start()]
        span = Span(*said[0].span("name"))
        if (
            free
            and plain(text, span.start)
            and before[-1:] not in _PART
            and not _bounds(text, span)
        ):
            yield Turn(span, random.choice(free), "dynasty", "opposite")


def _bounds(text: str, span: Span) -> bool:
    """Whether a time tells since or until when: what holds since then holds since later, too."""
    return bool(
        _SINCE.match(text, span.end) or _UNTIL.search(text[max(0, span.start - 4) : span.start])
    )


def _elsewhere(statement: Statement, random: random.Random) -> Iterator[Turn]:
    """Yield a place exchanged for another of its like that the passage does not name."""
    text = hidden(statement.text)
    for row in rows(NAME):
        said = [match for name in row for match in re.finditer(f"{name}(?![{_LONGER}])", text)]
        free = [name for name in row if name not in statement.passage]
        if len(said) != 1 or not free or said[0][0] not in statement.evidence:
            continue
        if sum(text.count(name) for name in row) == 1 and plain(text, said[0].start()):
            yield Turn(Span(*said[0].span()), random.choice(free), "elsewhere", "opposite")


def _restored(statement: Statement) -> Iterator[Turn]:
    yield from _time_restored(statement)
    for row in rows(NAME):
        names = re.compile("|".join(row))
        yield from put_back(statement, "restored-elsewhere", names, names)
    yield from restored(statement, NAME)


def _time_restored(statement: Statement) -> Iterator[Turn]:
    text, evidence = hidden(statement.text), statement.evidence
    known = list(times(evidence))
    for time in times(text):
        alike = [one for one in known if one.unit == time.unit]
        if any(one.number == time.number for one in alike):
            continue
        near = {one.key for one in alike if same_around(text, time.span, evidence, one.span)}
        if len(near) == 1:
            ((_, number),) = near
            words = written(number, time.unit, arabic=time.arabic)
            yield Turn(time.span, words, f"restored-{time.unit}", "opposite")
