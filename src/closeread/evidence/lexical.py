"""Evidence by overlap of words and characters: no weights, no training, both languages.

A term is rare where few sentences of the passage hold it, and rare terms weigh more. Sentences are
taken one after the other, always the one that covers most of what is still uncovered.
"""

import math
from collections import Counter
from functools import lru_cache

from closeread.text.segment import sentences, tokens
from closeread.types import Evidence, Option, Passage, Question, Span

_FUNCTION_WORDS = (
    "a an the of to in on at by for from with as and or but is are was were be been being do does "
    "did has have had it its this that these those he she they his her their which who whom what "
    "when where why how than then there not"
)
_STOP = frozenset(_FUNCTION_WORDS.split())
_ENDINGS = ("ingly", "edly", "ing", "ies", "ied", "ed", "es", "ly", "s")


def lexical(gain: float = 0.08, most: int = 4) -> "LexicalRetriever":
    """Make the retriever.

    Args:
        gain: A further sentence must cover at least this share of the text's weight.
        most: Sentences at most, where the caller sets no other bound.
    """
    return LexicalRetriever(gain, most)


class LexicalRetriever:
    """Covers an option, or a question without options, with sentences of the passage."""

    def __init__(self, gain: float, most: int) -> None:
        self._gain = gain
        self._most = most

    def retrieve(
        self, question: Question, passage: Passage, option: Option | None, k: int | None = None
    ) -> Evidence:
        """Return the sentences that cover the option's text, or the question's where it is None.

        ``score`` is the share of the text's weight that they cover, from 0 to 1.
        """
        indexed = _index(passage.text, passage.language)
        weights = indexed.weights(terms(option.text if option is not None else question.text))
        total = sum(weights.values())
        chosen: list[int] = []
        open_terms = set(weights)
        while total and len(chosen) < (self._most if k is None else k):
            gains = [
                sum(sorted(weights[term] for term in open_terms & held)) for held in indexed.terms
            ]
            best = max(range(len(gains)), key=gains.__getitem__, default=None)
            if best is None or not gains[best]:
                break
            if chosen and gains[best] < self._gain * total:
                break
            chosen.append(best)
            open_terms -= indexed.terms[best]
        covered = total - sum(sorted(weights[term] for term in open_terms))
        return Evidence(
            spans=tuple(indexed.spans[place] for place in sorted(chosen)),
            option_label=option.label if option is not None else "",
            score=round(covered / total, 6) if total else 0.0,
        )


class _Index:
    """A passage's sentences with their terms."""

    def __init__(self, text: str, language: str) -> None:
        self.spans: tuple[Span, ...] = sentences(text, language)
        self.terms = [frozenset(terms(span.of(text))) for span in self.spans]
        self._held_by = Counter(term for held in self.terms for term in held)

    def weights(self, wanted: list[str]) -> dict[str, float]:
        many = len(self.spans)
        return {term: math.log(1 + many / (self._held_by[term] + 0.5)) for term in wanted}


@lru_cache(maxsize=64)
def _index(text: str, language: str) -> _Index:
    return _Index(text, language)


def terms(text: str) -> list[str]:
    """Return a text's terms, each once: stems of words, numbers, Chinese characters and pairs."""
    found: dict[str, None] = {}
    before = Span(0, 0)
    for span in tokens(text):
        word = span.of(text)
        if _is_han(word):
            if before.end == span.start and before.end and _is_han(text[before.end - 1]):
                found[text[before.end - 1] + word] = None
            found[word] = None
        elif (word := word.lower()) not in _STOP:
            found[stem(word)] = None
        before = span
    return list(found)


def stem(word: str) -> str:
    """Cut the commonest English endings, crudely: both sides of a comparison are cut alike."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def _is_han(word: str) -> bool:
    return len(word) == 1 and "\u3400" <= word <= "\U0003ffff"
