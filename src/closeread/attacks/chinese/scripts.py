"""Edit statements in traditional characters with the rules for simplified ones.

The statement is converted to simplified characters, and the replacements back to traditional ones.
The conversion is one to one, so that offsets stay. Most replacements come from the statement or its
evidence and are spelled as there; this file lists the rules' own words whose characters have
several traditional forms.
"""

import random
import re
from collections.abc import Iterator
from functools import cache

from closeread.attacks.statements import ProposeEdits, Statement, StatementEdit
from closeread.text.traditional import SIMPLIFIED, to_simplified

_SIMPLIFIED_ONLY = frozenset(SIMPLIFIED.values()) - frozenset(SIMPLIFIED)
# Usually the same in both scripts, though some also replace others (只 for 隻, 表 for 錶).
_UNCHANGED = frozenset(
    "家同致周冬秋表即只升游征占里台面干斗才千丑出余向志局困采借舍合准吃注布托制系云克既"
)
_USUAL_FORMS = {
    "发": "發", "当": "當", "尽": "盡", "苏": "蘇", "并": "並", "说": "說", "复": "復", "别": "別",
    "为": "為", "绝": "絕", "获": "獲", "后": "後", "几": "幾", "于": "於", "历": "歷", "钟": "鐘",
    "众": "眾", "强": "強", "内": "內", "闲": "閒",
}  # fmt: skip
_WORD_FORMS = {
    "关系": "關係", "复杂": "複雜", "尽管": "儘管", "尽量": "儘量", "尽可能": "儘可能",
    "特征": "特徵", "这里": "這裡", "那里": "那裡", "云南": "雲南", "占据": "佔據",
}  # fmt: skip
_KNOWN_WORDS = re.compile("(" + "|".join(_WORD_FORMS) + ")")
_VARIANTS = {"為": "爲", "眾": "衆", "裡": "裏", "說": "説", "強": "强", "內": "内"}


def in_both_scripts(propose: ProposeEdits) -> ProposeEdits:
    """Return a function that proposes edits of statements in either script.

    Args:
        propose: Proposes edits of a statement in simplified characters.
    """

    def propose_in_script(statement: Statement, rng: random.Random) -> Iterator[StatementEdit]:
        if not is_traditional(statement.passage or statement.text):
            yield from propose(statement, rng)
            return
        in_simplified = Statement(
            to_simplified(statement.text),
            to_simplified(statement.evidence),
            to_simplified(statement.passage),
            statement.holds,
        )
        for edit in propose(in_simplified, rng):
            yield edit._replace(words=_to_traditional(edit.words, statement, in_simplified))

    return propose_in_script


def is_traditional(text: str) -> bool:
    """Whether a text has more characters that are only traditional than only simplified."""
    simple = sum(character in _SIMPLIFIED_ONLY for character in text)
    return sum(character in SIMPLIFIED for character in text) > simple


def _to_traditional(words: str, statement: Statement, in_simplified: Statement) -> str:
    """Return a replacement spelled as in the statement or its evidence, else in the usual form."""
    pieces = _KNOWN_WORDS.split(words)
    spelled = "".join(
        _WORD_FORMS.get(piece) or _spell_as_source(piece, statement, in_simplified)
        for piece in pieces
    )
    for common, variant in _VARIANTS.items():
        if variant in statement.passage and common not in statement.passage:
            spelled = spelled.replace(common, variant)
    return spelled


def _spell_as_source(words: str, statement: Statement, in_simplified: Statement) -> str:
    spelled, position = "", 0
    while position < len(words):
        copied = _copy_longest_run(words, position, statement.text, in_simplified.text)
        copied = copied or _copy_longest_run(
            words, position, statement.evidence, in_simplified.evidence
        )
        spelled += copied or _usual_form(words[position])
        position += len(copied) or 1
    return spelled


def _copy_longest_run(words: str, start: int, text: str, in_simplified: str) -> str:
    """Return the longest run from ``start`` that a text has, spelled as there; "" if none."""
    end = start + 2
    offset = in_simplified.find(words[start:end]) if end <= len(words) else -1
    if offset < 0:
        return ""
    while end < len(words) and (longer_offset := in_simplified.find(words[start : end + 1])) >= 0:
        offset, end = longer_offset, end + 1
    return text[offset : offset + end - start]


def _usual_form(character: str) -> str:
    if character in _UNCHANGED:
        return character
    return _USUAL_FORMS.get(character) or _traditional_forms().get(character, character)


@cache
def _traditional_forms() -> dict[str, str]:
    """Return a traditional form of each simplified character, by simplified character."""
    return {simple: full for full, simple in SIMPLIFIED.items()}
