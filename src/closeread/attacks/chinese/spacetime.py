"""Propose edits of times and places in Chinese statements: reformatted or changed."""

import random
import re
from collections.abc import Iterator

from closeread.attacks.chinese.grounding import (
    MAX_CHARACTERS,
    clause_after,
    clause_before,
    is_asserted,
    is_in_matching_clause,
    propose_antonyms,
    propose_rewordings,
    propose_swaps,
)
from closeread.attacks.chinese.numerals import find_times, format_number, nearby_numbers
from closeread.attacks.chinese.restoring import (
    has_same_context,
    keep_sole_difference,
    propose_restorations,
    replace_by_evidence,
)
from closeread.attacks.chinese.ties import is_untied
from closeread.attacks.chinese.wordlists import Antonym, load_alternatives, load_swaps
from closeread.attacks.statements import Statement, StatementEdit, hide_quotations
from closeread.types import Span

STRATEGY = "spacetime"
_DYNASTY = re.compile(r"(?P<name>[汉唐宋元明清])(?P<kind>[代朝])(?!表)")
_DYNASTY_PARTS = tuple("南北东西后前两")  # 南宋, 东汉: parts of a dynasty
_DYNASTIES = "汉唐宋元明清"
_SINCE = re.compile("(?:世纪|年代|[年月代朝])?[初中末]?[期叶]?(?:以来|[以之]?[前后]|起|始)")
_UNTIL = re.compile("(?:[到至]|[自从]公?元?)$")
# What may follow the name of a place that is neither part of a longer name nor first in a list.
_AFTER_NAME = "[的，。；在是等以对从向将经曾已成出进传发]|境内|国内|政府|市场|经济|人(?![民士])|$"

# Uncertain, negated or lasting facts: another time or place does not make them false.
_UNCERTAIN = re.compile(
    "可能|也许|或许|大概|大约|[不没未无非](?!仅|但|只|断|同|久|洲|常)|影响|流传|恐怕|似乎|好像|未必|不一定|估计|推测|据说|相传"
)
# Words of order in time: their antonym is always the opposite.
_TIME_ORDER = re.compile(
    "以前|以后|早期|晚期|初期|末期|前期|后期|前半叶|后半叶|上半叶|下半叶|上半年|下半年|初年|末年|早于|晚于|最早|最晚"
    "|西汉|东汉|北宋|南宋|西周|东周|春秋时期|战国时期|先秦|两汉"
)
_OTHER_TIMES = re.compile(
    "以往|过去|如今|历史|当时|今天|今日|现在|目前|当代|当今|现今|今人|传统|古|网络|电脑|互联网|现代"
)
_ALSO = re.compile("[也还更又再都却]")
_EARLIEST = re.compile("最初|原始|起源|起初|产生|开始|古人|先民")
_KNOWN_SO_FAR = re.compile(
    "迄今|至今|目前|现存|已知|发现"
)  # the latest thing known need not be the last
_LISTED = re.compile(r"[、和与及或同跟]|以及")
_LIST_WINDOW = 6  # characters beside a word that are searched for a list


def propose_edits_zh(statement: Statement, rng: random.Random) -> Iterator[StatementEdit]:
    """Yield edits of times and places in a Chinese statement, the least visible first."""
    if len(statement.text) > MAX_CHARACTERS:
        return
    if statement.holds is True and not _UNCERTAIN.search(statement.text):
        yield from _move_time(statement, rng)
        yield from _change_dynasty(statement, rng)
        yield from _change_place(statement, rng)
        yield from propose_antonyms(statement, STRATEGY, _antonym_fits)
    if statement.holds is True:
        yield from propose_swaps(statement, load_swaps(STRATEGY), is_untied)
    elif statement.holds is False:
        yield from keep_sole_difference(statement, _propose_restorations(statement))
    rewordings = [*_rewrite_numerals(statement), *propose_rewordings(statement, STRATEGY)]
    rng.shuffle(rewordings)
    yield from rewordings


def _rewrite_numerals(statement: Statement) -> Iterator[StatementEdit]:
    """Yield the only number of a statement, a time, written in the other numerals."""
    mentions = list(find_times(hide_quotations(statement.text)))
    if len(mentions) == 1:
        (time,) = mentions
        words = format_number(time.number, time.unit, arabic=not time.arabic)
        if not re.search(
            r"\d", statement.text[: time.span.start] + statement.text[time.span.end :]
        ):
            yield StatementEdit(time.span, words, "numerals", "same")


def _move_time(statement: Statement, rng: random.Random) -> Iterator[StatementEdit]:
    """Yield edits that change a time in the evidence to a time that is not in the passage."""
    evidence_times = {time.key for time in find_times(statement.evidence)}
    passage_times = {time.key for time in find_times(statement.passage)}
    text = hide_quotations(statement.text)
    mentions = [time.key for time in find_times(text)]
    for time in find_times(text):
        if (
            time.key in evidence_times
            and mentions.count(time.key) == 1
            and not _is_boundary(text, time.span)
        ):
            candidates = [
                number
                for number in nearby_numbers(time)
                if (time.unit, number) not in passage_times
                and (time.unit, number) not in mentions
                # A year with 将 lies in the future: an earlier one may be past.
                and (number > time.number or time.unit != "year" or "将" not in text)
            ]
            if candidates:
                words = format_number(rng.choice(candidates), time.unit, arabic=time.arabic)
                yield StatementEdit(time.span, words, time.unit, "opposite")


def _change_dynasty(statement: Statement, rng: random.Random) -> Iterator[StatementEdit]:
    """Yield edits that replace a dynasty by one that the passage does not name."""
    text = hide_quotations(statement.text)
    mentions = list(_DYNASTY.finditer(text))
    evidence_names = {match["name"] for match in _DYNASTY.finditer(statement.evidence)}
    passage_names = set(re.findall(r"([汉唐宋元明清])[代朝初末时人]", statement.passage))
    if len(mentions) == 1 and mentions[0]["name"] in evidence_names:
        candidates = [name for name in _DYNASTIES if name not in passage_names and name not in text]
        before = text[: mentions[0].start()]
        span = Span(*mentions[0].span("name"))
        if (
            candidates
            and is_asserted(text, span.start)
            and before[-1:] not in _DYNASTY_PARTS
            and statement.text.count(mentions[0]["name"]) == 1  # also in titles
            and not _is_boundary(text, span)
        ):
            yield StatementEdit(span, rng.choice(candidates), "dynasty", "opposite")


def _is_boundary(text: str, span: Span) -> bool:
    """Whether a time is the start or the end of a period, of which part would still be true."""
    return bool(
        _SINCE.match(text, span.end) or _UNTIL.search(text[max(0, span.start - 4) : span.start])
    )


def _change_place(statement: Statement, rng: random.Random) -> Iterator[StatementEdit]:
    """Yield edits that replace a place by a similar one that the passage does not name."""
    text = hide_quotations(statement.text)
    for row in load_alternatives(STRATEGY):
        mentions = [
            match for name in row for match in re.finditer(f"{name}(?={_AFTER_NAME})", text)
        ]
        candidates = [name for name in row if name not in statement.passage]
        if len(mentions) != 1 or not candidates or mentions[0][0] not in statement.evidence:
            continue
        offset = mentions[0].start()
        in_evidence = is_in_matching_clause(statement, offset, re.compile(mentions[0][0]))
        is_listed = _LISTED.search(clause_before(text, offset)[-_LIST_WINDOW:])
        if sum(text.count(name) for name in row) > 1 or is_listed:
            continue
        if is_asserted(text, offset) and in_evidence:
            yield StatementEdit(
                Span(*mentions[0].span()), rng.choice(candidates), "elsewhere", "opposite"
            )


def _antonym_fits(statement: Statement, span: Span, original: Antonym, antonym: Antonym) -> bool:
    """Whether the passage contrasts a word with its antonym, and the statement means it by itself.

    A word inside a term of the passage (``世界城市``) or in a list is not meant by itself.
    """
    text, passage = hide_quotations(statement.text), statement.passage
    if not is_in_matching_clause(statement, span.start, original.pattern):
        return False
    before, after = text[: span.start], text[span.end :]
    if before[-1:] in ("从", "自") or _is_boundary(text, span):
        return False
    is_listed = _LISTED.search(clause_before(text, span.start)[-_LIST_WINDOW:])
    if _TIME_ORDER.fullmatch(antonym.word):
        is_earliest = antonym.word == "晚期" and _EARLIEST.search(text)
        is_latest_known = antonym.word == "最晚" and _KNOWN_SO_FAR.search(before)
        is_additional = _ALSO.search(clause_before(text, span.start))
        return not (is_listed or is_earliest or is_latest_known or is_additional)
    if not antonym.pattern.search(passage):
        return False
    if original.word in ("古代", "现代") and _OTHER_TIMES.search(before + "\n" + after):
        return False
    if is_listed or _LISTED.search(clause_after(text, span.end)[:_LIST_WINDOW]):
        return False
    word = span.of(text)
    return not any(
        _HAN_PAIR.fullmatch(neighbours)
        and passage.count(template.format(word)) > 1
        and template.format(antonym.word) not in passage
        for neighbours, template in (
            (before[-2:], before[-2:] + "{}"),
            (after[:2], "{}" + after[:2]),
        )
    )


_HAN_PAIR = re.compile(r"[\u3400-\u9fff]{2}")


def _propose_restorations(statement: Statement) -> Iterator[StatementEdit]:
    yield from _restore_time(statement)
    for row in load_alternatives(STRATEGY):
        names = re.compile("|".join(row))
        yield from replace_by_evidence(statement, "restored-elsewhere", names, names)
    yield from propose_restorations(statement, STRATEGY)


def _restore_time(statement: Statement) -> Iterator[StatementEdit]:
    text, evidence = hide_quotations(statement.text), statement.evidence
    evidence_times = list(find_times(evidence))
    for time in find_times(text):
        same_unit = [mention for mention in evidence_times if mention.unit == time.unit]
        if any(mention.number == time.number for mention in same_unit):
            continue
        candidates = {
            mention.key
            for mention in same_unit
            if has_same_context(text, time.span, evidence, mention.span)
        }
        if len(candidates) == 1:
            ((_, number),) = candidates
            words = format_number(number, time.unit, arabic=time.arabic)
            yield StatementEdit(time.span, words, f"restored-{time.unit}", "opposite")
