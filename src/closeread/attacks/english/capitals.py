"""Rewrite the beginning of a sentence for use inside a sentence: only names keep the capital."""

import re

from closeread.attacks.borrowed.similarity import FUNCTION
from closeread.attacks.english.wordlists import any_of

_LOWERED = re.compile(any_of("lowered"))
_FIRST = re.compile(r"\w[\w-]*")
# A word that begins so many sentences and is never in lower case is a name.
_MIN_SENTENCES = 2


def to_mid_sentence_case(words: str, passage: str) -> str | None:
    """Return the beginning of a sentence as it is written within one; None if unknown.

    Args:
        words: The beginning of a sentence.
        passage: The text that shows whether the first word is a name.
    """
    first_word = _FIRST.match(words)
    if (
        first_word is None
        or words[0].islower()
        or first_word[0] == "I"
        or first_word[0][1:2].isupper()
    ):
        return words
    lowered = words[0].lower() + words[1:]
    if _LOWERED.match(words):
        return lowered
    first_is_name = is_name(first_word[0], passage)
    if first_is_name is None:
        return None
    return words if first_is_name else lowered


def is_name(word: str, passage: str) -> bool | None:
    """Whether a capitalized word is a name; None if the passage does not show it."""
    if word.lower() in FUNCTION:
        return False
    if re.search(rf"(?<=[\w,;] ){re.escape(word)}\b", passage):
        return True
    if re.search(rf"\b{re.escape(word.lower())}\b", passage):
        return False
    return True if len(re.findall(rf"\b{re.escape(word)}\b", passage)) >= _MIN_SENTENCES else None
