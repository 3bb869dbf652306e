"""Statements in traditional characters: read in simplified ones, and what is put in spelled back.

One character stands for one, so that places are the same in both. What is put in is mostly taken
from the statement or its evidence, and spelled as there; the rules' own words are few, and each is
known here where its characters have several traditional forms.
"""

import random
import re
from collections.abc import Iterator
from functools import cache

from closeread.attacks.statements import Statement, Turn, Turns
from closeread.text.traditional import SIMPLIFIED, simplified

_SIMPLE_ALONE = frozenset(SIMPLIFIED.values()) - frozenset(SIMPLIFIED)
# Written so in both, though they stand for others, too (只 for 隻, 表 for 錶), or by most.
_KEPT = frozenset(
    "家同致周冬秋表即只升游征占里台面干斗才千丑出余向志局困采借舍合准吃注布托制系云克既"
)
_USUAL = {
    "发": "發", "当": "當", "尽": "盡", "苏": "蘇", "并": "並", "说": "說", "复": "復", "别": "別",
    "为": "為", "绝": "絕", "获": "獲", "后": "後", "几": "幾", "于": "於", "历": "歷", "钟": "鐘",
    "众": "眾", "强": "強", "内": "內", "闲": "閒",
}  # fmt: skip
_WORDS = {
    "关系": "關係", "复杂": "複雜", "尽管": "儘管", "尽量": "儘量", "尽可能": "儘可能",
    "特征": "特徵", "这里": "這裡", "那里": "那裡", "云南": "雲南", "占据": "佔據",
}  # fmt: skip
_KNOWN = re.compile("(" + "|".join(_WORDS) + ")")
_VARIANTS = {"為": "爲", "眾": "衆", "裡": "裏", "說": "説", "強": "强", "內": "内"}


def in_both_scripts(turns: Turns) -> Turns:
    """Return the turns of a statement in simplified or traditional characters.

    Args:
        turns: Those of one in simplified characters.
    """

    def both(statement: Statement, draw: random.Random) -> Iterator[Turn]:
        if not is_traditional(statement.passage or statement.text):
            yield from turns(statement, draw)
            return
        folded = Statement(
            simplified(statement.text),
            simplified(statement.evidence),
            simplified(statement.passage),
            statement.holds,
        )
        for turn in turns(folded, draw):
            yield turn._replace(words=_spelled(turn.words, statement, folded))

    return both


def is_traditional(text: str) -> bool:
    """Whether more characters of a text are traditional alone than are simplified alone."""
    simple = sum(character in _SIMPLE_ALONE for character in text)
    return sum(character in SIMPLIFIED for character in text) > simple


def _spelled(words: str, statement: Statement, folded: Statement) -> str:
    """Return what is put in as the statement or its evidence spells it, the rest as is usual."""
    pieces = _KNOWN.split(words)
    made = "".join(_WORDS.get(one) or _as_there(one, statement, folded) for one in pieces)
    for usual, other in _VARIANTS.items():
        if other in statement.passage and usual not in statement.passage:
            made = made.replace(usual, other)
    return made


def _as_there(words: str, statement: Statement, folded: Statement) -> str:
    made, at = "", 0
    while at < len(words):
        taken = _taken(words, at, statement.text, folded.text)
        taken = taken or _taken(words, at, statement.evidence, folded.evidence)
        made += taken or _usual(words[at])
        at += len(taken) or 1
    return made


def _taken(words: str, start: int, text: str, folded: str) -> str:
    """Return the longest run from a place on, of two characters at least, as a text has it."""
    end = start + 2
    place = folded.find(words[start:end]) if end <= len(words) else -1
    if place < 0:
        return ""
    while end < len(words) and (longer := folded.find(words[start : end + 1])) >= 0:
        place, end = longer, end + 1
    return text[place : place + end - start]


def _usual(character: str) -> str:
    if character in _KEPT:
        return character
    return _USUAL.get(character) or _only().get(character, character)


@cache
def _only() -> dict[str, str]:
    """Return the traditional form of each simplified character; one of those that have several."""
    return {simple: full for full, simple in SIMPLIFIED.items()}
