"""Questions made from passages that have none, for a reader to learn from before real ones.

A phrase of a sentence is taken for the answer, and what stands around it becomes the question: a
question word in its place, most words kept, some left out. Dhingra et al. (2018) begin so with
cloze questions; that a question word and another order of the parts serve better is from Lewis et
al. (2019) and Fabbri et al. (2020). Phrases are found by their form alone (numbers, dates, capital
letters, articles, conjunctions of cause), so that nothing need be installed; English only.
"""

import re
from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from closeread.text.segment import sentences
from closeread.types import Span

_AROUND = 12  # words of the sentence kept on either side of the answer
_LEFT_OUT = 0.15  # of those words, so that a question is no mere copy
_MONTHS = (
    "January|February|March|April|May|June|July|August|September|October|November|December"
)
_NAME = r"[A-Z][\w'’.-]*\w"
_NOUNS = r"(?:[a-z][\w'’-]+ ){0,2}[a-z][\w'’-]+"
_AFTER = r"(?=[,.;:)]|\s(?:of|in|on|to|for|with|was|is|are|were|and|that|which|by|at|from|as)\b)"

# What a phrase looks like, the words that may ask for it, and how often it is taken beside the
# others. The first to match a place has it.
_PHRASES: tuple[tuple[re.Pattern[str], tuple[str, ...], float], ...] = tuple(
    (re.compile(pattern), words, weight)
    for pattern, words, weight in (
        (rf"\b(?:\d{{1,2}} )?(?:{_MONTHS})(?: \d{{1,2}})?(?:,? \d{{4}})?\b(?! \w*day)",
         ("When", "On what date", "In what month"), 1.0),
        (r"\b(?:1[0-9]|20)\d\d\b", ("When", "In what year", "What year"), 1.0),
        (r"[$£€]\s?\d[\d,.]*\d?(?: (?:million|billion|trillion))?",
         ("How much", "How much money"), 1.0),
        (r"\b\d[\d,.]*\d?\s?(?:%|percent|per cent)", ("What percentage", "How much"), 1.0),
        (r"\b\d[\d,]*(?:\.\d+)?(?: (?:million|billion|thousand))?\b",
         ("How many", "What number", "How much"), 1.0),
        (r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|hundreds"
         r"|dozens)\b", ("How many",), 0.7),
        (rf"\b(?:in|at) ((?:the )?{_NAME}(?: {_NAME}){{0,3}})",
         ("Where", "In what place", "In which"), 1.0),
        (rf"(?<!^)(?<![.!?] ){_NAME}(?: (?:of|the|de|van|von|and|for)(?: the)? {_NAME}| {_NAME}){{0,4}}",
         ("Who", "What", "Which", "What"), 1.0),
        (r"\bbecause (?:of )?([^,.;:()]{8,70})", ("Why",), 1.5),
        (r"\bdue to ([^,.;:()]{6,60})", ("Why", "What caused"), 1.5),
        (r"\bto ((?!the\b|a\b|be\b)[a-z]+ (?:the|a|an|its|their|his|her) [^,.;:()]{4,40})"
         r"(?=[,.;:)])", ("What", "Why"), 0.5),
        (r"\bby ([a-z]+ing [^,.;:()]{4,50})", ("How",), 1.5),
        (rf"\b(?:the|its|his|her) ({_NOUNS}){_AFTER}", ("What", "Which"), 0.35),
        (rf"\b(?:an?|the|their) {_NOUNS}{_AFTER}", ("What",), 0.35),
        (rf"\b(?:is|are|were|was|of|as|by|with) ({_NOUNS}){_AFTER}", ("What",), 0.25),
    )
)


class Cloze(NamedTuple):
    """A question and where its answer stands in the passage."""

    text: str
    span: Span


def cloze_questions(passage: str, rng: Random, words_a_question: int = 30) -> Iterator[Cloze]:
    """Yield questions in the order of the passage, each over another phrase.

    Args:
        passage: English text.
        rng: Draws phrases, question words, the order of the parts and the words left out.
        words_a_question: One question for so many words of the passage, at least one.
    """
    found = [
        (sentence, span, asking, weight)
        for sentence in sentences(passage, "en")
        for span, asking, weight in _phrases(passage, sentence)
    ]
    wanted = max(1, round(len(passage.split()) / words_a_question))
    # Drawing without putting back, by weight (Efraimidis and Spirakis 2006).
    keyed = sorted(found, key=lambda one: -(rng.random() ** (1 / one[3])))[:wanted]
    for sentence, span, asking, _ in sorted(keyed, key=lambda one: one[1].start):
        text = _question(passage, sentence, span, rng.choice(asking), rng)
        if text:
            yield Cloze(text, span)


def _phrases(passage: str, sentence: Span) -> Iterator[tuple[Span, tuple[str, ...], float]]:
    text = sentence.of(passage)
    taken = [False] * len(text)
    for pattern, asking, weight in _PHRASES:
        for match in pattern.finditer(text):
            start, end = match.span(match.lastindex or 0)
            if any(taken[start:end]) or not start < end:
                continue
            taken[start:end] = [True] * (end - start)
            yield Span(sentence.start + start, sentence.start + end), asking, weight


def _question(passage: str, sentence: Span, span: Span, asking: str, rng: Random) -> str:
    left = _kept(passage[sentence.start : span.start].split()[-_AROUND:], rng)
    right = _kept(passage[span.end : sentence.end].split()[:_AROUND], rng)
    if len(left) + len(right) < 3:
        return ""
    drawn = rng.random()
    if drawn < 0.4:
        words = [asking, *right, *left]
    elif drawn < 0.7:
        words = [asking, *left, *right]
    else:
        words = [*left, asking.lower(), *right]
    return " ".join(words).rstrip(" .,;:!?") + "?"


def _kept(words: list[str], rng: Random) -> list[str]:
    return [word for word in words if rng.random() >= _LEFT_OUT and re.search(r"\w", word)]
