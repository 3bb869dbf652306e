"""Propose edits of times and places in English statements: reformatted or changed."""

import random
import re
from collections.abc import Iterator

from closeread.attacks.english.grounding import (
    MAX_CHARACTERS,
    has_negation,
    is_asserted,
    is_known_true,
    propose_antonyms,
    propose_rewordings,
    propose_swaps,
    relevant_sentences,
)
from closeread.attacks.english.numerals import find_times, format_like, is_boundary, nearby_numbers
from closeread.attacks.english.wordlists import load_alternatives
from closeread.attacks.statements import Statement, StatementEdit, hide_quotations
from closeread.text.calendar import A_MONTH
from closeread.types import Span

STRATEGY = "spacetime"
_YEARS = re.compile(r"(?<!\d)\d{4}(?!\d)|\d{3}0s")
_ON_DAY = re.compile(rf"\bon (?P<month>{A_MONTH}) (?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?![\w,]| \d)")
_DAY_IN = re.compile(
    rf"\bon (?:the )?(?P<day>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<month>{A_MONTH})(?!\w| \d)"
)
_TIME_BEFORE = re.compile(
    r"\b(?:on|in|last|every|next|early|late|during|of|each)(?: the)?(?: (?:early|late))? $", re.I
)
_BOUNDARY_BEFORE = re.compile(
    r"\b(?:since|until|till|by|before|after|from|to|between|and|or)(?: the)? ?$", re.I
)
_AT_PLACE = re.compile(r"\b(?:in|from|to) $")
_LOCATING = re.compile(
    r"\b(?:was|were|went|came|lived|began|started|moved|located|born|held|built|opened|founded|grew|traveled"
    r"|[a-z]{3,}ed|wrote|lies|is (?:in|from)|comes from|lives)\b"
)
_NOT_EXCLUSIVE = re.compile(
    r"\b(?:and|or|other|also|first|spread|popular|like|such as|including|most|all)\b"
)


def propose_edits_en(statement: Statement, rng: random.Random) -> Iterator[StatementEdit]:
    """Yield edits of times and places in an English statement, the least visible first."""
    if len(statement.text) > MAX_CHARACTERS:
        return
    if is_known_true(statement) and not has_negation(statement.text):
        yield from _move_time(statement, rng)
        yield from _change_calendar_word(statement, rng)
        yield from _change_place(statement, rng)
        yield from propose_antonyms(statement, STRATEGY, str.islower)
        yield from propose_swaps(statement, STRATEGY)
    rewordings = [*propose_rewordings(statement, STRATEGY), *_rewrite_dates(statement)]
    rng.shuffle(rewordings)
    yield from rewordings


def _move_time(statement: Statement, rng: random.Random) -> Iterator[StatementEdit]:
    """Yield edits that change a year, decade or century to one that the passage does not have."""
    text = hide_quotations(statement.text)
    evidence_times = {
        (mention.unit, mention.number)
        for sentence in relevant_sentences(statement)
        for mention in find_times(sentence)
    }
    mentions = list(find_times(text))
    for mention in mentions:
        if (
            len(_YEARS.findall(text)) > 1
            or len(mentions) > 1
            or (mention.unit, mention.number) not in evidence_times
            or is_boundary(text, mention)
        ):
            continue
        candidates = [
            number for number in nearby_numbers(mention) if str(number) not in statement.passage
        ]
        if mention.unit == "century":
            candidates = [
                number
                for number in candidates
                if _suffix_after(text, mention.span) == _ordinal_suffix(number)
            ]
        if candidates and is_asserted(text, mention.span.start):
            words = format_like(rng.choice(candidates), mention.span.of(text))
            yield StatementEdit(mention.span, words, mention.unit, "opposite")


def _suffix_after(text: str, span: Span) -> str:
    return text[span.end : span.end + 2]


def _ordinal_suffix(number: int) -> str:
    if 10 < number % 100 < 14:
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


def _change_calendar_word(statement: Statement, rng: random.Random) -> Iterator[StatementEdit]:
    """Yield edits that replace a weekday, month or season by one not in the passage."""
    text, relevant = hide_quotations(statement.text), "\n".join(relevant_sentences(statement))
    for row in load_alternatives(STRATEGY):
        mentions = [match for name in row for match in re.finditer(rf"\b{name}\b", text)]
        if len(mentions) != 1 or mentions[0][0] not in relevant:
            continue
        before = text[: mentions[0].start()]
        candidates = [name for name in row if name.lower() not in statement.passage.lower()]
        candidates = [name for name in candidates if name != "May"]
        if (
            candidates
            and _TIME_BEFORE.search(before)
            and not _BOUNDARY_BEFORE.search(before)
            and is_asserted(text, len(before))
        ):
            yield StatementEdit(
                Span(*mentions[0].span()), rng.choice(candidates), "calendar", "opposite"
            )


def _change_place(statement: Statement, rng: random.Random) -> Iterator[StatementEdit]:
    """Yield edits that replace the place of an event by one that the passage does not name."""
    text, relevant = hide_quotations(statement.text), "\n".join(relevant_sentences(statement))
    for row in load_alternatives(STRATEGY, "places"):
        mentions = [match for name in row for match in re.finditer(rf"\b{name}\b", text)]
        candidates = [name for name in row if name not in statement.passage]
        if len(mentions) != 1 or not candidates or mentions[0][0] not in relevant:
            continue
        before, after = text[: mentions[0].start()], text[mentions[0].end() :]
        is_separate = _AT_PLACE.search(before) and not re.match(
            r"['’-]| (?:and|or|[A-Z])|, ", after
        )
        if (
            is_separate
            and _LOCATING.search(before)
            and not _NOT_EXCLUSIVE.search(text)
            and is_asserted(text, len(before))
        ):
            yield StatementEdit(
                Span(*mentions[0].span()), rng.choice(candidates), "elsewhere", "opposite"
            )


def _rewrite_dates(statement: Statement) -> Iterator[StatementEdit]:
    """Yield edits that write a date in the other order of day and month."""
    text = hide_quotations(statement.text)
    for match in _ON_DAY.finditer(text):
        day = int(match["day"])
        words = f"on the {day}{_ordinal_suffix(day)} of {match['month']}"
        yield StatementEdit(Span(*match.span()), words, "date", "same")
    for match in _DAY_IN.finditer(text):
        yield StatementEdit(
            Span(*match.span()), f"on {match['month']} {match['day']}", "date", "same"
        )
