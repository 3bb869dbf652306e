"""The strategy of key words: one that decides the sense is reworded, or turned."""

import random
import re
from collections.abc import Iterator

from closeread.attacks.statements import Statement, StatementStrategy, Turn
from closeread.attacks.surroundings import Surroundings
from closeread.attacks.turning.grounding import LONGEST, contrary, plain, reworded, swapped
from closeread.attacks.turning.restoring import left_out, put_in, restored, sole
from closeread.attacks.turning.wordlists import hidden, swaps
from closeread.protocols import Perturbation
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


def keyword(around: Surroundings) -> Perturbation:
    """Make the strategy."""
    return StatementStrategy(NAME, {"zh": turns_zh}, around)


def turns_zh(statement: Statement, random: random.Random) -> Iterator[Turn]:
    """Yield the turns of a Chinese statement's key words, the least visible first."""
    if len(statement.text) > LONGEST:
        return
    if statement.holds is True:
        yield from miscounted(statement, random)
        yield from swapped(statement, swaps(NAME))
        yield from contrary(statement, NAME)
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
    text = hidden(statement.text)
    for match in _COUNTED.finditer(text):
        number, of = match["number"], match["of"]
        free = [
            other
            for other in _others(number)
            if other + of not in statement.passage and other + of not in text
        ]
        told = number + of in statement.evidence and text.count(number + of) == 1
        if told and free and plain(text, match.start()):
            yield Turn(Span(*match.span("number")), random.choice(free), "number", "opposite")


def _others(number: str) -> list[str]:
    """Return what a number could be mistaken for: as long, and written alike."""
    if number in _FEW:
        place = _FEW.index(number)
        return [one for one in _FEW[max(0, place - 2) : place + 3] if one != number]
    step = 10 ** (len(number) - 1)
    near = (int(number) + step, int(number) - step, int(number) + 2 * step)
    return [str(one) for one in near if len(str(one)) == len(number) and one > 1]


def _restored(statement: Statement) -> Iterator[Turn]:
    yield from restored(statement, NAME)
    yield from put_in(statement, "restored-hedge", _HEDGES)
    yield from left_out(statement, "restored-raised", _RAISED)
