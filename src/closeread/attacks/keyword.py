"""The strategy of key words: one that decides the sense is reworded, or turned."""

import random
import re
from collections.abc import Iterator

from closeread.attacks.grounding import LONGEST, contrary, reworded, swapped
from closeread.attacks.restoring import left_out, put_in, restored, sole
from closeread.attacks.statements import Statement, StatementStrategy, Turn
from closeread.attacks.surroundings import Surroundings
from closeread.attacks.wordlists import swaps
from closeread.protocols import Perturbation

NAME = "keyword"
_HEDGES = re.compile(
    "部分|大部分|大多数?|多数|有些|某些|许多|主要|大都|几乎|基本上?|往往|常常|通常|可能|也许|或许|似乎|一定程度上"
    "|在一定程度上|某种意义上|在某种意义上|在某种程度上|大致|大体|较为|比较|尽量|尽可能"
)
_RAISED = re.compile(
    "完全|全部|所有|一切|唯一|必然|一定|彻底|根本|都|直接|绝对|只|(?<!不)仅仅?|最|总是|始终|大大|极大地|任何"
)


def keyword(around: Surroundings) -> Perturbation:
    """Make the strategy."""
    return StatementStrategy(NAME, {"zh": turns_zh}, around)


def turns_zh(statement: Statement, random: random.Random) -> Iterator[Turn]:
    """Yield the turns of a Chinese statement's key words, the least visible first."""
    if len(statement.text) > LONGEST:
        return
    if statement.holds is True:
        yield from swapped(statement, swaps(NAME))
        yield from contrary(statement, NAME)
    elif statement.holds is False:
        yield from sole(statement, _restored(statement))
    same = list(reworded(statement, NAME))
    random.shuffle(same)
    yield from same


def _restored(statement: Statement) -> Iterator[Turn]:
    yield from restored(statement, NAME)
    yield from put_in(statement, "restored-hedge", _HEDGES)
    yield from left_out(statement, "restored-raised", _RAISED)
