"""Key words of Chinese statements: one that decides the sense is reworded, or turned."""

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
from closeread.attacks.chinese.restoring import left_out, put_in, restored, sole
from closeread.attacks.chinese.ties import closing, sentence, untied
from closeread.attacks.chinese.wordlists import Side, swaps
from closeread.attacks.statements import Statement, Turn, hide_quotations
from closeread.types import Span

NAME = "keyword"
_HEDGES = re.compile(
    "部分|大部分|大多数?|多数|有些|某些|许多|主要|大都|几乎|基本上?|往往|常常|通常|可能|也许|或许|似乎|一定程度上"
    "|在一定程度上|某种意义上|在某种意义上|在某种程度上|大致|大体|较为|比较|尽量|尽可能"
)
_RAISED = re.compile(
    "完全|全部|所有|一切|唯一|必然|一定|彻底|根本|都|直接|绝对|只|(?<!不)仅仅?|最|总是|始终|大大|极大地|任何"
)

_FEW = "两三四五六七八九"
# 一 is as often an article; a number of years tells a time, and one that is told roughly is none.
_COUNTED = re.compile(
    r"(?<![第这那该或十百千万亿几一二两三四五六七八九\d.．~～－至到近约逾超])(?P<number>[两三四五六七八九]|[1-9]\d*)"
    r"(?P<of>(?!大家|位一体|步曲|面八方)[个种类大项条点位名座部次步件幅层道倍％%][^，。；、和与及余多来者或至到左上]|方面|％|%)"
)

_LISTED = re.compile("[、：和与及]|包括|分为|分别|[一二三]是|即|既|首先|其次")
_NAMES = re.compile("[、：]|分别|[一二三]是|即|首先|前者|后者")
# Nobody wants, or is able, to do the contrary of what he does.
_WANTED = re.compile(
    "能|可以?|[会要应需须想愿]|必须|着力|努力|致力|力求|力图|旨在|为了?|希望|主张|提倡|倡导|呼吁|建议|有意|进一步|不断|以便|以$"
)
_JOINS = frozenset("和与、及")
_JOINED = re.compile(f"[{''.join(sorted(_JOINS))}]$")  # beside what would hold as before
_JUDGED = frozenset(
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


def turns_zh(statement: Statement, random: random.Random) -> Iterator[Turn]:
    """Yield the turns of a Chinese statement's key words, the least visible first."""
    if len(statement.text) > LONGEST:
        return
    if statement.holds is True:
        yield from miscounted(statement, random)
        yield from swapped(statement, swaps(NAME), untied)
        yield from contrary(statement, NAME, _sensible)
    elif statement.holds is False:
        yield from sole(statement, _restored(statement))
    same = list(reworded(statement, NAME))
    random.shuffle(same)
    yield from same


def miscounted(statement: Statement, random: random.Random) -> Iterator[Turn]:
    """Yield a number of things exchanged for another, where the evidence tells the same number.

    The number stands with the same word behind it in the evidence; the passage has no such number
    of them.
    """
    text = hide_quotations(statement.text)
    for match in _COUNTED.finditer(text):
        number, of = match["number"], match["of"]
        free = [
            other
            for other in _others(number)
            if other + of not in statement.passage and other + of not in text
        ]
        told = number + of in statement.evidence and text.count(number + of) == 1
        said = sentence(text, match.start())
        listed = _LISTED.search(said.before + clause_before(text, match.start())) or (
            _NAMES.search(clause_after(text, match.end()) + said.after)
        )
        if statement.text.count(number) > 1:  # quotations count: four that are called “四端”
            continue
        if told and free and not listed and plain(text, match.start()):
            yield Turn(Span(*match.span("number")), random.choice(free), "number", "opposite")


def _others(number: str) -> list[str]:
    """Return what a number could be mistaken for: as long, and written alike."""
    if number in _FEW:
        place = _FEW.index(number)
        return [one for one in _FEW[max(0, place - 2) : place + 3] if one != number]
    step = 10 ** (len(number) - 1)
    near = (int(number) + step, int(number) - step, int(number) + 2 * step)
    return [str(one) for one in near if len(str(one)) == len(number) and one > 1]


def _sensible(statement: Statement, span: Span, side: Side, other: Side) -> bool:
    """Whether a contrary makes sense where a word stands: nothing there wants or presupposes it."""
    text = hide_quotations(statement.text)
    before = clause_before(text, span.start)
    if _JOINED.search(before) or text[span.end : span.end + 1] in _JOINS:
        return False
    if _WANTED.search(before) or not told_with(statement, span.start, side.found):
        return False
    if not {side.words, other.words} & _JUDGED:
        return untied(text, span.start)
    clause = before + span.of(text) + clause_after(text, span.end)
    elsewhere = text.replace(clause, "")
    return closing(text, span.start) == "alone" and not _PRAISE.search(elsewhere + before)


def _restored(statement: Statement) -> Iterator[Turn]:
    yield from restored(statement, NAME)
    yield from put_in(statement, "restored-hedge", _HEDGES)
    yield from left_out(statement, "restored-raised", _RAISED)
