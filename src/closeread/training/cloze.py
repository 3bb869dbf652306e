"""Makes cloze questions from unannotated English passages, to pretrain a span reader.

A phrase of a sentence becomes the answer. The words around it become the question: a question word
replaces the phrase, most words are kept and some are dropped. Dhingra et al. (2018) pretrain on
cloze questions; Lewis et al. (2019) and Fabbri et al. (2020) show that a question word and another
order of the parts work better. Regular expressions find the phrases (numbers, dates, capital
letters, articles, causal conjunctions), so that no tagger or parser is needed.
"""

import re
from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from closeread.text.calendar import A_MONTH
from closeread.text.segment import sentences
from closeread.types import Span

_MIN_WORDS = 3  # a question with fewer words besides the question word asks nothing
# Shares of the questions that begin with the question word, followed by the words after the answer
# and then those before it, or by all words in their order. In the rest the question word replaces
# the answer.
_WORDS_AFTER_FIRST, _IN_ORDER = 0.4, 0.3

_NUMBER_WORDS = (
    "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|hundreds|dozens"
)
_NAME = r"[A-Z][\w'’.-]*\w"
_JOINED = rf"(?: (?:of|the|de|van|von|and|for)(?: the)? {_NAME}| {_NAME})"
_NOUNS = r"(?:[a-z][\w'’-]+ ){0,2}[a-z][\w'’-]+"
_AFTER = r"(?=[,.;:)]|\s(?:of|in|on|to|for|with|was|is|are|were|and|that|which|by|at|from|as)\b)"


class _Shape(NamedTuple):
    """A kind of phrase that can be an answer.

    Attributes:
        pattern: Matches the phrase; if it has a group, the group is the phrase.
        question_words: The question words to choose from.
        weight: The relative weight with which phrases of this kind are sampled.
    """

    pattern: re.Pattern[str]
    question_words: tuple[str, ...]
    weight: float


def _shape(pattern: str, question_words: str, weight: float) -> _Shape:
    return _Shape(re.compile(pattern), tuple(question_words.split("|")), weight)


# Where several match the same characters, the first of them counts.
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
    """A cloze question and the span of its answer in the passage."""

    text: str
    span: Span


class Wording(NamedTuple):
    """How closely a question follows its sentence.

    Attributes:
        around: Words of the sentence taken on each side of the answer.
        left_out: Share of those words that is dropped, so that a question is no mere copy.
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
    """Yield cloze questions in the order of the passage, each about another phrase.

    Args:
        passage: English text; a text without a matching phrase yields no question.
        rng: Draws phrases, question words, the order of the parts and the dropped words.
        words_a_question: Passage words per question, on average; at least one question is drawn.
            There are fewer if the passage has few phrases, or few words around them.
        wording: How closely the questions follow their sentences.
    """
    phrases = [
        phrase for sentence in sentences(passage, "en") for phrase in _phrases(passage, sentence)
    ]
    n_questions = max(1, round(len(passage.split()) / words_a_question))
    # Weighted sampling without replacement (Efraimidis and Spirakis 2006).
    drawn = sorted(phrases, key=lambda phrase: -(rng.random() ** (1 / phrase.shape.weight)))[
        :n_questions
    ]
    for phrase in sorted(drawn, key=lambda phrase: phrase.span.start):
        text = _make_question(passage, phrase, rng, wording)
        # Filtered after the draw, not before, so that the other questions remain those that the
        # reader of docs/training.md was trained on.
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
            phrase_start = sentence.start + start
            yield _Phrase(sentence, Span(phrase_start, phrase_start + length), shape)


def _cuts_word(passage: str, span: Span) -> bool:
    """Return whether a span starts or ends inside a word, as where a pattern limits its length."""
    return any(
        passage[edge - 1 : edge].isalnum() and passage[edge : edge + 1].isalnum()
        for edge in (span.start, span.end)
        if edge
    )


def _make_question(passage: str, phrase: _Phrase, rng: Random, wording: Wording) -> str:
    sentence, span = phrase.sentence, phrase.span
    question_word = rng.choice(phrase.shape.question_words)
    before = passage[sentence.start : span.start].split()[-wording.around :]
    after = passage[span.end : sentence.end].split()[: wording.around]
    left, right = (_drop_words(words, rng, wording.left_out) for words in (before, after))
    if len(left) + len(right) < _MIN_WORDS:
        return ""
    drawn = rng.random()
    if drawn < _WORDS_AFTER_FIRST:
        words = [question_word, *right, *left]
    elif drawn < _WORDS_AFTER_FIRST + _IN_ORDER:
        words = [question_word, *left, *right]
    else:
        words = [*left, question_word.lower(), *right]
    return " ".join(words).rstrip(" .,;:!?") + "?"


def _drop_words(words: list[str], rng: Random, left_out: float) -> list[str]:
    return [word for word in words if rng.random() >= left_out and re.search(r"\w", word)]
