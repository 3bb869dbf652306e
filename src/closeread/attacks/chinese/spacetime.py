"""Times and places of Chinese statements: one is written otherwise, or moved."""

import random
import re
from collections.abc import Iterator

from closeread.attacks.chinese.grounding import (
    LONGEST,
    clause_after,
    clause_before,
    contrary,
    plain,
    reworded,
    swapped,
    told_with,
)
from closeread.attacks.chinese.numerals import moved, times, written
from closeread.attacks.chinese.restoring import put_back, restored, same_around, sole
from closeread.attacks.chinese.ties import untied
from closeread.attacks.chinese.wordlists import Side, rows, swaps
from closeread.attacks.statements import Statement, Turn, hide_quotations
from closeread.types import Span

NAME = "spacetime"
_DYNASTY = re.compile(r"(?P<name>[汉唐宋元明清])(?P<kind>[代朝])(?!表)")
_PART = tuple("南北东西后前两")  # 南宋, 东汉: a part of a dynasty
_DYNASTIES = "汉唐宋元明清"
_SINCE = re.compile("(?:世纪|年代|[年月代朝])?[初中末]?[期叶]?(?:以来|[以之]?[前后]|起|始)")
_UNTIL = re.compile("(?:[到至]|[自从]公?元?)$")
# What may follow a place's name that is no part of a longer one, nor the first of a list.
_BY_ITSELF = "[的，。；在是等以对从向将经曾已成出进传发]|境内|国内|政府|市场|经济|人(?![民士])|$"

# What may have been elsewhere, too, what was not, and what lasts, is not made false by moving it.
_MAYBE = re.compile(
    "可能|也许|或许|大概|大约|[不没未无非](?!仅|但|只|断|同|久|洲|常)|影响|流传|恐怕|似乎|好像|未必|不一定|估计|推测|据说|相传"
)
# These stand for a place in time: their contrary is one wherever they are said.
_ORDERS = re.compile(
    "以前|以后|早期|晚期|初期|末期|前期|后期|前半叶|后半叶|上半叶|下半叶|上半年|下半年|初年|末年|早于|晚于|最早|最晚"
    "|西汉|东汉|北宋|南宋|西周|东周|春秋时期|战国时期|先秦|两汉"
)
_OTHER_TIMES = re.compile(
    "以往|过去|如今|历史|当时|今天|今日|现在|目前|当代|当今|现今|今人|传统|古|网络|电脑|互联网|现代"
)
_TOO = re.compile("[也还更又再都却]")
_FIRST = re.compile("最初|原始|起源|起初|产生|开始|古人|先民")
_SO_FAR = re.compile("迄今|至今|目前|现存|已知|发现")  # of what is known, nothing need be the last
_LISTED = re.compile(r"[、和与及或同跟]|以及")
_BESIDE = 6  # characters beside a word in which a list would be seen


def turns_zh(statement: Statement, random: random.Random) -> Iterator[Turn]:
    """Yield the turns of a Chinese statement's times and places, the least visible first."""
    if len(statement.text) > LONGEST:
        return
    if statement.holds is True and not _MAYBE.search(statement.text):
        yield from _moved(statement, random)
        yield from _dynasty(statement, random)
        yield from _elsewhere(statement, random)
        yield from contrary(statement, NAME, _opposed)
    if statement.holds is True:
        yield from swapped(statement, swaps(NAME), untied)
    elif statement.holds is False:
        yield from sole(statement, _restored(statement))
    same = [*_rewritten(statement), *reworded(statement, NAME)]
    random.shuffle(same)
    yield from same


def _rewritten(statement: Statement) -> Iterator[Turn]:
    """Yield times written in the other numerals; all of a statement's, or it looks odd."""
    found = list(times(hide_quotations(statement.text)))
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
    text = hide_quotations(statement.text)
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
    text = hide_quotations(statement.text)
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
            and statement.text.count(said[0]["name"]) == 1  # in titles, too
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
    text = hide_quotations(statement.text)
    for row in rows(NAME):
        said = [match for name in row for match in re.finditer(f"{name}(?={_BY_ITSELF})", text)]
        free = [name for name in row if name not in statement.passage]
        if len(said) != 1 or not free or said[0][0] not in statement.evidence:
            continue
        place = said[0].start()
        tied = told_with(statement, place, re.compile(said[0][0]))
        listed = _LISTED.search(clause_before(text, place)[-_BESIDE:])
        if sum(text.count(name) for name in row) > 1 or listed:
            continue
        if plain(text, place) and tied:
            yield Turn(Span(*said[0].span()), random.choice(free), "elsewhere", "opposite")


def _opposed(statement: Statement, span: Span, side: Side, other: Side) -> bool:
    """Whether the passage opposes two words, and a statement speaks of the one by itself.

    A word inside a term of the passage (``世界城市``) is a part of that name, and one of a list is
    there for the others.
    """
    text, passage = hide_quotations(statement.text), statement.passage
    if not told_with(statement, span.start, side.found):
        return False
    before, after = text[: span.start], text[span.end :]
    if before[-1:] in ("从", "自") or _bounds(text, span):
        return False
    listed = _LISTED.search(clause_before(text, span.start)[-_BESIDE:])
    if _ORDERS.fullmatch(other.words):
        first = other.words == "晚期" and _FIRST.search(text)
        known = other.words == "最晚" and _SO_FAR.search(before)
        too = _TOO.search(clause_before(text, span.start))
        return not (listed or first or known or too)
    if not other.found.search(passage):
        return False
    if side.words in ("古代", "现代") and _OTHER_TIMES.search(before + "\n" + after):
        return False
    if listed or _LISTED.search(clause_after(text, span.end)[:_BESIDE]):
        return False
    word = span.of(text)
    return not any(
        _HAN_PAIR.fullmatch(beside)
        and passage.count(form.format(word)) > 1
        and form.format(other.words) not in passage
        for beside, form in (
            (before[-2:], before[-2:] + "{}"),
            (after[:2], "{}" + after[:2]),
        )
    )


_HAN_PAIR = re.compile(r"[\u3400-\u9fff]{2}")


def _restored(statement: Statement) -> Iterator[Turn]:
    yield from _time_restored(statement)
    for row in rows(NAME):
        names = re.compile("|".join(row))
        yield from put_back(statement, "restored-elsewhere", names, names)
    yield from restored(statement, NAME)


def _time_restored(statement: Statement) -> Iterator[Turn]:
    text, evidence = hide_quotations(statement.text), statement.evidence
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
