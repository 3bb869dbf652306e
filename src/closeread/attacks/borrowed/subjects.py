"""Find the subject of a sentence that names it itself."""

from collections.abc import Set

from closeread.attacks.borrowed import chinese, english
from closeread.attacks.borrowed.similarity import UNSPACED, fold
from closeread.text.segment import words
from closeread.types import Passage


def find_subject(
    sentence: str, passage: Passage, own_units: Set[str], spellings: english.Spellings
) -> str:
    """Return the subject of a sentence of a passage, folded; "" if it does not name it.

    Args:
        sentence: The sentence.
        passage: Its passage.
        own_units: Words, or character bigrams, that only this passage repeats; unused for English.
        spellings: How the data set spells its words.
    """
    if passage.language == "en":
        return english.find_subject(sentence, spellings)
    folded = fold(sentence)
    if passage.language in UNSPACED:
        return chinese.find_subject(folded, own_units, fold(passage.title))
    return next((word for word in words(folded)[:3] if word in own_units), "")


def asks_by_pronoun(question: str) -> bool:
    """Return whether a question has a pronoun, such as ``he`` or 该."""
    return english.asks_by_pronoun(question) or chinese.asks_by_pronoun(question)


def refers_back(sentence: str, language: str) -> bool:
    """Return whether a sentence begins with a reference to an earlier one."""
    if language in UNSPACED:
        return chinese.refers_back(sentence)
    return english.refers_back(sentence)
