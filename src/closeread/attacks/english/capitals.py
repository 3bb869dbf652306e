"""Words that begin a sentence, as they are written within one: a name keeps its capital."""

import re

from closeread.attacks.borrowed.similarity import FUNCTION
from closeread.attacks.english.wordlists import listed

_SMALL = re.compile(listed("lowered"))
_FIRST = re.compile(r"\w[\w-]*")
_OFTEN = 2  # sentences that begin with a word which is nowhere written small: it is a name


def within(words: str, passage: str) -> str | None:
    """Return the beginning of a sentence as it is written behind other words; None if unknown.

    Args:
        words: As they begin a sentence.
        passage: Whose other sentences tell names from what has a capital for its place alone.
    """
    first = _FIRST.match(words)
    if first is None or words[0].islower() or first[0] == "I" or first[0][1:2].isupper():
        return words
    lowered = words[0].lower() + words[1:]
    if _SMALL.match(words):
        return lowered
    named = is_name(first[0], passage)
    if named is None:
        return None
    return words if named else lowered


def is_name(word: str, passage: str) -> bool | None:
    """Whether a word with a capital is a name; None where the passage does not tell."""
    if word.lower() in FUNCTION:
        return False
    if re.search(rf"(?<=[\w,;] ){re.escape(word)}\b", passage):
        return True
    if re.search(rf"\b{re.escape(word.lower())}\b", passage):
        return False
    return True if len(re.findall(rf"\b{re.escape(word)}\b", passage)) >= _OFTEN else None
