"""Propose edits of key words in English statements: numbers, quantifiers and antonyms."""

import random
import re
from collections.abc import Iterator

from closeread.attacks.english.grounding import (
    MAX_CHARACTERS,
    build_edit,
    content_stems,
    is_asserted,
    is_known_true,
    propose_antonyms,
    propose_rewordings,
    propose_swaps,
    relevant_sentences,
)
from closeread.attacks.english.numerals import (
    NumberMention,
    belongs_to_name,
    find_numbers,
    format_like,
    is_exact,
    nearby_numbers,
    spell_number,
)
from closeread.attacks.statements import Statement, StatementEdit, hide_quotations

STRATEGY = "keyword"
_LISTED = re.compile(r"[—–:(]|, [A-Z][^,]* and [A-Z]")
_DIGITS = re.compile(r"\d")
_UNITS = frozenset(
    (
        "years", "days", "hours", "minutes", "weeks", "months", "miles", "kilometers", "meters",
        "children", "people", "students", "dollars", "kilometres", "metres", "boys", "girls",
    )
)  # fmt: skip
_OF_THESE = re.compile(r"\b(?:first|last|next|other|these|those|past) $")
_MAX_RESPELLED = 10  # larger numbers are rarely written in letters


def propose_edits_en(statement: Statement, rng: random.Random) -> Iterator[StatementEdit]:
    """Yield edits of key words in an English statement, the least visible first."""
    if len(statement.text) > MAX_CHARACTERS:
        return
    if is_known_true(statement):
        yield from _change_number(statement, rng)
        yield from propose_swaps(statement, STRATEGY)
        yield from propose_antonyms(statement, STRATEGY)
    rewordings = [*propose_rewordings(statement, STRATEGY), *_respell_number(statement)]
    rng.shuffle(rewordings)
    yield from rewordings


def _change_number(statement: Statement, rng: random.Random) -> Iterator[StatementEdit]:
    """Yield edits that change a count, if the evidence gives the same count.

    The passage must not have the new number of the same things.
    """
    text = hide_quotations(statement.text)
    evidence_counts = {
        (mention.number, _noun_stems(mention))
        for sentence in relevant_sentences(statement)
        for mention in find_numbers(sentence)
    }
    passage_counts = {
        (mention.number, _noun_stems(mention)) for mention in find_numbers(statement.passage)
    }
    mentions = list(find_numbers(text))
    for mention in mentions:
        if (
            len(mentions) == 1
            and not _LISTED.search(text)  # the things counted may be listed
            and not _DIGITS.search(text[: mention.span.start] + text[mention.span.end :])
            and (text[: mention.span.start].strip() or text[0].isalpha())
            and is_exact(text, mention)
            and (mention.number, _noun_stems(mention)) in evidence_counts
            and is_asserted(text, mention.span.start)
        ):
            candidates = [
                number
                for number in nearby_numbers(mention)
                if (number, _noun_stems(mention)) not in passage_counts
            ]
            original = mention.span.of(text)
            candidates = [
                number for number in candidates if original[0].isdigit() or spell_number(number)
            ]
            if candidates:
                words = format_like(rng.choice(candidates), original)
                yield build_edit(statement.text, mention.span, words, "number", "opposite")


def _noun_stems(mention: NumberMention) -> frozenset[str]:
    return frozenset(content_stems(mention.noun)) or frozenset((mention.noun,))


def _respell_number(statement: Statement) -> Iterator[StatementEdit]:
    """Yield an edit that writes a small number in letters instead of digits, or vice versa.

    The statement must have no other number.
    """
    text = hide_quotations(statement.text)
    mentions = list(find_numbers(text))
    if (
        len(mentions) != 1
        or mentions[0].number > _MAX_RESPELLED
        or sum(map(str.isdigit, text)) > len("10")
    ):
        return
    (mention,) = mentions
    original = mention.span.of(text)
    if mention.noun.startswith(("%", "a.m", "p.m")) or not text[: mention.span.start].strip():
        return
    if belongs_to_name(text, mention):
        return
    if not original[0].isdigit() and (
        mention.noun not in _UNITS or _OF_THESE.search(text, 0, mention.span.start)
    ):
        return
    words = spell_number(mention.number) if original[0].isdigit() else str(mention.number)
    if sum(map(str.isdigit, text)) == sum(map(str.isdigit, original)):
        yield StatementEdit(mention.span, words, "numerals", "same")
