"""Propose edits of key words in Chinese statements: numbers, quantifiers, hedges and antonyms."""

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
from closeread.attacks.chinese.restoring import (
    insert_from_evidence,
    keep_sole_difference,
    propose_restorations,
    remove_addition,
)
from closeread.attacks.chinese.ties import closing_position, is_untied, sentence_around
from closeread.attacks.chinese.wordlists import Antonym, load_swaps
from closeread.attacks.statements import Statement, StatementEdit, hide_quotations
from closeread.types import Span

STRATEGY = "keyword"
_HEDGES = re.compile(
    "部分|大部分|大多数?|多数|有些|某些|许多|主要|大都|几乎|基本上?|往往|常常|通常|可能|也许|或许|似乎|一定程度上"
    "|在一定程度上|某种意义上|在某种意义上|在某种程度上|大致|大体|较为|比较|尽量|尽可能"
)
_STRENGTHENERS = re.compile(
    "完全|全部|所有|一切|唯一|必然|一定|彻底|根本|都|直接|绝对|只|(?<!不)仅仅?|最|总是|始终|大大|极大地|任何"
)

_SMALL_NUMBERS = "两三四五六七八九"
# 一 is often an article; a number of years is a time; an approximate number is not a count.
_COUNTED = re.compile(
    r"(?<![第这那该或十百千万亿几一二两三四五六七八九\d.．~～－至到近约逾超])(?P<number>[两三四五六七八九]|[1-9]\d*)"
    r"(?P<of>(?!大家|位一体|步曲|面八方)[个种类大项条点位名座部次步件幅层道倍％%][^，。；、和与及余多来者或至到左上]|方面|％|%)"
)

_LISTED = re.compile("[、：和与及]|包括|分为|分别|[一二三]是|即|既|首先|其次")
_NAMED_ITEMS = re.compile("[、：]|分别|[一二三]是|即|首先|前者|后者")
# After these words, which express a wish or an ability, the antonym would make no sense.
_WANTED = re.compile(
    "能|可以?|[会要应需须想愿]|必须|着力|努力|致力|力求|力图|旨在|为了?|希望|主张|提倡|倡导|呼吁|建议|有意|进一步|不断|以便|以$"
)
_CONJUNCTIONS = frozenset("和与、及")
# A word beside a conjunction is one of a list, whose other items would still hold.
_CONJUNCTION_BEFORE = re.compile(f"[{''.join(sorted(_CONJUNCTIONS))}]$")
_EVALUATIVE = frozenset(
    (
        "促进",
        "阻碍",
        "有利于",
        "不利于",
        "利于",
        "积极",
        "消极",
        "增强",
        "削弱",
        "加快",
        "减缓",
        "提高",
        "降低",
    )
)
_PRAISE = re.compile(
    "优秀|优良|精华|弘扬|继承|和谐|和平|友谊|友好|信任|增进|提高|提升|推动|促进|有利|有益|有助|重要|价值|意义|贡献|成就|成功"
    "|创作|创造|美好|崇高|热爱|喜爱|改善|保护|实现|满足|丰富|积极|增强|进步|繁荣|发展|完善|推崇|赞"
)


def propose_edits_zh(statement: Statement, rng: random.Random) -> Iterator[StatementEdit]:
    """Yield edits of key words in a Chinese statement, the least visible first."""
    if len(statement.text) > MAX_CHARACTERS:
        return
    if statement.holds is True:
        yield from _change_number(statement, rng)
        yield from propose_swaps(statement, load_swaps(STRATEGY), is_untied)
        yield from propose_antonyms(statement, STRATEGY, _antonym_fits)
    elif statement.holds is False:
        yield from keep_sole_difference(statement, _propose_restorations(statement))
    rewordings = list(propose_rewordings(statement, STRATEGY))
    rng.shuffle(rewordings)
    yield from rewordings


def _change_number(statement: Statement, rng: random.Random) -> Iterator[StatementEdit]:
    """Yield edits that change a count, if the evidence gives the same count.

    The evidence must have the number with the same word after it, and the passage must not have
    the new number with that word.
    """
    text = hide_quotations(statement.text)
    for match in _COUNTED.finditer(text):
        number, noun = match["number"], match["of"]
        candidates = [
            other
            for other in _similar_numbers(number)
            if other + noun not in statement.passage and other + noun not in text
        ]
        is_in_evidence = number + noun in statement.evidence and text.count(number + noun) == 1
        context = sentence_around(text, match.start())
        is_listed = _LISTED.search(context.before + clause_before(text, match.start())) or (
            _NAMED_ITEMS.search(clause_after(text, match.end()) + context.after)
        )
        if statement.text.count(number) > 1:  # also in quotations: “四端” names four things
            continue
        if is_in_evidence and candidates and not is_listed and is_asserted(text, match.start()):
            yield StatementEdit(
                Span(*match.span("number")), rng.choice(candidates), "number", "opposite"
            )


def _similar_numbers(number: str) -> list[str]:
    """Return numbers close to a number, of the same length and in the same script."""
    if number in _SMALL_NUMBERS:
        index = _SMALL_NUMBERS.index(number)
        return [
            candidate
            for candidate in _SMALL_NUMBERS[max(0, index - 2) : index + 3]
            if candidate != number
        ]
    step = 10 ** (len(number) - 1)
    candidates = (int(number) + step, int(number) - step, int(number) + 2 * step)
    return [
        str(candidate)
        for candidate in candidates
        if len(str(candidate)) == len(number) and candidate > 1
    ]


def _antonym_fits(statement: Statement, span: Span, word: Antonym, antonym: Antonym) -> bool:
    """Whether an antonym can replace a word: nothing in the context presupposes the word."""
    text = hide_quotations(statement.text)
    before = clause_before(text, span.start)
    if _CONJUNCTION_BEFORE.search(before) or text[span.end : span.end + 1] in _CONJUNCTIONS:
        return False
    if _WANTED.search(before) or not is_in_matching_clause(statement, span.start, word.pattern):
        return False
    if not {word.word, antonym.word} & _EVALUATIVE:
        return is_untied(text, span.start)
    clause = before + span.of(text) + clause_after(text, span.end)
    elsewhere = text.replace(clause, "")
    return closing_position(text, span.start) == "alone" and not _PRAISE.search(elsewhere + before)


def _propose_restorations(statement: Statement) -> Iterator[StatementEdit]:
    yield from propose_restorations(statement, STRATEGY)
    yield from insert_from_evidence(statement, "restored-hedge", _HEDGES)
    yield from remove_addition(statement, "restored-raised", _STRENGTHENERS)
