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

from closeread.text.calendar import A_MONTH
from closeread.text.segment import sentences
from closeread.types import Span

_MIN_WORDS = 3  # words that must be left: fewer ask nothing
# Shares of the questions that begin with the question word: then come the words behind the answer
# and those before it, or all in their order. In the rest it stands in the answer's place.
_WORDS_AFTER_FIRST, _IN_ORDER = 0.4, 0.3

_NUMBER_WORDS = (
    "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|hundreds|dozens"
)
_NAME = r"[A-Z][\w'’.-]*\w"
_JOINED = rf"(?: (?:of|the|de|van|von|and|for)(?: the)? {_NAME}| {_NAME})"
_NOUNS = r"(?:[a-z][\w'’-]+ ){0,2}[a-z][\w'’-]+"
_AFTER = r"(?=[,.;:)]|\s(?:of|in|on|to|for|with|was|is|are|were|and|that|which|by|at|from|as)\b)"


class _Shape(NamedTuple):
    """What a phrase looks like.

    Attributes:
        pattern: The phrase is its group where it has one.
        asking: The words that may ask for it.
        weight: How often it is taken beside the others.
    """

    pattern: re.Pattern[str]
    asking: tuple[str, ...]
    weight: float


def _shape(pattern: str, asking: str, weight: float) -> _Shape:
    return _Shape(re.compile(pattern), tuple(asking.split("|")), weight)


# The first to match a place has it.
_SHAPES = (
    _shape(
        rf"\b(?:\d{{1,2}} )?{A_MONTH}(?: \d{{1,2}})?(?:,? \d{{4}})?\b(?! \w*day)",
        "When|On what date|In what month",
        1.0,
    ),
    _shape(r"\b(?:1[0-9]|20)\d\d\b", "When|In what year|What year", 1.0),
    _shape(
        r"[$£€]\s?\d[\d,.]*\d?(?: (?:million|billion|trillion))?", "How much|How much money", 1.0
    ),
    _shape(r"\b\d[\d,.]*\d?\s?(?:%|percent|per cent)", "What percentage|How much", 1.0),
    _shape(
        r"\b\d[\d,]*(?:\.\d+)?(?: (?:million|billion|thousand))?\b",
        "How many|What number|How much",
        1.0,
    ),
    _shape(rf"\b(?:{_NUMBER_WORDS})\b", "How many", 0.7),
    _shape(
        rf"\b(?:in|at) ((?:the )?{_NAME}(?: {_NAME}){{0,3}})", "Where|In what place|In which", 1.0
    ),
    _shape(rf"(?<!^)(?<![.!?] ){_NAME}{_JOINED}{{0,4}}", "Who|What|Which|What", 1.0),
    _shape(r"\bbecause (?:of )?([^,.;:()]{8,70})", "Why", 1.5),
    _shape(r"\bdue to ([^,.;:()]{6,60})", "Why|What caused", 1.5),
    _shape(
        r"\bto ((?!the\b|a\b|be\b)[a-z]+ (?:the|a|an|its|their|his|her) [^,.;:()]{4,40})"
        r"(?=[,.;:)])",
        "What|Why",
        0.5,
    ),
    _shape(r"\bby ([a-z]+ing [^,.;:()]{4,50})", "How", 1.5),
    _shape(rf"\b(?:the|its|his|her) ({_NOUNS}){_AFTER}", "What|Which", 0.35),
    _shape(rf"\b(?:an?|the|their) {_NOUNS}{_AFTER}", "What", 0.35),
    _shape(rf"\b(?:is|are|were|was|of|as|by|with) ({_NOUNS}){_AFTER}", "What", 0.25),
)


class Cloze(NamedTuple):
    """A question and where its answer stands in the passage."""

    text: str
    span: Span


class Wording(NamedTuple):
    """How near the questions stay to their sentences.

    Attributes:
        around: Words of the sentence taken on either side of the answer.
        left_out: Share of those words left out, so that a question is no mere copy.
    """

    around: int = 12
    left_out: float = 0.15


_DEFAULT_WORDING = Wording()


class _Phrase(NamedTuple):
    sentence: Span
    span: Span
    shape: _Shape


def cloze_questions(
    passage: str, rng: Random, words_a_question: int, wording: Wording = _DEFAULT_WORDING
) -> Iterator[Cloze]:
    """Yield questions in the order of the passage, each over another phrase.

    Args:
        passage: English text; what holds no phrase gives no question.
        rng: Draws phrases, question words, the order of the parts and the words left out.
        words_a_question: One question for about so many words of the passage, at least one; fewer
            where phrases or the words around them are few.
        wording: How near the questions stay to their sentences.
    """
    found = [
        phrase for sentence in sentences(passage, "en") for phrase in _phrases(passage, sentence)
    ]
    wanted = max(1, round(len(passage.split()) / words_a_question))
    # Drawing without putting back, by weight (Efraimidis and Spirakis 2006).
    keyed = sorted(found, key=lambda one: -(rng.random() ** (1 / one.shape.weight)))[:wanted]
    for phrase in sorted(keyed, key=lambda one: one.span.start):
        text = _make_question(passage, phrase, rng, wording)
        # Left out after drawing, not before, so that the other questions stay what they were when
        # the reader of docs/training.md learned from them.
        if text and not _cuts_word(passage, phrase.span):
            yield Cloze(text, phrase.span)


def _phrases(passage: str, sentence: Span) -> Iterator[_Phrase]:
    text = sentence.of(passage)
    taken = [False] * len(text)
    for shape in _SHAPES:
        for match in shape.pattern.finditer(text):
            start, end = match.span(match.lastindex or 0)
            if any(taken[start:end]):
                continue
            taken[start:end] = [True] * (end - start)
            length = len(text[start:end].rstrip())
            at = sentence.start + start
            yield _Phrase(sentence, Span(at, at + length), shape)


def _cuts_word(passage: str, span: Span) -> bool:
    """Whether a word goes on beyond either end, where a pattern found no room for the rest."""
    return any(
        passage[at - 1 : at].isalnum() and passage[at : at + 1].isalnum()
        for at in (span.start, span.end)
        if at
    )


def _make_question(passage: str, phrase: _Phrase, rng: Random, wording: Wording) -> str:
    sentence, span = phrase.sentence, phrase.span
    asking = rng.choice(phrase.shape.asking)
    before = passage[sentence.start : span.start].split()[-wording.around :]
    behind = passage[span.end : sentence.end].split()[: wording.around]
    left, right = (_drop_words(words, rng, wording.left_out) for words in (before, behind))
    if len(left) + len(right) < _MIN_WORDS:
        return ""
    drawn = rng.random()
    if drawn < _WORDS_AFTER_FIRST:
        words = [asking, *right, *left]
    elif drawn < _WORDS_AFTER_FIRST + _IN_ORDER:
        words = [asking, *left, *right]
    else:
        words = [*left, asking.lower(), *right]
    return " ".join(words).rstrip(" .,;:!?") + "?"


def _drop_words(words: list[str], rng: Random, left_out: float) -> list[str]:
    return [word for word in words if rng.random() >= left_out and re.search(r"\w", word)]
