"""What a sentence is about, where the sentence says so itself and needs none before it."""

from collections.abc import Set

from closeread.attacks.borrowed import chinese, english
from closeread.attacks.borrowed.similarity import UNSPACED, fold
from closeread.text.segment import words
from closeread.types import Passage


def subject(sentence: str, of: Passage, own: Set[str], how: english.Written) -> str:
    """Return what a sentence of a passage is about, folded; "" where it does not say it.

    Args:
        sentence: The sentence.
        of: Its passage.
        own: Words, or pairs of characters, that only the passage is about; not of English.
        how: How the data set writes its words.
    """
    if of.language == "en":
        return english.subject(sentence, how)
    plain = fold(sentence)
    if of.language in UNSPACED:
        return chinese.subject(plain, own, fold(of.title))
    return next((word for word in words(plain)[:3] if word in own), "")


def asks_by_pronoun(question: str) -> bool:
    """Return whether a question says ``he`` or 该 of what only its passage can name."""
    return english.asks_by_pronoun(question) or chinese.asks_by_pronoun(question)


def refers_back(sentence: str, language: str) -> bool:
    """Return whether a sentence begins with what another before it must explain."""
    if language in UNSPACED:
        return chinese.refers_back(sentence)
    return english.refers_back(sentence)
